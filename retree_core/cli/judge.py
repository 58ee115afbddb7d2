"""`retree judge`: fact pairs through the whole decision, with precision and recall where they are labelled."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from retree_core.cli.options import at_least, judge_settings, model_arguments
from retree_core.drivers.live import Backends
from retree_core.errors import UsageError
from retree_core.judge_pairs import Judged, Pair, judge_all, read_pairs
from retree_core.judge_scores import Score, Scores, scores
from retree_core.reply_store import ReplyStore
from retree_core.settings import Settings
from retree_core.terminal import json_text, printable, short

DESCRIPTION = (
    "PAIRS is a JSON Lines file of {id, old, new, question, conflict?, class?}, with old_passage and "
    "new_passage {title, text, published?} where the guards should see them."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = DESCRIPTION
    parser.add_argument("pairs", metavar="PAIRS", type=Path)
    parser.add_argument("--replies", metavar="FILE", type=Path, help="replies by exact request: used first, added to")
    parser.add_argument("--offline", action="store_true", help="never call a model; say which pair needs one")
    parser.add_argument("--concurrency", metavar="N", type=at_least(1, int), default=4, help="pairs at once")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    model_arguments(parser)


def run(args: argparse.Namespace) -> int:
    pairs = read_pairs(args.pairs)
    if args.offline and args.replies is None:
        raise UsageError("--offline needs --replies FILE, a file of recorded replies")
    if args.offline and not args.replies.exists():
        raise UsageError(f"--replies {args.replies}: no such file")
    settings = judge_settings(args)
    judged = asyncio.run(_judge(args, pairs, settings))
    found = scores(judged)
    print(json_text(_report(judged, found, settings)) if args.json else _table(found))
    return 1 if found.failed else 0


async def _judge(args: argparse.Namespace, pairs: Sequence[Pair], settings: Settings) -> list[Judged]:
    judged = []
    async with _backends(args, settings) as backends:
        async for one in judge_all(pairs, settings, backends, concurrency=args.concurrency):
            judged.append(one)
            if not args.json:
                print(_line(one), flush=True)
    return judged


@asynccontextmanager
async def _backends(args: argparse.Namespace, settings: Settings) -> AsyncIterator[Backends]:
    async with AsyncExitStack() as stack:
        model = None
        if not args.offline:
            from retree_core.llm.client import from_environment

            model = from_environment(base_url=args.base_url)
            stack.push_async_callback(model.close)
            await model.preflight(settings.model)
        if args.replies is None:
            yield Backends(model=model)
        else:
            yield Backends(model=stack.enter_context(ReplyStore(args.replies, model)))


def _line(one: Judged) -> str:
    mark = {None: " ", True: "+", False: "x"}[one.right]
    head = f"{mark} {short(one.pair.id, 14):14} {one.verdict:9} {printable(one.decided_by):22}"
    return f"{head} {short(one.reason, 110)}"


def _table(found: Scores) -> str:
    lines = [""]
    if found.overall.pairs:
        width = max(7, *(len(name) for name in found.by_class))
        lines.append(f"{'':{width}}  pairs  precision  recall    F1   false repairs  misses")
        lines.append(_row("overall", found.overall, width))
        lines += [_row(short(name, 40) or "-", one, width) for name, one in found.by_class.items()]
        lines += ["", "decided by                right  wrong"]
        lines += [f"{printable(name):24} {right:6} {wrong:6}" for name, (right, wrong) in found.by_decider.items()]
    if found.unlabelled:
        lines.append(f"{found.unlabelled} without a label")
    if found.failed:
        lines.append(f"{found.failed} failed for want of a reply; not scored")
    return "\n".join(lines)


def _row(name: str, one: Score, width: int) -> str:
    rates = f"{_rate(one.precision):>9}  {_rate(one.recall):>6}  {_rate(one.f1):>4}"
    return f"{name:{width}}  {one.pairs:5}  {rates}  {one.false_repairs:14}  {one.misses:6}"


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _report(judged: list[Judged], found: Scores, settings: Settings) -> dict[str, Any]:
    return {
        "judge": settings.judge,
        "model": settings.model,
        "pairs": [_judged_json(one) for one in judged],
        "overall": _score_json(found.overall),
        "by_class": {name: _score_json(one) for name, one in found.by_class.items()},
        "by_decider": {name: {"right": right, "wrong": wrong} for name, (right, wrong) in found.by_decider.items()},
        "unlabelled": found.unlabelled,
        "failed": found.failed,
    }


def _judged_json(one: Judged) -> dict[str, Any]:
    """A judged pair as a JSON object."""
    return {
        "id": one.pair.id,
        "verdict": one.verdict,
        "decided_by": one.decided_by,
        "reason": one.reason,
        "conflict": one.pair.conflict,
        "class": one.pair.class_,
        "right": one.right,
        "proposal": one.proposal,
        "guards": [asdict(guard) for guard in one.guards],
        "parts": asdict(one.parts) if one.parts else None,
        "rejected_replies": one.rejected_replies,
    }


def _score_json(one: Score) -> dict[str, Any]:
    return {**asdict(one), "pairs": one.pairs, "precision": one.precision, "recall": one.recall, "f1": one.f1}
