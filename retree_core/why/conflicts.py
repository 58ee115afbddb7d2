"""Conflicts: who proposed what, who decided, and what the repair did (paper, section 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from retree_core import events as ev
from retree_core.memory import Node
from retree_core.state import State, citations, path
from retree_core.text import LONGEST_READ, tokens
from retree_core.verdicts import Parts
from retree_core.why.bearing import bearing
from retree_core.why.deciding import Decided, decided_by, decision_words
from retree_core.why.ledger import Ledger, cost, fact, facts_of, history
from retree_core.why.parts import checked_parts
from retree_core.why.stories import Conflict, Introducer, Outcome, PathNode, PrunedFact, Repair
from retree_core.why.summaries import summary_story
from retree_core.why.values import Context, Fact


@dataclass(slots=True)
class _Open:
    """Moments of one conflict while they are collected."""

    old: str
    new: str
    proposed: int | None = None
    decided: int | None = None
    confirmed: bool = False
    repaired: int | None = None
    skipped: int | None = None
    first: int = 0

    @property
    def moments(self) -> list[int]:
        return [one for one in (self.proposed, self.decided, self.repaired) if one is not None]


class Conflicts:
    """The conflicts of a run in the order they came up, each told when somebody asks for it: a long run has many."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._found = _collected(ledger)
        self._told: dict[int, Conflict] = {}

    def near(self, moment: int, bands: Iterable[tuple[int, int]]) -> list[Conflict]:
        """Those that the moment may be part of: by their own events and what their repair did, or by a band of moments
        around it that their repair is in."""
        wide = tuple(bands)
        return [
            self._tell(number)
            for number, one in enumerate(self._found)
            if one.moments
            and (
                min(one.moments) <= moment <= self._last(one)
                or any(first <= (one.repaired or 0) <= last for first, last in wide)
            )
        ]

    def of(self, fact: str) -> list[Conflict]:
        """Those that a fact is a side of."""
        return [self._tell(number) for number, one in enumerate(self._found) if fact in (one.old, one.new)]

    @property
    def all(self) -> tuple[Conflict, ...]:
        return tuple(map(self._tell, range(len(self._found))))

    def _last(self, one: _Open) -> int:
        return max(*one.moments, _end(self._ledger, one.repaired) if one.repaired else 0)

    def _tell(self, number: int) -> Conflict:
        if number not in self._told:
            self._told[number] = _conflict(self._ledger, self._found[number])
        return self._told[number]


def conflicts(ledger: Ledger) -> tuple[Conflict, ...]:
    """Every conflict of the run, in the order they came up."""
    return Conflicts(ledger).all


def _collected(ledger: Ledger) -> list[_Open]:
    found: list[_Open] = []
    for moment, event in enumerate(ledger.events, 1):
        match event:
            case ev.ConflictProposed():
                found.append(_Open(old=event.old, new=event.new, proposed=moment, first=moment))
            case ev.ConflictConfirmed() | ev.ConflictRejected():
                one = _of(found, event.old, event.new, moment, lambda one: one.decided is None)
                one.decided, one.confirmed = moment, isinstance(event, ev.ConflictConfirmed)
            case ev.EvidenceRepaired():
                _of(found, event.evidence, event.by, moment, _may_be_repaired).repaired = moment
            case ev.RepairSkipped():
                _of(found, event.evidence, event.by, moment, _may_be_repaired).skipped = moment
    return found


def _may_be_repaired(one: _Open) -> bool:
    """Not repaired yet, and not rejected."""
    return one.repaired is None and one.skipped is None and (one.decided is None or one.confirmed)


def _of(found: list[_Open], old: str, new: str, moment: int, fits: Callable[[_Open], bool]) -> _Open:
    """The latest conflict of the two facts that fits, or a new one where the record holds none."""
    for one in reversed(found):
        if (one.old, one.new) == (old, new) and fits(one):
            return one
    found.append(_Open(old=old, new=new, first=moment))
    return found[-1]


def _conflict(ledger: Ledger, one: _Open) -> Conflict:
    before = ledger.at(one.first - 1)  # a decision after a repair of the same search is still about what was challenged
    decided = ledger.event(one.decided) if one.decided else None
    proposed = ledger.event(one.proposed) if one.proposed else None
    search = before.searches[-1] if before.searches else None
    old, new = fact(before, one.old), fact(before, one.new)
    parts, guards = (decided.parts, decided.guards) if isinstance(decided, Decided) else (None, ())
    held = before.evidence.get(one.old)
    repair = _repair(ledger, one.repaired, parts) if one.repaired else None
    home = held.node if held else None
    return Conflict(
        search=search.number if search else 0,
        query=search.query if search else "",
        node=before.current,
        old=old,
        new=new,
        outcome=_outcome(one, decided),
        proposed=one.proposed,
        proposal=proposed.reason if isinstance(proposed, ev.ConflictProposed) else "",
        proposal_calls=ledger.calls_for(_first_proposal(ledger, one.proposed), "conflict") if one.proposed else (),
        decided=one.decided,
        by=decided_by(decided) if isinstance(decided, Decided) else "",
        reason=decided.reason if isinstance(decided, Decided) else "",
        decision=decision_words(ledger, one.decided),
        parts=parts,
        guards=guards,
        checked=checked_parts(parts, guards, old.text, new.text),
        confirmation_calls=ledger.calls_for(one.decided, "confirm") if one.decided else (),
        history=history(before, held),
        introducer=repair.introducer if repair else introducer(ledger, before, one.old, home) if home else None,
        repair=repair,
    )


def _outcome(one: _Open, decided: ev.Event | None) -> Outcome:
    if one.repaired:
        return "repaired"
    if one.skipped:
        return "skipped"
    if decided is None:
        return "open"
    return "confirmed" if isinstance(decided, ev.ConflictConfirmed) else "rejected"


def _first_proposal(ledger: Ledger, moment: int) -> int:
    """One call proposes all conflicts of a search: the moment of its first proposal."""
    while moment > 1 and isinstance(ledger.event(moment - 1), ev.ConflictProposed):
        moment -= 1
    return moment


def _repair(ledger: Ledger, moment: int, parts: Parts | None) -> Repair:
    event = ledger.event(moment)
    assert isinstance(event, ev.EvidenceRepaired)
    before, end = ledger.at(moment - 1), _end(ledger, moment)
    inside = {type(ledger.event(one)): one for one in range(end, moment, -1)}
    pruned_at, resumed_at = inside.get(ev.NodesPruned), inside.get(ev.SearchResumed)
    discarded_at = inside.get(ev.SummaryDiscarded)
    pruned = _nodes(ledger, pruned_at)
    aside = ledger.event(inside[ev.FactsSetAside]) if ev.FactsSetAside in inside else None
    child = ledger.event(inside[ev.NodeAdded]) if ev.NodeAdded in inside else None
    resumed = ledger.event(resumed_at) if resumed_at else None
    after = ledger.at(end)
    claims = claims_citing(ledger.last, event.evidence)
    return Repair(
        moment=moment,
        evidence=event.evidence,
        revision=event.revision,
        introducer=introducer(ledger, before, event.evidence, event.node),
        pruned_at=pruned_at,
        pruned=pruned,
        lost=_lost(ledger, after, before, pruned, event),
        set_aside=facts_of(after, aside.facts) if isinstance(aside, ev.FactsSetAside) else (),
        kept_in=child.node if isinstance(child, ev.NodeAdded) else None,
        resumed_at=resumed_at,
        resumed=resumed.node if isinstance(resumed, ev.SearchResumed) else None,
        summary=summary_story(ledger, inside[ev.SummaryWritten]) if ev.SummaryWritten in inside else None,
        spent_below=ledger.cost_of(before.nodes[one].search for one in pruned if one in before.nodes),
        discarded_at=discarded_at,
        spent_ahead=cost((), ledger.calls_for(discarded_at) if discarded_at else ()),
        next_search=ledger.next_of(end, ev.SearchChosen),
        claims=claims,
        answer=bearing(ledger, moment, claims, parts),
    )


def _end(ledger: Ledger, moment: int) -> int:
    """The last event that belongs to the repair at `moment`."""
    after = ledger.next_of(moment, ev.ContextBuilt, ev.ConflictRejected, ev.BudgetExhausted, ev.RunEnded)
    return after - 1 if after else len(ledger.events)


def _nodes(ledger: Ledger, moment: int | None) -> tuple[str, ...]:
    event = ledger.event(moment) if moment else None
    return event.nodes if isinstance(event, ev.NodesPruned) else ()


def introducer(ledger: Ledger, state: State, id_: str, node: str) -> Introducer:
    """The node that a fact was added with, among the candidates: the active path in `state`."""
    ids = path(state)
    held = state.nodes.get(node)
    steps = tuple(
        PathNode(node=one, evidence=state.nodes[one].evidence, introduced=id_ in state.nodes[one].evidence)
        for one in ids
    )
    holders = [one.node for one in steps if one.introduced]
    only = " and no other node on the active path holds it" if holders == [node] else ""
    added = ledger.added_at.get(id_)
    where = f"event {added} added {node} with {id_} among its evidence" if added else f"the record names {node}"
    return Introducer(
        node=node,
        moment=added,
        search=held.search if held else 0,
        query=held.query if held else "",
        path=steps,
        reason=f"{where}{only}",
    )


def _lost(
    ledger: Ledger, after: State, before: State, pruned: tuple[str, ...], event: ev.EvidenceRepaired
) -> tuple[PrunedFact, ...]:
    telling = _only_in_old(ledger, event)
    nodes = [before.nodes[one] for one in pruned if one in before.nodes]
    contexts = {one.id: ledger.context_of_search(one.search) for one in nodes}
    return tuple(
        _pruned_fact(fact(after, id_), node, contexts[node.id], event.evidence, telling)
        for node in nodes
        for id_ in node.evidence
    )


def _pruned_fact(one: Fact, node: Node, context: Context | None, refuted: str, telling: set[str]) -> PrunedFact:
    if context is None:
        return PrunedFact(fact=one, node=node.id, context=None, shown=False, in_summary=False)
    return PrunedFact(
        fact=one,
        node=node.id,
        context=context.moment,
        shown=any(each.id == refuted for each in context.evidence),
        in_summary=not telling.isdisjoint(tokens(context.summary[:LONGEST_READ])),
    )


def _only_in_old(ledger: Ledger, event: ev.EvidenceRepaired) -> set[str]:
    """Words of the refuted value that neither the new value nor the question has."""
    known = {*tokens(event.new_text[:LONGEST_READ]), *tokens(ledger.trace.header.question)}
    return {
        one for one in tokens(event.old_text[:LONGEST_READ]) if one not in known and (len(one) > 3 or one.isdigit())
    }


def claims_citing(state: State, id_: str) -> tuple[int, ...]:
    """Numbers of the answer's claims that resolve to a piece of evidence."""
    claims = state.answer.claims if state.answer else ()
    return tuple(
        number for number, claim in enumerate(claims, 1) if any(one.evidence == id_ for one in citations(state, claim))
    )
