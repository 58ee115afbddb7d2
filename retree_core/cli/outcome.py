"""What a finished run says: answer, claims resolved to passages, counts and tokens, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from retree_core.llm.envelope import thinks_unasked
from retree_core.memory import Claim, Source
from retree_core.state import Citation, State, citations, fold
from retree_core.state_json import claim_json
from retree_core.terminal import printable, short, wrapped
from retree_core.trace import Trace
from retree_core.trace.answered import answered_by
from retree_core.trace.spent import spent

GOOD = ("answered", "budget_exhausted")
"""Statuses of a run that has an answer."""


def succeeded(state: State) -> bool:
    """The run ended with an answer."""
    return state.ended is not None and state.ended.status in GOOD and state.answer is not None


def outcome(trace: Trace, path: Path) -> dict[str, Any]:
    """The run as one JSON object."""
    state = fold(trace.events)
    kinds = [one.kind for one in trace.events]
    return {
        "question": trace.header.question,
        "status": state.ended.status if state.ended else "unfinished",
        "detail": state.ended.detail if state.ended else "",
        "answer": state.answer.text if state.answer else None,
        "claims": [claim_json(state, one) for one in state.answer.claims] if state.answer else [],
        "searches": len(state.searches),
        "repairs": kinds.count("evidence_repaired"),
        "conflicts_proposed": kinds.count("conflict_proposed"),
        "conflicts_rejected": kinds.count("conflict_rejected"),
        "nodes": len(state.nodes),
        "nodes_pruned": sum(one.pruned_at is not None for one in state.nodes.values()),
        "events": len(trace.events),
        "calls": len(trace.calls),
        "call_seconds": round(sum(one.seconds for one in trace.calls), 3),
        "tokens": {role: asdict(one) for role, one in spent(trace.calls).items()},
        "summaries_discarded": kinds.count("summary_discarded"),
        "replies_rejected": kinds.count("reply_rejected"),
        "thinking_asked": trace.header.settings.sampling.thinking,
        "thought_unasked": sum(thinks_unasked(one.call, one.reply) for one in trace.calls),
        "trace": str(path),
        "run_id": trace.header.run_id,
        "recorded_with": answered_by(trace),
    }


def answer_text(state: State) -> str:
    """Answer and claims for a terminal."""
    if state.answer is None:
        return _no_answer(state)
    lines = [wrapped(state.answer.text)]
    for number, claim in enumerate(state.answer.claims, 1):
        lines += ["", wrapped(f"{number}. {claim.text}"), *_citation_lines(state, claim)]
    return "\n".join(lines)


def _no_answer(state: State) -> str:
    if state.ended is None:
        return "No answer: the run is not finished."
    detail = f": {printable(state.ended.detail)}" if state.ended.detail else "."
    return f"No answer ({state.ended.status}){detail}"


def _citation_lines(state: State, claim: Claim) -> Iterator[str]:
    if not claim.cites:
        yield "   (cites nothing)"
    for one in citations(state, claim):
        yield f"   [{printable(one.id)}] {_standing(one)}{_fact(state, one)}"
        for source in one.sources if one.standing != "stale" else ():
            yield f"        {source_line(state, source)}"


def _standing(one: Citation) -> str:
    if one.standing == "current":
        return ""
    if one.standing == "repaired":
        return f"(repaired, revision {one.revision}) "
    return "(stale: not in force, no support) " if one.standing == "stale" else "(no such evidence) "


def _fact(state: State, one: Citation) -> str:
    fact = state.evidence.get(one.evidence or "")
    return short(fact.text, 100) if fact else ""


def source_line(state: State, source: Source) -> str:
    """Passage, title and address of a source, on one line."""
    passage = state.passages.get(source.passage)
    if passage is None:
        return f"{printable(source.passage)} (not in the record)"
    where = f" <{printable(passage.url)}>" if passage.url else ""
    unlocated = "" if source.located else ", quote not found in it"
    return f"{printable(source.passage)} {short(passage.title, 60)}{where}{unlocated}"
