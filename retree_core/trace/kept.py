"""What a trace holds without having decoded it: calls as the lines they stand in, and all that waits for a look."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar, overload

from retree_core.calls import Call, Reply
from retree_core.events import Event
from retree_core.llm import strict_json
from retree_core.trace.records import CallRecord, Record, read_record

T = TypeVar("T")
NO_OBJECT = "not a JSON object"
_CALL = b'{"record":"call"'
_AT_HAND = 64
"""Calls that stay decoded: who looks at one looks at it again, at its request and then at its reply."""


class Late(Sequence[T]):
    """A sequence that is made when somebody first looks at it."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], tuple[T, ...]]) -> None:
        self._make = make
        self._made: tuple[T, ...] | None = None

    def _all(self) -> tuple[T, ...]:
        if self._made is None:
            self._made = self._make()
        return self._made

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        return self._all()[place]

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | Late) and self._all() == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # as that of what it holds

    def __repr__(self) -> str:
        return repr(self._all())


class LateRecords(Late[Record]):
    """The records of a run, of which the events are there and the calls wait for a look."""

    __slots__ = ("events",)

    def __init__(self, events: tuple[Event, ...], make: Callable[[], tuple[Record, ...]]) -> None:
        super().__init__(make)
        self.events = events


class KeptCall(CallRecord):
    """A call that is known to be readable, kept as its line; request and reply are decoded when they are asked for."""

    __slots__ = ("_line", "failed", "role")
    _line: memoryview

    def __new__(cls, **fields: Any) -> CallRecord:  # type: ignore[misc]
        """A changed copy, which has no line that says the same."""
        return CallRecord(**fields)

    @property
    def call(self) -> Call:
        return decoded(bytes(self._line), self.seq).call

    @property
    def reply(self) -> Reply:
        return decoded(bytes(self._line), self.seq).reply

    def __eq__(self, other: object) -> bool:
        mine = decoded(bytes(self._line), self.seq)
        return mine == (decoded(bytes(other._line), other.seq) if isinstance(other, KeptCall) else other)

    __hash__ = None  # type: ignore[assignment]  # as that of a record


_SMALL = tuple(name for name in CallRecord.__slots__ if name not in ("call", "reply"))


def kept(line: memoryview, seq: int) -> Record:
    """The record that a line holds, of a call as that line. Raises as `decoded` does."""
    text = bytes(line)
    if not text.startswith(_CALL):
        return read_record(_object(text), seq)
    whole = decoded(text, seq)
    made: KeptCall = object.__new__(KeptCall)
    for name in (*_SMALL, "role", "failed"):
        object.__setattr__(made, name, getattr(whole, name))
    object.__setattr__(made, "_line", line)
    return made


@lru_cache(maxsize=_AT_HAND)
def decoded(line: bytes, seq: int) -> CallRecord:
    """The call that a line holds; `seq` stands in for a missing number. Raises ValueError or RecursionError.

    Of a line, not of a view of its file: what stays decoded keeps no file.
    """
    found = read_record(_object(line), seq)
    assert isinstance(found, CallRecord)
    return found


def _object(line: bytes) -> dict[str, Any]:
    raw = strict_json.exact(line)
    if not isinstance(raw, dict):
        raise ValueError(NO_OBJECT)
    return raw
