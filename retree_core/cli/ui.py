"""`retree ui`: the debugger in the browser, on a trace or a folder of traces."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from retree_core.errors import InputError, ReTreeError, UsageError
from retree_core.run_folders import RUNS_VARIABLE
from retree_core.trace import read_trace

HOST = "localhost"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", nargs="?", type=Path, help="a trace or a folder (default: runs/)")
    parser.add_argument("--port", metavar="N", type=_port, help="default: the first free one from 8501")
    parser.add_argument("--headless", action="store_true", help="open no browser")


def run(args: argparse.Namespace) -> int:
    env = dict(os.environ)
    if args.path is not None:
        env[RUNS_VARIABLE] = str(_checked(args.path))
    if find_spec("streamlit") is None:
        raise ReTreeError("streamlit is not installed; install it with: pip install streamlit")
    if args.port:
        _require_free(args.port)
    return _become(command(args.port, args.headless), env)


def _port(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"expected a port from 1 to 65535, got {text!r}")
    return int(text)


def _checked(path: Path) -> Path:
    """The path, absolute. Raises InputError unless it is a folder or a trace."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; name a trace or a folder of traces")
    if not path.is_dir():
        read_trace(path)
    return path.resolve()


def _require_free(port: int) -> None:
    """Raises UsageError where the app cannot be served at this port."""
    for family, kind, number, _, address in socket.getaddrinfo(HOST, port, type=socket.SOCK_STREAM):
        with contextlib.closing(socket.socket(family, kind, number)) as one:
            if os.name == "posix":  # as the server does: a port that was given up a moment ago is free
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind(address)
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    raise UsageError(f"port {port} is in use; choose another with --port") from None
                if error.errno in (errno.EACCES, errno.EPERM):
                    raise UsageError(f"port {port} may not be used by you; choose another with --port") from None


def command(port: int | None, headless: bool) -> list[str]:
    """The command line that serves the app, on this machine only."""
    words = [sys.executable, "-m", "retree_core.cli.serving", "run", str(app_file())]
    words += ["--server.address", HOST, "--server.showEmailPrompt", "false"]
    words += ["--browser.gatherUsageStats", "false"]
    words += ["--server.headless", "true"] if headless else []
    return words + (["--server.port", str(port)] if port else [])


def app_file() -> Path:
    """The app's script: inside the package when installed as a wheel, beside it in a checkout."""
    package = find_spec("retree_viz")
    if package is None or package.origin is None:
        raise ReTreeError(
            "retree_viz is not installed beside retree_core; install the whole package: pip install retree"
        )
    folder = Path(package.origin).parent
    places = (folder / "_app" / "app.py", folder.parent / "app.py")
    found = next((one for one in places if one.is_file()), None)
    if found is None:
        raise ReTreeError(
            f"the app's script is missing; expected {places[0]} or {places[1]}; install the package again"
        )
    return found


def _become(words: list[str], env: dict[str, str]) -> int:
    """Runs the command in place of this process where the system can, so that signals reach it."""
    if os.name == "posix":
        sys.stdout.flush()
        os.execve(words[0], words, env)  # noqa: S606  (our own interpreter and script)
    try:
        return subprocess.run(words, env=env, check=False).returncode  # noqa: S603  (as above)
    except KeyboardInterrupt:
        return 0
