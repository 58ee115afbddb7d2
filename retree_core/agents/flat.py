"""FlatUpdate: facts in one flat list, a refuted one replaced in place; nothing is located, rebuilt or pruned (paper,
section 5.4)."""

from __future__ import annotations

from collections.abc import Sequence

from retree_core.agents import facts
from retree_core.agents.keeping import Absorbing, Keeping
from retree_core.agents.memory import Memory, context_bound
from retree_core.agents.retrieval import extract
from retree_core.agents.revision import Steps, check, revise
from retree_core.agents.summaries import summarise
from retree_core.events import FactsAdded
from retree_core.memory import Evidence, Passage
from retree_core.settings import Settings


def _absorb(memory: Memory, settings: Settings, query: str, passages: tuple[Passage, ...]) -> Absorbing:
    fresh = yield from extract(memory, settings, query, passages)
    if not fresh:
        return False
    proposals, draft = yield from check(memory, settings, query, fresh)
    repaired = yield from revise(memory, settings, proposals, fresh, _keep_others)
    if not repaired:
        yield memory.add(FactsAdded(facts=tuple(one.id for one in fresh)))
    yield from summarise(memory, settings, memory.state.current, memory.state.summary, fresh, draft)
    return True


def _keep_others(memory: Memory, settings: Settings, refuted: Evidence, others: Sequence[Evidence]) -> Steps:
    """A list has no branch to leave: the other new facts join it as always."""
    if others:
        yield memory.add(FactsAdded(facts=tuple(one.id for one in others)))


FLAT = Keeping(
    prompt="policy",
    view=facts.view,
    absorb=_absorb,
    citable=facts.citable,
    basis=facts.basis,
    bound=context_bound,
)
