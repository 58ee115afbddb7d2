"""What the four agents differ in: how a memory is kept and shown. Everything else they share (paper, section 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator
from dataclasses import dataclass

from retree_core.agents.memory import Memory
from retree_core.calls import Call, Reply, Together
from retree_core.events import Event
from retree_core.memory import Passage
from retree_core.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The policy context: the memory as the policy reads it (sections 4.2 and 5.2)."""

    text: str
    ids: tuple[str, ...]
    """Ids that the policy may name as support: evidence, or passages where no facts are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What the answer is drawn from (section 4.4)."""

    summary: str
    evidence: str
    """One item or more, each with its id."""
    ids: tuple[str, ...]
    """Ids that claims may cite; empty where there is nothing to answer from."""


Absorbing = Generator[Event | Call | Together, Reply | None, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """One way of keeping a memory."""

    prompt: str
    """Name of the policy's prompt; its wording differs only in what it says the memory is."""
    view: Callable[[Memory, Settings], View]
    """The policy context."""
    absorb: Callable[[Memory, Settings, str, tuple[Passage, ...]], Absorbing]
    """Takes in what a query found; True if that brought something new."""
    citable: Callable[[Memory], Container[str]]
    """Ids in force, on which the policy may stop."""
    basis: Callable[[Memory, Settings, tuple[str, ...]], Basis]
    """What the answer may use; the last argument holds the ids that the policy stopped on."""
    bound: Callable[[Settings], int | None]
    """No policy context is longer, characters; None where nothing bounds it."""
