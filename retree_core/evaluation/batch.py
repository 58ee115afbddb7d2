"""Many runs under one event loop: agents x questions, resumable, one trace a run."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from retree_core.calls import Answered, ModelCall, SearchCall, SearchReply
from retree_core.drivers.live import Backends, Model, Search
from retree_core.drivers.session import Job, World, finish_run, write_run
from retree_core.errors import InputError, ReTreeError, fault
from retree_core.evaluation.questions import Question
from retree_core.events import RunEnded
from retree_core.memory import DONE
from retree_core.search.corpus import corpus_of
from retree_core.settings import AgentName, Settings
from retree_core.state import fold
from retree_core.text import normalise
from retree_core.trace.lines import is_before_header
from retree_core.trace.packed import read_bytes
from retree_core.trace.reader import Trace, read_trace
from retree_core.trace.records import EventRecord, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One agent on one question."""

    agent: AgentName
    question: Question
    path: Path
    """Its trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What happened to a task, as it happens."""

    task: Task
    status: str
    """`kept` (it was done before), a RunStatus, or `failed`."""
    detail: str
    seconds: float
    """What it took since this start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A batch."""

    questions: Sequence[Question]
    agents: Sequence[AgentName]
    settings: Settings
    """Of every run but for its agent."""
    search_spec: str
    """`own`: each question searches the passages that came with it."""
    out: Path
    concurrency: int = 1
    recorded_with: str = ""

    def tasks(self) -> list[Task]:
        """Question by question, in the same order for every agent (section 5.3)."""
        return [
            Task(agent=agent, question=one, path=self.out / trace_name(self.out, agent, one.id))
            for one in self.questions
            for agent in self.agents
        ]


def trace_name(folder: Path, agent: str, id_: str) -> str:
    """Where in a results folder the run of an agent on a question is: gzipped, unless it is there as text alone, or
    whole as text alone."""
    text = f"runs/{agent}/{file_name(id_)}.jsonl"
    packed = f"{text}.gz"
    if not (folder / text).exists():
        return packed
    return packed if (folder / packed).exists() and _is_whole(folder / packed) else text


def _is_whole(path: Path) -> bool:
    """Whether a run came to its end there, and nothing of its trace is damaged."""
    try:
        trace = read_trace(path)
    except InputError:
        return False
    return _status(trace) not in ("", "interrupted") and not trace.corrupt


def file_name(id_: str) -> str:
    """A question's id as the name of its trace, of which no other id has the same; what is no plain name is written in
    hexadecimal, what is long as a digest.

    >>> file_name("5adf95745542995534e8c7f8"), file_name("../x")
    ('5adf95745542995534e8c7f8', 'id-2e2e2f78')
    """
    if re.fullmatch(r"(?!id-)[A-Za-z0-9][\w-]{0,99}", id_, re.ASCII):
        return id_
    data = id_.encode("utf-8", "surrogatepass")
    return f"id-{data.hex()}" if len(data) <= 100 else f"id-{data[:60].hex()}-{hashlib.sha256(data).hexdigest()}"


@dataclass
class SharedSearch:
    """A search whose replies are kept, so that all agents are shown the same for the same query.

    A failed search is not kept.
    """

    search_with: Search
    kept: dict[tuple[str, int], Answered] = field(default_factory=dict)
    under_way: dict[tuple[str, int], asyncio.Lock] = field(default_factory=dict)

    async def search(self, call: SearchCall) -> Answered:
        key = (normalise(call.query), call.limit)
        async with self.under_way.setdefault(key, asyncio.Lock()):
            if key not in self.kept:
                answered = await self.search_with.search(call)
                if not isinstance(answered.reply, SearchReply):
                    return answered
                self.kept[key] = answered
                return answered
        return replace(self.kept[key], seconds=0.0)

    def learn(self, trace: Trace) -> None:
        """Keeps what a run was shown, so that a batch taken up later goes on with the same."""
        for one in trace.calls:
            if isinstance(one.call, SearchCall) and isinstance(one.reply, SearchReply):
                key = (normalise(one.call.query), one.call.limit)
                self.kept.setdefault(key, Answered(reply=one.reply, seconds=0.0))


class LeastBusy:
    """Several servers of one model: each call goes to the one with the fewest calls under way."""

    def __init__(self, models: Sequence[Model]) -> None:
        self._models = models
        self._busy = [0] * len(models)

    async def complete(self, call: ModelCall) -> Answered:
        place = min(range(len(self._models)), key=self._busy.__getitem__)
        self._busy[place] += 1
        try:
            return await self._models[place].complete(call)
        finally:
            self._busy[place] -= 1


AT_ONCE = 4
"""Runs that go on in one turn of the event loop: few, so that requests leave soon, and more than one, since each turn
costs a look at the sockets."""


class Turns:
    """Runs go on a few at a time, each as far as its next request.

    Replies come in bunches. Without turns the event loop works on all runs of a bunch before it sends the first of
    their requests, and the server has nothing to do meanwhile.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def complete(self, call: ModelCall) -> Answered:
        answered = await self._model.complete(call)
        await self.take()
        return answered

    async def take(self) -> None:
        """Waits for the runs that asked before."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            turn.get_loop().call_soon(self._give)
        await turn

    def _give(self) -> None:
        for _ in range(min(AT_ONCE, len(self._waiting))):
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
        if self._waiting:
            turn.get_loop().call_soon(self._give)


def collect_less_garbage() -> None:
    """For a process that does nothing but runs: their values live long and hold few cycles, so looking for those
    costs more than it frees."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


async def run_batch(
    plan: Plan,
    model: Model,
    server: Mapping[str, object],
    search: tuple[SharedSearch, Mapping[str, object]] | None,
    watch: Callable[[Progress], None],
) -> None:
    """Makes every run that is not there yet; a run that was stopped or failed is taken up again.

    `search` is None where each question has passages of its own. One run's error never ends the batch; a trace that
    cannot be written does, before more calls are spent: raises ReTreeError.
    """
    tasks = plan.tasks()
    searches = {} if search is None else {one.id: search for one in plan.questions}
    waiting = asyncio.Queue[Task]()
    for one in tasks:
        waiting.put_nowait(one)
    turns = Turns(model)
    left = Counter(one.question.id for one in tasks)

    async def work() -> None:
        while not waiting.empty():
            task = waiting.get_nowait()
            await turns.take()
            if task.question.id not in searches:
                searches[task.question.id] = own_passages(task.question)
            backend, described = searches[task.question.id]
            world = Backends(model=turns, search=backend), server, described
            started = time.monotonic()
            status, detail = await _run(plan, task, backend, world)
            watch(Progress(task=task, status=status, detail=detail, seconds=time.monotonic() - started))
            left[task.question.id] -= 1
            if search is None and not left[task.question.id]:
                del searches[task.question.id]

    await asyncio.gather(*(work() for _ in range(max(1, min(plan.concurrency, len(tasks))))))


def own_passages(question: Question) -> tuple[SharedSearch, Mapping[str, object]]:
    """The passages that came with a question as what its runs search."""
    corpus = corpus_of(question.passages, f"passages of {question.id}")
    return SharedSearch(search_with=corpus), corpus.describe()


async def _run(plan: Plan, task: Task, search: SharedSearch, world: World) -> tuple[str, str]:
    try:
        before = _recorded(task.path)
        if before:
            search.learn(before)
        if before and _status(before) in DONE:
            return "kept", _status(before)
        ended = RunEnded(status="interrupted")

        def watch(record: Record) -> None:
            nonlocal ended
            if isinstance(record, EventRecord) and isinstance(record.event, RunEnded):
                ended = record.event

        if before:
            await finish_run(task.path, world, watch=watch)
        else:
            await write_run(_job(plan, task), world, watch=watch)
        return ended.status, ended.detail
    except OSError as error:
        why = error.strerror or error
        raise ReTreeError(
            f"{task.path}: cannot be written ({why}); all runs were stopped, the same command goes on"
        ) from None
    except ReTreeError as error:
        return "failed", str(error)
    except Exception as error:  # noqa: BLE001  (a fault in one run of thousands is told, and the others go on)
        return "failed", fault(error)


def _job(plan: Plan, task: Task) -> Job:
    return Job(
        question=task.question.text,
        settings=replace(plan.settings, agent=task.agent),
        search_spec=plan.search_spec,
        out=task.path,
        overwrite=True,
        recorded_with=plan.recorded_with,
    )


def _recorded(path: Path) -> Trace | None:
    """The trace so far; None where no run was begun. Raises InputError for a file that is damaged or no trace: what
    cannot be read may still hold a run."""
    try:
        trace = read_trace(path)
    except InputError as error:
        if not path.exists() or is_before_header(read_bytes(path)):
            return None
        cause = str(error).removeprefix(f"{path.name}: ").removeprefix(f"{path}: ")
    else:
        if not trace.corrupt:
            return trace
        cause = str(trace.corrupt[0])
    raise InputError(f"{path}: {cause}; it is left as it is, move it away to have this run made anew")


def _status(trace: Trace) -> str:
    ended = fold(trace.events).ended
    return ended.status if ended else ""
