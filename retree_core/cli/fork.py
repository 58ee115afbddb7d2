"""`retree fork`: a new trace that shares the prefix of another and takes one decision differently."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from retree_core.cli.blast_text import blast_text
from retree_core.cli.options import search_again
from retree_core.cli.outcome import answer_text, outcome, succeeded
from retree_core.cli.progress import Progress
from retree_core.cli.run import until_done
from retree_core.cli.show import warn
from retree_core.drivers.edited import starting
from retree_core.drivers.edits import Edit
from retree_core.drivers.fork import fork
from retree_core.drivers.session import answering_now, fork_name
from retree_core.errors import UsageError
from retree_core.run_folders import folder_beside, is_sample, sample_spec
from retree_core.state import fold
from retree_core.terminal import Lines, json_text, printable
from retree_core.trace import Trace, read_trace
from retree_core.why.blast import blast


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path)
    parser.add_argument("--at", metavar="N", type=int, help="the event to change; not needed for a fact or passage")
    parser.add_argument(
        "--set",
        metavar="WHAT=VALUE",
        required=True,
        action="append",
        dest="edits",
        help="verdict=repair|reject at a conflict, query=TEXT at a chosen search, fact=eN:TEXT or passage=pN:TEXT "
        "(without TEXT: taken away; may be given several times), reply=TEXT after a model call",
    )
    parser.add_argument("--live", action="store_true", help="ask the model where the record has no reply")
    parser.add_argument("--dry-run", action="store_true", help="say what would fall and what is needed; write nothing")
    parser.add_argument("--base-url", metavar="URL", help="OpenAI-compatible server, with --live (RETREE_BASE_URL)")
    parser.add_argument("--model", help="who answers with --live (RETREE_MODEL; default: the model of the run)")
    parser.add_argument("--search", metavar="SPEC", help="where to search with --live (default: where the run did)")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="the new trace (default: beside TRACE; of a sample, in your own runs)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace FILE where it exists")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, no progress")


def run(args: argparse.Namespace) -> int:
    edits = tuple(map(Edit.parse, args.edits))
    trace = read_trace(args.trace)
    begin = starting(trace, args.at, edits)
    out = args.out or folder_beside(args.trace) / fork_name(args.trace.name, begin.moment)
    if out.exists() and args.trace.exists() and out.samefile(args.trace):
        raise UsageError(f"--out {out}: is the trace itself; name another file")
    warn(trace)
    if args.dry_run:
        told = blast(trace, begin.moment, edits)
        print(json_text(asdict(told)) if args.json else blast_text(told, edits))
        return 0
    own = sample_spec() if is_sample(args.trace) else None
    lines = Lines()
    watch = (lambda _: None) if args.json else Progress(begin.settings, lines, fold(trace.events[: begin.shared]))
    work = fork(
        trace,
        begin.moment,
        edits,
        out,
        live_model=args.live,
        base_url=args.base_url,
        model=args.model or answering_now(trace.header),
        search_spec=search_again(args.search or own, trace.header.search_spec),
        overwrite=args.overwrite,
        watch=watch,
    )
    forked = until_done(work, out, None if args.json else lines)
    _report(args, forked, out)
    return 0 if forked.stopped or succeeded(fold(forked.events)) else 1


def _report(args: argparse.Namespace, trace: Trace, out: Path) -> None:
    needs = trace.stopped
    if args.json:
        print(json_text({**outcome(trace, out), "needs_model": bool(needs), "stopped": needs}))
        return
    if needs:
        print(f"event {len(trace.events)} is the last one that the record can answer: {printable(needs)}")
        print(f"go on with: retree run --resume {printable(out)}")
    else:
        print(answer_text(fold(trace.events)))
    print(f"\ntrace: {printable(out)}")
