"""Any event with what stood before it, pieces of evidence, claims, and the run as a whole."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from retree_core import events as ev
from retree_core.memory import Claim, Evidence, Passage
from retree_core.state import resolve
from retree_core.why.conflicts import claims_citing, conflicts, introducer
from retree_core.why.ledger import Ledger, facts_of, history
from retree_core.why.points import points
from retree_core.why.stories import Cited, ClaimStory, Conflict, EvidenceStory, RunStory, Step
from retree_core.why.watch import changes_of

_DECISIONS = (ev.SearchChosen, ev.StopChosen, ev.StopRefused, ev.BudgetExhausted, ev.Answered, ev.RunEnded)


def step(ledger: Ledger, moment: int) -> Step:
    """The event at `moment` with the context, search and calls that led to it."""
    event, state = ledger.event(moment), ledger.at(moment)
    search = state.searches[-1] if state.searches else None
    ids = named_ids(event)
    known = [one for one in ids if one in state.evidence]
    return Step(
        moment=moment,
        kind=event.kind,
        text=_words(event),
        ids=ids,
        search=search.number if search else 0,
        query=search.query if search else "",
        context=ledger.context_before(moment),
        calls=ledger.calls_for(moment),
        named=facts_of(state, known),
        points=points(ledger, moment),
        next=ledger.next_of(moment, *_DECISIONS),
    )


def _words(event: ev.Event) -> str:
    """The event's own reason, detail or text."""
    values = (getattr(event, name, None) for name in ("reason", "detail", "message", "query", "text"))
    return next((one for one in values if isinstance(one, str) and one), "")


def named_ids(event: ev.Event) -> tuple[str, ...]:
    """Ids in the fields of an event, in order, each once."""
    found: dict[str, None] = {}
    for one in fields(event):
        if one.name not in ("kind", "question", "agent", "text", "reason", "query", "detail", "message", "missing"):
            found.update(dict.fromkeys(_ids(getattr(event, one.name))))
    return tuple(found)


def _ids(value: Any) -> list[str]:
    if isinstance(value, ev.NewFact | Passage):
        return [value.id]
    if isinstance(value, Claim):
        return list(value.cites)
    if isinstance(value, tuple):
        return [id_ for one in value for id_ in _ids(one)]
    looks_like_id = isinstance(value, str) and (value == "root" or (value[:1] in "enp" and value[1:2].isdigit()))
    return [value] if looks_like_id else []


def evidence_story(ledger: Ledger, id_: str) -> EvidenceStory:
    """All that is known of a piece of evidence. Raises KeyError where there is none."""
    one = ledger.last.evidence[id_]
    found = next(
        (
            moment
            for moment, event in enumerate(ledger.events, 1)
            if isinstance(event, ev.FactsExtracted) and any(fact.id == id_ for fact in event.facts)
        ),
        None,
    )
    return EvidenceStory(
        id=id_,
        fate=one.fate,
        other=one.other,
        found=step(ledger, found) if found else None,
        led_by=ledger.context_of_search(one.search),
        introducer=introducer(ledger, ledger.at(_introduced(ledger, id_)), id_, one.node) if one.node else None,
        history=history(ledger.last, one),
        duplicates=tuple(each.id for each in ledger.last.evidence.values() if _restates(each, id_)),
        conflicts=tuple(each for each in conflicts(ledger) if id_ in (each.old.id, each.new.id)),
        pruned_at=one.pruned_at,
        shown_at=tuple(
            moment
            for moment, event in enumerate(ledger.events, 1)
            if isinstance(event, ev.ContextBuilt) and id_ in event.evidence
        ),
        claims=claims_citing(ledger.last, id_),
        changes=changes_of(ledger, id_),
    )


def _restates(one: Evidence, id_: str) -> bool:
    return one.fate == "duplicate" and one.other == id_


def _introduced(ledger: Ledger, id_: str) -> int:
    """When the fact was added to a node."""
    added = (
        moment
        for moment, event in enumerate(ledger.events, 1)
        if isinstance(event, ev.NodeAdded) and id_ in event.evidence
    )
    return next(added, len(ledger.events))


def claim_stories(ledger: Ledger, every: tuple[Conflict, ...] | None = None) -> tuple[ClaimStory, ...]:
    """The claims of the answer, each citation followed through its repairs to its passages."""
    answer = ledger.last.answer
    answered = ledger.last_of(len(ledger.events), ev.Answered)
    if answer is None or answered is None:
        return ()
    known = conflicts(ledger) if every is None else every
    calls = ledger.calls_for(answered)
    return tuple(
        ClaimStory(
            number=number,
            text=claim.text,
            cited=tuple(_cited(ledger, id_, known) for id_ in claim.cites),
            calls=calls,
            changes=changes_of(ledger, f"c{number}"),
        )
        for number, claim in enumerate(answer.claims, 1)
    )


def _cited(ledger: Ledger, id_: str, known: tuple[Conflict, ...]) -> Cited:
    found = resolve(ledger.last, id_)
    return Cited(
        id=id_,
        standing=found.standing,
        evidence=found.evidence,
        history=history(ledger.last, ledger.last.evidence.get(found.evidence or "")),
        repairs=tuple(one for one in known if one.repair and one.old.id == found.evidence),
    )


def run_story(ledger: Ledger) -> RunStory:
    """What happened in the run and why, conflicts first."""
    state, known = ledger.last, conflicts(ledger)
    return RunStory(
        question=ledger.trace.header.question,
        status=state.ended.status if state.ended else "unfinished",
        detail=state.ended.detail if state.ended else "",
        answer=state.answer.text if state.answer else None,
        searches=tuple((one.number, one.query) for one in state.searches),
        conflicts=known,
        refused=tuple(step(ledger, moment) for moment in ledger.moments(ev.StopRefused)),
        claims=claim_stories(ledger, known),
    )
