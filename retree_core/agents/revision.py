"""Contradictions with what is stored: proposed, decided, replaced in place (paper, section 4.3).

What follows from a replaced fact is up to the agent: a tree prunes and rebuilds, a flat list does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from retree_core.agents.conflicts import Case, Stated, Verdict, decide, propose
from retree_core.agents.memory import Memory
from retree_core.agents.summaries import drafted
from retree_core.agents.together import side_by_side
from retree_core.calls import Call, Reply, Together
from retree_core.events import (
    ConflictConfirmed,
    ConflictProposed,
    ConflictRejected,
    Event,
    EvidenceRepaired,
)
from retree_core.judging.duplicates import is_duplicate
from retree_core.memory import Evidence
from retree_core.replies import Candidate
from retree_core.settings import Settings
from retree_core.text.support import unsupported_values

Steps = Generator[Event | Call, Reply | None, None]
Apply = Callable[[Memory, Settings, Evidence, Sequence[Evidence]], Steps]
"""What follows once a fact is replaced: gets the fact as it was, and the other new facts of the search."""


def check(
    memory: Memory, settings: Settings, query: str, fresh: Sequence[Evidence]
) -> Generator[Event | Call | Together, Reply | None, tuple[tuple[Candidate, ...], str | None]]:
    """Pairs of a relevant stored and a new fact that may contradict each other; and where the summary that follows if
    nothing is repaired was asked for beside them, what the model wrote."""
    stored = memory.relevant([query, *(one.text for one in fresh)], settings.shown_evidence)
    if not stored:
        return (), None
    shown, new = [_stated(memory, one) for one in stored], [_stated(memory, one) for one in fresh]
    proposing = propose(settings, memory.state.question, shown, new)
    if settings.summary_call == "beside":
        return (yield from side_by_side(proposing, drafted(memory, settings, memory.state.summary, fresh)))
    return (yield from proposing), None


def revise(
    memory: Memory, settings: Settings, proposals: Sequence[Candidate], fresh: Sequence[Evidence], apply: Apply
) -> Generator[Event | Call, Reply | None, bool]:
    """Decides each proposal, and applies at most one repair a search; True if it did."""
    ordered = sorted(proposals, key=lambda one: _depth(memory, one.stored))
    for one in ordered:
        yield memory.add(ConflictProposed(old=one.stored, new=one.new, reason=one.reason))
    repaired = False
    for one in ordered:
        if repaired:
            reason = "another fact was repaired in this search"
            yield memory.add(ConflictRejected(old=one.stored, new=one.new, by="limit", reason=reason))
        else:
            repaired = yield from _settle(memory, settings, one, fresh, apply)
    return repaired


def _depth(memory: Memory, id_: str) -> int:
    """Place of the introducer on the active path; the shallowest goes first, since its repair prunes the rest."""
    node = memory.state.evidence[id_].node
    return memory.path.depth(node) if node else 0


def _stated(memory: Memory, one: Evidence) -> Stated:
    sources = one.current.sources
    return Stated(
        id=one.id,
        text=one.text,
        passages=memory.passages(sources),
        spans=tuple(source.start or 0 for source in sources),
    )


def _settle(
    memory: Memory, settings: Settings, proposal: Candidate, fresh: Sequence[Evidence], apply: Apply
) -> Generator[Event | Call, Reply | None, bool]:
    """Decides one proposal and applies it; True if the fact was repaired."""
    old, new = memory.state.evidence[proposal.stored], memory.state.evidence[proposal.new]
    forced = _forced(settings, memory, old, new)
    if forced is None and (limit := _limit(settings, old, new)):
        yield memory.add(ConflictRejected(old=old.id, new=new.id, by="limit", reason=limit))
        return False
    if forced is None:
        verdict = yield from decide(settings, _case(memory, old, new, fresh))
        event = _verdict_event(old, new, verdict)
    else:
        event = _forced_event(old, new, forced)
    yield memory.add(event)
    if isinstance(event, ConflictRejected):
        return False
    assert old.node is not None, "a fact is shown to the judge from the node that holds it"
    yield memory.add(
        EvidenceRepaired(
            evidence=old.id,
            node=old.node,
            revision=old.current.number + 1,
            by=new.id,
            old_text=old.text,
            new_text=new.text,
            reason=event.reason,
        )
    )
    yield from apply(memory, settings, old, [one for one in fresh if one.id != new.id])
    return True


def _forced(settings: Settings, memory: Memory, old: Evidence, new: Evidence) -> bool | None:
    search = len(memory.state.searches)
    return next(
        (one.repair for one in settings.forced if (one.search, one.old, one.new) == (search, old.id, new.id)), None
    )


def _forced_event(old: Evidence, new: Evidence, repair: bool) -> ConflictConfirmed | ConflictRejected:
    reason = "decided by the person who made this fork"
    if repair:
        return ConflictConfirmed(old=old.id, new=new.id, by="fork", reason=reason)
    return ConflictRejected(old=old.id, new=new.id, by="fork", reason=reason)


def _verdict_event(old: Evidence, new: Evidence, verdict: Verdict) -> ConflictConfirmed | ConflictRejected:
    if verdict.repair:
        return ConflictConfirmed(
            old=old.id,
            new=new.id,
            by="confirmation",
            reason=verdict.reason,
            guards=verdict.guards,
            parts=verdict.parts,
            better=verdict.better,
        )
    return ConflictRejected(
        old=old.id,
        new=new.id,
        by=verdict.by,
        reason=verdict.reason,
        guards=verdict.guards,
        parts=verdict.parts,
        better=verdict.better,
    )


def _limit(settings: Settings, old: Evidence, new: Evidence) -> str:
    """Why the repair is out of the question, whatever a judge says; empty if it is not."""
    if len(old.revisions) > settings.repairs_per_fact:
        return f"{old.id} was repaired {settings.repairs_per_fact} times already"
    brought = {one.passage for one in new.current.sources}
    for former in old.revisions[:-1]:
        seen = {one.passage for one in former.sources}
        if brought <= seen and _returns_to(former.text, old.text, new.text):
            return f"returns to revision {former.number} without a source that was not seen for it"
    return ""


def _returns_to(former: str, current: str, new: str) -> bool:
    """Whether `new` says what `former` said and `current` does not, in whatever words."""
    lost = unsupported_values(former, current)
    return is_duplicate(former, new) or bool(lost and not set(lost).intersection(unsupported_values(former, new)))


def _case(memory: Memory, old: Evidence, new: Evidence, fresh: Sequence[Evidence]) -> Case:
    given_up = zip(old.revisions, old.revisions[1:], strict=False)
    return Case(
        question=memory.state.question,
        summary=memory.state.summary,
        old=_stated(memory, old),
        new=_stated(memory, new),
        others=tuple(_stated(memory, one) for one in fresh if one.id != new.id),
        history=tuple((former.text, later.reason) for former, later in given_up),
    )
