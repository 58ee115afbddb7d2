"""`retree verify`: digests, replay, refold and invariants of traces, a line each."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from retree_core.terminal import json_text, printable
from retree_core.text import count
from retree_core.verify import Report, traces_in, verify

CODES = {"ok": 0, "unfinished": 0, "imported": 0, "failed": 1, "skipped": 0, "unreadable": 2}
MOST = 10
"""Findings shown of one trace."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a trace, or a folder of them")
    parser.add_argument("--rules", action="store_true", help="name what the installed rules would answer otherwise")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    files = [file for path in args.paths for file in traces_in(path)]
    reports = []
    for file in files:
        reports.append(verify(file, rules=args.rules))
        if not args.json:
            print("\n".join(_lines(reports[-1])), flush=True)
    if args.json:
        print(json_text({"traces": [{**asdict(one), "path": str(one.path)} for one in reports]}))
    if all(one.status == "skipped" for one in reports):
        return CODES["unreadable"]
    return max(CODES[one.status] for one in reports)


def _lines(report: Report) -> Iterator[str]:
    path = printable(report.path)
    if report.status in ("unreadable", "skipped"):
        reason = report.notes[0].removeprefix(f"{report.path}: ").removeprefix(f"{report.path.name}: ")
        yield f"{report.status:10} {path}: {printable(reason)}"
        return
    if report.status == "imported":
        about = f"{count(report.events, 'event')}, {count(report.calls, 'call')}; {printable(report.recorded_with)}"
        yield f"imported   {path}: nothing to replay  ({about})"
        yield from _notes(report.notes[1:])
        return
    searches, repairs = count(report.searches, "search", "searches"), count(report.repairs, "repair")
    counts = f"{count(report.events, 'event')}, {count(report.calls, 'call')}, {searches}, {repairs}"
    about = f"{report.agent}, {report.ended or 'no end'}, recorded with {printable(report.recorded_with)}"
    first = f": {_finding(report, 0)}" if report.findings else ""
    yield f"{report.status:10} {path}{first}  ({counts}; {about})"
    for place in range(1, min(len(report.findings), MOST)):
        yield f"           {_finding(report, place)}"
    if len(report.findings) > MOST:
        yield f"           and {len(report.findings) - MOST} more"
    yield from _notes(report.notes)


def _notes(notes: Iterable[str]) -> Iterator[str]:
    return (f"           note: {printable(one)}" for one in notes)


def _finding(report: Report, place: int) -> str:
    one = report.findings[place]
    at = f" at event {one.event}" if one.check == "invariant" and one.event else ""
    return f"{one.check}{at}: {printable(one.text)}"
