"""What an event outside of any conflict rested on: the facts, the reason, and what the policy saw."""

from __future__ import annotations

from collections.abc import Iterable

from retree_core import events as ev
from retree_core.state import State
from retree_viz import dossier
from retree_viz.html import Html, join, tag
from retree_viz.panels.pieces import chip, cut, empty, history_list, rows, section
from retree_viz.run import Run
from retree_viz.words import Ref, markup, ref, sentence

MOST_TURNS = 100


def basis(run: Run, moment: int) -> Html:
    """What an event outside of any conflict rested on."""
    event = run.event(moment)
    if event is None:
        return empty("Nothing has happened yet.", "Press → or click a tick on the timeline.")
    state = run.at(moment)
    return join(
        section(None, tag("p", markup(sentence(event, state)), cls="lead")),
        _details(run, event, state, moment),
        _context(run, moment),
    )


def _details(run: Run, event: ev.Event, state: State, moment: int) -> Html | None:
    match event:
        case ev.RunStarted() | ev.Answered() | ev.RunEnded():
            return _overview(run)
        case ev.SearchChosen():
            missing = tag("span", ", ".join(event.missing)) if event.missing else None
            return section(
                "The policy's choice",
                rows([("Query", event.query), ("Reason", event.reason or None), ("Missing", missing)]),
            )
        case ev.StopRefused() | ev.StopChosen():
            return section("Reason", tag("blockquote", cut(event.reason or "none given", 2000)))
        case ev.FactsExtracted():
            return section("The new facts", _fact_list(state, (one.id for one in event.facts)))
        case ev.DuplicateFound():
            return section("The two facts", _fact_list(state, (event.of, event.fact)))
        case ev.NodeAdded():
            return section("What it holds", _fact_list(state, event.evidence))
        case ev.SummaryWritten():
            return _summary(run, event, moment)
        case ev.SummaryStale():
            return section("The summary not used", tag("blockquote", cut(event.text, 3000)))
        case ev.PassagesRetrieved():
            found = (tag("li", ref(one.id), tag("span", cut(one.title, 200))) for one in event.passages)
            return section("Passages", tag("ul", *found, cls="facts"))
        case ev.FactRebound() | ev.FactDropped():
            return section("The extracted item", tag("blockquote", cut(event.text, 2000)))
        case ev.NodesPruned():
            return section(
                "What fell", _fact_list(state, (one for node in event.nodes for one in _facts_in(state, node)))
            )
        case ev.FactsSetAside():
            return section("Set aside", _fact_list(state, event.facts))
        case ev.FactsAdded():
            return section("The new facts", _fact_list(state, event.facts))
        case _:
            return None


_TURNS = (
    ev.StopRefused,
    ev.SearchFailed,
    ev.ConflictRejected,
    ev.EvidenceRepaired,
    ev.NodesPruned,
    ev.SummaryStale,
    ev.BudgetExhausted,
    ev.Answered,
)
"""The events that a run is remembered by."""


def _overview(run: Run) -> Html:
    """The turns a run took, each a way to its moment."""
    turns = [(moment, one) for moment, one in enumerate(run.events, 1) if isinstance(one, _TURNS)]
    lines = (
        dossier.Line(moment=moment, mark=one.kind, words=sentence(one, run.at(moment)))
        for moment, one in turns[:MOST_TURNS]
    )
    note = f"{MOST_TURNS} of {len(turns):,} shown" if len(turns) > MOST_TURNS else None
    return section("Turns of this run", history_list(lines), aside=note)


def _facts_in(state: State, node: str) -> tuple[str, ...]:
    return state.nodes[node].evidence if node in state.nodes else ()


def _fact_list(state: State, ids: Iterable[str]) -> Html:
    lines = (
        tag("li", chip(state.evidence[one]), tag("span", cut(state.evidence[one].text, 400)))
        if one in state.evidence
        else tag("li", markup((Ref(one),)), tag("span", "not in the record", cls="mut"))
        for one in ids
    )
    return tag("ul", *lines, cls="facts")


def _summary(run: Run, event: ev.SummaryWritten, moment: int) -> Html:
    node = run.at(moment - 1).nodes.get(event.node)
    before = node.summary if node else ""
    old = section("Before", tag("blockquote", cut(before, 3000), cls="gone")) if before else None
    words = len(event.text.split())
    return join(section("The summary", tag("blockquote", cut(event.text, 3000)), aside=f"{words} words"), old)


def _context(run: Run, moment: int) -> Html | None:
    """What the policy saw when it last chose."""
    state = run.at(moment)
    if state.context is None:
        return None
    node = state.nodes.get(state.context.node)
    summary = node.summary if node and node.summary else ""
    return section(
        join("What the policy saw at ", ref(state.context.node)),
        tag("p", cut(summary, 3000) if summary else tag("span", "no summary yet", cls="mut"), cls="summary"),
        _fact_list(state, state.context.evidence)
        if state.context.evidence
        else tag("p", "No evidence was shown.", cls="mut"),
        aside=f"{state.context.characters:,} characters",
    )
