"""Contradictions with what is stored: proposed, decided, replaced in place (paper, section 4.3).

What follows from a replaced fact is up to the agent: a tree prunes and rebuilds, a flat list does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retree_core.agents.asking import consult, side_by_side
from retree_core.agents.conflicts import Candidate, Case, Stated, Verdict, decide, propose
from retree_core.agents.summaries import Draft, drafted
from retree_core.events import ConflictConfirmed, ConflictProposed, ConflictRejected, EvidenceRepaired
from retree_core.memory import Evidence
from retree_core.protocol import Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings

Apply = Callable[[WorkingMemory, Settings, Evidence, Sequence[Evidence], tuple[int, ...]], Steps[None]]
"""What follows once a fact is replaced: gets the fact as it was, the other new facts of the search, and the records
that the decision comes from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What came of a conflict check."""

    candidates: tuple[Candidate, ...] = ()
    because: tuple[int, ...] = ()
    """Records of the check; none where there was nothing to compare with."""
    draft: Draft | None = None
    """What the model wrote as the summary that follows if nothing is repaired, where it was asked for beside."""


def check(memory: WorkingMemory, settings: Settings, query: str, fresh: Sequence[Evidence]) -> Steps[Checked]:
    """Pairs of a relevant stored and a new fact that may contradict each other."""
    if not len(memory.path):
        return Checked()
    k = settings.shown_evidence
    ranked = yield from consult("related", {"queries": [query, *(one.text for one in fresh)], "k": k}, memory)
    stored = memory.evidence(ranked.value.get("order", ())[:k])
    if not stored:
        return Checked(because=(ranked.seq,))
    shown, new = [_stated(memory, one) for one in stored], [_stated(memory, one) for one in fresh]
    proposing = propose(settings, memory.state.question, shown, new)
    draft: Draft | None = None
    if settings.summary_call == "beside":
        writing = drafted(memory, settings, memory.state.summary, fresh)
        proposed, draft = yield from side_by_side(proposing, writing)
    else:
        proposed = yield from proposing
    return Checked(candidates=proposed.candidates, because=(ranked.seq, *proposed.because), draft=draft)


def revise(
    memory: WorkingMemory, settings: Settings, checked: Checked, fresh: Sequence[Evidence], apply: Apply
) -> Steps[bool]:
    """Decides each proposal, and applies at most one repair a search; True if it did."""
    ordered = sorted(checked.candidates, key=lambda one: _depth(memory, one.stored))
    for one in ordered:
        yield memory.add(ConflictProposed(old=one.stored, new=one.new, reason=one.reason), *checked.because)
    repaired = False
    for one in ordered:
        if repaired:
            reason = "another fact was repaired in this search"
            yield memory.add(ConflictRejected(old=one.stored, new=one.new, by="limit", reason=reason))
        else:
            repaired = yield from _settle(memory, settings, one, fresh, apply)
    return repaired


def _depth(memory: WorkingMemory, id_: str) -> int:
    """Place of the introducer on the active path; the shallowest goes first, since its repair prunes the rest."""
    node = memory.state.evidence[id_].node
    return memory.path.depth(node) if node else 0


def _stated(memory: WorkingMemory, one: Evidence) -> Stated:
    sources = one.current.sources
    return Stated(
        id=one.id,
        text=one.text,
        passages=memory.passages(sources),
        spans=tuple(source.start or 0 for source in sources),
    )


def _settle(
    memory: WorkingMemory, settings: Settings, proposal: Candidate, fresh: Sequence[Evidence], apply: Apply
) -> Steps[bool]:
    """Decides one proposal and applies it; True if the fact was repaired."""
    old, new = memory.state.evidence[proposal.stored], memory.state.evidence[proposal.new]
    event, because = yield from _decision(memory, settings, old, new, fresh)
    yield memory.add(event, *because)
    if isinstance(event, ConflictRejected):
        return False
    assert old.node is not None, "a fact is shown to the judge from the node that holds it"
    repaired = EvidenceRepaired(
        evidence=old.id,
        node=old.node,
        revision=old.current.number + 1,
        by=new.id,
        old_text=old.text,
        new_text=new.text,
        reason=event.reason,
    )
    yield memory.add(repaired, *because)
    yield from apply(memory, settings, old, [one for one in fresh if one.id != new.id], because)
    return True


def _decision(
    memory: WorkingMemory, settings: Settings, old: Evidence, new: Evidence, fresh: Sequence[Evidence]
) -> Steps[tuple[ConflictConfirmed | ConflictRejected, tuple[int, ...]]]:
    """What is decided, and the records that it comes from."""
    forced = _forced(settings, memory, old, new)
    if forced is not None:
        return _forced_event(old, new, forced), ()
    limit = yield from consult("limit", {"old": old.id, "new": new.id, "most": settings.repairs_per_fact}, memory)
    if why := limit.value.get("why"):
        return ConflictRejected(old=old.id, new=new.id, by="limit", reason=why), (limit.seq,)
    verdict = yield from decide(settings, _case(memory, old, new, fresh))
    return _verdict_event(old, new, verdict), (limit.seq, *verdict.because)


def _forced(settings: Settings, memory: WorkingMemory, old: Evidence, new: Evidence) -> bool | None:
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


def _case(memory: WorkingMemory, old: Evidence, new: Evidence, fresh: Sequence[Evidence]) -> Case:
    given_up = zip(old.revisions, old.revisions[1:], strict=False)
    return Case(
        question=memory.state.question,
        summary=memory.state.summary,
        old=_stated(memory, old),
        new=_stated(memory, new),
        others=tuple(_stated(memory, one) for one in fresh if one.id != new.id),
        history=tuple((former.text, later.reason) for former, later in given_up),
    )
