"""Questions of an agent: to a model, asked a bounded number of times; to two at once; to a rule."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from retree_core.calls import FailureKind, Role
from retree_core.events import ReplyRejected
from retree_core.protocol import Ask, Fault, Given, Happened, Item, RuleCall, Steps, Together
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


class CallGaveUp(Exception):
    """A call failed for good; the run ends with the status that belongs to `failure`."""

    def __init__(self, failure: FailureKind, message: str, because: tuple[int, ...]) -> None:
        super().__init__(message)
        self.failure = failure
        self.because = because
        """Record of the call."""


class NoValidReply(Exception):
    """Every attempt was answered with something that will not do."""

    def __init__(self, role: Role, faults: tuple[Fault, ...], because: tuple[int, ...]) -> None:
        super().__init__(f"{role}: {faults[-1].text}")
        self.because = because
        """Records of the attempts."""


def ask(settings: Settings, role: Role, prompt: str, inputs: Mapping[str, Any]) -> Steps[Given]:
    """What a model says to a question. Raises CallGaveUp (no reply) or NoValidReply (none will do)."""
    faults: tuple[Fault, ...] = ()
    seqs: tuple[int, ...] = ()
    while True:
        given = yield Ask(role=role, prompt=prompt, inputs=inputs, faults=faults)
        assert given is not None, "a question is answered"
        if given.failed:
            raise CallGaveUp(given.failed.failure, given.failed.message, (given.seq,))
        if given.fault is None:
            return given
        faults, seqs = (*faults, given.fault), (*seqs, given.seq)
        rejected = ReplyRejected(role=role, attempt=len(faults), reason=given.fault.text)
        yield Happened(event=rejected, because=(given.seq,))
        if len(faults) >= settings.reply_attempts:
            raise NoValidReply(role, faults, seqs)


def consult(rule: str, inputs: Mapping[str, Any], memory: WorkingMemory | None = None) -> Steps[Given]:
    """What a rule says."""
    given = yield RuleCall(rule=rule, inputs=inputs, memory=memory)
    assert given is not None, "a rule is answered"
    return given


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """What came of it."""

    value: T


def side_by_side(one: Steps[A], other: Steps[B]) -> Steps[tuple[A, B]]:
    """What both come to. Their questions are put in pairs, one of each, while both have one to put.

    Whichever is answered first, the order of questions and events is the same.
    """
    first = yield from _to_next_ask(one, None)
    second = yield from _to_next_ask(other, None)
    while isinstance(first, Ask) and isinstance(second, Ask):
        yield Together(asks=(first, second))
        given, other_given = (yield first), (yield second)
        first = yield from _to_next_ask(one, given)
        second = yield from _to_next_ask(other, other_given)
    return (yield from _to_the_end(one, first)), (yield from _to_the_end(other, second))


def _to_next_ask(steps: Steps[T], given: Given | None) -> Generator[Item, Given | None, Ask | _Done[T]]:
    """Passes on what is no question to a model, and what is said to it."""
    try:
        item = steps.send(given)
        while not isinstance(item, Ask):
            item = steps.send((yield item))
    except StopIteration as end:
        return _Done(end.value)
    return item


def _to_the_end(steps: Steps[T], item: Ask | _Done[T]) -> Steps[T]:
    while isinstance(item, Ask):
        item = yield from _to_next_ask(steps, (yield item))
    return item.value
