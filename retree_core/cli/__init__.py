"""The `retree` command. Each command is a module of this package with `arguments(parser)` and `run(args)`.

A module is imported only when its command is asked for, so that `retree show` loads no HTTP library.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from retree_core import __version__
from retree_core.errors import ReTreeError, UsageError
from retree_core.secrets import know_environment, redact

COMMANDS = {
    "run": "ask a question and record the run",
    "show": "the evidence tree of a trace at a moment",
    "why": "the causal chain behind a repair, a fact, a claim or an event",
    "verify": "refold, replay and check traces",
    "fork": "a new trace that takes one decision differently",
    "diff": "where two runs part, and how their trees, answers and costs differ",
    "judge": "labelled fact pairs through the whole decision, with precision and recall",
    "eval": "agents on the questions of a data set, resumable",
    "report": "the paper's tables and figure for evaluated agents",
    "notes": "notes on the runs of a folder, and the judge's precision by the labels among them",
    "export": "a moment of a run as one file: HTML page, picture, graph or spans",
    "schema": "the JSON Schema of a structured call, or of the trace format",
    "ui": "open the debugger on a trace or a folder",
}
"""Command to the line that describes it."""

DEBUG = "RETREE_DEBUG"
SELDOM = 100_000
"""New values until Python looks for cycles: at its own 700 that takes a tenth of a short command, and finds none."""


class Parser(argparse.ArgumentParser):
    """argparse, with its errors as UsageError: one line, exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; its exit code: 0 fine, 1 a finding or a failed run, 2 wrong usage or unreadable input."""
    words = list(sys.argv[1:] if argv is None else argv)
    gc.set_threshold(SELDOM)
    _usable_streams()
    _tolerant_output()
    know_environment(os.environ)
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _output_gone()
        return 1
    except SystemExit as request:  # --help, --version
        return int(request.code or 0)
    except KeyboardInterrupt:
        _complain("stopped")
        return 1
    except ReTreeError as error:
        _complain(str(error))
        return error.exit_code
    except OSError as error:
        return _refused(error)
    except Exception as error:  # noqa: BLE001  (a person gets a line, whatever is wrong)
        _show_where()
        _complain(f"{type(error).__name__}: {error} (a fault of this program; {DEBUG}=1 shows where)")
        return 1


def _dispatch(words: list[str]) -> int:
    parser = Parser(prog="retree", description="Search with a self-correcting evidence tree.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"retree {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, help_ in COMMANDS.items():
        one = commands.add_parser(name, help=help_, description=help_, allow_abbrev=False)
        if name in words:
            import_module(f"retree_core.cli.{name}").arguments(one)
    args = parser.parse_args(words)
    return int(import_module(f"retree_core.cli.{args.command}").run(args))


def _refused(error: OSError) -> int:
    """What the system would not do: with a path the user named, or with the output itself."""
    why = error.strerror or str(error) or type(error).__name__
    if error.filename is not None:
        _complain(f"{os.fsdecode(error.filename)}: cannot be used ({why}); check the path and who may read or write it")
        return 2
    _show_where()
    _output_gone()
    _complain(f"the output cannot be written ({why}); send it elsewhere, or free some space")
    return 1


def _output_gone() -> None:
    """What is still unwritten goes nowhere, so that the interpreter's own last flush cannot fail."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> None:
    from retree_core.terminal import printable

    with contextlib.suppress(OSError):  # nobody is left to tell
        print(f"retree: {printable(redact(' '.join(message.split())))}", file=sys.stderr)


def _show_where() -> None:
    """Where the error that is being handled came about, if that is wanted; without a key that it quotes."""
    if os.environ.get(DEBUG):
        from traceback import format_exc

        from retree_core.terminal import printable

        with contextlib.suppress(OSError):
            print(*map(printable, redact(format_exc()).splitlines()), sep="\n", file=sys.stderr)


def _usable_streams() -> None:
    """A stream that was closed before the start becomes one that goes nowhere; else the next file opened takes its
    number, and whatever is printed would be written into that file."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115


def _tolerant_output() -> None:
    """A terminal that cannot show a character gets its escape, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
