"""What events about passages, facts and nodes rested on and what came of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from retree_core import events as ev
from retree_core.text import count
from retree_core.why.checks import check_of
from retree_core.why.ledger import Ledger, cost
from retree_core.why.restating import restating_rule
from retree_core.why.standing import listed, standing
from retree_core.why.values import Point, Ref

Points = Iterator[Point]


def _passages_retrieved(ledger: Ledger, moment: int, event: ev.PassagesRetrieved) -> Points:
    known = ledger.at(moment - 1).passages
    seen = [one.id for one in event.passages if one.id in known]
    if event.repeat_of is not None:
        at = ledger.search_starts.get(event.repeat_of)
        words = (f"the query of search {event.repeat_of} again: served from the record of the run, no search was made",)
        yield Point(label="Repeated", words=words, moment=at)
    if seen:
        yield Point(label="Seen before", words=listed(seen))
    if event.duplicates:
        yield Point(label="Left out", words=(f"{event.duplicates} that repeat another hit of this search",))
    if not event.passages:
        yield Point(label="What followed", words=("nothing was read; the policy is told so and asked again",))


def _search_failed(ledger: Ledger, moment: int, event: ev.SearchFailed) -> Points:
    yield Point(label="What it said", words=(event.message or "nothing",), said=True)
    yield Point(label="Kind", words=(f"{event.failure.replace('_', ' ')}; the search counts all the same",))


def _facts_extracted(ledger: Ledger, moment: int, event: ev.FactsExtracted) -> Points:
    start = ledger.last_of(moment, ev.PassagesRetrieved) or 0
    for at in range(start + 1, moment):
        match ledger.event(at):
            case ev.FactDropped() as dropped:
                yield Point(
                    label="Left out", words=(f"{dropped.cause.replace('_', ' ')}: {dropped.detail}",), moment=at
                )
            case ev.FactRebound() as bound:
                words = ("an item named ", Ref(bound.named), " and was bound to ", Ref(bound.passage))
                yield Point(label="Bound anew", words=words, moment=at)
    end = ledger.next_of(moment, ev.SearchChosen, ev.ContextBuilt, ev.Answered) or len(ledger.events) + 1
    state = ledger.at(end - 1)
    for one in event.facts:
        held = state.evidence.get(one.id)
        fate = (
            (" went into ", Ref(held.node) if state.has_tree else "the list")
            if held and held.fate == "active" and held.node
            else (f" {standing(state, one.id)}",)
        )
        yield Point(label="Came of it", words=(Ref(one.id), *fate))


def _fact_dropped(ledger: Ledger, moment: int, event: ev.FactDropped) -> Points:
    yield Point(label="Rule", words=(_DROPPED[event.cause],))
    yield Point(label="Detail", words=(event.detail or "none",))
    if event.text:
        yield Point(label="The item", words=(event.text,), said=True)
    yield from _read_from(ledger, moment)


_DROPPED = {
    "unbound": "an item must name one of the passages it was read in",
    "unsupported": "the numbers, dates and names of a fact must stand in a passage of the search",
    "over_limit": "no more facts are taken of one search",
    "malformed": "an item must be an object with a text",
}
"""Cause to the rule it broke."""


def _fact_rebound(ledger: Ledger, moment: int, event: ev.FactRebound) -> Points:
    yield Point(label="The fact", words=(event.text,), said=True)
    missing = ", ".join(event.missing) or "its values"
    yield Point(label="It named", words=(Ref(event.named), f": does not hold {missing}"))
    yield Point(
        label="Bound to", words=(Ref(event.passage), ": the first passage of the search that holds all of them")
    )
    yield from _read_from(ledger, moment)


def _read_from(ledger: Ledger, moment: int) -> Points:
    at = ledger.last_of(moment, ev.PassagesRetrieved)
    event = ledger.event(at) if at else None
    if isinstance(event, ev.PassagesRetrieved):
        words = (f"search {event.search}: ", *listed(one.id for one in event.passages))
        yield Point(label="Read", words=words, moment=at)


def _duplicate_found(ledger: Ledger, moment: int, event: ev.DuplicateFound) -> Points:
    yield Point(label="Rule", words=(restating_rule(ledger, event.fact, event.of),))
    now, before = ledger.at(moment).evidence.get(event.of), ledger.at(moment - 1).evidence.get(event.of)
    held = {one.passage for one in before.current.sources} if before else set()
    gained = [one.passage for one in now.current.sources if one.passage not in held] if now else []
    words = (*listed(gained), " is attached to ", Ref(event.of)) if gained else ("its passage was known already",)
    yield Point(label="Source", words=words)
    yield Point(label="Judge", words=("not asked: a restatement contradicts nothing",))


def _facts_set_aside(ledger: Ledger, moment: int, event: ev.FactsSetAside) -> Points:
    at = ledger.last_of(moment, ev.EvidenceRepaired)
    repair = ledger.event(at) if at else None
    if isinstance(repair, ev.EvidenceRepaired):
        words = ("they came with ", Ref(repair.by), ", which repaired ", Ref(repair.evidence))
        yield Point(label="Because", words=words, moment=at)
    yield Point(label="Rule", words=("the other new facts of a repairing search join no node (--on-repair set_aside)",))


def _node_added(ledger: Ledger, moment: int, event: ev.NodeAdded) -> Points:
    at = ledger.search_starts.get(event.search)
    yield Point(label="Search", words=(f"{event.search}: {event.query}",), moment=at)
    yield from _no_repair(ledger, moment, event.search)


def _facts_added(ledger: Ledger, moment: int, event: ev.FactsAdded) -> Points:
    searches = ledger.at(moment).searches
    if searches:
        yield from _no_repair(ledger, moment, searches[-1].number)


def _no_repair(ledger: Ledger, moment: int, search: int) -> Points:
    """Why the tree grew here and nothing was repaired."""
    start = ledger.search_starts.get(search, moment)
    for at in range(start, moment):
        event = ledger.event(at)
        if isinstance(event, ev.ConflictRejected | ev.EvidenceRepaired):
            pair = (event.old, event.new) if isinstance(event, ev.ConflictRejected) else (event.evidence, event.by)
            what = "a conflict was rejected: " if isinstance(event, ev.ConflictRejected) else "after a repair: "
            yield Point(label="Conflicts", words=(what, Ref(pair[1]), " against ", Ref(pair[0])), moment=at)
    if any(isinstance(one, ev.ConflictProposed) for one in ledger.events[start - 1 : moment]):
        return
    check = check_of(ledger, search)
    if check is None:
        yield Point(label="Conflicts", words=("not looked for: nothing in force to compare with, or nothing new",))
        return
    words = ("none named between ", *listed(check.new), " and the stored ", *listed(check.stored))
    yield Point(label="Conflicts", words=words)


def _summary_discarded(ledger: Ledger, moment: int, event: ev.SummaryDiscarded) -> Points:
    ahead = "asked for beside the conflict check, before it was known whether anything is repaired"
    yield Point(label="Written ahead", words=(f"{ahead} (--summary-call beside)",))
    words = ("it went on from what stood before, and ", Ref(event.evidence), " was repaired")
    yield Point(label="Because", words=words, moment=ledger.last_of(moment, ev.EvidenceRepaired))
    yield Point(label="What it said", words=(event.text or "nothing that could stand",), said=bool(event.text))
    spent = cost((), ledger.calls_for(moment))
    tokens = f"{spent.prompt_tokens:,} prompt and {spent.completion_tokens:,} completion tokens"
    counted = "tokens not reported" if spent.uncounted and not spent.prompt_tokens else tokens
    yield Point(label="It took", words=(f"{count(spent.calls, 'call')}, {counted}",))


def _search_resumed(ledger: Ledger, moment: int, event: ev.SearchResumed) -> Points:
    at = ledger.last_of(moment, ev.EvidenceRepaired)
    if at:
        yield Point(label="Because", words=("the repair made ", Ref(event.node), " the current node"), moment=at)


POINTS_OF_FACTS: dict[type[Any], Callable[[Ledger, int, Any], Points]] = {
    ev.PassagesRetrieved: _passages_retrieved,
    ev.SearchFailed: _search_failed,
    ev.FactsExtracted: _facts_extracted,
    ev.FactDropped: _fact_dropped,
    ev.FactRebound: _fact_rebound,
    ev.DuplicateFound: _duplicate_found,
    ev.FactsSetAside: _facts_set_aside,
    ev.FactsAdded: _facts_added,
    ev.NodeAdded: _node_added,
    ev.SummaryDiscarded: _summary_discarded,
    ev.SearchResumed: _search_resumed,
}
"""Event class to the writer of its points."""
