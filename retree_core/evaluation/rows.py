"""One row for each run, read from its trace alone, so that a run counts once whatever befell it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from retree_core import events as ev
from retree_core.compare.metrics import numbers
from retree_core.evaluation.citing import CitedClaim
from retree_core.evaluation.exact_match import exact_match
from retree_core.llm.envelope import thinks_unasked
from retree_core.memory import DONE, Claim, Passage
from retree_core.settings import AgentName
from retree_core.state import Citation, State, citations
from retree_core.trace.reader import Trace
from retree_core.trace.spent import Spent, spent


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCitation:
    """One id that a claim cites, and where it leads."""

    id: str
    standing: str
    """As `retree_core.state.Citation` has it."""
    passages: tuple[Passage, ...]
    """Of the revision in force; empty where it leads to none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowClaim:
    """One claim of an answer."""

    text: str
    citations: tuple[RowCitation, ...]

    @property
    def cited(self) -> CitedClaim:
        """The claim for the citation measures: each passage once, under its title as agents are shown it, and a
        citation of none as one that leads nowhere."""
        known = {one.id: _titled(one) for cited in self.citations for one in cited.passages}
        missing = sum(not cited.passages for cited in self.citations)
        return CitedClaim(text=self.text, passages=(*known.values(), *[None] * missing))


def _titled(one: Passage) -> str:
    return f"{one.title}\n{one.text}" if one.title.strip() else one.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One agent on one question."""

    id: str
    agent: AgentName
    question: str
    type: str
    golds: tuple[str, ...]
    answer: str
    """Empty where none was given."""
    status: str
    """How the run ended."""
    detail: str
    error: bool
    """It ended without a result; that is no wrong answer, though it scores 0."""
    exact_match: bool
    searches: int
    stops_refused: int
    repairs: int
    """Facts replaced by the agent's own decision, not by a fork."""
    backtracks: int
    """Those repairs from which the search went back to an earlier node."""
    nodes_pruned: int
    conflicts_rejected: int
    rejected_by_guard: int
    rejected_by_model: int
    """Of those; the rest went against a limit, or a fork decided."""
    context_max: int | None
    """Largest policy context, characters (section 5.2)."""
    contexts: tuple[int | None, ...]
    """Largest policy context after 0, 1, 2, ... completed retrievals (figure 3); None where none was built."""
    spent: Mapping[str, Spent]
    """By role, roles that were called alone."""
    thought_unasked: int
    """Replies that hold thoughts though thinking was off; they cost tokens that the settings do not explain."""
    seconds: float
    claims: tuple[RowClaim, ...]
    citations_stale: int
    citations_missing: int
    model: str
    recorded_with: str
    created_at: str
    trace: str
    """Path within the results folder."""

    @property
    def total(self) -> Spent:
        """All roles together."""
        return sum(self.spent.values(), Spent())


def asked_of(question: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    """Id, type and gold answers: all that a row takes from its question."""
    return question["id"], str(question.get("type", "")), tuple(map(str, question["answers"]))


def row_of(trace: Trace, state: State, agent: AgentName, question: Mapping[str, Any], path: str) -> Row:
    """The row of an ended run; `state` is its last."""
    numbered: dict[str, Any] = dict(numbers(trace, state))
    id_, type_, golds = asked_of(question)
    status = str(numbered["status"])
    repairs = () if trace.header.fork else tuple(_natural_repairs(trace.events))
    return Row(
        id=id_,
        agent=agent,
        question=state.question,
        type=type_,
        golds=golds,
        answer=numbered["answer"] or "",
        status=status,
        detail=state.ended.detail if state.ended else "",
        error=status not in DONE,
        exact_match=status in DONE and exact_match(numbered["answer"], golds),
        searches=numbered["searches"],
        stops_refused=numbered["stops_refused"],
        repairs=len(repairs),
        backtracks=sum(repairs),
        nodes_pruned=numbered["nodes_pruned"] or 0,
        conflicts_rejected=numbered["conflicts_rejected"] or 0,
        rejected_by_guard=_rejected(trace.events, "guard"),
        rejected_by_model=_rejected(trace.events, "confirmation"),
        context_max=numbered["context_max"],
        contexts=contexts(trace.events),
        spent=spent(trace.calls),
        thought_unasked=sum(thinks_unasked(one.call, one.reply) for one in trace.calls),
        seconds=numbered["seconds_in_calls"],
        claims=tuple(_claim(state, one) for one in (state.answer.claims if state.answer else ())),
        citations_stale=numbered["citations_stale"],
        citations_missing=numbered["citations_missing"],
        model=trace.header.settings.last_model,
        recorded_with=trace.header.recorded_with,
        created_at=trace.header.created_at,
        trace=path,
    )


def _natural_repairs(events: Iterable[ev.Event]) -> Iterator[bool]:
    """For each repair that no fork decided: whether the search then went back to the repaired node."""
    natural, waiting = False, False
    for event in events:
        if isinstance(event, ev.ConflictConfirmed):
            natural = event.by != "fork"
        elif isinstance(event, ev.EvidenceRepaired):
            if waiting:
                yield False
            waiting = natural
        elif isinstance(event, ev.SearchResumed) and waiting:
            waiting = False
            yield True
    if waiting:
        yield False


def _rejected(events: Iterable[ev.Event], by: str) -> int:
    return sum(isinstance(one, ev.ConflictRejected) and one.by == by for one in events)


def contexts(events: Iterable[ev.Event]) -> tuple[int | None, ...]:
    """Largest policy context after each number of completed retrievals, from 0 on, characters (figure 3)."""
    largest: list[int | None] = [None]
    for event in events:
        if isinstance(event, ev.PassagesRetrieved):
            largest.append(None)
        elif isinstance(event, ev.ContextBuilt):
            largest[-1] = max(largest[-1] or 0, event.characters)
    return tuple(largest[:-1] if largest[-1] is None else largest)


def _claim(state: State, claim: Claim) -> RowClaim:
    return RowClaim(text=claim.text, citations=tuple(_citation(state, one) for one in citations(state, claim)))


def _citation(state: State, one: Citation) -> RowCitation:
    passages = tuple(state.passages[source.passage] for source in one.sources if source.passage in state.passages)
    return RowCitation(id=one.id, standing=one.standing, passages=passages)
