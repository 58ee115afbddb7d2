"""Going on from a record: an agent where the record leaves it, or, where the engine changed, at a boundary before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from retree_core.calls import Answered, CallFailed, ModelCall
from retree_core.drivers.course import Course, maker, reading_json, recorded_reading, start
from retree_core.drivers.live import Known, question_key
from retree_core.drivers.replay import follow
from retree_core.errors import ReplayMismatch, fault
from retree_core.protocol import Ask
from retree_core.reading import Reading
from retree_core.settings import Settings
from retree_core.state import fold
from retree_core.trace.reader import Trace
from retree_core.trace.records import (
    BoundaryRecord,
    CallRecord,
    EventRecord,
    MakerRecord,
    OtherRecord,
    Record,
    RuleRecord,
    call_key,
    read_record,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenUp:
    """An agent that goes on from a record."""

    course: Course
    kept: tuple[Record, ...]
    """The records that it goes on from."""
    boundary: int | None = None
    """Where it begins anew: the number of the last record kept; None where it comes there by itself."""
    left: tuple[Record, ...] = ()
    """Records after that boundary, of which the answers are in `known`."""
    known: dict[str, Known] = field(default_factory=dict)

    @property
    def events(self) -> int:
        """Events that it goes on from."""
        return sum(isinstance(one, EventRecord) for one in self.kept)


def take_up(
    trace: Trace, records: Sequence[Record], settings: Settings | None = None, *, edited: CallRecord | None = None
) -> TakenUp:
    """The agent after some records of a trace, by default with its settings; after them, a call whose reply was put
    there by hand may come.

    Raises ReplayMismatch where it does not follow them, unless another version of the engine made them and there is a
    boundary to begin from.
    """
    settings, kept = settings or trace.header.settings, (*records, *([edited] if edited else []))
    begun = _begun_at(trace, kept)
    read: list[Reading | RuleRecord | None] = []
    try:
        course = _course(trace, settings, kept[:begun])
        unread = len(kept) - 1 - begun if edited else None
        follow(course, kept[begun:], trace.header.old_until, lambda *told: read.append(told[-1]), unread=unread)
        if edited and isinstance(read[-1], Reading):
            kept = (*kept[:-1], replace(edited, read=reading_json(read[-1], edited.reply)))
        return TakenUp(course=course, kept=kept, known=_put_aside(kept))
    except Exception as error:  # noqa: BLE001  (a record of any content reaches the engine here)
        if _same_engine(kept):
            raise error if isinstance(error, ReplayMismatch) else ReplayMismatch(fault(error), record=0) from None
    return _from_boundary(trace, settings, kept)


def _begun_at(trace: Trace, records: Sequence[Record]) -> int:
    """After how many records the agent was last begun anew from its state."""
    places = [place for place, one in enumerate(records, 1) if one.seq in trace.header.boundaries]
    return places[-1] if places else 0


def _course(trace: Trace, settings: Settings, before: Sequence[Record]) -> Course:
    """An agent whose run has come as far as some records say."""
    state = fold(one.event for one in before if isinstance(one, EventRecord)) if before else None
    course = start(trace.header.question, settings, state)
    course.resume_after(before)
    return course


def _same_engine(records: Iterable[Record]) -> bool:
    """Whether the installed engine made the records."""
    made = [one.engine for one in records if isinstance(one, MakerRecord)]
    return bool(made) and made[-1] == maker(0).engine


def _from_boundary(trace: Trace, settings: Settings, records: tuple[Record, ...]) -> TakenUp:
    """The agent at the last boundary of the records. Raises ReplayMismatch where there is none."""
    if not any(isinstance(one, CallRecord) for one in records):
        raise ReplayMismatch("the record holds no calls", record=0)
    place = next((one for one in range(len(records) - 1, 0, -1) if _begins_step(trace, records, one)), None)
    if place is None:
        raise ReplayMismatch("another version of the engine made it, and it has no boundary to begin from", record=0)
    kept, left = records[:place], records[place:]
    known = _put_aside(kept)
    for record in (one for one in left if isinstance(one, CallRecord)):
        edited = record.edited and record.read is None
        known.update(_known(record, None if edited else recorded_reading(record)))
    course = _course(trace, settings, kept)
    return TakenUp(course=course, kept=kept, boundary=kept[-1].seq, left=left, known=known)


def _put_aside(records: Iterable[Record]) -> dict[str, Known]:
    """Answers of records that were put aside when the run was taken up before."""
    known: dict[str, Known] = {}
    for one in records:
        aside = one.raw.get("records") if isinstance(one, OtherRecord) and one.raw.get("record") == "rewound" else None
        for raw in aside if isinstance(aside, list) else ():
            with suppress(ValueError, RecursionError):
                record = read_record(raw, one.seq)
                known.update(_known(record, recorded_reading(record)) if isinstance(record, CallRecord) else ())
    return known


def _begins_step(trace: Trace, records: Sequence[Record], place: int) -> bool:
    """Whether a step begins before the record at a place; in format 1 that shows in the context that is built."""
    record = records[place]
    if record.seq > trace.header.old_until:
        return isinstance(record, BoundaryRecord)
    if not isinstance(record, EventRecord) or record.event.kind != "context_built":
        return False
    earlier = (records[at] for at in range(place - 1, -1, -1))
    before = next((one for one in earlier if isinstance(one, EventRecord)), None)
    return before is not None and before.event.kind != "stop_refused"


def known_answers(trace: Trace) -> dict[str, Known]:
    """The answers of a whole record, by the question and by the request; a failed call has none.

    What a record of format 1 was asked shows when the agent is led along it.
    """
    found: dict[str, Known] = {}
    for record in trace.calls:
        if record.seq > trace.header.old_until:
            found.update(_known(record, recorded_reading(record)))
        else:
            found.update(_known(record, None))
    if trace.header.old_until and not trace.header.boundaries:
        found.update(_asked_along(trace))
    return found


def _asked_along(trace: Trace) -> dict[str, Known]:
    """Answers of a record of format 1 by the questions that the agent asks along it, as far as it follows."""
    found: dict[str, Known] = {}

    def watch(course: Course, place: int, reading: Reading | RuleRecord | None) -> None:
        record = trace.records[place]
        if not isinstance(record, CallRecord) or not isinstance(record.call, ModelCall) or record.failed:
            return
        if isinstance(reading, Reading) and isinstance(course.item, Ask):
            known = Known(answered=Answered(reply=record.reply, seconds=0.0), reading=reading)
            found[question_key(replace(record.call, inputs=course.item.digest))] = known

    try:
        course = start(trace.header.question, trace.header.settings)
        follow(course, tuple(trace.records), trace.header.old_until, watch)
    except Exception:  # noqa: BLE001, S110  (a record of any content reaches the engine here; what was found serves)
        pass
    return found


def _known(record: CallRecord, reading: Reading | None) -> Iterator[tuple[str, Known]]:
    if isinstance(record.reply, CallFailed):
        return
    known = Known(answered=Answered(reply=record.reply, seconds=0.0), reading=reading, edited=record.edited)
    yield call_key(record.call), known
    yield question_key(record.call), known
