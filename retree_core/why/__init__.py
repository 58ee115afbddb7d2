"""Why something happened in a run: causal chains from the record alone, as pure data.

Nothing here asks a model, and nothing prints; `retree why` and the debugger show what these functions return.
"""

from __future__ import annotations

from retree_core import events as ev
from retree_core.errors import UsageError
from retree_core.trace.reader import Trace
from retree_core.why.absence import Absence, why_not
from retree_core.why.conflicts import conflicts
from retree_core.why.ledger import Ledger
from retree_core.why.steps import claim_stories, evidence_story, run_story, step
from retree_core.why.stories import (
    Cited,
    ClaimStory,
    Conflict,
    EvidenceStory,
    Introducer,
    PathNode,
    PrunedFact,
    Repair,
    RunStory,
    Step,
    SummaryStory,
)
from retree_core.why.summaries import summary_story
from retree_core.why.values import CallMade, Change, Context, Cost, Fact, PastValue, Point, Quoted, Ref
from retree_core.why.watch import changes_of

Story = RunStory | Conflict | EvidenceStory | ClaimStory | SummaryStory | Step | Absence

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
    written = _summary_at(ledger, moment)
    return summary_story(ledger, written) if written else step(ledger, moment)


def _summary_at(ledger: Ledger, moment: int) -> int | None:
    """The summary that an event wrote, or that a refused text was meant for."""
    event = ledger.event(moment)
    if isinstance(event, ev.SummaryStale):
        after = ledger.next_of(moment, ev.SummaryWritten, ev.SearchChosen)
        return after if after and isinstance(ledger.event(after), ev.SummaryWritten) else None
    return moment if isinstance(event, ev.SummaryWritten) else None


def _conflict_at(ledger: Ledger, moment: int) -> Conflict | None:
    """The conflict with an event at `moment`, or the last one repaired before it in the same search."""
    known = conflicts(ledger)
    own = next((one for one in known if moment in (one.proposed, one.decided)), None)
    searches = ledger.at(moment).searches
    number = searches[-1].number if searches else 0
    repairs = [one for one in known if one.repair and one.repair.moment <= moment and one.search == number]
    return own or next((one for one in known if moment in one.moments), repairs[-1] if repairs else None)


def why_evidence(trace: Trace, id_: str) -> EvidenceStory:
    """The story of a piece of evidence. Raises UsageError where the run has none of that id."""
    ledger = Ledger(trace)
    _known(ledger, id_, "--evidence")
    return evidence_story(ledger, id_)


def _known(ledger: Ledger, id_: str, option: str) -> None:
    if id_ not in ledger.last.evidence:
        known = ", ".join([*ledger.last.evidence][:12]) or "none"
        raise UsageError(f"{option} {id_}: no such evidence in this run; it has {known}")


def why_claim(trace: Trace, number: int) -> ClaimStory:
    """The story of claim `number` of the answer, from 1. Raises UsageError."""
    claims = claim_stories(Ledger(trace))
    if not 1 <= number <= len(claims):
        has = f"claims 1 to {len(claims)}" if claims else "no claims"
        raise UsageError(f"--claim {number}: this run has {has}")
    return claims[number - 1]


def why_pair(trace: Trace, a: str, b: str) -> Absence:
    """What became of two facts that might contradict each other. Raises UsageError where the run has no such fact."""
    ledger = Ledger(trace)
    for id_ in (a, b):
        _known(ledger, id_, "--pair")
    return why_not(ledger, a, b)


def why_run(trace: Trace) -> RunStory:
    """The causal story of the whole run."""
    return run_story(Ledger(trace))


__all__ = [
    "Absence",
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
    "Point",
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
    "why_not",
    "why_pair",
    "why_run",
]
