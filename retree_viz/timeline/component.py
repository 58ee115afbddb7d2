"""The timeline as a Streamlit component: one SVG with its step controls and keys.

Two mounts: the record, with all code and everything that a step does not change, and the frame, which says where
the user is. Streamlit sends an element again only where it differs from the last, so a step sends the frame alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from retree_viz.component import mount
from retree_viz.html import visible
from retree_viz.noted import UNNOTED, Noted
from retree_viz.packed import packed
from retree_viz.place import LANES, Place
from retree_viz.run import Run
from retree_viz.timeline.data import MARKS, UNKNOWN

_SCRIPTS = tuple(Path(__file__).with_name(name) for name in ("marks.js", "axis.js", "bar.js", "timeline.js"))
_FRAME = (Path(__file__).with_name("frame.js"),)
_STYLE = Path(__file__).with_name("timeline.css")
MOST_NOTES = 1000
"""Moments with notes that are marked."""
MOST_CHANGES = 500
"""Changes of a watched id that are marked."""


def show_timeline(
    run: Run, place: Place, noted: Noted = UNNOTED, *, paused: str = "", key: str, on_do: Callable[[str], None]
) -> None:
    """Draw the timeline; `on_do` gets wishes such as `go:MOMENT` when the user asks for something.

    `paused` says why a live run waits.
    """
    chosen = {"of": key, **_points(run, place.breakpoints), "watch": _watch(run, place.watch)}
    chosen["notes"] = noted.marks[:MOST_NOTES]
    record = run.timeline.packed[:-1] + b"," + packed(chosen)[1:]
    frame = {
        "of": key,
        "total": run.total,
        "now": place.at(run.total),
        "selected": visible(place.selected),
        "paused": visible(paused),
        "pace": {"unit": place.unit, "speed": float(place.speed), "lanes": LANES.index(place.lanes)},
    }
    mount("retree_timeline_record", _SCRIPTS, _STYLE, data=record, key=f"{key}-record", on_do=on_do)
    mount("retree_timeline", _FRAME, data=frame, key=key, on_do=on_do)


def _points(run: Run, breakpoints: tuple[str, ...]) -> dict[str, Any]:
    """The breakpoints, and every moment that one of them hits."""
    points = [run.point(text) for text in breakpoints]
    return {
        "points": [{"text": visible(one.text), "problem": visible(one.problem)} for one in points],
        "hits": sorted({moment for one in points for moment in one.moments}),
    }


def _watch(run: Run, watched: str) -> dict[str, Any] | None:
    """The changes of the watched id: moment, mark, words, whether it was lost, and whether it was only a contest."""
    if not watched:
        return None
    changes = [
        [one.moment, MARKS.get(one.kind, (UNKNOWN, ""))[0], visible("".join(one.words)), one.lost, one.changed_nothing]
        for one in run.changes(watched)[-MOST_CHANGES:]
    ]
    return {"id": visible(watched), "changes": changes}
