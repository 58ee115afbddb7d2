"""One row for each run of a results folder, read from its trace alone, so that a run counts once whatever befell it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, get_args

from retree_core import events as ev
from retree_core.calls import ModelCall
from retree_core.compare.metrics import numbers, usage
from retree_core.errors import InputError
from retree_core.evaluation import manifest
from retree_core.evaluation.batch import DONE, file_name
from retree_core.evaluation.citing import CitedClaim
from retree_core.evaluation.exact_match import exact_match
from retree_core.evaluation.folders import put
from retree_core.llm.strict_json import clean
from retree_core.memory import Claim, Passage
from retree_core.settings import AgentName
from retree_core.state import Citation, State, citations, fold
from retree_core.trace.reader import Trace, read_trace
from retree_core.trace.records import CallRecord

AGENTS: tuple[AgentName, ...] = get_args(AgentName)
NAME = "results.jsonl"
TABLE = "results.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Model calls of one role and their tokens, as the server counted them."""

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    """Prompt tokens that the server had at hand, part of `prompt`."""
    completion: int = 0
    uncounted: int = 0
    """Calls of which the server told no count; with any, the sums are lower bounds."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(Spent)})

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion


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
        """The claim for the citation measures: each passage once, and a citation of none as one that leads nowhere."""
        known = {one.id: one.text for cited in self.citations for one in cited.passages}
        missing = sum(not cited.passages for cited in self.citations)
        return CitedClaim(text=self.text, passages=(*known.values(), *[None] * missing))


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
    repairs: int
    """Facts replaced by the agent's own decision, not by a fork."""
    backtracks: int
    """Those repairs from which the search went back to an earlier node."""
    nodes_pruned: int
    conflicts_rejected: int
    context_max: int | None
    """Largest policy context, characters (section 5.2)."""
    contexts: tuple[int | None, ...]
    """Largest policy context after 0, 1, 2, ... completed retrievals (figure 3); None where none was built."""
    spent: Mapping[str, Spent]
    """By role, roles that were called alone."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What a results folder holds."""

    folder: Path
    manifest: Mapping[str, Any]
    rows: tuple[Row, ...]
    """Of runs that ended, question by question."""
    pending: Mapping[AgentName, int]
    """Runs that were not begun or not ended, for each agent that has any run; they are not scored."""
    unreadable: tuple[str, ...]
    """Traces that could not be read, in words."""

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def agents(self) -> tuple[AgentName, ...]:
        return tuple(self.pending)


def results_folders(folder: Path) -> tuple[Path, ...]:
    """The folder itself, or the results folders in it, where an evaluation of several data sets put them."""
    inside = tuple(sorted(one.parent for one in folder.glob(f"*/{manifest.NAME}")))
    return (folder,) if (folder / manifest.NAME).exists() or not inside else inside


def collect(folder: Path) -> Results:
    """Reads the results of `folder`. Raises InputError where it is no results folder."""
    known = manifest.read(folder)
    rows: list[Row] = []
    unreadable: list[str] = []
    agents = tuple(one for one in AGENTS if (folder / "runs" / one).is_dir())
    pending = dict.fromkeys(agents, 0)
    for question in _questions(known, folder):
        for agent in agents:
            try:
                row = _row(folder, agent, question)
            except InputError as error:
                unreadable.append(str(error))
                row = None
            if row is None:
                pending[agent] += 1
            else:
                rows.append(row)
    return Results(folder=folder, manifest=known, rows=tuple(rows), pending=pending, unreadable=tuple(unreadable))


def _questions(known: Mapping[str, Any], folder: Path) -> list[dict[str, Any]]:
    questions = known.get("questions")
    if isinstance(questions, list) and all(_is_question(one) for one in questions):
        return questions
    raise InputError(f"{folder / manifest.NAME}: its questions are not as retree eval writes them")


def _is_question(one: Any) -> bool:
    return isinstance(one, dict) and isinstance(one.get("id"), str) and isinstance(one.get("answers"), list)


def _row(folder: Path, agent: AgentName, question: Mapping[str, Any]) -> Row | None:
    """The row of a run; None where it was not begun or has not ended. Raises InputError for a file that is no trace."""
    path = folder / "runs" / agent / f"{file_name(question['id'])}.jsonl"
    if not path.exists():
        return None
    trace = read_trace(path)
    state = fold(trace.events)
    if state.ended is None or state.ended.status == "interrupted":
        return None
    return row_of(trace, state, agent, question, path.relative_to(folder).as_posix())


def row_of(trace: Trace, state: State, agent: AgentName, question: Mapping[str, Any], path: str) -> Row:
    """The row of an ended run; `state` is its last."""
    numbered: dict[str, Any] = dict(numbers(trace, state))
    golds = tuple(map(str, question["answers"]))
    status = str(numbered["status"])
    repairs = () if trace.header.fork else tuple(_natural_repairs(trace.events))
    return Row(
        id=question["id"],
        agent=agent,
        question=state.question,
        type=str(question.get("type", "")),
        golds=golds,
        answer=numbered["answer"] or "",
        status=status,
        detail=state.ended.detail if state.ended else "",
        error=status not in DONE,
        exact_match=status in DONE and exact_match(numbered["answer"], golds),
        searches=numbered["searches"],
        repairs=len(repairs),
        backtracks=sum(repairs),
        nodes_pruned=numbered["nodes_pruned"],
        conflicts_rejected=numbered["conflicts_rejected"],
        context_max=numbered["context_max"],
        contexts=contexts(trace.events),
        spent=spent(trace.calls),
        seconds=numbered["seconds"],
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


def contexts(events: Iterable[ev.Event]) -> tuple[int | None, ...]:
    """Largest policy context after each number of completed retrievals, from 0 on, characters (figure 3)."""
    largest: list[int | None] = [None]
    for event in events:
        if isinstance(event, ev.PassagesRetrieved):
            largest.append(None)
        elif isinstance(event, ev.ContextBuilt):
            largest[-1] = max(largest[-1] or 0, event.characters)
    return tuple(largest[:-1] if largest[-1] is None else largest)


def spent(calls: Iterable[CallRecord]) -> dict[str, Spent]:
    """Calls and tokens by role."""
    by_role: dict[str, Spent] = {}
    for one in calls:
        if isinstance(one.call, ModelCall):
            by_role[one.call.role] = by_role.get(one.call.role, Spent()) + _spent(one)
    return by_role


def _spent(one: CallRecord) -> Spent:
    found = usage(one)
    if found is None or found.prompt_tokens is None or found.completion_tokens is None:
        return Spent(calls=1, uncounted=1)
    return Spent(
        calls=1, prompt=found.prompt_tokens, cached=found.cached_tokens or 0, completion=found.completion_tokens
    )


def _claim(state: State, claim: Claim) -> RowClaim:
    return RowClaim(text=claim.text, citations=tuple(_citation(state, one) for one in citations(state, claim)))


def _citation(state: State, one: Citation) -> RowCitation:
    passages = tuple(state.passages[source.passage] for source in one.sources if source.passage in state.passages)
    return RowCitation(id=one.id, standing=one.standing, passages=passages)


Verdict = Callable[[Row], Mapping[str, Any]]
"""What judges say of a row, as the columns that `retree_core.evaluation.table` names."""


def write(folder: Path, rows: Sequence[Row], verdicts: Verdict) -> None:
    """Writes the rows as JSON Lines and as one Parquet table, each whole or not at all."""
    from retree_core.evaluation.table import parquet

    lines = [clean(json.dumps({**asdict(one), **verdicts(one)}, ensure_ascii=False)) for one in rows]
    put(folder / NAME, "".join(f"{one}\n" for one in lines).encode())
    put(folder / TABLE, parquet([json.loads(one) for one in lines]))
