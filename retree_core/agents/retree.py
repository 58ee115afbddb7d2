"""ReTree: a tree of search states, repaired at the introducer of a refuted fact (paper, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from retree_core.agents import facts
from retree_core.agents.asking import with_note
from retree_core.agents.keeping import Absorbing, Keeping
from retree_core.agents.memory import Memory, context_bound, listed
from retree_core.agents.retrieval import extract
from retree_core.agents.revision import Steps, check, revise
from retree_core.agents.summaries import bounded, given_up, says_again, summarise, written
from retree_core.events import FactsSetAside, NodeAdded, NodesPruned, SearchResumed, SummaryDiscarded, SummaryStale
from retree_core.memory import Evidence, Passage
from retree_core.prompts import messages, quoted
from retree_core.settings import Settings
from retree_core.state import active_path, descendants
from retree_core.text import tokens
from retree_core.text.support import unsupported_values


def _absorb(memory: Memory, settings: Settings, query: str, passages: tuple[Passage, ...]) -> Absorbing:
    fresh = yield from extract(memory, settings, query, passages)
    if not fresh:
        return False
    proposals, draft = yield from check(memory, settings, query, fresh)
    repaired = yield from revise(memory, settings, proposals, fresh, partial(_backtrack, draft))
    if not repaired:
        yield from _expand(memory, settings, fresh, draft)
    return True


def _backtrack(
    draft: str | None, memory: Memory, settings: Settings, refuted: Evidence, others: Sequence[Evidence]
) -> Steps:
    """Prunes below the introducer, resumes there and regenerates its summary (section 4.3).

    The draft went on from what is refuted, and with a fact that is absorbed now: it is of no use.
    """
    assert refuted.node is not None
    left = memory.state.current
    below = descendants(memory.state, refuted.node)
    if below:
        yield memory.add(NodesPruned(nodes=below, evidence=refuted.id))
    yield memory.add(SearchResumed(node=refuted.node))
    if draft is not None:
        yield memory.add(SummaryDiscarded(parent=left, text=draft, evidence=refuted.id))
    yield from _regenerate(memory, settings, refuted.node, refuted.text)
    if others and settings.on_repair == "keep_facts":
        yield from _expand(memory, settings, others, None)
    elif others:
        yield memory.add(FactsSetAside(facts=tuple(one.id for one in others)))


def _expand(memory: Memory, settings: Settings, fresh: Sequence[Evidence], draft: str | None) -> Steps:
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
    yield memory.add(node)
    yield from summarise(memory, settings, node.node, former, fresh, draft)


def _regenerate(memory: Memory, settings: Settings, node: str, refuted: str) -> Steps:
    """The repaired node's summary from corrected evidence alone; the facts joined where a model keeps the old value."""
    facts = active_path(memory.state)
    known = [memory.state.question, *(one.text for one in facts)]
    prompt = messages("regenerate", question=memory.state.question, facts=listed(facts), words=settings.summary_words)
    for _ in range(2):
        text = yield from written(settings, prompt)
        summary = bounded(settings, node, text, known, given_up(memory))
        stale = _kept_from(refuted, text, known)
        if summary.text and not stale:
            yield memory.add(replace(summary, origin="regenerated"))
            return
        if stale:
            yield memory.add(SummaryStale(node=node, text=text, value=stale))
            prompt = with_note(prompt, f"Do not mention {quoted(stale)}: the facts do not say it.")
    joined = bounded(settings, node, " ".join(one.text for one in facts), known, ())
    yield memory.add(replace(joined, origin="facts"))


def _kept_from(refuted: str, text: str, allowed: list[str]) -> str:
    """What is refuted and in `text` though nothing in force says it: the fact itself, or values of it; '' if nothing.

    A fact without names, dates and numbers of its own is known by its words: half of them make a text stale.
    """
    if says_again(text, refuted) and not any(says_again(one, refuted) for one in allowed):
        return refuted.rstrip(" .")
    in_force = "\n".join(allowed)
    if values := unsupported_values(refuted, in_force):
        return ", ".join(one for one in values if not unsupported_values(one, text))
    telling = dict.fromkeys(one for one in tokens(refuted) if len(one) > 3 and one not in tokens(in_force))
    found = [one for one in telling if one in tokens(text)]
    return " ".join(found) if 2 * len(found) >= len(telling) else ""


RETREE = Keeping(
    prompt="policy",
    view=facts.view,
    absorb=_absorb,
    citable=facts.citable,
    basis=facts.basis,
    bound=context_bound,
)
