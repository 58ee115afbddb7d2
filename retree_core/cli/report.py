"""`retree report`: the paper's tables and figure for results folders of `retree eval`, side by side."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable
from contextlib import AsyncExitStack, nullcontext
from dataclasses import replace
from pathlib import Path

from retree_core.cli.options import at_least
from retree_core.errors import BackendError, UsageError
from retree_core.evaluation.folders import alone
from retree_core.evaluation.judged import REPLIES, Asked, Judges, Verdicts, is_hosted, judge, read, remember
from retree_core.evaluation.results import Results, collect, results_folders
from retree_core.evaluation.scores import judged, save
from retree_core.files import put
from retree_core.reply_store import ReplyStore
from retree_core.terminal import Lines, json_text, printable

Folder = tuple[Results, Verdicts]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path, help="results folders or folders of them")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="for report.md, .csv and .html (default: the first DIR)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    group = parser.add_argument_group("judges", "Replies are kept in DIR/judged.jsonl; without a judge those are used.")
    group.add_argument(
        "--judge-model", metavar="NAME", default="", help="grades answers; asked for what has no verdict"
    )
    group.add_argument("--judge-url", metavar="URL", default="", help="its server (RETREE_JUDGE_URL, RETREE_BASE_URL)")
    group.add_argument(
        "--entail", choices=("llm", "nli", "none"), help="what passages entail (default with a judge: llm)"
    )
    group.add_argument("--nli-model", metavar="PATH", default="", help="for nli: a cross-encoder on this machine")
    group.add_argument("--concurrency", type=at_least(1, int), default=8, help="questions to a judge side by side")
    parser.epilog = "The judge's key: RETREE_JUDGE_API_KEY, else RETREE_API_KEY."


def run(args: argparse.Namespace) -> int:
    from retree_core.evaluation.page import page
    from retree_core.evaluation.rendering import as_json, markdown, table_csv, text
    from retree_core.evaluation.report import report
    from retree_core.evaluation.tables import tables

    _fitting(args)
    folders: dict[Path, Path] = {}
    for one in (each for folder in args.folders for each in results_folders(folder)):
        folders.setdefault(one.resolve(), one)
    results = [collect(one) for one in folders.values()]
    judged_folders = asyncio.run(_judged(args, results))
    for folder in judged_folders:
        save(*folder)
    told = report(judged_folders)
    shown = tuple(tables(told))
    out = args.out or args.folders[0]
    out.mkdir(parents=True, exist_ok=True)
    put(out / "report.md", markdown(shown, out).encode("utf-8", "replace"))
    put(out / "report.csv", table_csv(told).encode("utf-8", "replace"))
    put(out / "report.html", page(told, shown, out).encode("utf-8", "replace"))
    print(
        json_text(as_json(told))
        if args.json
        else f"{text(shown)}\n\nWritten: {printable(out / 'report')}.md, .csv, .html"
    )
    return 1 if _asked(args) and any(map(_open, judged_folders)) else 0


def _fitting(args: argparse.Namespace) -> None:
    if args.entail == "llm" and not args.judge_model:
        raise UsageError("--entail llm needs --judge-model NAME")
    if args.entail == "nli" and not args.nli_model:
        raise UsageError("--entail nli needs --nli-model PATH, a cross-encoder for NLI that is on this machine")


def _asked(args: argparse.Namespace) -> bool:
    return bool(args.judge_model or args.entail == "nli")


def _open(folder: Folder) -> bool:
    """Whether a verdict is missing that was asked for."""
    results, verdicts = folder
    found = [judged(row, verdicts) for row in results.rows]
    return any(one.grade == "judge error" or (one.undecided and one.attribution) for one in found)


async def _judged(args: argparse.Namespace, results: list[Results]) -> list[Folder]:
    async with AsyncExitStack() as stack:
        model = await _judge_model(args, stack) if _asked(args) else None
        return [await _verdicts(args, one, model) for one in results]


async def _judge_model(args: argparse.Namespace, stack: AsyncExitStack) -> Asked:
    nli = None
    if args.entail == "nli":
        from retree_core.evaluation.nli import Nli, cross_encoder

        nli = Nli(score=cross_encoder(args.nli_model))
    if not args.judge_model:
        return Asked(nli=nli)
    from retree_core.llm.address import Naming
    from retree_core.llm.client import from_environment

    naming = Naming(url="RETREE_JUDGE_URL", key="RETREE_JUDGE_API_KEY", model="--judge-model")
    key = os.environ.get("RETREE_JUDGE_API_KEY") or os.environ.get("RETREE_API_KEY") or ""
    env = {**os.environ, "RETREE_API_KEY": key}
    client = from_environment(base_url=_url(args) or None, env=env, naming=naming)
    stack.push_async_callback(client.close)
    try:
        await client.preflight(args.judge_model)
    except BackendError as error:
        raise BackendError(f"--judge-model {args.judge_model}: {error}") from None
    return Asked(model=client, nli=nli)


def _url(args: argparse.Namespace) -> str:
    return str(args.judge_url) or os.environ.get("RETREE_JUDGE_URL", "")


async def _verdicts(args: argparse.Namespace, results: Results, model: Asked | None) -> Folder:
    judges = _judges(args, read(results.folder))
    path = results.folder / REPLIES
    with alone(results.folder / "judge.lock", "judging these results") if model else nullcontext():
        if model:
            remember(results.folder, judges)
        with ReplyStore(path, model) as store:
            tell = _told(results.name, silent=args.json or model is None)
            return results, await judge(results.rows, judges, store, concurrency=args.concurrency, tell=tell)


def _judges(args: argparse.Namespace, known: Judges) -> Judges:
    """Those of the last report, but for what is named now."""
    if args.judge_model:
        known = replace(known, model=args.judge_model, hosted=is_hosted(args.judge_model, _url(args)))
        if args.entail in (None, "llm"):
            known = replace(known, entail="llm", entail_model=args.judge_model)
    if args.entail == "nli":
        return replace(known, entail="nli", entail_model=args.nli_model)
    return replace(known, entail="", entail_model="") if args.entail == "none" else known


def _told(name: str, *, silent: bool) -> Callable[[int, int], None]:
    lines = Lines()

    def tell(finished: int, total: int) -> None:
        if not silent and (finished == total or finished % max(1, total // 20) == 0):
            lines.say(f"{printable(name)}: {finished}/{total} questions to the judge")

    return tell
