"""`retree export`: a moment of a run as one file that others can open."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from retree_core.cli.show import moment_of, warn
from retree_core.errors import UsageError
from retree_core.notes import notes_file, read_notes
from retree_core.terminal import printable
from retree_core.trace import read_trace

FORMATS = ("html", "json", "graphml", "dot", "svg", "png", "otel")
STDOUT = Path("-")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path)
    parser.add_argument("--to", choices=FORMATS, required=True, help="html is one page that opens offline")
    parser.add_argument("--at", metavar="N", type=int, help="moment: after N events (default: the end)")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="of svg and png (default: light)")
    parser.add_argument("--out", metavar="FILE", type=Path, help="default: a file here, named after TRACE; - is stdout")
    parser.add_argument("--overwrite", action="store_true", help="replace FILE where it exists")


def run(args: argparse.Namespace) -> int:
    trace = read_trace(args.trace)
    moment = moment_of(trace, args.at)
    warn(trace)
    notes = read_notes(notes_file(args.trace, trace.header.run_id))
    from retree_viz.export import Exported, export, file_name
    from retree_viz.run import Run
    from retree_viz.tree.index import TreeIndex

    seen = Run(trace)
    out = args.out or Path(file_name(args.trace.name, moment, args.to))
    _check(out, args)
    what = Exported(run=seen, index=TreeIndex(seen), moment=moment, notes=notes, theme=args.theme)
    data = export(what, args.to)
    if out == STDOUT:
        _show(data)
        return 0
    with out.open("wb" if args.overwrite else "xb") as file:
        file.write(data)
    print(printable(os.fspath(out)))
    return 0


def _show(data: bytes) -> None:
    """The file on stdout: as it is for a program or a file, with hidden characters written out on a terminal."""
    if sys.stdout.isatty():
        print("\n".join(map(printable, data.decode("utf-8", "replace").split("\n"))), end="")
    else:
        sys.stdout.buffer.write(data)


def _check(out: Path, args: argparse.Namespace) -> None:
    """Raises UsageError before any work is done, where the file may not be written."""
    if out == STDOUT:
        if args.to == "png" and sys.stdout.isatty():
            raise UsageError("--out -: a PNG is no text for a terminal; name a file, or send it elsewhere")
    elif out.exists() and args.trace.exists() and out.samefile(args.trace):
        raise UsageError(f"--out {out}: is the trace itself; name another file")
    elif out.exists() and not args.overwrite:
        raise UsageError(f"{out}: exists already; give --overwrite, or another --out")
