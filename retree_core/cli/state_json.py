"""A state as one JSON object."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from retree_core.cli.outcome import claim_json
from retree_core.state import State, path


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
