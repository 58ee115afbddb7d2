"""How many model calls a search step waits for, one after another, and how long that takes.

Whole runs against a model server of a fixed latency: with the summary of each new node asked for beside the conflict
check, and in the paper's order. What is counted stands in their traces, where a call that was made beside another one
says so. First searches are left out: there is nothing yet that they could contradict.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from retree_core.evaluation.batch import Plan, run_batch
from retree_core.evaluation.questions import Question
from retree_core.events import ContextBuilt
from retree_core.llm.client import ModelClient
from retree_core.settings import Settings, SummaryCall
from retree_core.trace import CallRecord, EventRecord, Trace, read_trace
from retree_core.trace.records import Record
from retree_core.trace.spans import nanoseconds_of
from tests.benchmarks.sessions import LATENCY_S, ended, passages, serve
from tests.benchmarks.table import Row

RUNS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One search of a run, from the policy's context to the next one."""

    calls: int
    """Of models."""
    waits: int
    """Those among them that were not made beside another one."""
    seconds: float


def steps(trace: Trace) -> Iterator[Step]:
    """The searches of a run that have something to contradict."""
    places = [at for at, one in enumerate(trace.records) if _shows_a_context(one)]
    for first, end in list(pairwise(places))[1:]:  # after the last context the policy stops
        records = trace.records[first:end]
        calls = [one for one in records if isinstance(one, CallRecord) and one.role != "search"]
        waits = sum(one.beside is None for one in calls)
        yield Step(calls=len(calls), waits=waits, seconds=_at(records[-1]) - _at(records[0]))


def _shows_a_context(record: Record) -> bool:
    return isinstance(record, EventRecord) and isinstance(record.event, ContextBuilt)


def _at(record: Record) -> float:
    assert isinstance(record, EventRecord | CallRecord)
    return (nanoseconds_of(record.at) or 0) / 1e9


def made(port: int, summary_call: SummaryCall, runs: int) -> list[Step]:
    """The steps of some runs, one run after the other."""
    questions = tuple(
        Question(id=f"q{n}", text=f"How heavy are the things of house {n}?", answers=("x",), passages=passages(n))
        for n in range(runs)
    )
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(
            questions=questions,
            agents=("retree",),
            settings=Settings(model="m", summary_call=summary_call),
            search_spec="own",
            out=Path(folder),
            concurrency=1,
        )

        async def run() -> None:
            client = ModelClient(f"http://127.0.0.1:{port}/v1", "EMPTY")
            await run_batch(plan, client, {}, None, ended)
            await client.close()

        asyncio.run(run())
        return [step for task in plan.tasks() for step in steps(read_trace(task.path))]


def measure(short: bool) -> list[Row]:
    """Calls in a row and seconds of a step, beside the paper's order; the runs take turns."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    port = here.recv()
    made(port, "after", 1)  # imports and first uses
    beside: list[Step] = []
    after: list[Step] = []
    for _ in range(1 if short else RUNS):
        beside += made(port, "beside", 1)
        after += made(port, "after", 1)
    server.terminate()
    ours, paper = _middle(beside), _middle(after)
    return [
        Row(
            what="model calls in a row, a search step",
            ours=f"{ours.waits} of {ours.calls} calls",
            alternative=f"the paper's order: {paper.waits} of {paper.calls}",
            ratio=paper.waits / ours.waits,
            target="3",
            met=max(one.waits for one in beside) == 3,
        ),
        Row(
            what=f"a search step, {LATENCY_S * 1000:.0f} ms a call",
            ours=f"{ours.seconds * 1000:.0f} ms",
            alternative=f"the paper's order: {paper.seconds * 1000:.0f} ms",
            ratio=paper.seconds / ours.seconds,
            target="what three calls take, and 5 % more",
            met=ours.seconds <= 3 * LATENCY_S * 1.05,
        ),
    ]


def _middle(of: Sequence[Step]) -> Step:
    return Step(
        calls=statistics.mode(one.calls for one in of),
        waits=statistics.mode(one.waits for one in of),
        seconds=statistics.median(one.seconds for one in of),
    )
