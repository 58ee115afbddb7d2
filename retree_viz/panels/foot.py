"""The bar below the inspector: what a person can do about the moment."""

from __future__ import annotations

from retree_core.labels import Label, is_the_judges
from retree_viz import dossier, edits
from retree_viz.html import Html, tag
from retree_viz.noted import UNNOTED, Noted
from retree_viz.panels.bar import button
from retree_viz.panels.icons import icon
from retree_viz.place import Place
from retree_viz.run import Run


def foot(run: Run, place: Place, noted: Noted = UNNOTED) -> Html:
    """Flip or edit and fork; right or wrong, where the judge decided; and a note."""
    conflict = dossier.conflict_at(run, place.at(run.total))
    decided = conflict if conflict and is_the_judges(conflict) else None
    flips = bool(run.total) and edits.decided_here(run, place.at(run.total)) is not None
    fork = tag(
        "button",
        icon("fork"),
        "Flip this decision and fork" if flips else "Edit and fork …",
        type="button",
        cls="btn primary",
        data_do="dialog:fork",
        data_key="t",
        title="what if this had been decided differently (t)" if flips else "what if this had been different (t)",
        disabled=not run.total,
    )
    note = button("pen", "Note", do="dialog:note", key="n", title="write a note on this moment (n)")
    return tag(
        "div",
        tag("span", "An imported record cannot be forked.", cls="mut") if run.trace.imported else fork,
        tag("span", cls="sp"),
        _labels(noted.label(decided)) if decided else None,
        note,
        cls="foot",
    )


def _labels(label: Label | None) -> Html:
    """Whether the decision was right, as a person sees it; the one that was said takes itself back."""
    said = label.verdict if label else ""
    return tag(
        "span",
        *(_label(mark, name, said) for mark, name in (("check", "Right"), ("cross", "Wrong"))),
        cls="labels",
        role="group",
        aria_label="this decision was",
    )


def _label(mark: str, name: str, said: str) -> Html:
    verdict = name.lower()
    pressed = said == verdict
    title = "your label; press again to take it back" if pressed else f"label this decision of the judge {verdict}"
    return tag(
        "button",
        icon(mark, "s"),
        name,
        type="button",
        cls=verdict,
        data_do=f"label:{verdict}",
        aria_pressed="true" if pressed else "false",
        title=title,
    )
