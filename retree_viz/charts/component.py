"""The charts as a Streamlit component. As for the timeline, what a step does not change is mounted by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from retree_viz.charts.data import spent
from retree_viz.component import mount
from retree_viz.html import visible
from retree_viz.opened import Opened
from retree_viz.place import Place

_MARKS = Path(__file__).parent.parent / "timeline" / "marks.js"
_SCRIPTS = (
    _MARKS,
    *(Path(__file__).with_name(name) for name in ("plot.js", "lines.js", "bars.js", "lives.js", "charts.js")),
)
_FRAME = (Path(__file__).with_name("frame.js"),)
_STYLE = Path(__file__).with_name("charts.css")


def show_charts(found: Opened, moment: int, place: Place, *, key: str, on_do: Callable[[str], None]) -> None:
    """Draw the charts of a run; `on_do` gets `go:MOMENT` and `select:ID`."""
    frame = {
        "of": key,
        "now": moment,
        "selected": visible(place.selected),
        "spent": [asdict(one) for one in spent(found.run, moment)],
    }
    mount(
        "retree_charts_record",
        _SCRIPTS,
        _STYLE,
        data={"of": key, **found.charts.json},
        key=f"{key}-record",
        on_do=on_do,
    )
    mount("retree_charts", _FRAME, data=frame, key=key, on_do=on_do)
