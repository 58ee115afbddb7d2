"""`retree notes`: the notes of a folder and the judge's precision by the labels among them."""

import json
from pathlib import Path

import pytest

from retree_core.cli import main
from retree_core.notes import add_note, notes_file
from retree_core.run_folders import samples_folder
from retree_core.trace import read_trace

LABEL = {"kind": "label", "moment": 25, "text": "e4 against e1, confirmed: right", "old": "e1", "new": "e4"}
LABEL |= {"decision": "confirmed", "decided_by": "confirmation", "verdict": "right"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of notes, one in a folder below."""
    add_note(tmp_path / "a.notes.json", LABEL, trace="aa")
    add_note(tmp_path / "a.notes.json", {"kind": "note", "moment": 3, "text": "odd\x1b[31m query"}, trace="aa")
    guarded = {"decision": "rejected", "decided_by": "guard:same_value", "verdict": "wrong", "moment": 9}
    add_note(tmp_path / "more" / "b.notes.json", {**LABEL, **guarded}, trace="bb")
    return tmp_path


def test_notes_are_listed_and_the_judge_is_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notes", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "event     3  note        odd␛[31m query" in said
    rows = [" ".join(one.split()) for one in said.splitlines()]
    assert "confirmed 1 1 0 1.000" in rows
    assert "rejected 1 0 1 0.000" in rows
    assert "rejected by guard:same_value 1 0 1 0.000" in rows


def test_the_same_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notes", str(folder), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["labelled"] == 2
    assert said["confirmed"] == {"labelled": 1, "right": 1, "wrong": 0, "precision": 1.0}
    assert [one["decided_by"] for one in said["by_decider"]] == ["confirmation", "guard:same_value"]
    assert [(one["trace"], one["kind"]) for one in said["notes"]] == [("aa", "label"), ("aa", "note"), ("bb", "label")]


def test_a_damaged_file_is_named_and_the_others_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.notes.json").write_text("{")
    assert main(["notes", str(folder)]) == 1
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 1
    assert "c.notes.json: not a file of ReTree notes" in said.err
    assert "confirmed" in said.out


def test_a_folder_without_notes_and_one_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notes", str(tmp_path)]) == 0
    assert "no notes yet" in capsys.readouterr().out
    assert main(["notes", str(tmp_path / "nowhere")]) == 2
    assert "no such file or folder" in capsys.readouterr().err


def test_notes_on_a_sample_are_found_in_the_users_own_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path))
    sample = samples_folder() / "real-laika.jsonl"
    run_id = read_trace(sample).header.run_id
    add_note(notes_file(sample, run_id), {"kind": "note", "moment": 3, "text": "a weak page"}, trace=run_id)
    add_note(tmp_path / "other.notes.json", {"kind": "note", "moment": 3, "text": "of another run"}, trace="bb")
    for path in (sample, samples_folder()):
        assert main(["notes", str(path)]) == 0
        said = capsys.readouterr().out
        assert "a weak page" in said
        assert "of another run" not in said
    assert main(["export", str(sample), "--to", "json", "--out", str(tmp_path / "graph.json")]) == 0
    assert "a weak page" in (tmp_path / "graph.json").read_text(encoding="utf-8")


def test_a_file_of_something_else_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.html").write_text("<p>")
    assert main(["notes", str(tmp_path / "page.html")]) == 2
    assert "not a ReTree trace" in capsys.readouterr().err
