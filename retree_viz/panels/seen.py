"""What the policy was sent for a context: the recorded request, or else the state written out as it would be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retree_core.agents.memory import rendered

from retree_core import events as ev
from retree_core.calls import ModelCall
from retree_core.memory import KEEPS_FACTS
from retree_core.why.calls import CallLine, read_reply
from retree_viz.panels.call_text import messages
from retree_viz.run import Run

_HEAD = "\nMemory\n"
"""What stands before the memory in every policy prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One policy context as it was sent."""

    message: str
    memory: tuple[int, int]
    """Where the memory stands in the message."""
    call: int | None
    """Number of the policy call; None where the record holds none."""
    missing: tuple[str, ...]
    """Slots that the policy had named as missing before, which the choice of evidence goes by."""
    doubts: tuple[str, ...] = ()
    """What does not fit together."""


def seen_at(run: Run, at: int, event: ev.ContextBuilt) -> Seen:
    """The context built at a moment, as it was sent."""
    line = _request(run, at)
    missing = _missing(run, at)
    text = _rendered(run, at, event)
    agent = run.trace.header.settings.agent
    if line is None:
        lost = () if agent in KEEPS_FACTS else ("This record holds no request to show it from.",)
        return Seen(message="" if lost else text, memory=(0, 0), call=None, missing=missing, doubts=lost)
    assert isinstance(line.record.call, ModelCall)
    message = next((one.content for one in reversed(messages(line.record.call.body)) if one.role == "user"), "")
    head = message.find(_HEAD)
    start = head + len(_HEAD) if head >= 0 else 0
    end = min(start + event.characters, len(message)) if head >= 0 else 0
    return Seen(
        message=message,
        memory=(start, end),
        call=line.number,
        missing=missing,
        doubts=tuple(_doubts(message[start:end], head >= 0, text, agent, event)),
    )


def _request(run: Run, at: int) -> CallLine | None:
    """The first policy call after the context was built, if it belongs to it."""
    before = run.trace.calls_before[at - 1]
    line = run.call_lines[before] if before < len(run.call_lines) else None
    fits = line is not None and line.role == "policy" and (line.moment is None or line.moment == at + 1)
    return line if fits else None


def _rendered(run: Run, at: int, event: ev.ContextBuilt) -> str:
    state = run.at(at)
    node = state.nodes.get(event.node)
    return rendered(
        node.summary if node else "", [state.evidence[one] for one in event.evidence if one in state.evidence]
    )


def _doubts(memory: str, found: bool, text: str, agent: str, event: ev.ContextBuilt) -> list[str]:
    if not found:
        return ["The request has no part that is headed as the memory."]
    if len(memory) != event.characters:
        return [f"The request holds {len(memory):,} characters of memory, the event says {event.characters:,}."]
    if agent in KEEPS_FACTS and memory != text:
        return ["The request differs from what the state at this event writes out to."]
    return []


def _missing(run: Run, at: int) -> tuple[str, ...]:
    """From the last policy reply before the context that the engine took; else from the last search."""
    before = run.trace.calls_before[at - 1]
    for line in reversed(run.call_lines[:before]):
        if line.role == "policy" and not line.rejected and isinstance(line.record.call, ModelCall):
            value = read_reply(line.record.call, line.record.reply).value
            return _slots(value) if value else ()
    chosen = (one for one in reversed(run.events[:at]) if isinstance(one, ev.SearchChosen))
    return next((one.missing for one in chosen), ())


def _slots(value: Mapping[str, object]) -> tuple[str, ...]:
    found = value.get("missing")
    return tuple(str(one) for one in found if str(one).strip()) if isinstance(found, list) else ()
