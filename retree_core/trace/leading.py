"""Which event each call led to, and in which search the conflict judge was asked.

Mostly a call leads to the next event; but calls made side by side stand together in the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retree_core.events import (
    BudgetExhausted,
    ContextBuilt,
    ReplyRejected,
    RunEnded,
    SearchChosen,
    SummaryDiscarded,
    SummaryStale,
    SummaryWritten,
)
from retree_core.trace.records import CallRecord, EventRecord, Record

_OF_SUMMARIES = (SummaryWritten, SummaryStale, SummaryDiscarded, ContextBuilt, BudgetExhausted, RunEnded)
"""What a call for a summary may lead to; the last three where the record lacks the summary itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leads:
    """Calls and events of a record, side by side; calls are counted from 0, events from 1."""

    events: tuple[int | None, ...]
    """The event that each call led to: the rejection of its reply, or what came of it; None where the record ends."""
    calls: Mapping[int, tuple[int, ...]]
    """The other way round: an event to the calls that led to it."""
    tries: Mapping[int, tuple[int, ...]]
    """An event to the calls that were made for it, those with a rejected reply included."""


def leads(records: Sequence[Record]) -> Leads:
    """What each call of a record led to."""
    moment = sum(isinstance(one, EventRecord) for one in records)
    rejected: dict[str, int] = {}
    other: int | None = None
    summary: int | None = None
    events: list[int | None] = []
    taken: list[int | None] = []
    for record in reversed(records):
        if isinstance(record, CallRecord):
            role = record.role
            came = summary if role == "summarise" else other
            taken.append(came)
            events.append(min((one for one in (came, rejected.get(role)) if one), default=None))
        elif isinstance(record, EventRecord):
            if isinstance(record.event, ReplyRejected):
                rejected[record.event.role] = moment
            else:
                other = moment
                summary = moment if isinstance(record.event, _OF_SUMMARIES) else summary
            moment -= 1
    return Leads(events=tuple(events[::-1]), calls=_by_event(events[::-1]), tries=_by_event(taken[::-1]))


def _by_event(moments: Sequence[int | None]) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = {}
    for number, moment in enumerate(moments):
        if moment:
            found.setdefault(moment, []).append(number)
    return {moment: tuple(numbers) for moment, numbers in found.items()}


def conflict_calls(records: Sequence[Record]) -> dict[int, tuple[tuple[int, CallRecord], ...]]:
    """Search to its calls to the conflict judge, each with the number of events before it.

    Of two searches of one number it is the first.
    """
    found: dict[int, list[tuple[int, CallRecord]]] = {}
    calls: list[tuple[int, CallRecord]] = []
    moment = 0
    for record in records:
        if isinstance(record, EventRecord):
            moment += 1
            if isinstance(record.event, SearchChosen):
                calls = []
                found.setdefault(record.event.search, calls)
        elif isinstance(record, CallRecord) and record.role == "conflict":
            calls.append((moment, record))
    return {search: tuple(calls) for search, calls in found.items() if calls}
