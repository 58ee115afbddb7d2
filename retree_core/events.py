"""What happened to a run's memory: one small frozen class an event, in the past tense.

State is a fold of these (`retree_core.state`), a trace stores them, the debugger steps through them.
An event says all that its fold needs; it never repeats what an earlier one said.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from retree_core.calls import FailureKind, Role
from retree_core.memory import Claim, Passage, RunStatus, Source
from retree_core.verdicts import GuardResult, Parts

Better = Literal["", "new", "stored", "neither"]
"""Which side the confirmation found better supported; empty where it was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The root exists and holds the question."""

    question: str
    agent: str
    kind: Literal["run_started"] = "run_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBuilt:
    """The policy context of the next policy call: summary and top-k evidence (sections 4.2, 5.2)."""

    node: str
    evidence: tuple[str, ...]
    characters: int
    """Length of the rendered memory the policy sees, fixed instructions and question excluded."""
    kind: Literal["context_built"] = "context_built"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRejected:
    """A model reply did not validate; the call is made again while attempts last."""

    role: Role
    attempt: int
    reason: str
    kind: Literal["reply_rejected"] = "reply_rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchChosen:
    """The next query is decided."""

    search: int
    query: str
    origin: Literal["policy", "forced"]
    """`forced`: the question itself, after a stop was refused twice or the policy went in circles."""
    reason: str = ""
    missing: tuple[str, ...] = ()
    """Slots the policy still wants filled."""
    kind: Literal["search_chosen"] = "search_chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopChosen:
    """The policy stops with valid supporting evidence."""

    evidence: tuple[str, ...]
    reason: str = ""
    kind: Literal["stop_chosen"] = "stop_chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRefused:
    """The policy wanted to stop and may not yet (section 4.2)."""

    evidence: tuple[str, ...]
    """Supporting ids it named."""
    reason: str
    kind: Literal["stop_refused"] = "stop_refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassagesRetrieved:
    """The search came back; passages seen before keep their ids."""

    search: int
    passages: tuple[Passage, ...]
    duplicates: int = 0
    """Hits left out because they repeat another hit of this search."""
    repeat_of: int | None = None
    """The earlier search of the same query whose passages were served again."""
    kind: Literal["passages_retrieved"] = "passages_retrieved"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFailed:
    """The provider gave no result and not because there is none; the search still counts."""

    search: int
    failure: FailureKind
    message: str
    kind: Literal["search_failed"] = "search_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """One extracted fact, bound to a passage."""

    id: str
    text: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsExtracted:
    """At most six question-relevant atomic facts (section 4.2)."""

    search: int
    facts: tuple[NewFact, ...]
    kind: Literal["facts_extracted"] = "facts_extracted"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRebound:
    """The extractor named a passage that does not hold the fact's values; another one does."""

    text: str
    named: str
    passage: str
    missing: tuple[str, ...]
    """Values not found in the named passage."""
    kind: Literal["fact_rebound"] = "fact_rebound"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDropped:
    """An extracted item was not taken as evidence."""

    text: str
    cause: Literal["unbound", "unsupported", "over_limit", "malformed"]
    detail: str
    kind: Literal["fact_dropped"] = "fact_dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateFound:
    """A new fact restates one that is known; its source is attached to it, no judge is asked."""

    fact: str
    of: str
    kind: Literal["duplicate_found"] = "duplicate_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictProposed:
    """First call: a new fact seems incompatible with a shown one (section 4.3)."""

    old: str
    new: str
    reason: str
    kind: Literal["conflict_proposed"] = "conflict_proposed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRejected:
    """The tree expands; both facts stay and the old one is marked contested."""

    old: str
    new: str
    by: Literal["guard", "confirmation", "limit", "fork"]
    """`limit`: repairs a fact, one repair a search, oscillation, already pruned."""
    reason: str
    guards: tuple[GuardResult, ...] = ()
    parts: Parts | None = None
    better: Better = ""
    kind: Literal["conflict_rejected"] = "conflict_rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictConfirmed:
    """Second call, history-aware, and no guard objects: the repair will be applied (section 4.3)."""

    old: str
    new: str
    by: Literal["confirmation", "fork"]
    reason: str
    guards: tuple[GuardResult, ...] = ()
    parts: Parts | None = None
    better: Better = ""
    kind: Literal["conflict_confirmed"] = "conflict_confirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRepaired:
    """Text and source were replaced at the introducer; (old, new, reason) is in its history."""

    evidence: str
    node: str
    revision: int
    by: str
    """The new fact, absorbed."""
    old_text: str
    new_text: str
    reason: str
    kind: Literal["evidence_repaired"] = "evidence_repaired"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairSkipped:
    """The repair would have changed nothing. In old records alone: a restated fact is found before it is proposed."""

    evidence: str
    by: str
    kind: Literal["repair_skipped"] = "repair_skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryWritten:
    """A node has its summary, measured after the cut."""

    node: str
    text: str
    origin: Literal["model", "regenerated", "kept", "facts"]
    """`kept`: the parent's, because the model's was empty; `facts`: the active facts joined, because
    the model's kept the refuted value."""
    cut: bool = False
    """The model's text was over the word bound."""
    invented: tuple[str, ...] = ()
    """Sentences left out because they state values that nothing shown to the model holds, or that were given up."""
    kind: Literal["summary_written"] = "summary_written"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryStale:
    """A regenerated summary still held the refuted value and was not used."""

    node: str
    text: str
    value: str
    kind: Literal["summary_stale"] = "summary_stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryDiscarded:
    """A summary that was asked for beside the conflict check is of no use: a fact was repaired."""

    parent: str
    """The node whose child it was written for."""
    text: str
    """As the model wrote it; empty where it gave none."""
    evidence: str
    """The repaired evidence."""
    kind: Literal["summary_discarded"] = "summary_discarded"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesPruned:
    """All descendants of the repaired node left the active tree (section 4.3)."""

    nodes: tuple[str, ...]
    evidence: str
    """The repaired evidence."""
    kind: Literal["nodes_pruned"] = "nodes_pruned"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResumed:
    """The repaired node is the current one."""

    node: str
    kind: Literal["search_resumed"] = "search_resumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsSetAside:
    """New facts that came with a repairing one; kept in the record, in no context."""

    facts: tuple[str, ...]
    kind: Literal["facts_set_aside"] = "facts_set_aside"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsAdded:
    """New facts joined a flat list; no node was added (section 5.4, FlatUpdate)."""

    facts: tuple[str, ...]
    kind: Literal["facts_added"] = "facts_added"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAdded:
    """The tree grew by a child of the current node, which is now current (section 4.2)."""

    node: str
    parent: str
    search: int
    query: str
    evidence: tuple[str, ...]
    kind: Literal["node_added"] = "node_added"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetExhausted:
    """All searches are spent; the answer is drawn from what is there."""

    searches: int
    kind: Literal["budget_exhausted"] = "budget_exhausted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer and its claims (section 4.4)."""

    text: str
    claims: tuple[Claim, ...]
    shown: tuple[str, ...]
    """Evidence the answer call saw."""
    kind: Literal["answered"] = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """Nothing follows."""

    status: RunStatus
    detail: str = ""
    kind: Literal["run_ended"] = "run_ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTaken:
    """One step of a record that another program made; it says nothing of a memory."""

    number: int
    name: str
    """What the record calls it."""
    text: str
    """What came of it, as far as the record says."""
    kind: Literal["step_taken"] = "step_taken"


Event = (
    RunStarted
    | ContextBuilt
    | ReplyRejected
    | SearchChosen
    | StopChosen
    | StopRefused
    | PassagesRetrieved
    | SearchFailed
    | FactsExtracted
    | FactRebound
    | FactDropped
    | DuplicateFound
    | ConflictProposed
    | ConflictRejected
    | ConflictConfirmed
    | EvidenceRepaired
    | RepairSkipped
    | SummaryWritten
    | SummaryStale
    | SummaryDiscarded
    | NodesPruned
    | SearchResumed
    | FactsSetAside
    | FactsAdded
    | NodeAdded
    | BudgetExhausted
    | Answered
    | RunEnded
    | StepTaken
)

EVENT_KINDS: dict[str, type[Any]] = {
    str(next(field.default for field in fields(one) if field.name == "kind")): one for one in get_args(Event)
}
"""Kind to class, in the order above."""
