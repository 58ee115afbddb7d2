"""`retree why`: the causal chain behind a repair, an event, a piece of evidence, a claim, or a pair of facts."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from retree_core.cli.show import warn
from retree_core.cli.why_text import story_lines
from retree_core.terminal import json_text, printable
from retree_core.trace import Trace, read_trace
from retree_core.trace.answered import answered_by
from retree_core.why import Story, why_claim, why_event, why_evidence, why_pair, why_run


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--event", metavar="N", type=int, help="the chain that event N belongs to")
    what.add_argument("--evidence", metavar="ID", help="the story of a piece of evidence, such as e7")
    what.add_argument("--claim", metavar="K", type=_number, help="claim K of the answer (or cK), back to its passages")
    what.add_argument(
        "--pair", metavar=("ID", "ID"), nargs=2, help="why no backtrack fired between two facts, such as e3 e9"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def _number(text: str) -> int:
    """The number of a claim, also as the debugger names it: `c2`."""
    digits = text.removeprefix("c")
    if not (digits.isascii() and digits.isdigit()):
        raise argparse.ArgumentTypeError(f"expected the number of a claim, such as 2 or c2, got {text!r}")
    return int(digits)


def run(args: argparse.Namespace) -> int:
    trace = read_trace(args.trace)
    story = _story(trace, args)
    warn(trace)
    if (by := answered_by(trace)) != trace.header.recorded_with:
        print(f"note: recorded with {printable(by)}", file=sys.stderr)
    if args.json:
        print(json_text({"story": type(story).__name__, **asdict(story)}))
    else:
        print("\n".join(story_lines(story)))
    return 0


def _story(trace: Trace, args: argparse.Namespace) -> Story:
    if args.event is not None:
        return why_event(trace, args.event)
    if args.evidence is not None:
        return why_evidence(trace, args.evidence)
    if args.pair is not None:
        return why_pair(trace, *args.pair)
    return why_claim(trace, args.claim) if args.claim is not None else why_run(trace)
