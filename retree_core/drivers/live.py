"""The live driver: calls go to a model server and a search backend, everything becomes a record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from pydantic_core import PydanticSerializationError, to_json

from retree_core.agents import Agent, Item
from retree_core.calls import Answered, Call, Hit, ModelCall, ModelReply, Reply, SearchCall, SearchReply
from retree_core.drivers.replay import advance, name
from retree_core.errors import ModelNeeded
from retree_core.events import Event
from retree_core.llm.strict_json import clean
from retree_core.secrets import redact_json
from retree_core.state import State, apply
from retree_core.trace.records import CallRecord, EventRecord, Record, call_key
from retree_core.trace.writer import utc_now


class Model(Protocol):
    """Answers model calls (`retree_core.llm.client.ModelClient`, or a script)."""

    async def complete(self, call: ModelCall) -> Answered:
        """A ModelReply or a CallFailed, never an exception for what a server does."""
        ...


class Search(Protocol):
    """Answers search calls (`retree_core.search`)."""

    async def search(self, call: SearchCall) -> Answered:
        """A SearchReply or a CallFailed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """Where replies come from: first the record of a parent run, then the servers."""

    model: Model | None = None
    search: Search | None = None
    known: Mapping[str, Reply] = field(default_factory=dict)
    """Replies by `call_key`, for forks."""

    async def answer(self, call: Call) -> Answered:
        """Raises ModelNeeded where there is neither a recorded reply nor a server."""
        if self.known and (recorded := self.known.get(call_key(call))) is not None:
            return Answered(reply=recorded, seconds=0.0)
        if isinstance(call, ModelCall) and self.model:
            return _clean(await self.model.complete(call))
        if isinstance(call, SearchCall) and self.search:
            return _clean(await self.search.search(call))
        raise ModelNeeded(f"needs {'a model' if isinstance(call, ModelCall) else 'a search'} from here ({name(call)})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """A call that is about to be made, and what led to it."""

    call: Call
    state: State
    events: tuple[tuple[Event, State], ...]
    """What happened since the call before, each with the state after it."""


Gate = Callable[[Coming], Awaitable[None]]
"""Awaited before every call of a live run; the run waits as long as it does. It changes nothing else."""


async def open_gate(_: Coming) -> None:
    """Lets every call pass."""


async def live(
    agent: Agent,
    item: Item | None,
    backends: Backends,
    *,
    seq: int,
    gate: Gate = open_gate,
    state: State | None = None,
) -> AsyncIterator[Sequence[Record]]:
    """Drives `agent` from `item`, its next one, to its end; yields the records, from `seq` on, before each wait.

    Those of one yield came to be without a wait between them: a call, and what the agent made of its reply.
    `state` is the memory that the agent has reached, for the gate; by default an empty one.
    """
    state = state or State()
    events: list[tuple[Event, State]] = []
    records: list[Record] = []
    while item is not None:
        reply: Reply | None = None
        if isinstance(item, ModelCall | SearchCall):
            if records:
                yield records
            await gate(Coming(call=item, state=state, events=tuple(events)))
            events.clear()
            answered = await backends.answer(item)
            reply = answered.reply
            called = CallRecord(
                seq=seq,
                call=item,
                reply=reply,
                seconds=answered.seconds,
                failed_attempts=answered.failed_attempts,
                at=utc_now(),
            )
            records = [called]
        else:
            if gate is not open_gate:  # the only one that looks at the state
                state = apply(state, item)
                events.append((item, state))
            records.append(EventRecord(seq=seq, event=item, at=utc_now()))
        try:
            item = advance(agent, reply)
        except Exception:  # a fault of the engine: what led to it is kept
            yield records
            raise
        seq += 1
    yield records


def _clean(answered: Answered) -> Answered:
    """The reply without secrets and lone surrogates, before anyone sees it: what is recorded is what was used."""
    reply = answered.reply
    if isinstance(reply, ModelReply):
        reply = replace(reply, raw=_whole(reply.raw))
    elif isinstance(reply, SearchReply):
        hits = tuple(Hit(**_whole(asdict(one))) for one in reply.hits)
        reply = replace(reply, hits=hits, raw=_whole(reply.raw))
    else:
        reply = replace(reply, message=_whole(reply.message))
    return replace(answered, reply=reply)


def _whole(value: Any) -> Any:
    return redact_json(value if _is_whole(value) else _mended(value))


def _is_whole(value: Any) -> bool:
    """Whether it can be written in UTF-8 as it is."""
    try:
        to_json(value)
    except PydanticSerializationError:
        return False
    return True


def _mended(value: Any) -> Any:
    """The JSON value without lone surrogates."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_mended(one) for one in value]
    if isinstance(value, dict):
        return {clean(str(key)): _mended(one) for key, one in value.items()}
    return value
