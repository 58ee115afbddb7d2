"""Contradiction-triggered backtracking and growth of the evidence tree (paper, sections 4.2 and 4.3)."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import replace

from retree_core.agents.asking import NoValidReply, ask, with_note
from retree_core.agents.conflicts import Case, Stated, Verdict, decide, propose
from retree_core.agents.memory import Memory, listed, relevant, summary_characters
from retree_core.calls import Call, Reply
from retree_core.events import (
    ConflictConfirmed,
    ConflictProposed,
    ConflictRejected,
    Event,
    EvidenceRepaired,
    FactsSetAside,
    NodeAdded,
    NodesPruned,
    RepairSkipped,
    SearchResumed,
    SummaryStale,
    SummaryWritten,
)
from retree_core.judging import is_duplicate
from retree_core.memory import Evidence
from retree_core.prompts import messages, quoted
from retree_core.replies import Candidate, SummaryReply, parse
from retree_core.settings import Settings
from retree_core.state import active_path, descendants, path
from retree_core.text import cut_words, normalise, tokens, unsupported_values, values_in
from retree_core.text.values import read_values

Steps = Generator[Event | Call, Reply | None, None]


def revise(
    memory: Memory, settings: Settings, query: str, fresh: Sequence[Evidence]
) -> Generator[Event | Call, Reply | None, bool]:
    """Tests new facts against the relevant stored ones; True if one was repaired. At most one repair a search."""
    stored = relevant(memory.state, [query, *(one.text for one in fresh)], settings.shown_evidence)
    if not stored or not fresh:
        return False
    shown, new = [_stated(memory, one) for one in stored], [_stated(memory, one) for one in fresh]
    proposals = yield from propose(settings, memory.state.question, shown, new)
    ordered = sorted(proposals, key=lambda one: _depth(memory, one.stored))
    for one in ordered:
        yield memory.add(ConflictProposed(old=one.stored, new=one.new, reason=one.reason))
    repaired = False
    for one in ordered:
        if repaired:
            reason = "another fact was repaired in this search"
            yield memory.add(ConflictRejected(old=one.stored, new=one.new, by="limit", reason=reason))
        else:
            repaired = yield from _settle(memory, settings, one, fresh)
    return repaired


def _depth(memory: Memory, id_: str) -> int:
    """Place of the introducer on the active path; the shallowest goes first, since its repair prunes the rest."""
    node = memory.state.evidence[id_].node
    return path(memory.state).index(node) if node else 0


def _stated(memory: Memory, one: Evidence) -> Stated:
    sources = one.current.sources
    return Stated(
        id=one.id,
        text=one.text,
        passages=memory.passages(sources),
        spans=tuple(source.start or 0 for source in sources),
    )


def _settle(
    memory: Memory, settings: Settings, proposal: Candidate, fresh: Sequence[Evidence]
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
    return (yield from _repair(memory, settings, old, new, event.reason, fresh))


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


def _repair(
    memory: Memory, settings: Settings, old: Evidence, new: Evidence, reason: str, fresh: Sequence[Evidence]
) -> Generator[Event | Call, Reply | None, bool]:
    """Replaces the fact at its introducer, prunes below, regenerates the summary there and resumes."""
    if old.node is None or normalise(old.text) == normalise(new.text):
        yield memory.add(RepairSkipped(evidence=old.id, by=new.id))
        return False
    yield memory.add(
        EvidenceRepaired(
            evidence=old.id,
            node=old.node,
            revision=old.current.number + 1,
            by=new.id,
            old_text=old.text,
            new_text=new.text,
            reason=reason,
        )
    )
    below = descendants(memory.state, old.node)
    if below:
        yield memory.add(NodesPruned(nodes=below, evidence=old.id))
    yield memory.add(SearchResumed(node=old.node))
    yield from _regenerate(memory, settings, old.node, old.text)
    others = [one for one in fresh if one.id != new.id]
    if others and settings.on_repair == "keep_facts":
        yield from expand(memory, settings, others)
    elif others:
        yield memory.add(FactsSetAside(facts=tuple(one.id for one in others)))
    return True


def expand(memory: Memory, settings: Settings, fresh: Sequence[Evidence]) -> Steps:
    """A child of the current node with the new facts, and its summary."""
    state = memory.state
    node = NodeAdded(
        node=f"n{len(state.nodes)}",
        parent=state.current,
        search=state.searches[-1].number,
        query=state.searches[-1].query,
        evidence=tuple(one.id for one in fresh),
    )
    former = state.summary
    yield memory.add(node)
    prompt = messages(
        "summarise",
        question=state.question,
        summary=quoted(former) or "(nothing yet)",
        facts=listed(fresh),
        words=settings.summary_words,
    )
    known = [state.question, former, *(one.text for one in fresh)]
    summary = _summary(settings, node.node, (yield from _written(settings, prompt)), known)
    yield memory.add(summary if summary.text else replace(summary, text=former, origin="kept"))


def _regenerate(memory: Memory, settings: Settings, node: str, refuted: str) -> Steps:
    """The repaired node's summary from corrected evidence alone; the facts joined where a model keeps the old value."""
    facts = active_path(memory.state)
    known = [memory.state.question, *(one.text for one in facts)]
    prompt = messages("regenerate", question=memory.state.question, facts=listed(facts), words=settings.summary_words)
    for _ in range(2):
        text = yield from _written(settings, prompt)
        summary = _summary(settings, node, text, known)
        stale = _kept_from(refuted, text, known)
        if summary.text and not stale:
            yield memory.add(replace(summary, origin="regenerated"))
            return
        if stale:
            yield memory.add(SummaryStale(node=node, text=text, value=stale))
            prompt = with_note(prompt, f"Do not mention {quoted(stale)}: the facts do not say it.")
    joined = _summary(settings, node, " ".join(one.text for one in facts), known)
    yield memory.add(replace(joined, origin="facts"))


def _kept_from(refuted: str, text: str, allowed: list[str]) -> str:
    """Values of the refuted fact that are in `text` though nothing in force says them; empty if there are none.

    A fact without names, dates and numbers of its own is known by its words: half of them make a text stale.
    """
    in_force = "\n".join(allowed)
    if values := unsupported_values(refuted, in_force):
        return ", ".join(one for one in values if not unsupported_values(one, text))
    telling = dict.fromkeys(one for one in tokens(refuted) if len(one) > 3 and one not in tokens(in_force))
    found = [one for one in telling if one in tokens(text)]
    return " ".join(found) if 2 * len(found) >= len(telling) else ""


def _written(settings: Settings, prompt: list[dict[str, str]]) -> Generator[Event | Call, Reply | None, str]:
    """What the model writes as a summary, on one line; empty where it gives none."""
    try:
        reply: SummaryReply = yield from ask(
            settings, "summarise", SummaryReply, prompt, read=lambda data: parse(SummaryReply, data)
        )
    except NoValidReply:
        return ""
    return " ".join(reply.summary.split())


def _summary(settings: Settings, node: str, text: str, known: list[str]) -> SummaryWritten:
    """`text` without the sentences that state a value beyond `known`, and within the bounds of a summary."""
    sentences = _SENTENCE_END.split(text)
    invented = tuple(one for one in sentences if _invents(one, "\n".join(known)))
    whole = " ".join(one for one in sentences if one not in invented)
    kept = cut_words(whole, settings.summary_words, summary_characters(settings))
    return SummaryWritten(node=node, text=kept, origin="model", cut=kept != whole, invented=invented)


def _invents(sentence: str, known: str) -> bool:
    """Whether it states a number, date or name that `known` does not hold.

    Plain words are free, and so is a first word that only its place makes look like a name ("Still missing: ...").
    """
    unsure = {one.written for one in read_values(sentence).names if not one.sure}
    return bool(values_in(sentence)) and not unsure.issuperset(unsupported_values(sentence, known))


_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+(?=[^\W\d_])")
