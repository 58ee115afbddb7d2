"""An evaluation that fails in part, is stopped or cannot write: errors are no results, the same command goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from cli.evaluating import ROOT, asked, records, started, wait_for, words
from evaluation.folders import AGENTS, EvalWorld
from stubs import ChatServer, Response

from retree_core.cli import main
from retree_core.evaluation.results import collect
from retree_core.trace import read_trace
from retree_core.verify import verify


class Failing(EvalWorld):
    """A model that refuses all that is about the second question, until it is mended."""

    mended = False

    def __call__(self, body: Mapping[str, Any]) -> Any:
        if "(2)" in json.dumps(body["messages"]) and not self.mended:
            return Response(status=400, json={"error": {"message": "no such tokens", "code": 400}})
        return super().__call__(body)


def test_what_failed_is_an_error_and_the_next_start_takes_up_that_alone(tmp_path, capsys):
    world = Failing()
    with world.server() as server:
        assert main(words(tmp_path, server, "--agents", "retree,report", "--json")) == 1
        told = json.loads(capsys.readouterr().out)
        assert (told["runs"], told["errors"], told["by_status"]) == (6, 2, {"answered": 4, "llm_error": 2})
        assert [(one.id, one.error) for one in collect(tmp_path / "out").rows if one.agent == "retree"] == [
            ("q1", False),
            ("q2", True),
            ("q3", False),
        ]
        kept = {one: one.read_bytes() for one in tmp_path.glob("out/runs/*/q[13].jsonl.gz")}
        world.mended = True
        before = asked(server)
        assert main(words(tmp_path, server, "--agents", "retree,report")) == 0
        about = [json.dumps(one["messages"]) for one in server.calls[before:]]
    assert about
    assert all("(2)" in one or "Velmora (" not in one for one in about)
    assert {one: one.read_bytes() for one in kept} == kept
    end = capsys.readouterr().out.splitlines()[-2]
    assert end.startswith("6 runs (6 answered, of them made now: 2 answered); traces and results: ")
    assert verify(tmp_path / "out/runs/retree/q2.jsonl.gz").status == "ok"


def test_errors_of_this_start_and_of_all_are_both_told(tmp_path, capsys):
    world = Failing()
    with world.server() as server:
        assert main(words(tmp_path, server, "--agents", "retree", "--limit", "3")) == 1
        assert main(words(tmp_path, server, "--agents", "retree,flat", "--limit", "3")) == 1
    end = capsys.readouterr().out.splitlines()[-2]
    assert "6 runs (4 answered, 2 llm_error, of them made now: 2 answered, 2 llm_error)" in end.replace(
        "2 llm_error, 4 answered", "4 answered, 2 llm_error"
    ).replace("2 llm_error, 2 answered", "2 answered, 2 llm_error")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_evaluation_leaves_valid_traces_and_goes_on(stop, tmp_path):
    with EvalWorld(delay_s=0.02).server() as server:
        process = started(tmp_path, server)
        wait_for(tmp_path, 60, process)
        process.send_signal(stop)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 1
        assert said.splitlines()[-1].endswith("stopped; the same command goes on")
        assert "Traceback" not in said
        for one in tmp_path.glob("out/runs/*/*.jsonl.gz"):
            assert read_trace(one).damage == ()
        assert main(words(tmp_path, server, "--json")) == 0
    assert len(collect(tmp_path / "out").rows) == 3 * len(AGENTS)


def test_a_full_disk_stops_all_runs_before_more_calls_are_spent(tmp_path):
    code = (
        "import resource, signal, sys; from retree_core.cli import main; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (7000, 7000)); sys.exit(main(sys.argv[1:]))"
    )
    with EvalWorld().server() as server:
        command = [sys.executable, "-c", code, *words(tmp_path, server, "--concurrency", "2")]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith(f"retree: {tmp_path}/out/runs/")
        assert last.endswith(": cannot be written (File too large); all runs were stopped, the same command goes on")
        assert asked(server) < 60
        whole = records(tmp_path)
        assert main(words(tmp_path, server, "--json")) == 0
    assert 0 < whole < records(tmp_path)


def test_a_folder_that_cannot_be_made_is_one_line_and_no_call(tmp_path, capsys):
    (tmp_path / "out").write_text("a file")
    with EvalWorld().server() as server:
        assert main(words(tmp_path, server)) == 2
        assert asked(server) == 0
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--model", "other/model"], "settings.model is 'other/model'; recorded 'Qwen/Qwen3-8B'"),
        (["--max-searches", "3"], "settings.max_searches is 3; recorded 8"),
        (["--judge", "paper"], "settings.judge is 'paper'; recorded 'guarded'"),
        (["--limit", "2"], "2 questions; recorded 1"),
    ],
)
def test_other_settings_are_refused_before_a_call(change, said, tmp_path, capsys):
    with ChatServer(EvalWorld(), models=("Qwen/Qwen3-8B", "other/model")) as server:
        assert main(words(tmp_path, server, "--agents", "report", "--limit", "1")) == 0
        before = asked(server)
        assert main(words(tmp_path, server, "--agents", "report", "--limit", "1", *change)) == 2
        assert asked(server) == before
    assert said in capsys.readouterr().err


def test_another_question_or_prompt_is_refused_and_named(tmp_path, capsys):
    with EvalWorld().server() as server:
        assert main(words(tmp_path, server, "--agents", "report", "--limit", "1")) == 0
        file = tmp_path / "out/eval.json"
        known = json.loads(file.read_text())
        for part, change, said in (
            ("questions", [{**known["questions"][0], "answers": ["Bo"]}], "questions.0.answers.0 is "),
            ("prompts", {**known["prompts"], "policy": "0" * 64}, "prompts.policy is "),
        ):
            file.write_text(json.dumps({**known, part: change}))
            assert main(words(tmp_path, server, "--agents", "report", "--limit", "1")) == 2
            assert said in capsys.readouterr().err
