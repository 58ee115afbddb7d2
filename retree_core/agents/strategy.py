"""What the four agents differ in: how a memory is kept and shown. Everything else they share (paper, section 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from retree_core.memory import Passage
from retree_core.protocol import Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings
from retree_core.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory as the policy (sections 4.2 and 5.2) or the answer (4.4) is shown it."""

    memory: dict[str, Any]
    """As prompts take it (`retree_core.rendering`)."""
    ids: tuple[str, ...]
    """Ids that may be named as support: evidence, or passages where no facts are kept."""
    characters: int = 0
    """Its length as the policy reads it."""
    because: tuple[int, ...] = ()
    """Records of the rules that chose it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStrategy:
    """One way of keeping a memory."""

    prompt: str
    """Name of the policy's prompt; its wording differs only in what it says the memory is."""
    context: Callable[[WorkingMemory, Settings, tuple[str, ...]], Steps[Shown]]
    """The policy context; the last argument holds what the policy still misses."""
    absorb: Callable[[WorkingMemory, Settings, str, tuple[Passage, ...]], Steps[None]]
    """Takes in what a query found."""
    brought_something: Callable[[State], bool]
    """Whether the last search changed the memory."""
    citable: Callable[[WorkingMemory], Container[str]]
    """Ids in force, on which the policy may stop."""
    basis: Callable[[WorkingMemory, Settings, tuple[str, ...]], Steps[Shown]]
    """What the answer may use; the last argument holds the ids that the policy stopped on."""
    bound: Callable[[Settings], int | None]
    """No policy context is longer, characters; None where nothing bounds it."""
