"""Replay: the agent re-run on recorded replies. Nothing here can reach a network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from retree_core.agents import Agent, Item, start
from retree_core.calls import Call, ModelCall, SearchCall, Together
from retree_core.errors import ReplayMismatch
from retree_core.events import Event
from retree_core.secrets import redact
from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord, EventRecord, OtherRecord, Record, call_json, event_json


def advance(agent: Agent, reply: Any = None) -> Item | None:
    """The agent's next item after `reply` (None after an event and at the start), or None at its end."""
    try:
        return agent.send(reply)
    except StopIteration:
        return None


def follow(agent: Agent, records: Iterable[Record]) -> Item | None:
    """Runs a fresh agent along `records`; the first item that they do not cover, or None if the run is over.

    Raises ReplayMismatch at the first item that differs from its record.
    """
    item = advance(agent)
    for place, moment, record in _numbered(records):
        if isinstance(item, Together):
            item = advance(agent)
        _compare(item, record, place, moment)
        item = advance(agent, record.reply if isinstance(record, CallRecord) else None)
    return item


def replay(trace: Trace) -> tuple[Event, ...]:
    """The events the engine yields on the recorded replies, equal to the record's.

    Raises ReplayMismatch at the first difference, and where a run that says it ended does not end.
    """
    agent = start(trace.header.question, trace.header.settings)
    item = follow(agent, trace.records)
    if item is not None and trace.events and trace.events[-1].kind == "run_ended":
        raise ReplayMismatch(f"after the last record the engine goes on with {name(item)}", record=len(trace.records))
    return trace.events


def _numbered(records: Iterable[Record]) -> Iterator[tuple[int, int, EventRecord | CallRecord]]:
    """Records of events and calls with their place in the trace and the moment they belong to."""
    moment = 0
    for place, record in enumerate(records):
        if isinstance(record, OtherRecord):
            continue
        moment += isinstance(record, EventRecord)
        yield place, moment, record


def _compare(item: Item | None, record: EventRecord | CallRecord, place: int, moment: int) -> None:
    recorded: Event | Call = record.event if isinstance(record, EventRecord) else record.call
    if item == recorded:
        return
    where = f"event {moment}" if isinstance(record, EventRecord) else f"call of {name(recorded)} after event {moment}"
    if item is None:
        raise ReplayMismatch(f"{where}: the engine had ended; the record has {name(recorded)}", record=place)
    if isinstance(item, Together) or type(item) is not type(recorded) or name(item) != name(recorded):
        raise ReplayMismatch(f"{where}: the engine yields {name(item)}; the record has {name(recorded)}", record=place)
    changed = difference(_json(recorded), _json(item))
    raise ReplayMismatch(f"{where} ({name(recorded)}): {changed}", record=place)


def name(item: Item) -> str:
    """An event's kind, a model call's role, or `search`; of several calls all roles."""
    if isinstance(item, Together):
        return " and ".join(one.role for one in item.calls)
    if isinstance(item, ModelCall):
        return item.role
    return "search" if isinstance(item, SearchCall) else item.kind


def _json(item: Event | Call) -> Any:
    return call_json(item) if isinstance(item, ModelCall | SearchCall) else event_json(item)


def difference(recorded: Any, now: Any) -> str:
    """Where two JSON values part first, in words.

    >>> difference({"a": [1, 2]}, {"a": [1, 3]})
    'a.1 is 3; recorded 2'
    """
    at, before, after = parted(recorded, now)
    return f"{at} is {after}; recorded {before}"


def parted(one: Any, other: Any, at: str = "") -> tuple[str, str, str]:
    """Where two JSON values part first: the way there, and both values in short.

    >>> parted({"a": [1, 2]}, {"a": [1, 3]})
    ('a.1', '2', '3')
    """
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [*one, *(key for key in other if key not in one)]
        pairs = [(key, one.get(key), other.get(key)) for key in keys]
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        pairs = [(str(place), *both) for place, both in enumerate(zip(one, other, strict=True))]
    else:
        return at or "value", *_short(one, other)
    for key, left, right in pairs:
        if left != right:
            return parted(left, right, f"{at}.{key}" if at else str(key))
    return at or "value", type(one).__name__, type(other).__name__


def _short(one: Any, other: Any) -> tuple[str, str]:
    """Both values; long texts from a little before they part."""
    if isinstance(one, str) and isinstance(other, str):
        one, other = redact(one), redact(other)
        pairs = enumerate(zip(one, other, strict=False))
        same = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
        start = max(0, same - 20)
        return repr(one[start : same + 60]), repr(other[start : same + 60])
    return redact(str(one))[:120], redact(str(other))[:120]
