"""Two things that do not wait for each other, done side by side."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Generic, TypeVar

from retree_core.agents.asking import Asking
from retree_core.calls import ModelCall, Reply, Together
from retree_core.events import Event

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """What came of it."""

    value: T


def side_by_side(
    one: Asking[A], other: Asking[B]
) -> Generator[Event | ModelCall | Together, Reply | None, tuple[A, B]]:
    """What both come to. Their calls are made in pairs, one of each, while both have one to make.

    Whichever is answered first, the order of calls and events is the same.
    """
    first = yield from _to_next_call(one, None)
    second = yield from _to_next_call(other, None)
    while isinstance(first, ModelCall) and isinstance(second, ModelCall):
        yield Together(calls=(first, second))
        reply, other_reply = (yield first), (yield second)
        first = yield from _to_next_call(one, reply)
        second = yield from _to_next_call(other, other_reply)
    return (yield from _to_the_end(one, first)), (yield from _to_the_end(other, second))


def _to_next_call(steps: Asking[T], reply: Reply | None) -> Generator[Event, None, ModelCall | _Done[T]]:
    """Yields the events on the way."""
    try:
        item = steps.send(reply)
        while not isinstance(item, ModelCall):
            yield item
            item = steps.send(None)
    except StopIteration as end:
        return _Done(end.value)
    return item


def _to_the_end(steps: Asking[T], item: ModelCall | _Done[T]) -> Generator[Event | ModelCall, Reply | None, T]:
    while isinstance(item, ModelCall):
        item = yield from _to_next_call(steps, (yield item))
    return item.value
