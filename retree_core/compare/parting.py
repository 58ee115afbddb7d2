"""Where two runs part, and which of their moments belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

from retree_core import events as ev
from retree_core.calls import Call, ModelCall, SearchCall
from retree_core.compare.answers import supported_at
from retree_core.drivers.replay import parted
from retree_core.state import State
from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord, EventRecord, call_json, call_name, event_json

MOST_ALIGNED = 160_000
"""Pairs of events of one search that are aligned by kind; past that they go on side by side."""

Sync = Literal["search", "event", "claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """How far two runs are the same."""

    events: int
    """Leading events that are equal."""
    model_calls: int
    """Leading model requests that are equal, before the first event or request that is not."""
    searches: int
    """The same for search requests."""
    event: str
    """The first event that differs, in words; empty where none does."""
    request: str
    """The first request that differs, where it comes no later than that event; else empty."""
    reply: str
    """Role of the request just before the parting that got another reply; empty where there is none."""

    @property
    def equal(self) -> bool:
        """The runs have the same events."""
        return not self.event


@dataclass(frozen=True, slots=True)
class _Step:
    """An event or a request of a run, with the number of events before it."""

    item: ev.Event | Call
    events: int
    record: EventRecord | CallRecord


def parting(a: Trace, b: Trace) -> Parting:
    """Where two runs part, in events and in requests; A is the first of the two in all words."""
    ours, theirs = tuple(_steps(a)), tuple(_steps(b))
    same = _same([one.item for one in ours], [one.item for one in theirs])
    events = _same(a.events, b.events)
    shared = [one.item for one in ours[:same]]
    request = _request(ours[same:], theirs[same:]) if same < max(len(ours), len(theirs)) else ""
    return Parting(
        events=events,
        model_calls=sum(isinstance(one, ModelCall) for one in shared),
        searches=sum(isinstance(one, SearchCall) for one in shared),
        event=_event(a, b, events),
        request=request,
        reply=_reply(ours[:same], theirs[:same]),
    )


def _steps(trace: Trace) -> Iterator[_Step]:
    events = 0
    for record in trace.records:
        if isinstance(record, EventRecord):
            yield _Step(record.event, events, record)
            events += 1
        elif isinstance(record, CallRecord):
            yield _Step(_sent(record.call), events, record)


def _sent(call: Call) -> Call:
    """The request alone, without the digest of what it asks, which format 1 does not have."""
    return replace(call, inputs="") if isinstance(call, ModelCall) and call.inputs else call


def _same(a: Sequence[object], b: Sequence[object]) -> int:
    """How many leading items are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _event(a: Trace, b: Trace, events: int) -> str:
    """The first event that differs, in words."""
    if events == len(a.events) == len(b.events):
        return ""
    one = a.events[events] if events < len(a.events) else None
    other = b.events[events] if events < len(b.events) else None
    where = f"event {events + 1}"
    if one is None or other is None or one.kind != other.kind:
        return f"{where}: A has {_named(one)}; B has {_named(other)}"
    return f"{where} ({one.kind}): {_sides(event_json(one), event_json(other))}"


def _request(ours: Sequence[_Step], theirs: Sequence[_Step]) -> str:
    """The first request that differs, where the first thing that differs is one."""
    one, other = (ours[0] if ours else None), (theirs[0] if theirs else None)
    calls = [step for step in (one, other) if step and isinstance(step.item, Call)]
    if not calls:
        return ""
    where = f"call of {_name(calls[0].item)} after event {calls[0].events}"
    if one and other and isinstance(one.item, Call) and isinstance(other.item, Call) and _alike(one.item, other.item):
        return f"{where}: {_sides(call_json(one.item), call_json(other.item))}"
    return f"after event {calls[0].events}: A has {_what(one)}; B has {_what(other)}"


def _name(item: ev.Event | Call) -> str:
    """An event's kind, a model call's role, or `search`."""
    return call_name(item) if isinstance(item, Call) else item.kind


def _alike(one: Call, other: Call) -> bool:
    return type(one) is type(other) and _name(one) == _name(other)


def _what(step: _Step | None) -> str:
    if step is None:
        return "nothing more"
    return f"a call of {_name(step.item)}" if isinstance(step.item, Call) else f"the event {_name(step.item)}"


def _named(event: ev.Event | None) -> str:
    return event.kind if event else "nothing more"


def _sides(a: object, b: object) -> str:
    """Where two JSON values part first."""
    at, ours, theirs = parted(a, b)
    return f"{at} is {ours} in A; {theirs} in B"


def _reply(ours: Sequence[_Step], theirs: Sequence[_Step]) -> str:
    """Role of the last shared request, where its replies differ."""
    for one, other in zip(reversed(ours), reversed(theirs), strict=True):
        if isinstance(one.record, CallRecord) and isinstance(other.record, CallRecord):
            return _name(one.item) if one.record.reply != other.record.reply else ""
    return ""


Stop = tuple[int, int]
"""A moment of A and the moment of B that belongs to it."""


def stops(a: Trace, b: Trace, last: tuple[State, State], shared: int, by: Sync) -> tuple[Stop, ...]:
    """The moments of two runs side by side, in order, from (1, 1) to both ends.

    Up to event `shared` they are the same. After it, `event` goes on number by number, `search` keeps searches of the
    same number together and in them events of the same kind, and `claim` stops where a claim's evidence is complete.
    """
    ends = (len(a.events), len(b.events))
    first = (min(1, ends[0]), min(1, ends[1]))
    trunk = [(one, one) for one in range(1, shared + 1)]
    match by:
        case "event":
            tail = [(min(one, ends[0]), min(one, ends[1])) for one in range(shared + 1, max(ends) + 1)]
        case "claim":
            tail = _by_claim(a, b, last, shared)
        case _:
            tail = list(_by_search(a.events, b.events, shared))
    return tuple(dict.fromkeys([first, *trunk, *tail, ends]))


def _by_claim(a: Trace, b: Trace, last: tuple[State, State], shared: int) -> list[Stop]:
    """Where the evidence of each claim is complete, on the side that makes it; the other side waits."""
    found = sorted(supported_at(a.events, b.events, last), key=lambda one: (one[0] or 0, one[1] or 0))
    out, at = [], (shared, shared)
    for ours, theirs in found:
        at = (max(at[0], ours or 0), max(at[1], theirs or 0))
        out.append(at)
    return [one for one in out if max(one) > shared]


def _by_search(a: Sequence[ev.Event], b: Sequence[ev.Event], shared: int) -> Iterator[Stop]:
    ours, theirs = _segments(a, shared), _segments(b, shared)
    at = (shared, shared)
    for key in sorted({*ours, *theirs}):
        for stop in _within(a, b, ours.get(key, []), theirs.get(key, []), at):
            at = stop
            yield at


_BETWEEN = (ev.ContextBuilt, ev.StopRefused, ev.StopChosen, ev.BudgetExhausted, ev.Answered, ev.RunEnded)
_TAIL = 1 << 30


def _segments(events: Sequence[ev.Event], shared: int) -> dict[int, list[int]]:
    """Moments after the parting by the search they belong to; what follows the last search has the key _TAIL."""
    found: dict[int, list[int]] = {}
    total = sum(isinstance(one, ev.SearchChosen) for one in events)
    chosen, between = 0, True
    for moment, event in enumerate(events, 1):
        if isinstance(event, ev.SearchChosen):
            chosen, between = chosen + 1, False
        else:
            between = between or isinstance(event, _BETWEEN)
        if moment > shared:
            key = chosen + between
            found.setdefault(key if key <= total else _TAIL, []).append(moment)
    return found


def _blocks(
    a: Sequence[ev.Event], b: Sequence[ev.Event], ours: list[int], theirs: list[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Moments of equal kinds, and what stands on either side between them."""
    if len(ours) * len(theirs) > MOST_ALIGNED:
        yield ours, theirs
        return
    kinds = [_kind(a[one - 1]) for one in ours], [_kind(b[one - 1]) for one in theirs]
    for _, first, last, start, end in SequenceMatcher(None, *kinds, autojunk=False).get_opcodes():
        yield ours[first:last], theirs[start:end]


def _kind(event: ev.Event) -> str:
    """Kinds that belong side by side: both verdicts on a conflict are one."""
    return "decided" if isinstance(event, ev.ConflictConfirmed | ev.ConflictRejected) else event.kind


def _within(
    a: Sequence[ev.Event], b: Sequence[ev.Event], ours: list[int], theirs: list[int], at: Stop
) -> Iterator[Stop]:
    """Both sides of one search: events of the same kind together, the others one after another."""
    for left, right in _blocks(a, b, ours, theirs):
        for place in range(max(len(left), len(right))):
            at = (
                left[place] if place < len(left) else (left[-1] if left else at[0]),
                right[place] if place < len(right) else (right[-1] if right else at[1]),
            )
            yield at
