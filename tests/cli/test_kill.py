"""A run that is killed or interrupted: what was written loads, and the rest can be run."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from cli.world import FACTS, QUESTION, World, corpus
from stubs import ChatServer

from retree_core.calls import ModelCall
from retree_core.cli import main
from retree_core.errors import InputError
from retree_core.trace import CallRecord, read_trace
from retree_core.trace.reader import parse_trace
from retree_core.verify import verify

ROOT = Path(__file__).parents[2]
RECORDS = {"retree": 55, "react": 17, "flat": 53, "report": 21}
"""Of a whole run of the world, by agent."""
CALLS = {"retree": 19, "react": 4, "flat": 18, "report": 6}
"""To the model, of these; one of the 19 asks for the summary that the repair then discards."""
FULL = bool(os.environ.get("RETREE_FULL"))
KILLS = 300 if FULL else 12
CUTS = 300 if FULL else 24


class Mind(World):
    """The model of the world for all agents: where there are no facts, passages are cited."""

    def policy(self, text):
        said = super().policy(text)
        return {**said, "evidence": said["evidence"] or pages_of(text)} if said["action"] == "answer" else said

    def report(self, text):
        return {"report": " ".join(one for one in FACTS if one in text)}

    def answer(self, text):
        said = super().answer(text)
        cited = said["claims"][0]["evidence"] or pages_of(text)
        return {**said, "claims": [{**said["claims"][0], "evidence": cited}]}


def pages_of(text: str) -> list[str]:
    return re.findall(r"\bp\d+\b", text)[:2]


def asked_for(folder: Path, server: ChatServer, out: Path, agent: str = "retree") -> list[str]:
    words = ["run", QUESTION, "--search", corpus(folder), "--base-url", server.base_url, "--out", str(out)]
    return [*words, "--agent", agent]


def started(folder: Path, server: ChatServer, out: Path, agent: str = "retree") -> subprocess.Popen[str]:
    words = asked_for(folder, server, out, agent)
    return subprocess.Popen(
        [sys.executable, "-m", "retree_core.cli", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # whoever runs the tests may ignore it
    )


def content(out: Path) -> bytes:
    """The lines of a trace, gzipped or not; of one that is being written, those that are whole."""
    data = out.read_bytes()
    return zlib.decompressobj(wbits=31).decompress(data) if out.suffix == ".gz" else data


def wait_for_lines(out: Path, count: int, process: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < limit:
        if out.exists() and content(out).count(b"\n") >= count:
            return
        time.sleep(0.002)


@pytest.mark.parametrize("agent", RECORDS)
@pytest.mark.parametrize("seed", range(KILLS // len(RECORDS)))
def test_a_killed_run_loads_and_is_finished(seed, agent, tmp_path, capsys):
    chance = random.Random(f"{agent} {seed}")
    out = tmp_path / ("run.jsonl.gz" if seed % 2 else "run.jsonl")
    with Mind(delay_s=0.01).server() as server:
        process = started(tmp_path, server, out, agent)
        wait_for_lines(out, chance.randint(1, RECORDS[agent] - 5), process)
        time.sleep(chance.random() * 0.02)
        process.kill()
        process.communicate()

        whole = content(out).count(b"\n")
        trace = read_trace(out)
        assert len(trace.records) + 1 == whole
        assert len(trace.damage) <= 1
        if whole == RECORDS[agent] + 1:  # it was killed when all was said
            assert verify(out).status == "ok"
            return
        assert verify(out).status == "unfinished"

        assert main(["run", "--resume", str(out), "--base-url", server.base_url]) == 0
        assert capsys.readouterr().out.startswith("Mira Oss\n")
        asked = sum(one.method == "POST" for one in server.seen)
        lost = asked - CALLS[agent]
        out_at_once = 2 if agent in ("retree", "flat") else 1  # the summary stands beside the conflict check
        assert 0 <= lost <= out_at_once, "only calls that were out when the run was killed are made again"
    report = verify(out)
    assert (report.status, report.findings, report.repairs) == ("ok", (), int(agent in ("retree", "flat")))
    calls = [one for one in read_trace(out).records if isinstance(one, CallRecord) and isinstance(one.call, ModelCall)]
    assert len(calls) == CALLS[agent], "no call, and no token of one, is counted twice"


@pytest.fixture(scope="module")
def whole_runs(tmp_path_factory) -> dict[str, bytes]:
    """A whole run of each agent, as its file's bytes."""
    folder = tmp_path_factory.mktemp("whole")
    with Mind().server() as server:
        for agent in RECORDS:
            assert main(asked_for(folder, server, folder / f"{agent}.jsonl", agent)) == 0
    return {agent: (folder / f"{agent}.jsonl").read_bytes() for agent in RECORDS}


def test_a_file_cut_at_any_byte_is_what_was_whole_of_it(whole_runs):
    data = whole_runs["react"]
    end_of_header = data.index(b"\n")
    some = data if FULL else b"".join(data.splitlines(keepends=True)[:6])
    for cut in range(len(some)):
        if cut < end_of_header:
            with pytest.raises(InputError) as refused:
                parse_trace(some[:cut], "run.jsonl")
            assert str(refused.value).startswith("run.jsonl: ")
            assert "\n" not in str(refused.value)
            continue
        trace = parse_trace(some[:cut], "run.jsonl")
        lines = some[:cut].count(b"\n")
        last_is_whole = some[cut : cut + 1] == b"\n"
        assert len(trace.records) == lines - 1 + last_is_whole
        assert len(trace.damage) == (0 if last_is_whole or some[cut - 1 : cut] == b"\n" else 1)


@pytest.mark.parametrize("agent", RECORDS)
def test_a_file_cut_at_a_random_byte_is_finished(agent, whole_runs, tmp_path, capsys):
    data = whole_runs[agent]
    chance = random.Random(agent)
    out = tmp_path / "run.jsonl"
    first, last = data.index(b"\n"), data.rindex(b"\n", 0, -1)
    for _ in range(CUTS // len(RECORDS)):
        out.write_bytes(data[: chance.randint(first, last)])
        with Mind().server() as server:
            assert main(["run", "--resume", str(out), "--base-url", server.base_url]) == 0
        assert capsys.readouterr().out.startswith("Mira Oss\n")
        assert verify(out).status == "ok"
        assert len(read_trace(out).events) == len(parse_trace(data, "run.jsonl").events)


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


def test_two_runs_started_at_once_have_files_and_ids_of_their_own(tmp_path):
    with World().server() as server:
        words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "retree_core.cli", *words]
        both = [subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL) for _ in range(2)]
        assert [one.wait(60) for one in both] == [0, 0]
    traces = [read_trace(one) for one in (tmp_path / "runs").iterdir()]
    assert len({one.header.run_id for one in traces}) == 2


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


def test_a_trace_that_vanishes_stops_the_run_and_its_calls(tmp_path):
    out = tmp_path / "run.jsonl"
    with World(delay_s=0.02).server() as server:
        process = started(tmp_path, server, out)
        wait_for_lines(out, 12, process)
        out.unlink()
        said, steps = process.communicate(timeout=30)
        assert (process.returncode, said) == (1, "")
        message = f"retree: {out}: cannot be written (it was removed or replaced meanwhile); the run was stopped"
        assert steps.splitlines()[-1] == message
        assert len(server.calls) < CALLS["retree"]
    assert not out.exists()


WITHOUT_PRIVILEGES = """
import ctypes, os, sys
for capability in (1, 2):  # to write to and to read what permissions forbid, which root may
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def forbidden(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command of which the system lets nothing be written into a folder."""
    folder.chmod(0o555)
    try:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        start = [sys.executable, "-c", WITHOUT_PRIVILEGES]
        probe = [*start, "-c", f"open({str(folder / 'probe')!r}, 'x')"]
        if subprocess.run(probe, env=env, capture_output=True).returncode == 0:
            pytest.skip("nothing is forbidden to this user")
        return subprocess.run([*start, "-m", "retree_core.cli", *words], env=env, capture_output=True, text=True)
    finally:
        folder.chmod(0o755)


def test_a_folder_that_is_read_only_stops_before_a_call(server, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    done = forbidden(asked_for(tmp_path, server, folder / "run.jsonl"), folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"retree: {folder / 'run.jsonl'} cannot be written (Permission denied)\n"
    assert server.calls == []
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("words", [["show"], ["verify"], ["why"], ["notes"], ["export", "--to", "json"]])
def test_a_run_in_a_folder_that_is_read_only_can_be_looked_at(words, recorded, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    trace = recorded.rename(folder / "run.jsonl")
    before = trace.read_bytes()
    done = forbidden([words[0], str(trace), *words[1:]], folder)
    assert "Traceback" not in done.stderr
    assert (done.returncode, done.stderr) == (0, "")
    assert (trace.read_bytes(), len(list(folder.iterdir()))) == (before, 1)


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
    assert len(server.calls) < CALLS["retree"]
    assert verify(out).status == "unfinished"
    assert main(["run", "--resume", str(out), "--base-url", server.base_url, "--json"]) == 0
