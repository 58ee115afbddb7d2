"""What passes between an agent and whoever drives it.

An agent is a generator without I/O. It yields what happened and what it wants to know, and is sent what it is given:

- `Happened`: an event, with the records that caused it; nothing is sent back.
- `Ask`: a question to a model, as values. The driver renders the request and reads the reply.
- `SearchCall`: a question to the search.
- `RuleCall`: a question to a rule, which is pure code that may be changed without changing the algorithm.
- `Together`: the questions that follow may be put side by side; nothing is sent back.
- `Boundary`: a step begins, or the run has ended; all that the agent goes on from is in the state.

No prompt, schema, token limit, threshold or word list stands in an agent, so that a record outlives all of these.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from retree_core.calls import CallFailed, Role, SearchCall

if TYPE_CHECKING:
    from retree_core.events import Event
    from retree_core.rules.memory import WorkingMemory
    from retree_core.state import State

T = TypeVar("T")
DIGEST = 10
"""Hexadecimal digits of a digest of inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a reply will not do."""

    kind: str
    """`truncated`, `truncated_thinking`, `empty`, `degenerate` or `not_json` (`retree_core.llm.envelope`), or
    `invalid`: JSON that is not what was asked for."""
    text: str
    """In one line, at most 200 characters; it is recorded, and shown to the model in its next try."""

    @property
    def cut(self) -> bool:
        """The reply ran into its token limit."""
        return self.kind in ("truncated", "truncated_thinking")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question to a model."""

    role: Role
    prompt: str
    """Name of the prompt that puts it."""
    inputs: Mapping[str, Any]
    """What the prompt is about, as JSON values."""
    faults: tuple[Fault, ...] = ()
    """What was wrong with the replies so far."""

    @property
    def digest(self) -> str:
        """Equal for equal questions."""
        faults = [[one.kind, one.text] for one in self.faults]
        return digest_of([self.prompt, self.inputs, faults])


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCall:
    """A question to a rule."""

    rule: str
    """Its name in `retree_core.rules.RULES`."""
    inputs: Mapping[str, Any]
    """What it is asked about, as JSON values."""
    memory: WorkingMemory | None = None
    """The memory it may look at. Boundaries hold that to the record, so it is no part of the digest."""

    @property
    def digest(self) -> str:
        """Equal for equal questions."""
        return digest_of(self.inputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Questions that may be put side by side. The agent yields each of them next, in this order, whichever is answered
    first."""

    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """Something happened to the memory."""

    event: Event
    because: tuple[int, ...] = ()
    """Numbers of the records whose replies led to it, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Between two steps."""

    step: int
    """Searches made."""
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What an agent is sent for a question."""

    seq: int
    """Number of the record that holds it."""
    value: Any = None
    """What the model wrote, what the search found or what the rule says, as JSON values."""
    fault: Fault | None = None
    """The reply will not do."""
    failed: CallFailed | None = None
    """There is no reply."""


Item = Happened | Ask | SearchCall | RuleCall | Together | Boundary
Steps = Generator[Item, Given | None, T]
"""A part of an agent that comes to a value."""


def digest_of(value: Any) -> str:
    """A short SHA-256 of a JSON value, independent of the order of keys."""
    return hashlib.sha256(canonical(value)).hexdigest()[:DIGEST]


def canonical(value: Any, *, sort: bool = True) -> bytes:
    """A JSON value as text, the same for equal values."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS if sort else 0)
    except TypeError:  # half a character, or a number of more than 64 bits
        return json.dumps(value, separators=(",", ":"), sort_keys=sort).encode()
