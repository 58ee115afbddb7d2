"""Notes in the whole app, headless."""

from __future__ import annotations

from pathlib import Path

import pytest
from headless import APP, markup
from streamlit.testing.v1 import AppTest
from worlds import repaired_run, write_trace

from retree_core.labels import label_note
from retree_core.notes import Notes, add_note, notes_path, read_notes, written
from retree_core.why import Ledger, conflicts
from retree_viz.notes import label_down
from retree_viz.place import Place


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run among the user's own."""
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path))
    return write_trace(repaired_run(), tmp_path / "repaired.jsonl")


def opened(dialog: str = "", run: str = "runs/repaired.jsonl") -> AppTest:
    app = AppTest.from_file(APP, default_timeout=30)
    if run:
        app.session_state["place"] = Place(run=run, moment=25, dialog=dialog)
    return app.run()


def test_a_note_is_written_and_listed(trace: Path) -> None:
    app = opened("note")
    assert "No notes on this run yet" in markup(app)
    app.text_area[0].set_value("  The gazette is newer.  ")
    app.button[0].click().run()
    (note,) = read_notes(notes_path(trace)).notes
    assert (note["kind"], note["moment"], note["text"]) == ("note", 25, "The gazette is newer.")
    assert "The gazette is newer." in markup(app)
    assert app.text_area[0].value == ""


def test_an_empty_note_is_none(trace: Path) -> None:
    app = opened("note")
    app.text_area[0].set_value("   ")
    app.button[0].click().run()
    assert not notes_path(trace).exists()


def test_notes_that_cannot_be_written_are_one_line_and_the_text_stays(trace: Path) -> None:
    notes_path(trace).with_name("repaired.notes.json.part").mkdir()
    app = opened("note")
    app.text_area[0].set_value("kept")
    app.button[0].click().run()
    assert "the notes cannot be written" in markup(app)
    assert app.text_area[0].value == "kept"


def test_damaged_notes_are_one_line_and_the_run_opens(trace: Path) -> None:
    notes_path(trace).write_text("[]")
    page = markup(opened())
    assert page.count("not a file of ReTree notes") == 1
    assert "Repair of" in page
    assert notes_path(trace).read_text() == "[]"


def test_notes_of_a_sample_are_kept_with_the_users_own_runs(trace: Path) -> None:
    app = opened("note", "samples/scripted-repair-north-pole.jsonl")
    app.text_area[0].set_value("mine")
    app.button[0].click().run()
    assert [one["text"] for one in read_notes(trace.with_name("scripted-repair-north-pole.notes.json")).notes] == [
        "mine"
    ]


def test_the_gallery_shows_the_judge_by_labels(trace: Path) -> None:
    assert "Conflict judge by your labels" not in markup(opened(run=""))
    (conflict,) = conflicts(Ledger(repaired_run()))
    add_note(notes_path(trace), label_note(conflict, "right"))
    assert "Conflict judge by your labels" in markup(opened(run=""))


def test_the_notes_file_is_a_download_of_its_own(trace: Path) -> None:
    add_note(notes_path(trace), {"kind": "note", "moment": 1, "text": "mine"})
    app = opened("export")
    assert "your 1 note, labels and re-runs" in markup(app)


@pytest.mark.parametrize("ids", [[{"id": "a"}, {"id": "a"}], [{}], [{"id": 5}, {}]])
def test_a_label_pressed_again_is_taken_back_whatever_its_id(trace: Path, ids: list[dict[str, object]]) -> None:
    (conflict,) = conflicts(Ledger(repaired_run()))
    mine = {"kind": "note", "moment": 25, "text": "mine"}
    labels = tuple({**label_note(conflict, "right"), **one} for one in ids)
    notes_path(trace).write_bytes(written(Notes(notes=(*labels, mine))))
    label_down("runs/repaired.jsonl", repaired_run().header.run_id, conflict, "right")
    assert [one.get("text") for one in read_notes(notes_path(trace)).notes] == ["mine"]
