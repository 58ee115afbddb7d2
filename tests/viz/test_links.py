"""Every link in every panel of every sample leads to something: none dangles, none ends in an empty panel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from retree_core import events as ev
from retree_core.breakpoints import Breakpoint
from retree_core.trace import read_trace
from retree_viz import dialogs
from retree_viz.html import Html, join
from retree_viz.panels import bar
from retree_viz.panels.answer import answer
from retree_viz.panels.foot import foot
from retree_viz.panels.inspector import inspector
from retree_viz.place import TABS, VIEWS, Place, moved
from retree_viz.run import Run

SAMPLES = sorted((Path(__file__).parents[2] / "sample_runs").glob("*-*.jsonl"))
WISH = re.compile(r'<\w+[^>]* data-do="([^"]*)"[^>]*>')
EMPTY = re.compile(r'class="empty"')
FOLLOWED = ("select", "tab", "call", "pair")
"""Verbs whose panel is looked at in turn."""


def names(run: Run) -> set[str]:
    """All that can be selected in a run."""
    last = run.last
    claims = {f"c{number}" for number in range(1, len(last.answer.claims if last.answer else ()) + 1)}
    searches = {f"s{one.number}" for one in last.searches}
    return {*last.nodes, *last.evidence, *last.passages, *claims, *searches, "answer"}


def resolves(run: Run) -> dict[str, Callable[[str], bool]]:
    """Verb to whether what it names exists."""
    known = names(run)

    def moment(what: str) -> bool:
        return what.isdigit() and 0 <= int(what) <= run.total

    return {
        "select": lambda what: what in known,
        "watch": lambda what: what in known,
        "pair": lambda what: not what or what in run.last.evidence,
        "go": moment,
        "base": lambda what: not what or moment(what),
        "call": lambda what: what.isdigit() and 1 <= int(what) <= len(run.trace.calls),
        "tab": lambda what: what in TABS,
        "view": lambda what: what in VIEWS,
        "dialog": lambda what: what in (*dialogs.DIALOGS, "note"),
        "break": lambda what: bool(Breakpoint.parse(what)),
    }


def page(run: Run, place: Place) -> Html:
    """All markup of the debugger at a place."""
    moment = place.at(run.total)
    around = (bar.top_bar(run, moment), bar.event_line(run, moment), bar.notices(run), foot(run, place))
    return join(*around, answer(run, moment, place.selected), inspector(run, place))


def wishes(made: Html) -> Iterator[str]:
    """What can be asked for; a button that is off asks for nothing."""
    return (unescape(one[1]) for one in WISH.finditer(made) if not re.search(r" disabled[ >]", one[0]))


def walk(run: Run, moment: int, *, far: bool) -> Iterator[str]:
    """What does not resolve of all links at a moment, in words; `far` goes on to the links of where they lead."""
    known = resolves(run)
    waiting = [Place(run="samples/x", moment=moment, tab=tab) for tab in TABS]
    seen: set[tuple[object, ...]] = set()
    asked: set[str] = set()
    while waiting:
        place = waiting.pop()
        key = (place.selected, place.tab, place.pair, place.call)
        if key in seen:
            continue
        seen.add(key)
        made = page(run, place)
        if (place.selected or place.call) and EMPTY.search(made):
            yield f"moment {moment}: {place.tab} {place.selected} {place.pair} is empty"
        for wish in {*wishes(made)} - asked:
            asked.add(wish)
            verb, _, what = wish.partition(":")
            if verb in known and not known[verb](what):
                yield f"moment {moment}: {wish}, on {place.tab} {place.selected} {place.pair}"
            if far and verb in FOLLOWED:
                waiting.append(replace(moved(place, wish, run.total), moment=moment))


def turns(run: Run) -> set[int]:
    """The moments from which links are followed to the end: the last, and those that changed most."""
    return {run.total, *run.ledger.moments(ev.ConflictRejected, ev.NodesPruned, ev.SummaryStale, ev.StopRefused)}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda one: one.stem)
def test_every_link_resolves(path: Path) -> None:
    run = Run(read_trace(path))
    far = turns(run)
    dangling = [one for moment in range(1, run.total + 1) for one in walk(run, moment, far=moment in far)]
    assert dangling == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda one: one.stem)
def test_every_id_has_a_panel_at_every_moment(path: Path) -> None:
    run = Run(read_trace(path))
    known = resolves(run)
    for moment in range(1, run.total + 1, 3):
        for id_ in sorted(names(run)):
            place = replace(moved(Place(run="samples/x"), f"select:{id_}"), moment=moment)
            made = inspector(run, place)
            assert not EMPTY.search(made), (moment, id_)
            for verb, _, what in (wish.partition(":") for wish in wishes(made)):
                assert verb not in known or known[verb](what), (moment, id_, verb, what)
