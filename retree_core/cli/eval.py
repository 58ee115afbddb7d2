"""`retree eval`: agents on the questions of a data set, one trace a run; started again, it goes on."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from retree_core.cli.options import at_least, model_arguments, model_name, sampling, summary_argument
from retree_core.cli.run import stop_at_signals
from retree_core.errors import UsageError
from retree_core.evaluation.batch import LeastBusy, Plan, Progress, SharedSearch, Task, collect_less_garbage, run_batch
from retree_core.evaluation.cells import percent
from retree_core.evaluation.datasets import FORMATS, PAPER_SIZES, load
from retree_core.evaluation.folders import alone
from retree_core.evaluation.judged import kept_verdicts
from retree_core.evaluation.manifest import manifest, settle
from retree_core.evaluation.pace import Pace
from retree_core.evaluation.paper import NAMES
from retree_core.evaluation.questions import fixed_subset
from retree_core.evaluation.report import DataSet, report
from retree_core.evaluation.results import collect
from retree_core.evaluation.scores import save
from retree_core.memory import DONE
from retree_core.settings import AGENTS, AgentName, Settings
from retree_core.terminal import Lines, json_text, printable, short

OWN = "own"
PAPER = "paper"
KEPT_LINES = 100
"""Of runs kept from before, one line for so many."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dataset",
        metavar="FORMAT:PATH",
        nargs="+",
        required=True,
        help=f"FORMAT: {', '.join(FORMATS)}; of several, each gets a folder of its own in --out",
    )
    parser.add_argument("--agents", type=_agents, default=AGENTS, help=f"of {', '.join(AGENTS)} (default: all)")
    parser.add_argument(
        "--limit",
        metavar="N",
        type=_limit,
        help="so many questions, the same for the same --subset-seed; paper: as many as the paper takes of each",
    )
    parser.add_argument("--subset-seed", type=at_least(0, int), default=0)
    parser.add_argument(
        "--search", metavar="SPEC", default=OWN, help="as for retree run, or own: a question's passages"
    )
    parser.add_argument("--concurrency", type=at_least(1, int), default=8, help="runs side by side")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="the results folder")
    parser.add_argument("--max-searches", type=at_least(1, int), default=Settings().max_searches)
    summary_argument(parser, "after")
    parser.add_argument("--recorded-with", metavar="TEXT", default="", help="what answers the calls, in words")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, no progress")
    model_arguments(parser)


def _agents(text: str) -> tuple[AgentName, ...]:
    names = tuple(dict.fromkeys(text.replace(" ", "").split(",")))
    if unknown := [one for one in names if one not in AGENTS]:
        raise argparse.ArgumentTypeError(f"unknown agent {unknown[0]!r}; choose of {', '.join(AGENTS)}")
    return names  # type: ignore[return-value]


def _limit(text: str) -> int | str:
    return PAPER if text == PAPER else at_least(1, int)(text)


def run(args: argparse.Namespace) -> int:
    plans = [(_format(spec), _plan(args, spec, out)) for spec, out in zip(args.dataset, _folders(args), strict=True)]
    lines = Lines()
    with contextlib.ExitStack() as locks:
        for _, plan in plans:
            locks.enter_context(alone(plan.out / "eval.lock", "evaluating into it"))
        told = Told([one for _, plan in plans for one in plan.tasks()], args.concurrency, None if args.json else lines)
        try:
            asyncio.run(_stoppable(_run(args, plans, told)))
        except (KeyboardInterrupt, asyncio.CancelledError):
            lines.say("stopped; the same command goes on")
            return 1
        data_sets = _saved([plan.out for _, plan in plans])
    summary = {
        "runs": told.ended.total(),
        "errors": _errors(told.ended),
        "by_status": dict(told.ended),
        "made_now": dict(told.made),
        "exact_match": {
            each.name: {agent: one.exact.value for agent, one in each.scores.items()} for each in data_sets
        },
        "out": str(args.out),
    }
    print(json_text(summary) if args.json else "\n".join(_closing(summary, data_sets)))
    return 1 if summary["errors"] else 0


def _errors(by_status: Counter[str]) -> int:
    return sum(number for status, number in by_status.items() if status not in DONE)


def _saved(folders: Sequence[Path]) -> tuple[DataSet, ...]:
    """Writes the rows of each folder; their scores."""
    found = [(results, asyncio.run(kept_verdicts(results))) for results in map(collect, folders)]
    for results, verdicts in found:
        save(results, verdicts)
    return report(found).data_sets


def _format(spec: str) -> str:
    return spec.partition(":")[0]


def _folders(args: argparse.Namespace) -> list[Path]:
    """Where the runs of each data set go: one to --out itself, of several each to a folder named after it."""
    if len(args.dataset) == 1:
        return [args.out]
    names = [_format(one) if _format(one) != "jsonl" else Path(one).name.partition(".")[0] for one in args.dataset]
    if len(set(names)) < len(names):
        raise UsageError(f"--dataset: two of {', '.join(names)} would share a folder; run them to an --out each")
    return [args.out / one for one in names]


def _plan(args: argparse.Namespace, dataset: str, out: Path) -> Plan:
    size = PAPER_SIZES.get(_format(dataset)) if args.limit == PAPER else args.limit
    questions = fixed_subset(load(dataset), size, args.subset_seed)
    if args.search == OWN and (bare := next((one for one in questions if not one.passages), None)):
        raise UsageError(f"--search own: question {bare.id} comes without passages; name a search, such as serper")
    settings = Settings(
        model=model_name(args),
        judge=args.judge,
        sampling=sampling(args),
        max_searches=args.max_searches,
        summary_call=args.summary_call,
    )
    return Plan(
        questions=questions,
        agents=args.agents,
        settings=settings,
        search_spec=args.search,
        out=out,
        concurrency=args.concurrency,
        recorded_with=args.recorded_with,
    )


async def _stoppable(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.ensure_future(work)
    stop_at_signals(task)
    await task


async def _run(args: argparse.Namespace, plans: Sequence[tuple[str, Plan]], watch: Callable[[Progress], None]) -> None:
    from retree_core.llm.client import from_environment
    from retree_core.search.backend import open_search

    async with contextlib.AsyncExitStack() as stack:
        search = None
        described: Mapping[str, object] = {}
        if args.search != OWN:
            backend = open_search(args.search)
            stack.push_async_callback(backend.close)
            described = backend.describe()
            search = SharedSearch(search_with=backend), described
        models = [from_environment(base_url=url) for url in _urls(args)]
        for one in models:
            stack.push_async_callback(one.close)
        servers = [await one.preflight(model_name(args)) for one in models]
        collect_less_garbage()
        for dataset, plan in plans:
            settle(plan.out, manifest(plan, dataset, described))
        for _, plan in plans:
            await run_batch(plan, LeastBusy(models), asdict(servers[0]), search, watch)


def _urls(args: argparse.Namespace) -> list[str | None]:
    """Several servers are named with commas, by --base-url or RETREE_BASE_URL; none of them: the default."""
    text = args.base_url or os.environ.get("RETREE_BASE_URL", "")
    return list(dict.fromkeys(one.strip() for one in text.split(",") if one.strip())) or [None]


class Told:
    """Counts how tasks end, of all data sets of one command, and says it."""

    def __init__(self, tasks: Sequence[Task], at_once: int, lines: Lines | None) -> None:
        self.ended = Counter[str]()
        """Tasks by status, those kept from before by the status they had."""
        self.made = Counter[str]()
        """Those made since this start."""
        self._pace = Pace(tasks, at_once)
        self._total = len(tasks)
        self._lines = lines

    def __call__(self, one: Progress) -> None:
        kept = one.status == "kept"
        self.ended[one.detail if kept else one.status] += 1
        if not kept:
            self.made[one.status] += 1
        self._pace.learn(one)
        if self._lines and (not kept or self.ended.total() % KEPT_LINES == 0):
            self._lines.say(f"{self.ended.total()}/{self._total} {self._about(one)}")

    def _about(self, one: Progress) -> str:
        if one.status == "kept":
            return f"{self.ended.total() - self.made.total()} of them from before"
        detail = f" ({printable(one.detail)})" if one.detail else ""
        left = self._pace.seconds_left
        told = "" if left is None else f", about {_time(left)} left"
        return f"{one.task.agent} {printable(one.task.question.id)}: {one.status}{detail}{told}"


def _time(seconds: float) -> str:
    """
    >>> _time(3725)
    '1 h 2 min'
    """
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


def _closing(summary: Mapping[str, Any], data_sets: Sequence[DataSet]) -> Iterator[str]:
    for each in data_sets:
        yield f"{short(each.name, 22):22} runs  errors  exact match %"
        for agent, one in each.scores.items():
            yield f"{NAMES[agent]:22} {one.runs:4}  {one.errors:6}  {percent(one.exact)}"
    now = f", of them made now: {_counts(summary['made_now'])}" if summary["made_now"] != summary["by_status"] else ""
    out = printable(summary["out"])
    runs = "1 run" if summary["runs"] == 1 else f"{summary['runs']} runs"
    yield f"{runs} ({_counts(summary['by_status'])}{now}); traces and results: {out}"
    yield f"tables: retree report {out}"


def _counts(by_status: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {status}" for status, number in by_status.items()) or "none"
