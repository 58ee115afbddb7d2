"""What `retree_core.why` answers with: a conflict, a summary, a step, a piece of evidence, a claim, a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retree_core.text.difference import Stretch
from retree_core.verdicts import GuardResult, Parts
from retree_core.why.parts import CheckedPart
from retree_core.why.values import CallMade, Change, Context, Cost, Fact, PastValue, Point


@dataclass(frozen=True, slots=True, kw_only=True)
class PathNode:
    """A node of the active path at the moment of a decision, from the root down."""

    node: str
    evidence: tuple[str, ...]
    introduced: bool
    """This is the node that introduced the fact in question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Introducer:
    """The node a fact was added with, and why it is that one."""

    node: str
    moment: int | None
    """When the node was added."""
    search: int
    query: str
    path: tuple[PathNode, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrunedFact:
    """A fact that went with its node, and whether the refuted fact had a part in finding it."""

    fact: Fact
    node: str
    context: int | None
    """Moment of the policy context that led to its search."""
    shown: bool
    """The refuted fact was among the evidence of that context."""
    in_summary: bool
    """The summary of that context held words that only the refuted value explains."""

    @property
    def untouched(self) -> bool:
        """The refuted fact was nowhere in the context that led to this one."""
        return self.context is not None and not self.shown and not self.in_summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """A text for a summary that was not used."""

    moment: int
    text: str
    value: str
    """What it kept of the refuted fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryStory:
    """How a node came to its summary."""

    moment: int
    node: str
    text: str
    origin: str
    cut: bool
    former: str
    """The node's own former summary, or its parent's."""
    facts: tuple[Fact, ...]
    """What it was drawn from: the new facts, or after a repair all evidence in force."""
    how: str
    """Who wrote it, from what, and why so."""
    former_of: str
    """The node whose summary `former` was; empty where there was none."""
    wording: tuple[Stretch, ...]
    """From `former` to `text`, word by word."""
    invented: tuple[str, ...]
    """Sentences of the model left out: they state values that nothing it was shown holds."""
    stale: tuple[Stale, ...]
    """Texts refused because they kept the refuted value."""
    cause: int | None
    """The event that called for a summary: the node's or the repair's."""
    calls: tuple[CallMade, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What a confirmed conflict did to the tree (section 4.3)."""

    moment: int
    evidence: str
    revision: int
    introducer: Introducer
    pruned_at: int | None
    pruned: tuple[str, ...]
    """Nodes, parents first."""
    lost: tuple[PrunedFact, ...]
    set_aside: tuple[Fact, ...]
    kept_in: str | None
    """The child that holds the other new facts (`on_repair="keep_facts"`)."""
    resumed_at: int | None
    resumed: str | None
    """The node where search went on."""
    summary: SummaryStory | None
    spent_below: Cost
    """What the pruned nodes had taken."""
    discarded_at: int | None
    """When the summary that was written ahead was discarded; None where there was none."""
    spent_ahead: Cost
    """What that summary had taken."""
    next_search: int | None
    claims: tuple[int, ...]
    """Claims of the answer that cite the repaired fact, from 1."""
    answer: tuple[str, ...]
    """What the answer has to do with it, where claims rest on it: texts and `Ref`s."""


ANOTHER_REPAIRED = "another fact was repaired in this search"
"""The engine's reason where a repair of the same search came first; the fact may be the very same one."""

Outcome = Literal["open", "rejected", "confirmed", "repaired", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One contradiction from its proposal to the last thing it caused."""

    search: int
    query: str
    node: str
    """The node that was current."""
    old: Fact
    """As both read when the pair was proposed."""
    new: Fact
    outcome: Outcome
    proposed: int | None
    proposal: str
    """Reason given with the proposal."""
    proposal_calls: tuple[CallMade, ...]
    decided: int | None
    by: str
    """`confirmation`, `guard:NAME`, `limit` or `fork`; empty while open."""
    reason: str
    decision: tuple[str, ...]
    """What made the decision what it is, in a sentence or two: texts and `Ref`s."""
    parts: Parts | None
    guards: tuple[GuardResult, ...]
    confirmation_calls: tuple[CallMade, ...]
    checked: tuple[CheckedPart, ...]
    """Part by part, what the model said beside what plain code found."""
    history: tuple[PastValue, ...]
    """Values of the old fact up to the proposal."""
    introducer: Introducer | None
    """Where a repair goes, among the nodes of the active path; None where no node holds the old fact."""
    repair: Repair | None

    @property
    def overtaken(self) -> bool:
        """Another repair of the same search came first, so that nothing was decided about this pair."""
        return self.by == "limit" and self.reason == ANOTHER_REPAIRED

    @property
    def moments(self) -> tuple[int, ...]:
        """Moments of its events."""
        repair = self.repair
        known = (self.proposed, self.decided)
        more = (repair.moment, repair.pruned_at, repair.resumed_at) if repair else ()
        return tuple(one for one in (*known, *more) if one is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Any event with what stood before it: its search, the policy's context, and the calls made for it."""

    moment: int
    kind: str
    text: str
    """The event's own words, such as why a stop was refused."""
    ids: tuple[str, ...]
    """Nodes, facts and passages it names."""
    search: int
    query: str
    context: Context | None
    calls: tuple[CallMade, ...]
    named: tuple[Fact, ...]
    """The facts among `ids`, as they read then."""
    points: tuple[Point, ...]
    """What it rested on and what came of it, one thing a line."""
    next: int | None
    """The next event that decided something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceStory:
    """A piece of evidence from the context that led to it, to where it is cited."""

    id: str
    fate: str
    other: str | None
    found: Step | None
    """The extraction, with the calls that made it."""
    led_by: Context | None
    introducer: Introducer | None
    history: tuple[PastValue, ...]
    duplicates: tuple[str, ...]
    """Facts that restate it."""
    conflicts: tuple[Conflict, ...]
    """Those it is a side of."""
    pruned_at: int | None
    shown_at: tuple[int, ...]
    """Moments of the policy contexts that showed it."""
    claims: tuple[int, ...]
    changes: tuple[Change, ...]
    """Its life, event by event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """One citation of a claim, followed to its passage."""

    id: str
    standing: str
    """As `retree_core.state.Citation`: current, repaired, stale or missing."""
    evidence: str | None
    history: tuple[PastValue, ...]
    repairs: tuple[Conflict, ...]
    """The repairs its evidence went through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimStory:
    """A claim of the answer."""

    number: int
    text: str
    cited: tuple[Cited, ...]
    calls: tuple[CallMade, ...]
    changes: tuple[Change, ...]
    """When what it cites came, changed or was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStory:
    """The causal story of a whole run."""

    question: str
    status: str
    detail: str
    answer: str | None
    searches: tuple[tuple[int, str], ...]
    conflicts: tuple[Conflict, ...]
    """Every one, in the order they were proposed; repairs are among them."""
    refused: tuple[Step, ...]
    """Stops that were refused."""
    claims: tuple[ClaimStory, ...]
