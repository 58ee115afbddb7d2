"""Every command on hostile files, folders and servers, on a real terminal: nothing reaches it that it would obey."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import no_settings as no_settings
from injection.hostile import PAYLOADS, SHORT, found, is_hidden, notes, script, trace
from stubs import ChatServer
from viz.results_world import RUNS, results_folder
from worlds import corpus, run_scripted, served, write_trace

from retree_core.cli import main
from retree_core.notes import written

NAME = "a\x1b[31m\u202e<b>\u009b2J\x1b]52;c;cm0=\x07\n=1\udc80"
"""Of files and folders."""
OWN = re.compile(r"\r(?:\[ *[\d.]+s\] \.\.\.|\x1b\[K)")
"""The waiting line, and what takes it away."""
ACTIVE = [text for text in SHORT.values() if any(map(is_hidden, text))]
ARGUMENTS = [
    os.fsdecode(one.encode("utf-8", "surrogatepass").replace(b"\0", b"")) for one in (*ACTIVE, SHORT["path_flag"])
]
"""As they arrive on a command line."""


@contextlib.contextmanager
def terminal() -> Iterator[list[bytes]]:
    """Both streams on a pseudo-terminal; what arrived at its other end."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    got: list[bytes] = []

    def read() -> None:
        with contextlib.suppress(OSError):
            while data := os.read(ours, 65536):
                got.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        with (
            open(theirs, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream,
            contextlib.redirect_stdout(stream),
            contextlib.redirect_stderr(stream),
        ):
            yield got
    finally:
        reader.join(10)
        os.close(ours)


def said(*words: object) -> str:
    """What a command writes to a terminal, which it may not command."""
    with terminal() as got:
        main([os.fspath(one) if isinstance(one, Path) else str(one) for one in words])
    text = b"".join(got).decode()
    assert "Traceback" not in text
    assert "fault of this program" not in text, text[-500:]
    shown = OWN.sub("", text)
    assert sorted({f"{ord(one):04X}" for one in shown if is_hidden(one) or one == "\t"}) == [], words
    assert shown.strip(), words
    return shown


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    path = write_trace(trace(), tmp_path / f"{NAME}.jsonl")
    path.with_name(f"{NAME}.notes.json").write_bytes(written(notes()))
    return path


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A run that can be replayed."""
    texts = list(SHORT.values())
    return write_trace(run_scripted(SHORT["csi"], script(texts), found(texts)), tmp_path / f"b{NAME}.jsonl")


def test_commands_that_read_a_trace(hostile: Path, played: Path) -> None:
    assert "csi" not in said("show", hostile)
    for words in (
        ("show", hostile, "--at", "300"),
        ("show", hostile, "--json"),
        ("why", hostile, "--json"),
        ("why", hostile),
        ("why", hostile, "--claim", "70"),
        ("why", hostile, "--evidence", "e62\x1b[31mred\x1b[0m"),
        ("why", hostile, "--pair", "e1<script>alert(1)</script>", f"e96{PAYLOADS['spaces']}"),
        ("verify", hostile, played),
        ("verify", hostile, "--json"),
        ("verify", played),
        ("diff", hostile, played),
        ("diff", hostile, hostile, "--json"),
        ("notes", hostile),
        ("notes", hostile.parent),
        ("notes", hostile, "--json"),
        ("fork", played, "--set", f"query={PAYLOADS['osc_title']}", "--dry-run"),
        ("fork", hostile, "--set", f"query={PAYLOADS['csi_c1']}", "--dry-run"),
        ("fork", played, "--set", f"query={PAYLOADS['csi']}", "--out", hostile.with_name(f"f{NAME}.jsonl")),
    ):
        said(*words)


def test_every_event_is_explained(hostile: Path) -> None:
    for moment in (*range(1, 40), *range(1230, 1260)):
        said("why", hostile, "--event", moment)


def test_exports(hostile: Path) -> None:
    for to in ("html", "svg", "json", "graphml", "dot", "otel"):
        said("export", hostile, "--to", to, "--out", hostile.with_name(f"x{NAME}.{to}"))
        said("export", hostile, "--to", to, "--out", "-")


def test_errors_name_what_is_wrong(hostile: Path) -> None:
    missing = hostile.with_name(f"no{NAME}.jsonl")
    for plain in ARGUMENTS:
        for words in (
            ("show", f"{missing}{plain}"),
            ("why", hostile, "--evidence", f"x{plain}"),
            ("why", hostile, "--pair", f"x{plain}", plain),
            ("fork", hostile, "--set", plain),
            ("export", hostile, "--to", plain),
            ("run", "x", "--search", plain),
            ("eval", "--dataset", plain, "--out", missing),
            (f"c{plain}",),
        ):
            said(*words)
    hostile.write_bytes(hostile.read_bytes()[:-20] + NAME.encode("utf-8", "surrogateescape"))
    said("show", hostile)
    said("verify", hostile)
    missing.write_bytes(b"\x1b[31m{\n" * 3)
    for command in ("show", "verify", "why", "judge", "notes"):
        said(command, missing)


def test_live_commands(tmp_path: Path, played: Path) -> None:
    texts = list(SHORT.values())
    pages = corpus(tmp_path / "corpus.jsonl")
    for text, question in zip(ACTIVE, ARGUMENTS, strict=False):
        names = [SHORT["csi"], SHORT["osc_title"], "m"]
        with ChatServer(served(script([text])), models=names) as server:
            out = tmp_path / f"l{NAME}.jsonl"
            where = ("--search", f"corpus:{pages}", "--base-url", server.base_url, "--model", "m")
            said("run", question, *where, "--out", out, "--overwrite")
    with ChatServer(served(script(texts)), models=["m"]) as server:
        live = ("--base-url", server.base_url, "--model", "m")
        said("run", "--resume", out, *live)
        said("run", "x", "--search", f"corpus:{pages}", *live[:2], "--model", SHORT["csi"], "--out", tmp_path / "o")
        said("fork", played, "--set", f"query={SHORT['csi']}", "--live", *live, "--out", tmp_path / f"g{NAME}.jsonl")
        lines = tmp_path / f"q{NAME}.jsonl"
        lines.write_text("".join(json.dumps(_question(number, text)) + "\n" for number, text in enumerate(ACTIVE)))
        folder = tmp_path / f"e{NAME}"
        said("eval", "--dataset", f"jsonl:{lines}", "--search", "own", "--out", folder, *live)
        said("report", folder)
        said("report", folder, "--json")


def test_a_results_folder_that_somebody_made(tmp_path: Path) -> None:
    for text in (SHORT["csi"], SHORT["csi_c1"], SHORT["bidi_override"], SHORT["formula"], SHORT["surrogates"]):
        ids = {"q1": text, "q2": text, "q3": text}
        folder = tmp_path / f"{NAME}{text.encode('ascii', 'ignore').decode().replace('/', '')}"
        about = {"dataset": text, "recorded_with": text, "settings": {"model": text}, "search": {"spec": text}}
        results_folder(folder, RUNS, ids, **about)
        said("report", folder)
        said("report", folder, "--json")
        said("notes", folder)


def _question(number: int, text: str) -> dict[str, Any]:
    pages = [{"title": text or "x", "text": text or "x"}]
    return {"id": f"{number}{text}", "question": f"Is {text}?", "answers": [text or "x"], "passages": pages}
