"""Answers and claims of two runs: which are the same, and which rest on something that was given up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from retree_core import events as ev
from retree_core.compare.pairs import How, pairs
from retree_core.memory import Claim
from retree_core.state import Citation, State, citations
from retree_core.text import comparable

LIKE = 0.5
"""Claims as like as this say the same thing with other words or another value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a claim should not be trusted."""

    kind: Literal["nothing", "missing", "stale", "premise", "refuted_there", "pruned_there"]
    """Cites nothing; no such evidence; not in force; found while another fact still had a value that was given up;
    the other run gave this value up; the other run pruned this fact."""
    id: str = ""
    """The cited evidence."""
    by: str = ""
    """For `premise`: the fact whose value was given up; for the last two: the evidence of the other run."""

    def words(self, there: str) -> str:
        """Why the claim should not be trusted; `there` names the other run."""
        match self.kind:
            case "nothing":
                return "cites nothing"
            case "missing":
                return f"{self.id} does not exist"
            case "stale":
                return f"{self.id} is not in force"
            case "premise":
                return f"{self.id} was found while {self.by} had a value that was given up"
            case "refuted_there":
                return f"{there} gave up what {self.id} says (there {self.by})"
            case _:
                return f"{there} pruned what {self.id} says (there {self.by})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSide:
    """A claim as one run makes it."""

    number: int
    """From 1."""
    text: str
    cited: tuple[Citation, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPair:
    """The same claim in both runs, or one that only one of them makes."""

    how: How
    a: ClaimSide | None
    b: ClaimSide | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Both answers; None where a run has none."""

    a: str | None
    b: str | None
    same: bool
    claims: tuple[ClaimPair, ...]


def answers(a: Sequence[ev.Event], b: Sequence[ev.Event], last: tuple[State, State]) -> Answers:
    """The answers of two runs, whose final states are `last`, and their claims in pairs."""
    ours, theirs = (one.answer.text if one.answer else None for one in last)
    left = _sides(a, last[0], last[1])
    right = _sides(b, last[1], last[0])
    return Answers(
        a=ours,
        b=theirs,
        same=comparable(ours or "") == comparable(theirs or "") and (ours is None) == (theirs is None),
        claims=tuple(ClaimPair(how=how, a=one, b=other) for how, one, other in pairs(left, right, LIKE)),
    )


def _sides(events: Sequence[ev.Event], state: State, other: State) -> tuple[ClaimSide, ...]:
    premises = given_up_premises(events, state)
    claims = state.answer.claims if state.answer else ()
    return tuple(
        ClaimSide(
            number=number,
            text=claim.text,
            cited=citations(state, claim),
            faults=tuple(_faults(state, other, claim, premises)),
        )
        for number, claim in enumerate(claims, 1)
    )


def _faults(state: State, other: State, claim: Claim, premises: dict[str, Premise]) -> Iterator[Fault]:
    if not claim.cites:
        yield Fault(kind="nothing")
    refuted, pruned = _given_up(other), _pruned(other)
    for one in citations(state, claim):
        fact = state.evidence.get(one.evidence or "")
        if one.standing == "missing":
            yield Fault(kind="missing", id=one.id)
        elif fact is None:  # an agent without facts cites passages
            continue
        elif one.standing == "stale":
            yield Fault(kind="stale", id=fact.id)
        elif fact.id in premises:
            yield Fault(kind="premise", id=fact.id, by=premises[fact.id].id)
        elif comparable(fact.text) in refuted:
            yield Fault(kind="refuted_there", id=fact.id, by=refuted[comparable(fact.text)])
        elif comparable(fact.text) in pruned:
            yield Fault(kind="pruned_there", id=fact.id, by=pruned[comparable(fact.text)])


def _given_up(state: State) -> dict[str, str]:
    """Texts that a repair replaced, unless they are in force again, to the evidence that had them."""
    now = {comparable(one.text) for one in state.evidence.values() if one.fate == "active"}
    past = {comparable(old.text): one.id for one in state.evidence.values() for old in one.revisions[:-1]}
    return {text: id_ for text, id_ in past.items() if text not in now}


def _pruned(state: State) -> dict[str, str]:
    """Texts of facts that went with their node and did not come back."""
    now = {comparable(one.text) for one in state.evidence.values() if one.fate == "active"}
    gone = {comparable(one.text): one.id for one in state.evidence.values() if one.fate == "pruned"}
    return {text: id_ for text, id_ in gone.items() if text not in now}


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """A value that the policy was shown and that was given up later."""

    id: str
    """The evidence."""
    revision: int


def given_up_premises(events: Iterable[ev.Event], last: State) -> dict[str, Premise]:
    """Facts in force that were found while the policy was shown a value that was given up later.

    Fact to the value. A repair at the introducer leaves none; one in place does.
    """
    found: dict[str, Premise] = {}
    numbers: dict[str, int] = {}
    shown: dict[str, int] = {}
    for event in events:
        match event:
            case ev.EvidenceRepaired():
                numbers[event.evidence] = event.revision
            case ev.ContextBuilt():
                shown = {one: numbers.get(one, 1) for one in event.evidence}
            case ev.SearchChosen() if event.origin == "forced":
                shown = {}
            case ev.FactsExtracted():
                given_up = ((one, number) for one, number in shown.items() if _replaced(last, one, number))
                stale = next((Premise(id=one, revision=number) for one, number in given_up), None)
                found.update({one.id: stale for one in event.facts if stale})
    return {
        id_: premise for id_, premise in found.items() if id_ in last.evidence and last.evidence[id_].fate == "active"
    }


def _replaced(last: State, id_: str, number: int) -> bool:
    return id_ in last.evidence and last.evidence[id_].current.number > number


def supported_at(
    a: Sequence[ev.Event], b: Sequence[ev.Event], last: tuple[State, State]
) -> Iterator[tuple[int | None, int | None]]:
    """For each pair of claims, the moments at which their evidence came to be as it is cited."""
    for one in answers(a, b, last).claims:
        yield _complete(a, one.a), _complete(b, one.b)


def _complete(events: Sequence[ev.Event], claim: ClaimSide | None) -> int | None:
    if claim is None:
        return None
    ids = {one.evidence or one.id for one in claim.cited}
    return max((moment for moment, event in enumerate(events, 1) if ids & _settles(event)), default=None)


def _settles(event: ev.Event) -> set[str]:
    """What can be cited from an event on: facts put into force or given their text, passages."""
    match event:
        case ev.PassagesRetrieved():
            return {one.id for one in event.passages}
        case ev.FactsAdded():
            return set(event.facts)
        case ev.NodeAdded():
            return set(event.evidence)
        case ev.EvidenceRepaired():
            return {event.evidence}
        case _:
            return set()
