"""What the answers of `retree_core.why` are made of: frozen values, moments counted in events from 1."""

from __future__ import annotations

from dataclasses import dataclass

from retree_core.memory import Passage, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A source with its passage; None where the record does not hold it."""

    source: Source
    passage: Passage | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A piece of evidence as it read at some moment."""

    id: str
    revision: int
    text: str
    sources: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PastValue:
    """One revision of a piece of evidence, oldest first."""

    revision: int
    text: str
    sources: tuple[Quoted, ...]
    by: str | None
    """The fact that brought it; None for the first."""
    given_up: str
    """Why the next revision replaced it; empty for the current one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallMade:
    """A call of the record, by its `seq`."""

    seq: int
    role: str
    """A model role, or `search`."""
    seconds: float
    prompt_tokens: int | None
    """None where the server did not say."""
    completion_tokens: int | None
    failure: str = ""
    edited: bool = False
    """The reply was put there by a fork."""
    beside: int | None = None
    """The `seq` of the call that it was made side by side with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What some searches took. Token sums are lower bounds where `uncounted` is not 0."""

    searches: tuple[int, ...]
    calls: int
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    uncounted: int
    """Model calls without a count; a failed one has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the policy saw when it decided (sections 4.2, 5.2)."""

    moment: int
    node: str
    summary: str
    evidence: tuple[Fact, ...]
    characters: int


class Ref(str):
    """An id in a sentence that can be looked up: node, evidence, passage or claim."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that happened to a fact, a node or a claim."""

    moment: int
    kind: str
    """Kind of the event."""
    words: tuple[str, ...]
    """Texts and `Ref`s, to be read one after another."""
    lost: bool = False
    """A fact or node went out of force, or a claim lost what it rests on."""
    changed_nothing: bool = False
    """A contest that was rejected: its text, sources, fate and citations stayed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One thing that an event rested on, or that came of it."""

    label: str
    words: tuple[str, ...]
    """Texts and `Ref`s, to be read one after another."""
    moment: int | None = None
    """The event that shows it."""
    said: bool = False
    """The words are those of a model or a page."""
