"""`retree eval` and `retree report` from end to end, and what is left of an evaluation that was killed."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
from cli.evaluating import asked, records, started, wait_for, words
from evaluation.folders import AGENTS, EvalWorld

from retree_core.cli import main
from retree_core.evaluation.results import collect
from retree_core.verify import verify

JUDGE = "Qwen/Qwen3-8B"


@pytest.fixture
def server():
    with EvalWorld().server() as running:
        yield running


def table(folder: Path, capsys) -> dict[str, Any]:
    """The report as JSON, without what differs from one making of the runs to the next."""
    capsys.readouterr()
    assert main(["report", str(folder / "out"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    for one in told["differing"]:
        for each in one["told"]:
            del each["trace"]
    return {name: told[name] for name in ("data_sets", "differing", "paper")}


def test_four_agents_end_in_a_table_of_exact_match(server, tmp_path, capsys):
    assert main(words(tmp_path, server)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["out", "runs", "errors", "exact", "match", "%"]
    assert [one.split()[:1] for one in lines[1:5]] == [
        ["ReTree"],
        ["Full-Trajectory"],
        ["FlatUpdate"],
        ["ReportMemory"],
    ]
    assert all("66.7" in one for one in lines[1:5])
    assert lines[5].startswith("12 runs (12 answered); traces and results:")
    for agent in AGENTS:
        report = verify(tmp_path / f"out/runs/{agent}/q1.jsonl.gz")
        assert (report.status, report.findings) == ("ok", ())
    assert len((tmp_path / "out/results.jsonl").read_text().splitlines()) == 12


def test_a_second_start_asks_nothing_and_counts_what_is_there(server, tmp_path, capsys):
    assert main(words(tmp_path, server, "--agents", "retree")) == 0
    before = asked(server)
    capsys.readouterr()
    assert main(words(tmp_path, server, "--agents", "retree", "--json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["runs"], told["by_status"], told["exact_match"]["out"]["retree"]) == (3, {"answered": 3}, 2 / 3)
    assert asked(server) == before


def test_other_settings_are_refused_and_named(server, tmp_path, capsys):
    assert main(words(tmp_path, server, "--agents", "report", "--limit", "1")) == 0
    assert main(words(tmp_path, server, "--agents", "report", "--limit", "1", "--seed", "7")) == 2
    assert "settings.sampling.seed is 7; recorded 0" in capsys.readouterr().err
    assert main(words(tmp_path, server, "--agents", "report", "--limit", "1", "--summary-call", "beside")) == 2
    assert "settings.summary_call is 'beside'; recorded 'after'" in capsys.readouterr().err


def test_a_folder_made_before_a_setting_existed_is_gone_on_with(server, tmp_path, capsys):
    assert main(words(tmp_path, server, "--agents", "report", "--limit", "1")) == 0
    file = tmp_path / "out/eval.json"
    known = json.loads(file.read_text())
    del known["settings"]["handovers"]
    file.write_text(json.dumps(known))
    assert main(words(tmp_path, server, "--agents", "report", "--limit", "1")) == 0


def test_a_judge_fills_both_tables_once_and_its_verdicts_stay(server, tmp_path, capsys):
    assert main(words(tmp_path, server)) == 0
    judging = ["--judge-model", JUDGE, "--judge-url", server.base_url]
    assert main(["report", str(tmp_path / "out"), *judging]) == 0
    before = asked(server)
    with_judge = table(tmp_path, capsys)
    assert main(["report", str(tmp_path / "out"), *judging]) == 0
    assert asked(server) == before
    retree = with_judge["data_sets"][0]["agents"]["retree"]
    assert (retree["grades"]["correct"], retree["grades"]["incorrect"]) == (2, 1)
    assert (retree["cite_recall"]["value"], retree["attribution"]["claims"]) == (1.0, 3)
    for name in ("report.md", "report.csv", "report.html", "results.jsonl", "results.parquet", "judged.jsonl"):
        assert (tmp_path / "out" / name).stat().st_size > 100
    assert main(words(tmp_path, server)) == 0, "a later start keeps the verdicts"
    rows = [json.loads(one) for one in (tmp_path / "out/results.jsonl").read_text().splitlines()]
    assert {one["judged"] for one in rows} == {"correct", "incorrect"}


def test_a_judge_that_says_nothing_is_an_exit_code_and_no_number(tmp_path, capsys):
    class Dumb(EvalWorld):
        def judge(self, text: str) -> Any:
            return "I would rather not."

    with Dumb().server() as server:
        assert main(words(tmp_path, server, "--agents", "report")) == 0
        judging = ["--judge-model", JUDGE, "--judge-url", server.base_url, "--entail", "none"]
        assert main(["report", str(tmp_path / "out"), *judging]) == 1
    assert "- (0/0, 3 judge errors)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--entail", "llm"], "--entail llm needs --judge-model NAME"),
        (["--entail", "nli"], "--entail nli needs --nli-model PATH"),
        (["--judge-model", "other"], "--judge-model other: "),
    ],
)
def test_a_judge_that_cannot_be_used_is_one_clear_line(more, said, server, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("RETREE_JUDGE_URL", server.base_url)
    assert main(words(tmp_path, server, "--agents", "report", "--limit", "1")) == 0
    assert main(["report", str(tmp_path / "out"), *more]) in (1, 2)
    assert said in capsys.readouterr().err


def test_a_report_on_something_else_is_refused(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "expected a folder that retree eval made" in capsys.readouterr().err


def test_the_judges_own_key_is_sent(tmp_path, monkeypatch, capsys):
    with EvalWorld().server() as server:
        assert main(words(tmp_path, server, "--agents", "report", "--limit", "1")) == 0
        monkeypatch.setenv("RETREE_API_KEY", "key-of-the-agents")
        monkeypatch.setenv("RETREE_JUDGE_API_KEY", "key-of-the-judge")
        before = len(server.seen)
        judging = ["--judge-model", JUDGE, "--judge-url", server.base_url]
        assert main(["report", str(tmp_path / "out"), *judging]) == 0
        sent = {one.headers["authorization"] for one in server.seen[before:]}
    assert sent == {"Bearer key-of-the-judge"}
    assert all("key-of" not in one.read_text(errors="replace") for one in (tmp_path / "out").glob("*.*"))


AT_ONCE = ("--concurrency", "4")
WHOLE = 816
"""Lines of all traces of an evaluation of this world."""
SEEDS = 15 if os.environ.get("RETREE_FULL") else 2
"""Of two kills each."""


@pytest.mark.parametrize("seed", range(SEEDS))
def test_an_evaluation_killed_twice_reports_what_an_uninterrupted_one_does(seed, tmp_path, capsys):
    chance = random.Random(seed)
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    calm.mkdir(), rough.mkdir()
    with EvalWorld(delay_s=0.004).server() as server:
        assert main(words(calm, server, *AT_ONCE)) == 0
        calls = asked(server)
        for place in sorted(chance.randint(0, WHOLE) for _ in range(2)):
            process = started(rough, server, *AT_ONCE)
            wait_for(rough, place, process)
            time.sleep(chance.random() * 0.1)
            process.kill()
            process.communicate()
        assert main(words(rough, server, *AT_ONCE)) == 0
        assert calls <= asked(server) - calls <= calls + 2 * 4, "only calls that were out are made again"
    assert records(calm) == records(rough) == WHOLE, "no call and no event is in a trace twice"
    assert [(one.agent, one.id) for one in collect(rough / "out").rows] == [
        (agent, f"q{n}") for n in (1, 2, 3) for agent in AGENTS
    ]
    assert spent(rough) == spent(calm), "what was spent counts once"
    assert table(rough, capsys) == table(calm, capsys)


def spent(folder: Path) -> dict[str, Any]:
    return {one.trace: one.spent for one in collect(folder / "out").rows}


def test_two_processes_on_one_folder_are_refused(tmp_path):
    with EvalWorld(delay_s=0.05).server() as server:
        first = started(tmp_path, server)
        wait_for(tmp_path, 3, first)
        second = started(tmp_path, server)
        _, said = second.communicate(timeout=60)
        assert (second.returncode, first.poll()) == (2, None)
        assert said.splitlines()[-1] == (
            f"retree: {tmp_path / 'out'}: another process is evaluating into it; wait for it, or stop it first"
        )
        first.kill()
        first.communicate()
        third = started(tmp_path, server, "--agents", "report")
        third.communicate(timeout=60)
    assert third.returncode == 0, "a killed process leaves no lock behind"
