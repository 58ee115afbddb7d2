"""The answer and its claims (paper, section 4.4)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from retree_core.agents.asking import ask
from retree_core.agents.memory import Memory, listed, relevant
from retree_core.calls import Call, Reply
from retree_core.events import Answered, Event
from retree_core.memory import Claim, Evidence
from retree_core.prompts import messages, quoted
from retree_core.replies import AnswerReply, parse, tidy_id
from retree_core.settings import Settings
from retree_core.state import active_path


def answer(
    memory: Memory, settings: Settings, supporting: tuple[str, ...]
) -> Generator[Event | Call, Reply | None, bool]:
    """Answers from the current node; False, with no call made, where no evidence is in force."""
    shown = _evidence(memory, settings, supporting)
    if not shown:
        return False
    ids = [one.id for one in shown]
    prompt = messages(
        "answer",
        question=memory.state.question,
        summary=quoted(memory.state.summary) or "(nothing yet)",
        evidence=listed(shown),
    )
    reply = yield from ask(settings, "answer", AnswerReply, prompt, choices={"evidence": list(ids)}, read=_answer_reply)
    claims = tuple(
        Claim(text=one.text, cites=tuple(dict.fromkeys(map(tidy_id, one.evidence))))
        for one in reply.claims
        if one.text.strip()
    )
    yield memory.add(Answered(text=reply.answer.strip(), claims=claims, shown=tuple(ids)))
    return True


def _evidence(memory: Memory, settings: Settings, supporting: tuple[str, ...]) -> tuple[Evidence, ...]:
    """What the policy stopped on, and the evidence most relevant to the question and the summary; oldest first."""
    state = memory.state
    chosen = {one.id for one in relevant(state, [state.question, state.summary], 2 * settings.shown_evidence)}
    return tuple(one for one in active_path(state) if one.id in chosen or one.id in supporting)


def _answer_reply(data: dict[str, Any]) -> AnswerReply:
    reply = parse(AnswerReply, data)
    if not reply.answer.strip():
        raise ValueError("answer: is empty")
    return reply
