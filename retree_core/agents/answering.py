"""The answer and its claims (paper, section 4.4)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from retree_core.agents.asking import ask
from retree_core.agents.keeping import Basis
from retree_core.agents.memory import Memory
from retree_core.calls import Call, Reply
from retree_core.events import Answered, Event
from retree_core.memory import Claim
from retree_core.prompts import messages
from retree_core.replies import AnswerReply, parse, tidy_id
from retree_core.settings import Settings


def answer(memory: Memory, settings: Settings, basis: Basis) -> Generator[Event | Call, Reply | None, bool]:
    """Answers from what the memory holds; False, with no call made, where it holds no evidence."""
    if not basis.ids:
        return False
    prompt = messages("answer", question=memory.state.question, summary=basis.summary, evidence=basis.evidence)
    choices: dict[str, list[Any]] = {"evidence": list(basis.ids)}
    reply = yield from ask(settings, "answer", AnswerReply, prompt, choices=choices, read=_answer_reply)
    claims = tuple(
        Claim(text=one.text, cites=tuple(dict.fromkeys(map(tidy_id, one.evidence))))
        for one in reply.claims
        if one.text.strip()
    )
    yield memory.add(Answered(text=reply.answer.strip(), claims=claims, shown=basis.ids))
    return True


def _answer_reply(data: dict[str, Any]) -> AnswerReply:
    reply = parse(AnswerReply, data)
    if not reply.answer.strip():
        raise ValueError("answer: is empty")
    return reply
