"""The live driver: calls go to a model server and a search backend, everything becomes a record."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from pydantic_core import PydanticSerializationError, to_json

from retree_core.calls import Answered, Call, Hit, ModelCall, ModelReply, SearchCall, SearchReply
from retree_core.drivers.course import Course, reading_json
from retree_core.errors import ModelNeeded
from retree_core.events import Event
from retree_core.llm.strict_json import clean
from retree_core.protocol import Together
from retree_core.reading import Reading
from retree_core.secrets import is_clear, redact_json
from retree_core.state import State, apply
from retree_core.trace.records import CallRecord, EventRecord, Record, call_key, call_name
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
class Known:
    """The answer to a call, and, where a record has it, what was made of it."""

    answered: Answered
    reading: Reading | None = None
    edited: bool = False
    """It was put there by a fork; nobody sent it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """Where replies come from: first the record of a parent run, then the servers."""

    model: Model | None = None
    search: Search | None = None
    known: Mapping[str, Known] = field(default_factory=dict)
    """Answers by `question_key`, or by `call_key`, for forks and runs that are taken up."""

    async def answer(self, call: Call) -> Answered:
        """Raises ModelNeeded where there is neither a recorded reply nor a server."""
        return (await self.answered(call)).answered

    async def answered(self, call: Call) -> Known:
        """The same with what was made of it. Raises ModelNeeded."""
        if self.known and (recorded := self.recorded(call)) is not None:
            return recorded
        if isinstance(call, ModelCall) and self.model:
            return Known(answered=_clean(await self.model.complete(call)))
        if isinstance(call, SearchCall) and self.search:
            return Known(answered=_clean(await self.search.search(call)))
        raise ModelNeeded(
            f"needs {'a model' if isinstance(call, ModelCall) else 'a search'} from here ({call_name(call)})"
        )

    def recorded(self, call: Call) -> Known | None:
        """What a record answers to the same question, however it was put, or to the very same request."""
        return self.known.get(question_key(call)) or self.known.get(call_key(call))


def question_key(call: Call) -> str:
    """Equal for the same question to the same model, however it is put."""
    if not isinstance(call, ModelCall) or not call.inputs:
        return call_key(call)
    return f"{call.role} {call.inputs} {call.body.get('model')} {call.body.get('seed')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """A call that is about to be made, or several side by side, and what led to it."""

    calls: tuple[Call, ...]
    state: State
    events: tuple[tuple[Event, State], ...]
    """What happened since the call before, each with the state after it."""

    @property
    def name(self) -> str:
        """What is asked for, such as `policy`, or `conflict and summarise`."""
        return " and ".join(map(call_name, self.calls))


Gate = Callable[[Coming], Awaitable[None]]
"""Awaited before every call of a live run; the run waits as long as it does. It changes nothing else."""


async def open_gate(_: Coming) -> None:
    """Lets every call pass."""


async def live(
    course: Course, backends: Backends, *, seq: int, gate: Gate = open_gate, state: State | None = None
) -> AsyncGenerator[Sequence[Record], None]:
    """Leads a course to its end; yields the records, from `seq` on, before each wait.

    Those of one yield came to be without a wait between them: a call, and what the agent made of its reply.
    `state` is the memory that the agent has reached, for the gate; by default an empty one.
    """
    state = state or State()
    events: list[tuple[Event, State]] = []
    records: list[Record] = []
    asking = _Asking(course, backends)
    try:
        while course.item is not None:
            try:
                made = course.record(seq, utc_now())
            except Exception:  # a fault of the engine: what led to it is kept
                yield records
                raise
            if made is not None:
                if isinstance(made, EventRecord) and gate is not open_gate:  # the only one that looks at the state
                    state = apply(state, made.event)
                    events.append((made.event, state))
                records.append(made)
                seq += 1
                continue
            if records and not asking.is_answered:
                yield records
                records = []
            if not asking.is_under_way:
                calls = course.requests()
                await gate(Coming(calls=calls, state=state, events=tuple(events)))
                events.clear()
                asking.begin(calls, seq)
            if isinstance(course.item, Together):
                course.go_on()
                continue
            called, reading = await asking.record(seq)
            records.append(called)
            try:
                course.give(seq, called.reply, reading)
            except Exception:
                yield records
                raise
            seq += 1
        yield records
    finally:
        await asking.give_up()


class _Asking:
    """Makes the calls of a run. Those begun side by side are recorded in their own order, whichever is answered first.

    So a run that is stopped meanwhile has the answers up to the first that was still to come, and asks for the others
    when it is taken up again.
    """

    def __init__(self, course: Course, backends: Backends) -> None:
        self._course = course
        self._backends = backends
        self._begun: deque[tuple[Call, asyncio.Future[tuple[Known, str]]]] = deque()
        self._first = 0

    @property
    def is_under_way(self) -> bool:
        """The next call was begun before."""
        return bool(self._begun)

    @property
    def is_answered(self) -> bool:
        """The next call need not be waited for."""
        return bool(self._begun) and self._begun[0][1].done()

    def begin(self, calls: Sequence[Call], seq: int) -> None:
        """Makes calls that are to be recorded from `seq` on."""
        self._first = seq
        self._begun.extend((one, asyncio.ensure_future(self._answer(one))) for one in calls)

    async def record(self, seq: int) -> tuple[CallRecord, Reading | None]:
        """The next call with its answer, and what is made of that. Raises ModelNeeded."""
        call, answer = self._begun.popleft()
        known, at = await answer
        answered = known.answered
        reading = known.reading or self._course.read(answered.reply)
        record = CallRecord(
            seq=seq,
            call=call,
            reply=answered.reply,
            seconds=answered.seconds,
            failed_attempts=answered.failed_attempts,
            at=at,
            edited=known.edited,
            beside=self._first if seq > self._first else None,
            read=reading_json(reading, answered.reply),
        )
        return record, reading

    async def _answer(self, call: Call) -> tuple[Known, str]:
        """The answer, and when it came."""
        return await self._backends.answered(call), utc_now()

    async def give_up(self) -> None:
        """Ends what is still under way."""
        for _, one in self._begun:
            one.cancel()
        await asyncio.gather(*(one for _, one in self._begun), return_exceptions=True)


def _clean(answered: Answered) -> Answered:
    """The reply without secrets and lone surrogates, before anyone sees it: what is recorded is what was used."""
    reply = answered.reply
    if is_clear(reply):
        return answered
    if isinstance(reply, ModelReply):
        reply = replace(reply, raw=_whole(reply.raw))
    elif isinstance(reply, SearchReply):
        hits = tuple(Hit(**_whole(asdict(one))) for one in reply.hits)
        reply = replace(reply, hits=hits, raw=_whole(reply.raw))
    else:
        reply = replace(reply, message=_whole(reply.message))
    return replace(answered, reply=reply)


def _whole(value: Any) -> Any:
    """The JSON value without secrets and half characters, as it can be written in UTF-8."""
    try:
        to_json(value)
    except PydanticSerializationError:
        value = _mended(value)
    return redact_json(value)


def _mended(value: Any) -> Any:
    """The JSON value without lone surrogates."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_mended(one) for one in value]
    if isinstance(value, dict):
        return {clean(str(key)): _mended(one) for key, one in value.items()}
    return value
