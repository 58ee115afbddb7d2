"""`retree run`: a live run, recorded as it goes; or the rest of one that was stopped."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from retree_core.cli.options import at_least, model_arguments, model_name, sampling, search_again, summary_argument
from retree_core.cli.outcome import answer_text, outcome, succeeded
from retree_core.cli.progress import Progress
from retree_core.drivers.session import Job, Watch, answering_now, new_name, resumable, resume_run, start_run
from retree_core.errors import ReTreeError, UsageError
from retree_core.settings import AGENTS, Settings
from retree_core.state import State, fold
from retree_core.terminal import Lines, json_text, printable
from retree_core.trace import Trace

TICK_S = 1.0
"""Between two looks at the clock while a call is out."""
SPECS = "corpus:PATH, serper, google or searxng:URL"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="?", help="the question; not with --resume")
    parser.add_argument("--agent", choices=AGENTS, default="retree")
    parser.add_argument("--search", metavar="SPEC", help=f"{SPECS} (RETREE_SEARCH)")
    parser.add_argument("--out", metavar="FILE", type=Path, help="the trace (default: a new file in runs/)")
    parser.add_argument("--overwrite", action="store_true", help="replace FILE where it exists")
    parser.add_argument("--resume", metavar="TRACE", type=Path, help="finish the run recorded there")
    parser.add_argument("--max-searches", type=at_least(1, int), default=Settings().max_searches)
    parser.add_argument("--on-repair", choices=("set_aside", "keep_facts"), default="set_aside")
    summary_argument(parser, "beside")
    parser.add_argument("--recorded-with", metavar="TEXT", default="", help="what answers the calls, in words")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, no progress")
    model_arguments(parser)


def run(args: argparse.Namespace) -> int:
    lines = Lines()
    if args.resume:
        path, trace = args.resume, _resumed(args, lines)
    else:
        job = _job(args)
        path = job.out
        watch: Watch = _silent if args.json else Progress(job.settings, lines)
        trace = until_done(start_run(job, watch=watch), path, None if args.json else lines)
    _report(args, trace, path, lines.seconds)
    return 0 if succeeded(fold(trace.events)) else 1


def _job(args: argparse.Namespace) -> Job:
    question = args.question or ""
    if not question.strip():
        raise UsageError('the question is empty; give one, such as retree run "Who designed the Clifton bridge?"')
    spec = args.search or os.environ.get("RETREE_SEARCH")
    if not spec:
        raise UsageError(f"--search is missing; say where to search: {SPECS}")
    return Job(
        question=question,
        settings=_settings(args),
        search_spec=spec,
        out=args.out or Path("runs", new_name(question)),
        overwrite=args.overwrite,
        recorded_with=args.recorded_with,
        base_url=args.base_url,
    )


def _settings(args: argparse.Namespace) -> Settings:
    return Settings(
        agent=args.agent,
        model=model_name(args),
        judge=args.judge,
        sampling=sampling(args),
        max_searches=args.max_searches,
        on_repair=args.on_repair,
        summary_call=args.summary_call,
    )


def _resumed(args: argparse.Namespace, lines: Lines) -> Trace:
    if args.question is not None:
        raise UsageError("--resume takes the question from the trace; leave it out")
    before = resumable(args.resume)
    watch: Watch = _silent if args.json else Progress(before.header.settings, lines, _state_kept(before))
    if not args.json and not succeeded(fold(before.events)):
        lines.say(f'resuming "{printable(before.header.question)}" after event {len(before.events)}')
    model = args.model or answering_now(before.header)
    search_spec = search_again(args.search, before.header.search_spec)
    work = resume_run(args.resume, base_url=args.base_url, model=model, search_spec=search_spec, watch=watch)
    return until_done(work, args.resume, None if args.json else lines)


def _state_kept(trace: Trace) -> State:
    return fold(one for one in trace.events if one.kind != "run_ended")


def _silent(_: object) -> None:
    pass


def until_done(work: Coroutine[Any, Any, Trace], path: Path, lines: Lines | None) -> Trace:
    """The trace that `work` makes; a signal stops it between two records. Raises ReTreeError.

    `lines` counts the seconds on a terminal; None is silent.
    """
    try:
        return asyncio.run(_stoppable(work, lines))
    except (KeyboardInterrupt, asyncio.CancelledError):
        there = f"; go on with: retree run --resume {path}" if path.exists() else "; nothing was recorded"
        raise ReTreeError(f"interrupted{there}") from None
    except OSError as error:
        raise ReTreeError(f"{path}: cannot be written ({error.strerror or error}); the run was stopped") from None


async def _stoppable(work: Coroutine[Any, Any, Trace], lines: Lines | None) -> Trace:
    task = asyncio.ensure_future(work)
    stop_at_signals(task)
    try:
        while lines and not task.done():
            await asyncio.wait([task], timeout=TICK_S)
            lines.clear() if task.done() else lines.wait()
        return await task
    finally:
        task.cancel()


def stop_at_signals(task: asyncio.Future[Any]) -> None:
    """Ctrl-C and its like cancel this task of the running loop, so that it stops between two records."""
    with contextlib.suppress(NotImplementedError, RuntimeError):  # not the main thread, or no signals here
        for one in _stopping():
            asyncio.get_running_loop().add_signal_handler(one, task.cancel)


def _stopping() -> list[signal.Signals]:
    """The signals that stop a run; a closed terminal is none where that is to be outlived (`nohup`)."""
    hangup = getattr(signal, "SIGHUP", None)
    more = [hangup] if hangup and signal.getsignal(hangup) is not signal.SIG_IGN else []
    return [signal.SIGINT, signal.SIGTERM, *more]


def _report(args: argparse.Namespace, trace: Trace, path: Path, seconds: float) -> None:
    if args.json:
        print(json_text({**outcome(trace, path), "seconds": round(seconds, 3)}))
        return
    print(answer_text(fold(trace.events)))
    print(f"\ntrace: {printable(path)}")
