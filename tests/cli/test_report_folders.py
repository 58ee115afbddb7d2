"""`retree report` on folders that are not as they should be: one line each, and what is whole is reported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from evaluation.runs import folder, repair, wrong
from stubs import Response, StubServer

from retree_core import events as ev
from retree_core.cli import main
from retree_core.evaluation.results import collect


def reported(*folders: Path, capsys) -> dict[str, Any]:
    """The report as JSON; nothing else is said."""
    capsys.readouterr()
    assert main(["report", *map(str, folders), "--json"]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return json.loads(told.out)


def refused(out: Path, capsys) -> str:
    """The one line of a refusal."""
    capsys.readouterr()
    assert main(["report", str(out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "eval.json: not JSON"),
        (b"{", "eval.json: not JSON"),
        (b"\xff\xfe\x00", "eval.json: not JSON"),
        (b"[" * 5000, "eval.json: not JSON"),
        (b"[]", "eval.json: not a ReTree results folder"),
        (b'{"format": "other"}', "eval.json: not a ReTree results folder"),
        (b'{"format": "retree-eval"}', "eval.json: its questions are not as retree eval writes them"),
        (b'{"format": "retree-eval", "questions": {"id": 1}}', "its questions are not as retree eval writes them"),
        (b'{"format": "retree-eval", "questions": [{"id": 3}]}', "its questions are not as retree eval writes them"),
    ],
)
def test_a_damaged_manifest(tmp_path, capsys, content: bytes, said: str):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    (out / "eval.json").write_bytes(content)
    assert said in refused(out, capsys)


def unasked(out: Path, url: str, capsys) -> str:
    """The one line of a report whose judge cannot be asked."""
    assert main(["report", str(out), "--judge-model", "good", "--judge-url", url]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (Response(status=401, json={"error": "no"}), "set RETREE_JUDGE_API_KEY to a key that it accepts"),
        (Response(json={"data": [{"id": "other"}]}), "set --judge-model to a model that it serves"),
        (Response(body="<html>"), "set RETREE_JUDGE_URL to the address that ends in /v1"),
    ],
)
def test_what_a_judge_refuses_is_called_by_what_sets_it(tmp_path, capsys, response: Response, said: str):
    with StubServer(response) as server:
        line = unasked(folder(tmp_path, ("q1", repair("confirmation"))), server.url, capsys)
    assert line.endswith(said)


def test_a_judge_that_is_not_there_is_called_by_what_sets_it(tmp_path, capsys):
    line = unasked(folder(tmp_path, ("q1", repair("confirmation"))), "http://127.0.0.1:9/v1", capsys)
    assert "no model server at http://127.0.0.1:9/v1" in line
    assert line.endswith(" or set RETREE_JUDGE_URL")


def changed(out: Path, **parts: Any) -> None:
    known = json.loads((out / "eval.json").read_text())
    (out / "eval.json").write_text(json.dumps({**known, **parts}))


@pytest.mark.parametrize(
    "parts",
    [
        {"settings": []},
        {"settings": {"sampling": "hot", "model": {"a": [1]}}},
        {"search": 7, "dataset": None},
        {"search": {"spec": ["x"]}, "dataset": {"y": 1}, "prompts": 3},
    ],
)
def test_a_manifest_with_parts_of_other_kinds_is_reported_as_far_as_it_goes(tmp_path, capsys, parts: dict[str, Any]):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    changed(out, **parts)
    assert reported(out, capsys=capsys)["data_sets"][0]["agents"]["retree"]["runs"] == 1


def test_two_questions_of_one_id_are_refused_and_named(tmp_path, capsys):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    known = json.loads((out / "eval.json").read_text())
    changed(out, questions=[*known["questions"], known["questions"][0]])
    assert "two of its questions have the id 'q0'" in refused(out, capsys)


def test_removed_traces_are_missing_runs_and_in_no_table(tmp_path, capsys):
    out = folder(tmp_path, *((f"q{n}", repair("confirmation")) for n in (1, 2)))
    first = reported(out, capsys=capsys)
    (out / "runs/retree/q2.jsonl").unlink()
    told = reported(out, capsys=capsys)
    assert [one["data_sets"][0]["agents"]["retree"]["runs"] for one in (first, told)] == [2, 1]
    assert told["runs"][0]["about"]["not run or not finished"] == "2 of retree; not in any table"


def test_a_folder_without_any_run_has_a_report(tmp_path, capsys):
    out = folder(tmp_path)
    told = reported(out, capsys=capsys)
    assert (told["data_sets"][0]["agents"], told["differing"]) == ({}, [])
    assert told["runs"][0]["about"]["answered by"] == "no run has ended"
    changed(out, questions=[])
    assert reported(out, capsys=capsys)["runs"][0]["about"]["questions"].startswith("0 ")


def test_other_agents_and_traces_of_other_questions_are_left_aside_and_named(tmp_path, capsys):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    (out / "runs/<b>other").mkdir()
    shutil.copy(out / "runs/retree/q1.jsonl", out / "runs/retree/z9.jsonl")
    shutil.copy(out / "runs/retree/q1.jsonl", out / "runs/retree/z8.jsonl")
    told = reported(out, capsys=capsys)
    assert told["data_sets"][0]["agents"]["retree"]["runs"] == 1
    assert told["runs"][0]["strays"] == [
        "runs/<b>other: no agent of ReTree",
        "runs/retree/z8.jsonl and 1 more: of no question in eval.json",
    ]
    assert "runs/&lt;b&gt;other: no agent of ReTree" in (out / "report.html").read_text()


def test_a_run_of_another_question_or_agent_is_not_taken_for_one(tmp_path, capsys):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    known = json.loads((out / "eval.json").read_text())
    changed(out, questions=[{**one, "question": "Whose?"} for one in known["questions"]])
    (told,) = reported(out, capsys=capsys)["runs"]
    assert told["unreadable"] == [f"{out}/runs/retree/q1.jsonl: a run of another question or agent"]
    (out / "runs/retree").rename(out / "runs/react")
    assert len(reported(out, capsys=capsys)["runs"][0]["unreadable"]) == 1


def test_a_file_in_the_place_of_a_folder_and_a_folder_in_the_place_of_a_trace(tmp_path, capsys):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    (out / "runs/react").write_text("no folder")
    (out / "runs/retree/q0.jsonl").mkdir()
    told = reported(out, capsys=capsys)
    assert told["data_sets"][0]["agents"]["retree"]["runs"] == 1
    assert "q0.jsonl" in told["runs"][0]["unreadable"][0]
    assert "not" in refused(out / "runs/react", capsys)


@pytest.mark.parametrize("id_", ["日本 ☃", "../../etc/passwd", "x" * 5000, "a\x00b", "id-2e2e", "<img src=x>", " "])
def test_ids_of_any_kind_have_traces_of_their_own(tmp_path, id_: str):
    from retree_core.evaluation.batch import file_name

    others = (id_ + "x", id_[:-1] or "y", file_name(id_))
    assert len({file_name(one) for one in (id_, *others)}) == len({id_, *others})
    out = folder(tmp_path)
    changed(out, questions=[{"id": id_, "question": "Who?", "answers": ["Ann"]}])
    made = folder(tmp_path / "other", ("q1", repair("confirmation")))
    (out / "runs/retree").mkdir(parents=True)
    (made / "runs/retree/q1.jsonl").rename(out / "runs/retree" / f"{file_name(id_)}.jsonl")
    assert [one.id for one in collect(out).rows] == [id_]
    assert main(["report", str(out)]) == 0


def test_two_folders_of_one_name_stand_under_their_paths_and_one_named_twice_once(tmp_path, capsys):
    one = folder(tmp_path / "a", ("q1", repair("confirmation")))
    other = folder(tmp_path / "b", ("q1", wrong()))
    told = reported(one, other, one / ".." / "out", capsys=capsys)
    assert [each["name"] for each in told["data_sets"]] == [str(one), str(other), "overall"]
    assert told["data_sets"][2]["agents"]["retree"]["runs"] == 2


def test_numbers_that_no_table_holds_are_one_line(tmp_path, capsys):
    events = repair("confirmation")
    events[1] = ev.ContextBuilt(node="root", evidence=(), characters=10**25)
    out = folder(tmp_path, ("q1", events), ("q2", repair("confirmation")))
    told = reported(out, capsys=capsys)
    assert told["data_sets"][0]["agents"]["retree"]["runs"] == 1
    assert "q1.jsonl" in told["runs"][0]["unreadable"][0]


def test_damaged_verdicts_are_one_line(tmp_path, capsys):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    (out / "judged.jsonl").write_text("nothing\n")
    assert "judged.jsonl:1: expected an object" in refused(out, capsys)
    (out / "judged.jsonl").write_text("")
    (out / "judge.json").write_text("[]")
    assert "judge.json: not as retree report writes it" in refused(out, capsys)
