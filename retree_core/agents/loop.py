"""The loop that all four agents share: choose, search, absorb, answer (paper, sections 4 and 5.4; Algorithm 1)."""

from __future__ import annotations

from collections.abc import Generator

from retree_core.agents import Agent, Item
from retree_core.agents.answering import answer
from retree_core.agents.asking import CallGaveUp, NoValidReply
from retree_core.agents.keeping import Keeping
from retree_core.agents.memory import Memory
from retree_core.agents.policy import Choice, choose
from retree_core.agents.retrieval import retrieve
from retree_core.calls import Reply
from retree_core.events import BudgetExhausted, RunEnded, RunStarted
from retree_core.memory import RunStatus
from retree_core.prompts import quoted
from retree_core.settings import Settings
from retree_core.state import State, resolve

FAILURES: dict[str, RunStatus] = {
    "context_overflow": "context_overflow",
    "search_quota": "search_quota",
    "search_error": "search_error",
}
"""Call failures that end a run under a status of their own; all others are `llm_error`."""


def search_agent(question: str, settings: Settings, keeping: Keeping) -> Agent:
    """An agent that keeps what it finds as `keeping` says: yields events and calls, is sent replies, does no I/O."""
    memory = Memory()
    yield memory.add(RunStarted(question=question, agent=settings.agent))
    try:
        status, supporting = yield from _search(memory, settings, keeping)
        answered = yield from answer(memory, settings, keeping.basis(memory, settings, supporting))
        ended = RunEnded(status=status) if answered else RunEnded(status="no_answer", detail=_nothing(memory.state))
    except CallGaveUp as error:
        ended = RunEnded(status=FAILURES.get(error.failure, "llm_error"), detail=str(error))
    except NoValidReply as error:
        ended = RunEnded(status="llm_error", detail=f"no valid reply from the model; {error}")
    yield memory.add(ended)


def _search(
    memory: Memory, settings: Settings, keeping: Keeping
) -> Generator[Item, Reply | None, tuple[RunStatus, tuple[str, ...]]]:
    """Searches until the policy may stop or the budget is spent; the status and the evidence it stopped on."""
    notice = ""
    while True:
        choice = yield from choose(memory, settings, keeping, notice)
        if not isinstance(choice, Choice):
            return "answered", choice
        if len(memory.state.searches) >= settings.max_searches:
            yield memory.add(BudgetExhausted(searches=len(memory.state.searches)))
            return "budget_exhausted", ()
        notice = yield from _step(memory, settings, keeping, choice)


def _step(memory: Memory, settings: Settings, keeping: Keeping, choice: Choice) -> Generator[Item, Reply | None, str]:
    """One search and what it does to the memory; a notice for the policy where it brought nothing."""
    passages = yield from retrieve(memory, settings, choice)
    if not passages:
        return f'The search for "{quoted(choice.query)}" brought no passage. Try other words.'
    if _nothing_left(memory.state):
        made = ", ".join(f'"{quoted(one.query)}"' for one in memory.state.searches)
        return f"That search was made before. Searches so far: {made}. Search for something else, in other words."
    if (yield from keeping.absorb(memory, settings, choice.query, passages)):
        return ""
    return f'The search for "{quoted(choice.query)}" brought nothing new. Search for something else.'


def _nothing(state: State) -> str:
    """Why there is no evidence to answer from."""
    if all(one.failure for one in state.searches):
        return "every search failed"
    return "no search found usable evidence"


def _nothing_left(state: State) -> bool:
    """The last search repeats an earlier one whose facts are all still known: reading it again can bring nothing."""
    earlier = state.searches[-1].repeat_of
    return earlier is not None and not any(
        resolve(state, id_).standing == "stale" for id_, one in state.evidence.items() if one.search == earlier
    )
