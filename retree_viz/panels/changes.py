"""Changes: what differs in the memory between two moments of a run."""

from __future__ import annotations

from retree_viz.html import Html, tag
from retree_viz.panels.pieces import section
from retree_viz.run import Run


def changes(run: Run, moment: int, base: int | None = None) -> Html:
    """The Changes panel: this moment against `base`, by default the one before."""
    before = moment - 1 if base is None else max(0, min(base, run.total))
    return section(f"From moment {before} to {moment}", tag("p", "", cls="mut"))
