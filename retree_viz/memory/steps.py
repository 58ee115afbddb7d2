"""A transcript as a chain of steps: what was thought, searched and found, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from retree_core import events as ev
from retree_core.secrets import redact
from retree_core.text import count
from retree_viz.html import Child, Html, join, tag
from retree_viz.memory.pieces import classes, marked, rest, window
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.pieces import cut, empty
from retree_viz.panels.ways import at
from retree_viz.run import Run
from retree_viz.words import markup, ref, sentence

SHORT = 240
"""Characters of a passage in the chain."""
_ALONE = (ev.StopRefused, ev.StopChosen, ev.BudgetExhausted, ev.Answered, ev.RunEnded)
"""Events that are a step each."""


@dataclass(slots=True)
class _Step:
    """A search with what it brought, or one other event."""

    moment: int
    event: ev.Event
    found: dict[int, ev.PassagesRetrieved | ev.SearchFailed] = field(default_factory=dict)
    """By moment."""


def steps(run: Run, moment: int, chosen: str) -> Html:
    """The chain as of a moment; steps still to come are dimmed below."""
    every = list(_steps(run))
    if not every:
        return empty("No search has been made yet.", "Step forward to the first one.")
    past = sum(one.moment <= moment for one in every)
    shown = window(every, past)
    lines = (_line(run, one, moment, chosen) for one in shown)
    return tag("div", tag("ol", *lines, cls="chain"), rest(len(shown), len(every)))


def _steps(run: Run) -> Iterator[_Step]:
    search: _Step | None = None
    for moment, event in enumerate(run.events, 1):
        match event:
            case ev.SearchChosen():
                if search:
                    yield search
                search = _Step(moment, event)
            case ev.PassagesRetrieved() | ev.SearchFailed() if search:
                search.found[moment] = event
            case _ if isinstance(event, _ALONE):
                if search:
                    yield search
                search = None
                yield _Step(moment, event)
    if search:
        yield search


def _line(run: Run, one: _Step, moment: int, chosen: str) -> Html:
    later = one.moment > moment
    now = moment in (one.moment, *one.found)
    if isinstance(one.event, ev.SearchChosen):
        head: Child = _search(one.event)
        body = join(*(_found(run, found, at, moment, chosen) for at, found in one.found.items()))
    else:
        head, body = tag("span", markup(sentence(one.event, run.at(one.moment)))), join()
    return tag(
        "li",
        at(one.moment, ""),
        tag("span", icon(of_event(one.event.kind), "s"), cls=tone(one.event.kind)),
        tag("div", tag("div", marked(now), head, cls="did"), body),
        cls=classes(later=later, now=now),
        data_here=f"{moment}" if now else None,
    )


def _search(event: ev.SearchChosen) -> Html:
    number = ref(f"s{event.search}", f"Search {event.search}", "plain")
    forced = tag("span", "forced: the question itself", cls="refuse") if event.origin == "forced" else None
    thought = tag("p", tag("span", "Thought ", cls="mut"), cut(event.reason, 1200), cls="thought")
    query = tag("p", number, " ", tag("b", cut(event.query, 600)), " ", forced)
    return tag("div", thought if event.reason else None, query)


def _found(run: Run, event: ev.PassagesRetrieved | ev.SearchFailed, at: int, moment: int, chosen: str) -> Html:
    later = "later" if at > moment else ""
    if isinstance(event, ev.SearchFailed):
        return tag("p", markup(sentence(event, run.at(at))), cls=f"conflict {later}")
    again = f", served again from search {event.repeat_of}" if event.repeat_of else ""
    head = tag("p", f"{count(len(event.passages), 'passage')}{again}", cls="mut")
    lines = (
        tag(
            "li",
            ref(one.id),
            tag(
                "span",
                tag("b", cut(one.title, 200)),
                " ",
                cut(redact(one.text)[:SHORT]),
                "…" if len(one.text) > SHORT else None,
            ),
            cls="on" if one.id == chosen else "",
        )
        for one in event.passages
    )
    return tag("div", head, tag("ul", *lines, cls="found"), cls=later)
