"""The timeline as a Streamlit component: one SVG with its step controls and keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from retree_viz.component import mount
from retree_viz.timeline.data import Timeline

_SCRIPTS = (Path(__file__).with_name("marks.js"), Path(__file__).with_name("timeline.js"))
_STYLE = Path(__file__).with_name("timeline.css")


def show_timeline(shown: Timeline, *, now: int, selected: str, key: str, on_do: Callable[[str], None]) -> None:
    """Draw the timeline; `on_do` gets `go:MOMENT` or `select:ID` when the user asks for it."""
    data: dict[str, Any] = {**shown.json(), "now": now, "selected": selected}
    mount("retree_timeline", _SCRIPTS, _STYLE, data=data, key=key, on_do=on_do)
