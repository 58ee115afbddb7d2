"""`retree eval`: agents on the questions of a data set, one trace a run; started again, it goes on."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from retree_core.cli.options import at_least, model_arguments, model_name, sampling
from retree_core.errors import UsageError
from retree_core.evaluation.batch import LeastBusy, Plan, Progress, SharedSearch, collect_less_garbage, run_batch
from retree_core.evaluation.datasets import FORMATS, PAPER_SIZES, load
from retree_core.evaluation.folders import alone
from retree_core.evaluation.judged import kept_verdicts
from retree_core.evaluation.manifest import manifest, settle
from retree_core.evaluation.paper import NAMES
from retree_core.evaluation.questions import fixed_subset
from retree_core.evaluation.report import DataSet, report
from retree_core.evaluation.results import collect
from retree_core.evaluation.scores import save
from retree_core.evaluation.tables import percent
from retree_core.memory import DONE
from retree_core.settings import AgentName, Settings
from retree_core.terminal import Lines, json_text, printable, short

AGENTS: tuple[AgentName, ...] = get_args(AgentName)
OWN = "own"
PAPER = "paper"


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
    counted: Counter[str] = Counter()
    lines = Lines()
    with contextlib.ExitStack() as locks:
        for _, plan in plans:
            locks.enter_context(alone(plan.out / "eval.lock", "evaluating into it"))
        try:
            asyncio.run(_run(args, plans, lambda: _told(lines, counted, silent=args.json)))
        except KeyboardInterrupt:
            lines.say("stopped; the same command goes on")
            return 1
        data_sets = _saved([plan.out for _, plan in plans])
    errors = sum(number for status, number in counted.items() if status not in DONE)
    summary = {
        "runs": sum(counted.values()),
        "errors": errors,
        "by_status": dict(counted),
        "exact_match": {
            each.name: {agent: one.exact.value for agent, one in each.scores.items()} for each in data_sets
        },
        "out": str(args.out),
    }
    print(json_text(summary) if args.json else "\n".join(_closing(summary, data_sets)))
    return 1 if errors else 0


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
        model=model_name(args), judge=args.judge, sampling=sampling(args), max_searches=args.max_searches
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


async def _run(
    args: argparse.Namespace, plans: Sequence[tuple[str, Plan]], told: Callable[[], Callable[[Progress], None]]
) -> None:
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
            await run_batch(plan, LeastBusy(models), asdict(servers[0]), search, told())


def _urls(args: argparse.Namespace) -> list[str | None]:
    """Several servers are named by one --base-url with commas."""
    return [one.strip() or None for one in args.base_url.split(",")] if args.base_url else [None]


def _told(lines: Lines, counted: Counter[str], *, silent: bool) -> Callable[[Progress], None]:
    started = time.monotonic()
    made = 0

    def tell(one: Progress) -> None:
        nonlocal made
        kept = one.status == "kept"
        counted[one.detail if kept else one.status] += 1
        made += not kept
        if silent:
            return
        left = (time.monotonic() - started) / made * (one.total - one.finished) if made else 0.0
        about = f"{one.task.agent} {printable(one.task.question.id)}: {one.status}"
        detail = f" ({printable(one.detail)})" if one.detail and not kept else ""
        lines.say(f"{one.finished}/{one.total} {about}{detail}, about {_time(left)} left")

    return tell


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
    counts = ", ".join(f"{number} {status}" for status, number in summary["by_status"].items())
    out = printable(summary["out"])
    yield f"{summary['runs']} runs ({counts}); traces and results: {out}; tables: retree report {out}"
