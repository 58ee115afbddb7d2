"""The next step: search, or stop if stopping is allowed (paper, section 4.2)."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

from retree_core.agents.asking import ask
from retree_core.agents.memory import Memory, relevant, rendered
from retree_core.calls import Call, Reply
from retree_core.events import ContextBuilt, Event, StopChosen, StopRefused
from retree_core.prompts import messages
from retree_core.replies import PolicyReply, parse, tidy_id
from retree_core.settings import Settings
from retree_core.state import State, active_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A search to make."""

    query: str
    origin: Literal["policy", "forced"]
    reason: str = ""
    missing: tuple[str, ...] = ()


def choose(
    memory: Memory, settings: Settings, notice: str
) -> Generator[Event | Call, Reply | None, Choice | tuple[str, ...]]:
    """The next search, or the evidence to stop on. A stop not allowed is refused, asked again once, then overruled."""
    for _ in range(2):
        reply = yield from _decision(memory, settings, notice)
        if reply.action == "search":
            query = " ".join(reply.query.split())
            return Choice(query=query, origin="policy", reason=reply.reason, missing=memory.missing)
        cited = tuple(dict.fromkeys(map(tidy_id, reply.evidence)))
        refusal = _refusal(memory.state, cited)
        if not refusal:
            supporting = tuple(one for one in cited if one in _in_force(memory.state))
            yield memory.add(StopChosen(evidence=supporting, reason=reply.reason))
            return supporting
        yield memory.add(StopRefused(evidence=cited, reason=refusal))
        notice = f"Your answer was refused: {refusal}. Search for what is missing."
    return Choice(query=memory.state.question, origin="forced", reason="two stops were refused", missing=memory.missing)


def _decision(memory: Memory, settings: Settings, notice: str) -> Generator[Event | Call, Reply | None, PolicyReply]:
    state = memory.state
    shown = relevant(state, [state.question, *memory.missing], settings.shown_evidence)
    context = rendered(state.summary, shown)
    ids = tuple(one.id for one in shown)
    yield memory.add(ContextBuilt(node=state.current, evidence=ids, characters=len(context)))
    prompt = messages("policy", question=state.question, memory=context, notice=f"\n{notice}" if notice else "")
    reply = yield from ask(settings, "policy", PolicyReply, prompt, choices={"evidence": list(ids)}, read=_policy_reply)
    memory.missing = tuple(one for one in reply.missing if one.strip())
    return reply


def _policy_reply(data: dict[str, Any]) -> PolicyReply:
    reply = parse(PolicyReply, data)
    if reply.action == "search" and not reply.query.strip():
        raise ValueError("query: a search needs one")
    return reply


def _refusal(state: State, cited: tuple[str, ...]) -> str:
    """Why the policy may not stop yet; empty if it may."""
    if not any(one.passages for one in state.searches):
        return "nothing has been retrieved yet"
    if not _in_force(state).intersection(cited):
        return "no evidence in force supports it" if not cited else f"{', '.join(cited)[:80]} is no evidence in force"
    return ""


def _in_force(state: State) -> set[str]:
    return {one.id for one in active_path(state)}
