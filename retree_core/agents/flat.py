"""FlatUpdate: facts in one flat list, a refuted one replaced in place; nothing is located, rebuilt or pruned (paper,
section 5.4)."""

from __future__ import annotations

from collections.abc import Sequence

from retree_core.agents import evidence
from retree_core.agents.retrieval import extract
from retree_core.agents.revision import check, revise
from retree_core.agents.strategy import MemoryStrategy
from retree_core.agents.summaries import summarise
from retree_core.events import FactsAdded
from retree_core.memory import Evidence, Passage
from retree_core.protocol import Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings


def _absorb(memory: WorkingMemory, settings: Settings, query: str, found: tuple[Passage, ...]) -> Steps[None]:
    fresh = yield from extract(memory, settings, query, found)
    if not fresh:
        return
    checked = yield from check(memory, settings, query, fresh)
    repaired = yield from revise(memory, settings, checked, fresh, _keep_others)
    if not repaired:
        yield memory.add(FactsAdded(facts=tuple(one.id for one in fresh)), *checked.because)
    yield from summarise(memory, settings, memory.state.current, memory.state.summary, fresh, checked.draft)


def _keep_others(
    memory: WorkingMemory,
    settings: Settings,
    refuted: Evidence,
    others: Sequence[Evidence],
    because: tuple[int, ...],
) -> Steps[None]:
    """A list has no branch to leave: the other new facts join it as always."""
    if others:
        yield memory.add(FactsAdded(facts=tuple(one.id for one in others)), *because)


FLAT = MemoryStrategy(
    prompt="policy",
    context=evidence.context,
    absorb=_absorb,
    brought_something=evidence.brought_something,
    citable=evidence.citable,
    basis=evidence.basis,
    bound=evidence.context_bound,
)
