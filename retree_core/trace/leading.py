"""Which event each call led to, and in which search the conflict judge was asked.

Events say which calls they come from; in records of format 1, which do not, it shows in their places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retree_core.events import ReplyRejected, SearchChosen
from retree_core.trace.records import CallRecord, EventRecord, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Leads:
    """Calls and events of a record, side by side; calls are counted from 0, events from 1."""

    events: tuple[int | None, ...]
    """The event that each call led to: the rejection of its reply, or what came of it; None where the record ends."""
    calls: Mapping[int, tuple[int, ...]]
    """The other way round: an event to the calls that led to it."""
    tries: Mapping[int, tuple[int, ...]]
    """An event to the calls that were made for it, those with a rejected reply included."""
    made: Mapping[int, tuple[int, ...]]
    """An event to all calls whose replies it comes from, whatever else came of them before."""


def leads(records: Sequence[Record], old_until: int = 0) -> Leads:
    """What each call of a record led to; in records of format 1, up to number `old_until`, by their places."""
    recorded = _recorded(records, old_until)
    if not old_until:
        return recorded
    from retree_core.trace.migration import leads_by_places

    guessed = leads_by_places([one for one in records if one.seq <= old_until])
    old = (*guessed.events, *[None] * (len(recorded.events) - len(guessed.events)))
    return Leads(
        events=tuple(place or said for place, said in zip(old, recorded.events, strict=True)),
        calls={**guessed.calls, **recorded.calls},
        tries={**guessed.tries, **recorded.tries},
        made={**guessed.made, **recorded.made},
    )


def _recorded(records: Sequence[Record], old_until: int) -> Leads:
    """As the events say."""
    numbers = {one.seq: at for at, one in enumerate(one for one in records if isinstance(one, CallRecord))}
    first: dict[int, int] = {}
    came: dict[int, int] = {}
    """A call to the first event that is no rejection of its reply."""
    made: dict[int, tuple[int, ...]] = {}
    moment = 0
    for record in records:
        if not isinstance(record, EventRecord):
            continue
        moment += 1
        if record.seq <= old_until:
            continue
        caused = tuple(numbers[seq] for seq in record.because if seq in numbers)
        if caused:
            made[moment] = caused
        for number in caused:
            first.setdefault(number, moment)
            if not isinstance(record.event, ReplyRejected):
                came.setdefault(number, moment)
    roles = [one.role for one in records if isinstance(one, CallRecord)]
    events = tuple(first.get(number) for number in range(len(roles)))
    return Leads(events=events, calls=by_event(events), tries=by_event(_tried(roles, first, came)), made=made)


def _tried(roles: Sequence[str], first: Mapping[int, int], came: Mapping[int, int]) -> list[int | None]:
    """The event that each call was made for: where its reply was rejected, that of its next attempt."""
    found: list[int | None] = []
    by_role: dict[str, int | None] = {}
    for number in reversed(range(len(roles))):
        moment = came.get(number) or (by_role.get(roles[number]) if number in first else None)
        by_role[roles[number]] = moment
        found.append(moment)
    return found[::-1]


def by_event(moments: Sequence[int | None]) -> dict[int, tuple[int, ...]]:
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
