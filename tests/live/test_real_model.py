"""One run against a real language model behind a real server: the path that no stub can vouch for.

The model is tiny, so nothing is said here about what it answers; the protocol, the record and the replay are checked.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from retree_core.trace import read_trace

ROOT = Path(__file__).parents[2]
LAUNCHER = ROOT.parent / "shared" / "tools" / "small-model.sh"
MODEL = "smollm2-135m-instruct-q4_1"
START_S = 420

pytestmark = pytest.mark.skipif(not LAUNCHER.exists(), reason="no launcher for a small model beside this checkout")


@pytest.fixture(scope="module")
def server():
    port = _free_port()
    process = subprocess.Popen(
        ["bash", str(LAUNCHER), "smol", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def test_a_run_with_a_real_model_is_recorded_and_replays(server, tmp_path):
    out = tmp_path / "run.jsonl"
    corpus = ROOT / "sample_runs" / "corpus.jsonl"
    run = _retree(
        "run", "On which lake does the birthplace of the composer of Finlandia lie?",
        "--search", f"corpus:{corpus}", "--out", str(out), "--max-searches", "2",
        "--base-url", server, "--model", MODEL,
    )  # fmt: skip
    assert run.returncode in (0, 1), run.stderr
    assert "Traceback" not in run.stderr
    trace = read_trace(out)
    assert trace.events[-1].kind == "run_ended"
    assert trace.header.recorded_with == f"{MODEL} on llama.cpp"
    assert any(getattr(one.call, "role", "") == "policy" for one in trace.calls)
    verified = _retree("verify", str(out))
    assert verified.returncode == 0, verified.stdout + verified.stderr


def _retree(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "retree_core.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=500, check=False, cwd=ROOT)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Returns once the server is up; the first start installs it and brings the weights."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"the model server ended with exit code {process.returncode}")
        try:
            with urlopen(url, timeout=2):
                return
        except (URLError, OSError):
            time.sleep(1)
    pytest.fail(f"the model server did not start within {START_S} s")
