"""`retree notes`: the notes of a folder and the judge's precision by the labels among them."""

import json
from pathlib import Path

import pytest

from retree_core.cli import main
from retree_core.notes import add_note

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
