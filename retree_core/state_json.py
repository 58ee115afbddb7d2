"""A state as one JSON object."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from retree_core.memory import Claim, Source
from retree_core.state import Citation, State, citations, path


def state_json(state: State) -> dict[str, Any]:
    """Nodes, evidence, passages and searches in order, the current node, its summary, and the answer."""
    return {
        "moment": state.moment,
        "question": state.question,
        "agent": state.agent,
        "current": state.current,
        "path": list(path(state)),
        "summary": state.summary,
        "nodes": [asdict(one) for one in state.nodes.values()],
        "evidence": [{"text": one.text, **asdict(one)} for one in state.evidence.values()],
        "passages": [asdict(one) for one in state.passages.values()],
        "searches": [asdict(one) for one in state.searches],
        "steps": [asdict(one) for one in state.steps],
        "context": asdict(state.context) if state.context else None,
        "answer": state.answer.text if state.answer else None,
        "claims": [claim_json(state, one) for one in state.answer.claims] if state.answer else [],
        "status": state.ended.status if state.ended else "unfinished",
        "detail": state.ended.detail if state.ended else "",
        "problems": list(state.problems),
    }


def claim_json(state: State, claim: Claim) -> dict[str, Any]:
    """A claim with its citations resolved to evidence and passages."""
    return {"text": claim.text, "cites": [_citation_json(state, one) for one in citations(state, claim)]}


def _citation_json(state: State, one: Citation) -> dict[str, Any]:
    fact = state.evidence.get(one.evidence or "")
    return {
        "id": one.id,
        "standing": one.standing,
        "evidence": one.evidence,
        "revision": one.revision,
        "fact": fact.text if fact else None,
        "sources": [_source_json(state, source) for source in one.sources],
    }


def _source_json(state: State, source: Source) -> dict[str, Any]:
    """A source with the title and address of its passage."""
    passage = state.passages.get(source.passage)
    return {
        "passage": source.passage,
        "title": passage.title if passage else None,
        "url": passage.url if passage else None,
        "quote": source.quote,
        "start": source.start,
        "end": source.end,
    }
