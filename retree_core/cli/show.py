"""`retree show`: the evidence tree at a moment, in the terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from retree_core.cli.outcome import answer_text
from retree_core.cli.tree import loose_lines, tree_lines
from retree_core.errors import UsageError
from retree_core.state import State, fold
from retree_core.state_json import state_json
from retree_core.terminal import json_text, printable, short, wrapped
from retree_core.text import count
from retree_core.trace import Trace, read_trace
from retree_core.trace.answered import answered_by
from retree_core.trace.reader import Damage
from retree_core.trace.records import event_json

MOST_NOTED = 5
"""Damaged lines that are named; the others are counted."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path)
    parser.add_argument("--at", metavar="N", type=int, help="moment: after N events (default: the end)")
    parser.add_argument("--json", action="store_true", help="the state as one JSON object")


def run(args: argparse.Namespace) -> int:
    trace = read_trace(args.trace)
    moment = moment_of(trace, args.at)
    state = fold(trace.events[:moment])
    warn(trace)
    if args.json:
        event = event_json(trace.events[moment - 1]) if moment else None
        print(json_text({**state_json(state), "events": len(trace.events), "event": event}))
    else:
        print("\n".join(_lines(trace, state)))
    return 0


def moment_of(trace: Trace, asked: int | None) -> int:
    """The moment asked for, by default the last. Raises UsageError outside of the run."""
    last = len(trace.events)
    if asked is not None and not 0 <= asked <= last:
        raise UsageError(f"--at {asked}: this run has moments 0 to {last}")
    return last if asked is None else asked


def warn(trace: Trace) -> None:
    """What a person should know of the file, on stderr."""
    if trace.imported:
        print(
            f"note: {printable(trace.header.recorded_with)}; it has steps, and no facts or conflicts", file=sys.stderr
        )
    for text in trace.notices:
        print(f"note: {printable(text)}", file=sys.stderr)
    for text in _of_damage(trace.damage):
        print(f"note: {printable(text)}", file=sys.stderr)


def _of_damage(damage: Sequence[Damage]) -> Iterator[str]:
    """The first damaged lines, how many more there are, and what was not read because of them."""
    lines = [one for one in damage if not one.unread]
    yield from (f"line {one.line} is damaged and left out ({one.reason})" for one in lines[:MOST_NOTED])
    if (more := len(lines) - MOST_NOTED) > 0:
        yield f"and {count(more, 'more damaged line')}"
    yield from (f"line {one.line}: {one.reason}" for one in damage if one.unread)


def _lines(trace: Trace, state: State) -> list[str]:
    header, total = trace.header, len(trace.events)
    event = f", {trace.events[state.moment - 1].kind}" if state.moment else ""
    about = f"{header.settings.agent}, judge {header.settings.judge}, recorded with {answered_by(trace)}"
    searches = f"; searches {len(state.searches)}/{header.settings.max_searches}"
    lines = [
        wrapped(header.question),
        printable(header.recorded_with if trace.imported else about),
        f"event {state.moment} of {total}{event}{'' if trace.imported else searches}",
        "",
        *tree_lines(state),
    ]
    lines += [wrapped(f"{one.number}. {one.name}: {short(one.text, 200)}", "  ") for one in state.steps]
    loose = list(loose_lines(state))
    lines += ["", "facts in no node", *(f"  {one}" for one in loose)] if loose else []
    if state.summary:
        lines += ["", f"summary of {printable(state.current)}", wrapped(state.summary, "  ")]
    if state.answer or state.ended:
        lines += ["", f"answer ({state.ended.status if state.ended else 'not finished'})", answer_text(state)]
    lines += [f"problem: {printable(one)}" for one in state.problems]
    return lines
