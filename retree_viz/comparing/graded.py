"""Above two runs of results: the way back to the list, the gold answer, and which of the two was right."""

from __future__ import annotations

from collections.abc import Iterator

from retree_viz.comparing.pair import Pair
from retree_viz.comparing.pane import SIDES, badge
from retree_viz.html import Child, Html, tag
from retree_viz.panels.pieces import cut
from retree_viz.place import Place
from retree_viz.results.data import Line, Loaded
from retree_viz.results.folders import folder_of
from retree_viz.results.held import results_at
from retree_viz.results.strip import back, golds, graded, line_of


def results_of(place: Place) -> Loaded | None:
    """The results that both runs were chosen from, or else those that run A or run B lies in."""
    folders = (place.results, folder_of(place.run), folder_of(place.against))
    return next((found for one in folders if one and (found := results_at(one))), None)


def graded_pair(pair: Pair, place: Place, loaded: Loaded | None) -> Html | None:
    """The strip; None where neither run was chosen from results nor is one of theirs."""
    lines = [line_of(loaded, address) if loaded else None for address in (place.run, place.against)]
    if not place.results and not any(lines):
        return None
    return tag(
        "div",
        back(loaded.name if loaded else place.results) if place.results else None,
        *_told(lines, pair.names, one_question=pair.found.one_question),
        cls="of-results",
    )


def _told(lines: list[Line | None], names: tuple[str, str], *, one_question: bool) -> Iterator[Child]:
    """Of one question its gold answer once, of two that of each run before its grade."""
    known = next((one for one in lines if one), None)
    if known is None:
        return
    if one_question:
        yield golds(known)
    for side, name, line in zip(SIDES, names, lines, strict=True):
        yield tag("span", badge(side), tag("b", cut(name, 40)), *_grade(line, one_question=one_question), cls="of-side")


def _grade(line: Line | None, *, one_question: bool) -> Iterator[Child]:
    if line is None:
        yield tag("span", "not in these results", cls="mut")
        return
    yield graded(line) or tag("span", "unfinished", cls="mut")
    if not one_question:
        yield golds(line)
