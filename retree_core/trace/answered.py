"""What answered the calls of a run, where one model may have taken over from another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord, EventRecord, OtherRecord

_FORKED = re.compile(r"; after event (\d{1,9}) ")
"""As the header of a fork tells who answers from where it left its parent."""


def answered_by(trace: Trace) -> str:
    """The header's `recorded_with`, and from which call on another one answered: `A, from call 26 on B`."""
    first = _FORKED.split(trace.header.recorded_with, maxsplit=1)[0]
    told, last = [first], first
    for number, words in sorted(_turns(trace).items()):
        if last != words and not last.startswith(f"{words} on "):
            told.append(f"from call {number:,} on {words}")
            last = words
    return ", ".join(told)


def _turns(trace: Trace) -> dict[int, str]:
    """Number of the first call that another one answers, and who; a record says more than the settings do."""
    numbers = [number for number, one in enumerate(trace.calls, 1) if one.role != "search"]
    begun = ((numbers[one.calls], one.model) for one in trace.header.settings.handovers if one.calls < len(numbers))
    turns = {**dict(begun), **dict(_taken_up(trace))}
    for number, words in _forked(trace):
        turns = {**{earlier: who for earlier, who in turns.items() if earlier < number}, number: words}
    return turns


def _taken_up(trace: Trace) -> Iterator[tuple[int, str]]:
    """The first model call after each time that the run was resumed, and what answers it."""
    number, waiting = 0, ""
    for one in trace.records:
        if isinstance(one, CallRecord):
            number += 1
            if waiting and one.role != "search":
                yield number, waiting
                waiting = ""
        elif isinstance(one, OtherRecord) and one.raw.get("record") == "resumed":
            waiting = str(one.raw.get("recorded_with", ""))


def _forked(trace: Trace) -> Iterator[tuple[int, str]]:
    """The first model call that was made for a fork, and what answered it; of a fork of a fork one for each."""
    _, *told = _FORKED.split(trace.header.recorded_with)
    for event, words in zip(told[::2], told[1::2], strict=True):
        number = _first_after(trace, int(event))
        if number is not None:
            yield number, words


def _first_after(trace: Trace, event: int) -> int | None:
    """Number of the first model call after an event that was not put there by hand."""
    number = events = 0
    for one in trace.records:
        events += isinstance(one, EventRecord)
        if isinstance(one, CallRecord):
            number += 1
            if events >= event and one.role != "search" and not one.edited:
                return number
    return None
