"""The blast radius of an edit: what a fork would change, before it is made, from the record alone.

The engine is run again on the recorded replies up to the edit, and on as far as identical requests were answered in
the record; so what the fork shares, what it does at once and which call nobody has answered are certain. Everything
the run made after the edit is made again, and may come out differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from retree_core import events as ev
from retree_core.drivers.edits import Edit
from retree_core.drivers.fork import Preview, preview
from retree_core.state import State, citations, fold
from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord
from retree_core.why.conflicts import conflicts
from retree_core.why.dependence import dependents
from retree_core.why.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Nodes, facts and claims, each in order of arrival."""

    nodes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    claims: tuple[int, ...] = ()
    """Numbers of the answer's claims, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blast:
    """What a fork at a moment would do to the run."""

    moment: int
    """The event that changes."""
    shared_events: int
    shared_calls: int
    made: tuple[ev.Event, ...]
    """Events of the fork that follow from the record alone."""
    served: int
    """Calls after the change that the record answers."""
    needs: str
    """The first call it does not answer, a model role or `search`; empty where the fork comes to its end."""
    refused: tuple[str, ...]
    """Why the engine will not take a fact as it was changed: no passage of its search says it."""
    introducer: str | None
    """The node that the fork repairs at once."""
    pruned: Reach
    """What that repair takes away, and the claims of the run's answer that rest on it or on the repaired fact."""
    back: Reach
    """Nodes and facts that the run lost by the repair that the fork does not make, and keeps; its claims fall."""
    falls: Reach
    """What the run made after the change and the fork has not made by then."""
    depends: Reach
    """Those of `falls` that had what is edited in view, or rest on something that had; a claim cites it."""


def blast(trace: Trace, moment: int | None, edits: Sequence[Edit]) -> Blast:
    """What a fork with these edits would do. Raises UsageError where it cannot be made."""
    ahead = preview(trace, moment, edits)
    ledger = Ledger(trace)
    shared = ahead.start.shared
    before = ledger.at(shared)
    falls = _falling(ledger, ahead)
    at_once = tuple(takewhile(lambda one: not isinstance(one, ev.ContextBuilt), ahead.events))
    repaired = next((one for one in at_once if isinstance(one, ev.EvidenceRepaired)), None)
    return Blast(
        moment=ahead.start.moment,
        shared_events=shared,
        shared_calls=_shared_calls(trace, ahead),
        made=ahead.events,
        served=ahead.served,
        needs=ahead.needs,
        refused=_refused(at_once, {one.value for one in edits}),
        introducer=repaired.node if repaired else None,
        pruned=_pruned(ledger, before, at_once, repaired),
        back=_back(ledger, ahead.start.moment, edits),
        falls=falls,
        depends=_depending(ledger, ahead.start.moment, edits, falls),
    )


def _shared_calls(trace: Trace, ahead: Preview) -> int:
    """Calls before the change; the one whose reply changes is not among them."""
    both = zip(ahead.start.records, trace.records, strict=False)
    return sum(isinstance(one, CallRecord) and one is theirs for one, theirs in both)


def _refused(made: tuple[ev.Event, ...], texts: set[str]) -> tuple[str, ...]:
    dropped = (one for one in made if isinstance(one, ev.FactDropped))
    return tuple(f"{one.text} ({one.detail})" for one in dropped if one.text in texts)


def _falling(ledger: Ledger, ahead: Preview) -> Reach:
    """What the run made after the shared events, without what the fork makes alike."""
    shared = ahead.start.shared
    after = ledger.events[shared:]
    alike = {(one.node, one.search, one.evidence) for one in ahead.events if isinstance(one, ev.NodeAdded)}
    facts = {(one.id, one.text) for one in _facts(ahead.events)}
    answered = ledger.last.answer if any(isinstance(one, ev.Answered) for one in after) else None
    same = any(one == answered for one in ahead.events)
    return Reach(
        nodes=tuple(
            one.node
            for one in after
            if isinstance(one, ev.NodeAdded) and (one.node, one.search, one.evidence) not in alike
        ),
        facts=tuple(one.id for one in _facts(after) if (one.id, one.text) not in facts),
        claims=tuple(range(1, len(answered.claims) + 1)) if answered and not same else (),
    )


def _facts(events: Iterable[ev.Event]) -> Iterable[ev.NewFact]:
    for one in events:
        if isinstance(one, ev.FactsExtracted):
            yield from one.facts


def _pruned(ledger: Ledger, before: State, made: tuple[ev.Event, ...], repaired: ev.EvidenceRepaired | None) -> Reach:
    if repaired is None:
        return Reach()
    after = fold(made, before)
    nodes = tuple(id_ for id_, one in after.nodes.items() if one.pruned_at and not _gone(before.nodes.get(id_)))
    facts = tuple(id_ for id_, one in after.evidence.items() if one.fate == "pruned" and one.node in nodes)
    return Reach(nodes=nodes, facts=facts, claims=_resting(ledger.last, {repaired.evidence, *facts}))


def _gone(node: object) -> bool:
    return getattr(node, "pruned_at", None) is not None


def _back(ledger: Ledger, moment: int, edits: Sequence[Edit]) -> Reach:
    """What the repair decided at `moment` took away, where it is to be rejected."""
    if not any(one.what == "verdict" and one.value == "reject" for one in edits):
        return Reach()
    repair = next((one.repair for one in conflicts(ledger) if one.decided == moment and one.repair), None)
    if repair is None:
        return Reach()
    facts = tuple(one.fact.id for one in repair.lost)
    return Reach(nodes=repair.pruned, facts=facts)


def _depending(ledger: Ledger, moment: int, edits: Sequence[Edit], falls: Reach) -> Reach:
    nodes: set[str] = set()
    facts: set[str] = set()
    claims: set[int] = set()
    for id_ in _touched(ledger, moment, edits):
        found = dependents(ledger, id_, moment)
        nodes.update(found.nodes)
        facts.update((id_, *found.facts))
        claims.update(found.claims)
    return Reach(
        nodes=tuple(one for one in falls.nodes if one in nodes),
        facts=tuple(one for one in falls.facts if one in facts),
        claims=tuple(one for one in falls.claims if one in claims),
    )


def _touched(ledger: Ledger, moment: int, edits: Sequence[Edit]) -> tuple[str, ...]:
    """The facts that the edits are about: the edited or contested one, or those that its search or passage brought."""
    event = ledger.event(moment)
    match event:
        case ev.ConflictProposed() | ev.ConflictConfirmed() | ev.ConflictRejected():
            return (event.old,)
        case ev.FactsExtracted():
            edited = tuple(one.id for one in edits if one.id)
            return edited or tuple(one.id for one in event.facts)
        case ev.PassagesRetrieved():
            passages = {one.id for one in edits}
            brought = ledger.last.evidence.values()
            return tuple(
                one.id for one in brought if any(each.passage in passages for each in one.revisions[0].sources)
            )
        case ev.SearchChosen():
            return tuple(one.id for one in ledger.last.evidence.values() if one.search == event.search)
        case _:
            return ()


def _resting(state: State, facts: set[str]) -> tuple[int, ...]:
    """Claims of the answer that cite one of these facts, as it stands at the end."""
    claims = state.answer.claims if state.answer else ()
    return tuple(
        number
        for number, claim in enumerate(claims, 1)
        if any(one.evidence in facts for one in citations(state, claim))
    )
