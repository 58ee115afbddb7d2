"""A run that is killed or interrupted: what was written loads, and the rest can be run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.world import QUESTION, World, corpus
from stubs import ChatServer

from retree_core.cli import main
from retree_core.trace import read_trace
from retree_core.verify import verify

ROOT = Path(__file__).parents[2]
RECORDS = 55
"""Of a whole run of the world."""
CALLS = 18
"""To the model, of these."""


def started(folder: Path, server: ChatServer, out: Path) -> subprocess.Popen[str]:
    words = ["run", QUESTION, "--search", corpus(folder), "--base-url", server.base_url, "--out", str(out)]
    return subprocess.Popen(
        [sys.executable, "-m", "retree_core.cli", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_lines(out: Path, count: int, process: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < limit:
        if out.exists() and out.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.002)


@pytest.mark.parametrize("seed", range(10))
def test_a_killed_run_loads_and_is_finished(seed, tmp_path, capsys):
    chance = random.Random(seed)
    out = tmp_path / "run.jsonl"
    with World(delay_s=0.01).server() as server:
        process = started(tmp_path, server, out)
        wait_for_lines(out, chance.randint(1, RECORDS - 5), process)
        time.sleep(chance.random() * 0.02)
        process.kill()
        process.wait()

        whole = out.read_bytes().count(b"\n")
        trace = read_trace(out)
        assert len(trace.records) + 1 == whole
        assert len(trace.damage) <= 1
        assert verify(out).status == "unfinished"

        assert main(["run", "--resume", str(out), "--base-url", server.base_url]) == 0
        assert capsys.readouterr().out.startswith("Mira Oss\n")
        asked = sum(one.method == "POST" for one in server.seen)
        assert asked in (CALLS, CALLS + 1), "only the call that was out when the run was killed is made again"
    report = verify(out)
    assert (report.status, report.findings, report.repairs) == ("ok", (), 1)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_how_to_go_on(stop, tmp_path, capsys):
    out = tmp_path / "run.jsonl"
    with World(delay_s=0.02).server() as server:
        process = started(tmp_path, server, out)
        wait_for_lines(out, 12, process)
        process.send_signal(stop)
        said, steps = process.communicate(timeout=30)
        assert (process.returncode, said) == (1, "")
        assert steps.splitlines()[-1] == f"retree: interrupted; go on with: retree run --resume {out}"
        assert "Traceback" not in steps
        assert read_trace(out).damage == ()
        report = verify(out)
        assert report.status == "unfinished"
        assert any("stopped interrupted" in one for one in report.notes)
        assert main(["run", "--resume", str(out), "--base-url", server.base_url, "--json"]) == 0
    assert verify(out).status == "ok"


def test_a_torn_last_line_is_cut_off_and_said(recorded, server, capsys):
    lines = recorded.read_bytes().splitlines(keepends=True)
    recorded.write_bytes(b"".join(lines[:20]) + lines[20][:50])
    report = verify(recorded)
    assert (report.status, report.findings) == ("unfinished", ())
    assert report.notes[0] == "line 21 was cut off when the run was killed"
    assert main(["run", "--resume", str(recorded), "--base-url", server.base_url]) == 0
    assert verify(recorded).status == "ok"


def test_a_changed_corpus_is_not_resumed(recorded, server, tmp_path, capsys):
    lines = recorded.read_bytes().splitlines(keepends=True)
    recorded.write_bytes(b"".join(lines[:20]))
    with (tmp_path / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"title": "Late", "text": "Something else."}\n')
    assert main(["run", "--resume", str(recorded), "--base-url", server.base_url]) == 2
    assert "the corpus has changed" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_stops_before_a_call(server, tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("x")
    words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url]
    assert main([*words, "--out", str(blocked / "run.jsonl")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert server.calls == []


def test_a_full_disk_stops_the_run_and_its_calls(server, tmp_path):
    out = tmp_path / "run.jsonl"
    code = (
        "import resource, signal, sys; from retree_core.cli import main; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000)); sys.exit(main(sys.argv[1:]))"
    )
    words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url, "--out", str(out)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code, *words], env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"retree: {out}: cannot be written (File too large); the run was stopped"
    assert len(server.calls) < CALLS
    assert verify(out).status == "unfinished"
    assert main(["run", "--resume", str(out), "--base-url", server.base_url, "--json"]) == 0
