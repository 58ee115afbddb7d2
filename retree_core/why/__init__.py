"""Why something happened in a run: causal chains from the record alone, as pure data.

Nothing here asks a model, and nothing prints; `retree why` and the debugger show what these functions return.
"""

from __future__ import annotations

from retree_core import events as ev
from retree_core.errors import UsageError
from retree_core.trace.reader import Trace
from retree_core.why.conflicts import conflicts
from retree_core.why.ledger import Ledger
from retree_core.why.steps import claim_stories, evidence_story, run_story, step
from retree_core.why.summaries import summary_story
from retree_core.why.values import (
    CallMade,
    Change,
    Cited,
    ClaimStory,
    Conflict,
    Context,
    Cost,
    EvidenceStory,
    Fact,
    Introducer,
    PastValue,
    PathNode,
    PrunedFact,
    Quoted,
    Ref,
    Repair,
    RunStory,
    Step,
    SummaryStory,
)
from retree_core.why.watch import changes_of

Story = RunStory | Conflict | EvidenceStory | ClaimStory | SummaryStory | Step

_OF_A_CONFLICT = (
    ev.ConflictProposed,
    ev.ConflictConfirmed,
    ev.ConflictRejected,
    ev.EvidenceRepaired,
    ev.RepairSkipped,
    ev.NodesPruned,
    ev.SearchResumed,
    ev.FactsSetAside,
)


def why_event(trace: Trace, moment: int) -> Story:
    """The chain that an event belongs to: a conflict, a summary, or the step alone. Raises UsageError."""
    if not 1 <= moment <= len(trace.events):
        raise UsageError(f"--event {moment}: this run has events 1 to {len(trace.events)}")
    ledger = Ledger(trace)
    event = ledger.event(moment)
    if isinstance(event, _OF_A_CONFLICT) and (found := _conflict_at(ledger, moment)):
        return found
    return summary_story(ledger, moment) if isinstance(event, ev.SummaryWritten) else step(ledger, moment)


def _conflict_at(ledger: Ledger, moment: int) -> Conflict | None:
    """The conflict with an event at `moment`, or the last one repaired before it."""
    known = conflicts(ledger)
    own = next((one for one in known if moment in (one.proposed, one.decided)), None)
    repairs = [one for one in known if one.repair and one.repair.moment <= moment]
    return own or next((one for one in known if moment in one.moments), repairs[-1] if repairs else None)


def why_evidence(trace: Trace, id_: str) -> EvidenceStory:
    """The story of a piece of evidence. Raises UsageError where the run has none of that id."""
    ledger = Ledger(trace)
    if id_ not in ledger.last.evidence:
        known = ", ".join([*ledger.last.evidence][:12]) or "none"
        raise UsageError(f"--evidence {id_}: no such evidence in this run; it has {known}")
    return evidence_story(ledger, id_)


def why_claim(trace: Trace, number: int) -> ClaimStory:
    """The story of claim `number` of the answer, from 1. Raises UsageError."""
    claims = claim_stories(Ledger(trace))
    if not 1 <= number <= len(claims):
        has = f"claims 1 to {len(claims)}" if claims else "no claims"
        raise UsageError(f"--claim {number}: this run has {has}")
    return claims[number - 1]


def why_run(trace: Trace) -> RunStory:
    """The causal story of the whole run."""
    return run_story(Ledger(trace))


__all__ = [
    "CallMade",
    "Change",
    "Cited",
    "ClaimStory",
    "Conflict",
    "Context",
    "Cost",
    "EvidenceStory",
    "Fact",
    "Introducer",
    "Ledger",
    "PastValue",
    "PathNode",
    "PrunedFact",
    "Quoted",
    "Ref",
    "Repair",
    "RunStory",
    "Step",
    "Story",
    "SummaryStory",
    "changes_of",
    "conflicts",
    "why_claim",
    "why_event",
    "why_evidence",
    "why_run",
]
