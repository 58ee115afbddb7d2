"""Replay: an agent led along a record, on its replies and the answers of its rules. Nothing here reaches a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from retree_core.calls import Call, ModelCall, SearchCall
from retree_core.drivers.course import Course, maker, recorded_reading, start
from retree_core.drivers.first_format import Derived
from retree_core.errors import ReplayMismatch
from retree_core.events import Event
from retree_core.folding import NAMES
from retree_core.protocol import Ask, Boundary, Happened, RuleCall, Together
from retree_core.reading import Reading
from retree_core.secrets import redact
from retree_core.trace.reader import Trace
from retree_core.trace.records import (
    BoundaryRecord,
    CallRecord,
    EventRecord,
    MakerRecord,
    PromptRecord,
    Record,
    RuleRecord,
    call_json,
    call_name,
    event_json,
)

Watch = Callable[[Course, int, Reading | RuleRecord | None], None]
"""Told of each record with what the agent is given for it (a reading, or a rule's answer), before it is: the course
stands before its item, the number is the record's place. An answer that only shows in a record of format 1 has number
0."""


def follow(
    course: Course,
    records: Sequence[Record],
    old_until: int = 0,
    watch: Watch | None = None,
    *,
    unread: int | None = None,
) -> None:
    """Leads a course along records; those up to number `old_until` are of format 1, and the reply at place `unread` is
    one that nobody has read yet. Raises ReplayMismatch at the first thing that differs from its record."""
    _Following(course, records, old_until, watch, unread=unread).follow()


def replay(trace: Trace, watch: Watch | None = None) -> tuple[Event, ...]:
    """The events that the engine makes on the recorded replies.

    Raises ReplayMismatch at the first difference, and where a run that says it ended does not end.
    """
    begun = stretches(trace)
    ends = (*begun[1:], len(trace.records))
    return tuple(event for pair in zip(begun, ends, strict=True) for event in replay_stretch(trace, *pair, watch))


def stretches(trace: Trace) -> tuple[int, ...]:
    """The places of the records at which the agent began: the first, and where it was taken up from its state."""
    begun = set(trace.header.boundaries)
    return (0, *(place for place, one in enumerate(trace.records, 1) if one.seq in begun)) if begun else (0,)


def replay_stretch(trace: Trace, first: int, last: int, watch: Watch | None = None) -> tuple[Event, ...]:
    """The same for the records from one place to before another. Raises ReplayMismatch."""
    records = tuple(trace.records)
    moment = sum(isinstance(one, EventRecord) for one in records[:first])
    course = start(trace.header.question, trace.header.settings, trace.history.at(moment) if first else None)
    course.resume_after(records[:first])
    following = _Following(course, records[first:last], trace.header.old_until, watch, first, moment)
    following.follow()
    over = course.item is None or (isinstance(course.item, Boundary) and course.item.state.ended)
    if last == len(records) and not over and trace.events and trace.events[-1].kind == "run_ended":
        raise ReplayMismatch(f"after the last record the engine goes on with {course.name}", record=len(records))
    return tuple(following.events)


class _Following:
    """A course on its way along records."""

    def __init__(
        self,
        course: Course,
        records: Sequence[Record],
        old_until: int,
        watch: Watch | None,
        first: int = 0,
        moment: int = 0,
        unread: int | None = None,
    ) -> None:
        self._course = course
        self._records = records
        self._old_until = old_until
        self._watch = watch or (lambda *_: None)
        self._first = first
        """Place of the first record in the trace."""
        self._moment = moment
        self._unread = unread
        self._apart: ReplayMismatch | None = None
        """Where a rule was asked something else; the event or call that comes of it tells more, if that differs too."""
        self.events: list[Event] = []
        """What the engine made."""
        self._maker(course.maker)

    def _maker(self, record: MakerRecord | None) -> None:
        now = maker(0)
        self._same_bytes = record is not None and record.renderer == now.renderer
        """Requests are rendered as they were."""
        self._same_engine = record is not None and record.engine == now.engine

    def follow(self) -> None:
        for place, record in enumerate(self._records):
            old = record.seq <= self._old_until
            asked = isinstance(self._course.item, RuleCall | Boundary)
            if old and asked and isinstance(record, EventRecord | CallRecord):
                told = partial(self._watch, self._course, self._first + place)
                Derived(self._course, self._records, place).settle(told)
            if isinstance(self._course.item, Together) and isinstance(record, CallRecord):
                self._course.go_on()
            match record:
                case MakerRecord():
                    self._course.maker = record
                    self._maker(record)
                case PromptRecord():
                    self._course.prompts[record.name] = record.text
                case EventRecord():
                    self._event(place, record, old=old)
                case RuleRecord():
                    self._rule(place, record)
                case BoundaryRecord():
                    self._boundary(place, record)
                case CallRecord():
                    self._call(place, record, old=old)
        self._together()

    def _event(self, place: int, record: EventRecord, *, old: bool) -> None:
        item, self._moment = self._course.item, self._moment + 1
        where, kind = f"event {self._moment}", record.event.kind
        if not isinstance(item, Happened) or item.event.kind != kind:
            raise self._other(where, kind, place)
        if item.event != record.event:
            changed = difference(event_json(record.event), event_json(item.event))
            raise self._differs(f"{where} ({kind}): {changed}", place)
        if item.because != record.because and not old:
            changed = difference(list(record.because), list(item.because))
            raise self._differs(f"{where} ({kind}): because: {changed}", place)
        self._together()
        self.events.append(item.event)
        self._course.go_on()

    def _rule(self, place: int, record: RuleRecord) -> None:
        item = self._course.item
        where = f"rule {redact(record.rule)[:40]} after event {self._moment}"
        if not isinstance(item, RuleCall) or item.rule != record.rule:
            self._apart = self._apart or self._other(where, f"rule {redact(record.rule)[:40]}", place)
            return
        if item.digest != record.inputs:
            text = f"{where}: it is asked about something else than was recorded"
            self._apart = self._apart or self._differs(text, place)
        else:
            self._watch(self._course, self._first + place, record)
        try:
            self._course.give_rule(record.seq, record.reply)
        except Exception:
            self._together()
            raise

    def _boundary(self, place: int, record: BoundaryRecord) -> None:
        if not isinstance(self._course.item, Boundary):
            self._apart = self._apart or self._other(f"boundary after event {self._moment}", "boundary", place)
            return
        self._together()
        if changed := differing(self._course.digests(), record.state, strict=self._same_engine):
            where = f"state after event {self._moment}"
            raise self._differs(f"{where}: {', '.join(changed)} of the engine is not as recorded", place)
        self._course.go_on()

    def _call(self, place: int, record: CallRecord, *, old: bool) -> None:
        item, call = self._course.item, record.call
        name = call_name(call)
        where = f"call of {name} after event {self._moment}"
        if not isinstance(item, Ask | SearchCall) or self._course.name != name:
            raise self._other(where, name, place)
        if isinstance(item, SearchCall):
            self._same(where, call, item, place)
            self._watch(self._course, self._first + place, None)
            self._course.give(record.seq, record.reply, None)
            return
        self._together()
        assert isinstance(call, ModelCall)
        if not old and item.digest != call.inputs:
            self._same(where, call, self._course.requests()[0], place)
            raise self._differs(f"{where}: it asks something else than was recorded", place)
        if not old and self._same_bytes and item.prompt in self._course.prompts:
            self._same(where, call, self._course.requests()[0], place)
        reading = self._reading(place, record, old=old)
        self._watch(self._course, self._first + place, reading)
        self._course.give(record.seq, record.reply, reading)

    def _reading(self, place: int, record: CallRecord, *, old: bool) -> Reading | None:
        if place == self._unread:
            return self._course.read(record.reply)
        if old:
            return Derived(self._course, self._records, place).reading(record)
        found = recorded_reading(record)
        if found is not None and (found.value, found.fault, found.failed) == (None, None, None):
            where = f"event {self._moment + 1}: the {record.role} reply before it"
            raise self._differs(f"{where} holds no value, and the record does not say what was read", place)
        return found

    def _together(self) -> None:
        """Raises ReplayMismatch where engine and record have parted."""
        if self._apart:
            raise self._apart

    def _same(self, where: str, recorded: Call, now: Call, place: int) -> None:
        if recorded != now:
            changed = difference(call_json(recorded), call_json(now))
            raise self._differs(f"{where} ({call_name(recorded)}): {changed}", place)

    def _other(self, where: str, recorded: str, place: int) -> ReplayMismatch:
        name = self._course.name
        now = f"the engine yields {name}" if name else "the engine had ended"
        return self._differs(f"{where}: {now}; the record has {recorded}", place)

    def _differs(self, text: str, place: int) -> ReplayMismatch:
        return ReplayMismatch(text, record=self._first + place)


def differing(now: Mapping[str, str], recorded: Mapping[str, str], *, strict: bool) -> list[str]:
    """Fields of a state whose digests differ; unless `strict`, a field that only one of two versions has may."""
    unlike = [name for name in {**now, **recorded} if now.get(name) != recorded.get(name)]
    return [name for name in unlike if strict or (name in recorded and name in NAMES)]


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
