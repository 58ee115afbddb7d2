"""The loop that all four agents share: choose, search, absorb, answer (paper, sections 4 and 5.4; Algorithm 1)."""

from __future__ import annotations

from collections.abc import Generator

from retree_core.agents.answering import answer
from retree_core.agents.asking import CallGaveUp, NoValidReply
from retree_core.agents.policy import Stop, choose, tells_nothing_new
from retree_core.agents.retrieval import retrieve
from retree_core.agents.strategy import MemoryStrategy
from retree_core.events import BudgetExhausted, ReplyRejected, RunEnded, RunStarted
from retree_core.memory import RunStatus
from retree_core.protocol import Boundary, Given, Happened, Item, Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings
from retree_core.state import State

FAILURES: dict[str, RunStatus] = {
    "context_overflow": "context_overflow",
    "search_quota": "search_quota",
    "search_error": "search_error",
}
"""Call failures that end a run under a status of their own; all others are `llm_error`."""

Agent = Generator[Item, Given | None, None]


def run(question: str, settings: Settings, strategy: MemoryStrategy, state: State | None = None) -> Agent:
    """An agent that keeps what it finds as `strategy` says, from a state between two steps on; by default from the
    start."""
    memory = WorkingMemory(state or State())
    if not memory.state.moment:
        yield memory.add(RunStarted(question=question, agent=settings.agent))
    while not memory.state.ended:
        yield Boundary(step=len(memory.state.searches), state=memory.state)
        try:
            yield from _counted(memory, _step(memory, settings, strategy))
        except CallGaveUp as error:
            status = FAILURES.get(error.failure, "llm_error")
            yield memory.add(RunEnded(status=status, detail=str(error)), *error.because)
        except NoValidReply as error:
            detail = f"no valid reply from the model; {error}"
            yield memory.add(RunEnded(status="llm_error", detail=detail), *error.because)
    yield Boundary(step=len(memory.state.searches), state=memory.state)


def _counted(memory: WorkingMemory, steps: Steps[None]) -> Steps[None]:
    """The steps, with the rejections of replies counted in the memory that those who ask do not know."""
    given = None
    while True:
        try:
            item = steps.send(given)
        except StopIteration:
            return
        if isinstance(item, Happened) and isinstance(item.event, ReplyRejected):
            memory.add(item.event)
        given = yield item


def _step(memory: WorkingMemory, settings: Settings, strategy: MemoryStrategy) -> Steps[None]:
    """One search and what it does to the memory, or the answer."""
    choice = yield from choose(memory, settings, strategy)
    if isinstance(choice, Stop):
        return (yield from _finish(memory, settings, strategy, "answered", choice.evidence))
    if len(memory.state.searches) >= settings.max_searches:
        yield memory.add(BudgetExhausted(searches=len(memory.state.searches)))
        return (yield from _finish(memory, settings, strategy, "budget_exhausted", ()))
    passages = yield from retrieve(memory, settings, choice)
    if passages and not tells_nothing_new(memory.state):
        yield from strategy.absorb(memory, settings, choice.query, passages)


def _finish(
    memory: WorkingMemory,
    settings: Settings,
    strategy: MemoryStrategy,
    status: RunStatus,
    supporting: tuple[str, ...],
) -> Steps[None]:
    """The answer from what is there, and the end of the run."""
    basis = yield from strategy.basis(memory, settings, supporting)
    if basis.ids:
        yield from answer(memory, settings, basis)
        yield memory.add(RunEnded(status=status))
    else:
        yield memory.add(RunEnded(status="no_answer", detail=_nothing(memory.state)))


def _nothing(state: State) -> str:
    """Why there is no evidence to answer from."""
    if all(one.failure for one in state.searches):
        return "every search failed"
    return "no search found usable evidence"
