"""ReTree: a tree of search states, repaired at the introducer of a refuted fact (paper, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from retree_core.agents import evidence
from retree_core.agents.retrieval import extract
from retree_core.agents.revision import check, revise
from retree_core.agents.strategy import MemoryStrategy
from retree_core.agents.summaries import Draft, regenerate, summarise
from retree_core.events import FactsSetAside, NodeAdded, NodesPruned, SearchResumed, SummaryDiscarded
from retree_core.memory import Evidence, Passage
from retree_core.protocol import Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings
from retree_core.state import descendants


def _absorb(memory: WorkingMemory, settings: Settings, query: str, found: tuple[Passage, ...]) -> Steps[None]:
    fresh = yield from extract(memory, settings, query, found)
    if not fresh:
        return
    checked = yield from check(memory, settings, query, fresh)
    repaired = yield from revise(memory, settings, checked, fresh, partial(_backtrack, checked.draft))
    if not repaired:
        yield from _expand(memory, settings, fresh, checked.draft, checked.because)


def _backtrack(
    draft: Draft | None,
    memory: WorkingMemory,
    settings: Settings,
    refuted: Evidence,
    others: Sequence[Evidence],
    because: tuple[int, ...],
) -> Steps[None]:
    """Prunes below the introducer, resumes there and regenerates its summary (section 4.3).

    The draft went on from what is refuted, and with a fact that is absorbed now: it is of no use.
    """
    assert refuted.node is not None
    left = memory.state.current
    below = descendants(memory.state, refuted.node)
    if below:
        yield memory.add(NodesPruned(nodes=below, evidence=refuted.id), *because)
    yield memory.add(SearchResumed(node=refuted.node), *because)
    if draft is not None:
        discarded = SummaryDiscarded(parent=left, text=draft.text, evidence=refuted.id)
        yield memory.add(discarded, *draft.because)
    yield from regenerate(memory, settings, refuted.node, refuted.text)
    if others and settings.on_repair == "keep_facts":
        yield from _expand(memory, settings, others, None, because)
    elif others:
        yield memory.add(FactsSetAside(facts=tuple(one.id for one in others)), *because)


def _expand(
    memory: WorkingMemory,
    settings: Settings,
    fresh: Sequence[Evidence],
    draft: Draft | None,
    because: tuple[int, ...],
) -> Steps[None]:
    """A child of the current node with the new facts, and its summary, which may be written already."""
    state = memory.state
    node = NodeAdded(
        node=f"n{len(state.nodes)}",
        parent=state.current,
        search=state.searches[-1].number,
        query=state.searches[-1].query,
        evidence=tuple(one.id for one in fresh),
    )
    former = state.summary
    yield memory.add(node, *because)
    yield from summarise(memory, settings, node.node, former, fresh, draft)


RETREE = MemoryStrategy(
    prompt="policy",
    context=evidence.context,
    absorb=_absorb,
    brought_something=evidence.brought_something,
    citable=evidence.citable,
    basis=evidence.basis,
    bound=evidence.context_bound,
)
