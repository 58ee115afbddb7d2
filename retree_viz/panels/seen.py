"""What the policy was sent for a context: the recorded request, or else the state written out as it would be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from retree_core import events as ev
from retree_core.calls import ModelCall
from retree_core.memory import KEEPS_FACTS
from retree_core.prompts import quoted
from retree_core.why.calls import CallLine
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
    doubts: tuple[str, ...] = ()
    """What does not fit together."""


def seen_at(run: Run, at: int, event: ev.ContextBuilt) -> Seen:
    """The context built at a moment, as it was sent."""
    line = _request(run, at)
    if line is None:
        if run.trace.header.settings.agent in KEEPS_FACTS:
            return Seen(message="\n".join(_written_out(run, at, event)), memory=(0, 0), call=None)
        return Seen(message="", memory=(0, 0), call=None, doubts=("This record holds no request to show it from.",))
    assert isinstance(line.record.call, ModelCall)
    message = next((one.content for one in reversed(messages(line.record.call.body)) if one.role == "user"), "")
    head = message.find(_HEAD)
    start = head + len(_HEAD) if head >= 0 else 0
    end = min(start + event.characters, len(message)) if head >= 0 else 0
    return Seen(
        message=message,
        memory=(start, end),
        call=line.number,
        doubts=tuple(_doubts(message[start:end], head >= 0, event)),
    )


def _request(run: Run, at: int) -> CallLine | None:
    """The first policy call after the context was built, if it belongs to it."""
    before = run.trace.calls_before[at - 1]
    line = run.call_lines[before] if before < len(run.call_lines) else None
    fits = line is not None and line.role == "policy" and (line.moment is None or line.moment == at + 1)
    return line if fits else None


def _written_out(run: Run, at: int, event: ev.ContextBuilt) -> Iterator[str]:
    """What the state holds of a context, much as a request would have it."""
    state = run.at(at)
    node = state.nodes.get(event.node)
    yield f"Summary: {quoted(node.summary if node else '') or '(nothing yet)'}"
    yield "Evidence:"
    yield from (f"[{id_}] {quoted(state.evidence[id_].text)}" for id_ in event.evidence if id_ in state.evidence)
    if not event.evidence:
        yield "(none yet)"


def _doubts(memory: str, found: bool, event: ev.ContextBuilt) -> Iterator[str]:
    if not found:
        yield "The request has no part that is headed as the memory."
    elif len(memory) != event.characters:
        yield f"The request holds {len(memory):,} characters of memory, the event says {event.characters:,}."
