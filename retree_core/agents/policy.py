"""The next step: search, or stop if stopping is allowed (paper, section 4.2)."""

from __future__ import annotations

from collections.abc import Container, Generator
from dataclasses import dataclass
from typing import Any, Literal

from retree_core.agents.asking import ask
from retree_core.agents.keeping import Keeping
from retree_core.agents.memory import Memory
from retree_core.calls import Call, Reply
from retree_core.events import ContextBuilt, Event, StopChosen, StopRefused
from retree_core.prompts import messages, quoted
from retree_core.replies import PolicyReply, parse, tidy_id
from retree_core.settings import Settings
from retree_core.state import State
from retree_core.text import normalise


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A search to make."""

    query: str
    origin: Literal["policy", "forced"]
    reason: str = ""
    missing: tuple[str, ...] = ()


def choose(
    memory: Memory, settings: Settings, keeping: Keeping, notice: str
) -> Generator[Event | Call, Reply | None, Choice | tuple[str, ...]]:
    """The next search, or the evidence to stop on. A stop not allowed is refused, asked again once, then overruled."""
    for _ in range(2):
        reply = yield from _decision(memory, settings, keeping, notice)
        if reply.action == "search":
            query = " ".join(reply.query.split())
            if _goes_in_circles(memory.state, query):
                return _forced(memory, "the policy asked for the same search three times")
            return Choice(query=query, origin="policy", reason=reply.reason, missing=memory.missing)
        cited = tuple(dict.fromkeys(map(tidy_id, reply.evidence)))
        citable = keeping.citable(memory)
        refusal = _refusal(memory.state, citable, cited)
        if not refusal:
            supporting = tuple(one for one in cited if one in citable)
            yield memory.add(StopChosen(evidence=supporting, reason=reply.reason))
            return supporting
        yield memory.add(StopRefused(evidence=cited, reason=refusal))
        notice = f"Your answer was refused: {refusal}. Search for what is missing."
    return _forced(memory, "two stops were refused")


def _forced(memory: Memory, reason: str) -> Choice:
    return Choice(query=memory.state.question, origin="forced", reason=reason, missing=memory.missing)


def _goes_in_circles(state: State, query: str) -> bool:
    """Whether the last search was a repetition, is asked for again, and the question itself is not yet searched."""
    last = state.searches[-1] if state.searches else None
    if last is None or last.repeat_of is None or normalise(last.query) != normalise(query):
        return False
    return all(normalise(one.query) != normalise(state.question) for one in state.searches)


def _decision(
    memory: Memory, settings: Settings, keeping: Keeping, notice: str
) -> Generator[Event | Call, Reply | None, PolicyReply]:
    state = memory.state
    view = keeping.view(memory, settings)
    yield memory.add(ContextBuilt(node=state.current, evidence=view.ids, characters=len(view.text)))
    notice = f"\n{quoted(notice)}" if notice else ""
    prompt = messages(keeping.prompt, question=state.question, memory=view.text, notice=notice)
    choices: dict[str, list[Any]] = {"evidence": list(view.ids)}
    reply = yield from ask(settings, "policy", PolicyReply, prompt, choices=choices, read=_policy_reply)
    memory.missing = tuple(one for one in reply.missing if one.strip())
    return reply


def _policy_reply(data: dict[str, Any]) -> PolicyReply:
    reply = parse(PolicyReply, data)
    if reply.action == "search" and not reply.query.strip():
        raise ValueError("query: a search needs one")
    return reply


def _refusal(state: State, citable: Container[str], cited: tuple[str, ...]) -> str:
    """Why the policy may not stop yet; empty if it may."""
    if not any(one.passages for one in state.searches):
        return "nothing has been retrieved yet"
    if not any(one in citable for one in cited):
        return "no evidence in force supports it" if not cited else f"{', '.join(cited)[:80]} is no evidence in force"
    return ""
