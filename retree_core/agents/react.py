"""Full-Trajectory ReAct: the whole transcript of searches and passages, word for word (paper, section 5.4)."""

from __future__ import annotations

from typing import Any

from retree_core.agents import passages as pages
from retree_core.agents.strategy import MemoryStrategy, Shown
from retree_core.memory import Passage, Search
from retree_core.protocol import Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings
from retree_core.state import State


def _transcript(state: State) -> dict[str, Any]:
    """Every search with its reason and all that it brought, nothing shortened."""
    return {"searches": [_turn(state, one) for one in state.searches]}


def _turn(state: State, search: Search) -> dict[str, Any]:
    return {
        "number": search.number,
        "query": search.query,
        "reason": search.reason,
        "failure": search.failure,
        "passages": [pages.page(state.passages[id_]) for id_ in search.passages],
    }


def _context(memory: WorkingMemory, settings: Settings, missing: tuple[str, ...]) -> Steps[Shown]:
    return (yield from pages.measured(memory, _transcript(memory.state)))


def _absorb(memory: WorkingMemory, settings: Settings, query: str, found: tuple[Passage, ...]) -> Steps[None]:
    """The passages are in the transcript already; nothing is drawn from them."""
    yield from ()


def _basis(memory: WorkingMemory, settings: Settings, supporting: tuple[str, ...]) -> Steps[Shown]:
    yield from ()
    return pages.shown(memory, _transcript(memory.state))


REACT = MemoryStrategy(
    prompt="policy_react",
    context=_context,
    absorb=_absorb,
    brought_something=pages.brought_something,
    citable=pages.citable,
    basis=_basis,
    bound=lambda settings: None,
)
