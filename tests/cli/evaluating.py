"""`retree eval` on the scripted world: its words, its process, and how far it is."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zlib
from pathlib import Path

from evaluation.folders import questions
from stubs import ChatServer

ROOT = Path(__file__).parents[2]


def words(folder: Path, server: ChatServer, *more: str) -> list[str]:
    dataset = f"jsonl:{questions(folder)}"
    return ["eval", "--dataset", dataset, "--out", str(folder / "out"), "--base-url", server.base_url, *more]


def asked(server: ChatServer) -> int:
    """Calls, those among them of which a kill cut off the body."""
    return sum(one.method == "POST" for one in server.seen)


def started(folder: Path, server: ChatServer, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "retree_core.cli", *words(folder, server, *more)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def records(folder: Path) -> int:
    return sum(lines(one.read_bytes()) for one in (folder / "out").rglob("runs/*/*.jsonl.gz"))


def lines(data: bytes) -> int:
    """Of a trace that is being written, those that are whole."""
    return zlib.decompressobj(wbits=31).decompress(data).count(b"\n")


def wait_for(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < limit and records(folder) < count:
        time.sleep(0.002)
