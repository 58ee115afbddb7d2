"""Full-Trajectory ReAct: the whole transcript of searches and passages, word for word (paper, section 5.4)."""

from __future__ import annotations

from collections.abc import Iterator

from retree_core.agents import pages
from retree_core.agents.keeping import Absorbing, Basis, Keeping, View
from retree_core.agents.memory import Memory
from retree_core.memory import Passage, Search
from retree_core.prompts import quoted
from retree_core.settings import Settings
from retree_core.state import State


def transcript(state: State) -> str:
    """Every search with its reason and all that it brought, nothing shortened."""
    return "\n\n".join("\n".join(_turn(state, one)) for one in state.searches) or "(no search yet)"


def _turn(state: State, search: Search) -> Iterator[str]:
    if search.reason:
        yield f"Thought {search.number}: {quoted(search.reason)}"
    yield f"Search {search.number}: {quoted(search.query)}"
    if search.failure:
        yield f"The search failed ({search.failure.replace('_', ' ')})."
    elif not search.passages:
        yield "Nothing was found."
    for id_ in search.passages:
        yield _observed(state.passages[id_])


def _observed(passage: Passage) -> str:
    return f"{pages.headed(passage)}: {quoted(passage.text)}"


def _view(memory: Memory, settings: Settings) -> View:
    return View(text=transcript(memory.state), ids=tuple(memory.state.passages))


def _absorb(memory: Memory, settings: Settings, query: str, passages: tuple[Passage, ...]) -> Absorbing:
    """The passages are in the transcript already; nothing is drawn from them."""
    return True
    yield


def _basis(memory: Memory, settings: Settings, supporting: tuple[str, ...]) -> Basis:
    state = memory.state
    return Basis(
        summary="(none: the evidence is the whole transcript)", evidence=transcript(state), ids=tuple(state.passages)
    )


REACT = Keeping(
    prompt="policy_react",
    view=_view,
    absorb=_absorb,
    citable=pages.citable,
    basis=_basis,
    bound=lambda settings: None,
)
