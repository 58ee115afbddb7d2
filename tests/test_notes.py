"""Notes are kept beside the trace, whole or not at all, and nobody's are lost."""

import json
import threading
from pathlib import Path

import pytest
from worlds import repaired_run, write_trace

from retree_core.errors import InputError
from retree_core.notes import Notes, add_note, notes_file, notes_path, read_notes, remove_notes
from retree_core.run_folders import samples_folder
from retree_core.secrets import known
from retree_core.verify import traces_in
from retree_viz import runs
from retree_viz.runs import Shelf


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.jsonl.gz", "a.JSON.gz", "a"])
def test_notes_lie_beside_the_trace(name: str) -> None:
    assert notes_path(Path("runs") / name) == Path("runs/a.notes.json")


def test_a_note_is_kept_with_an_id_and_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.notes.json"
    assert read_notes(path) == Notes()
    made = add_note(path, {"kind": "note", "moment": 3, "text": "why? \ud800"}, trace="run1")
    assert read_notes(path) == made
    (note,) = made.of("note")
    assert (made.trace, note["moment"], note["text"]) == ("run1", 3, "why? \ud800")
    assert note["id"]
    assert note["at"].endswith("Z")
    assert [one.name for one in tmp_path.iterdir()] == ["a.notes.json"]


def test_a_note_can_be_taken_out_again(tmp_path: Path) -> None:
    path = tmp_path / "a.notes.json"
    first = add_note(path, {"kind": "note", "text": "a"}).notes[0]
    second = add_note(path, {"kind": "rerun", "text": "b"}).notes[1]
    assert remove_notes(path, first["id"]).notes == (second,)
    assert remove_notes(path, "nothing") == read_notes(path)


def test_what_is_not_known_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.notes.json"
    old = {"id": "x", "kind": "opinion", "stars": 5}
    path.write_text(json.dumps({"format": "retree-notes", "version": 7, "trace": "r", "colour": "red", "notes": [old]}))
    add_note(path, {"kind": "note", "text": "a"})
    written = json.loads(path.read_text())
    assert written["colour"] == "red"
    assert written["notes"][0] == old


@pytest.mark.parametrize("value", ["1e400", "NaN", "1" * 400, "[" * 450 + "]" * 450])
def test_notes_that_hold_what_is_no_value_say_what(tmp_path: Path, value: str) -> None:
    path = tmp_path / "a.notes.json"
    path.write_text('{"format": "retree-notes", "notes": [{"seconds": ' + value + "}]}")
    with pytest.raises(InputError, match=r"not a file of ReTree notes \((a number|NaN|nested)"):
        read_notes(path)


@pytest.mark.parametrize("data", ["[]", "{", '{"format": "retree-trace"}', '{"format": "retree-notes", "notes": [1]}'])
def test_a_damaged_file_is_one_line_and_stays_as_it_is(tmp_path: Path, data: str) -> None:
    path = tmp_path / "a.notes.json"
    path.write_text(data)
    for act in (lambda: read_notes(path), lambda: add_note(path, {"kind": "note"}), lambda: remove_notes(path, "x")):
        with pytest.raises(InputError) as caught:
            act()
        assert "\n" not in str(caught.value)
    assert path.read_text() == data


def test_notes_written_by_others_are_read_as_far_as_they_are_well_formed(tmp_path: Path) -> None:
    path = tmp_path / "a.notes.json"
    label = {"kind": "label", "old": "e1", "new": "e4", "decision": "confirmed", "verdict": "right", "moment": 25}
    items = [
        {"id": "a", **label},
        {"id": "a", **label},
        {"id": 7, "kind": "note", "moment": -4, "text": "x"},
        {"id": "4", "kind": "note", "moment": 10**29},
        {"kind": "label", "moment": 1.5, "verdict": {}},
        {"id": "b\u202e", "kind": ["odd"], "moment": True},
        {**label, "id": "c", "verdict": None},
        {"id": "2"},
    ]
    path.write_text(json.dumps({"format": "retree-notes", "notes": items}))
    found = read_notes(path).notes
    assert [one["id"] for one in found] == ["a", "2.", "3", "4", "5", "6", "c", "2"]
    assert [one.get("moment") for one in found] == [25, 25, 0, 0, 0, 0, 25, None]
    assert [one.get("kind") for one in found] == ["label", "label", "note", "note", "note", ["odd"], "note", None]
    assert remove_notes(path, "2.").notes == (found[0], *found[2:])
    assert read_notes(path).notes == (found[0], *found[2:])


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.notes.json"
    writers = [
        threading.Thread(target=lambda name=name: [add_note(path, {"text": f"{name}.{one}"}) for one in range(20)])
        for name in range(4)
    ]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    kept = read_notes(path).notes
    assert {one["text"] for one in kept} == {f"{name}.{one}" for name in range(4) for one in range(20)}
    assert len({one["id"] for one in kept}) == 80


def test_keys_are_taken_out(tmp_path: Path) -> None:
    known("zz-very-secret-1")
    path = tmp_path / "a.notes.json"
    add_note(path, {"kind": "note", "text": "it says zz-very-secret-1 here"})
    assert "zz-very-secret-1" not in path.read_text()


def test_notes_are_no_runs(tmp_path: Path) -> None:
    trace = write_trace(repaired_run(), tmp_path / "a.jsonl")
    add_note(notes_path(trace), {"kind": "rerun", "record": "call"})
    assert traces_in(tmp_path) == (trace,)
    shelf = Shelf(name="runs", path=tmp_path)
    (file,) = runs.listed(shelf)
    assert file.path == trace


def test_notes_on_a_sample_go_to_the_own_folder(tmp_path: Path) -> None:
    sample = samples_folder() / "real-laika.jsonl"
    assert notes_file(sample, "aa", {"RETREE_RUNS": str(tmp_path)}) == tmp_path / "real-laika.notes.json"
    assert notes_file(sample, "aa", {"RETREE_RUNS": str(sample)}) == Path("runs/real-laika.notes.json")
    assert notes_file(tmp_path / "a.jsonl", "aa", {"RETREE_RUNS": "elsewhere"}) == tmp_path / "a.notes.json"


def test_runs_of_one_name_have_notes_of_their_own(tmp_path: Path) -> None:
    trace = tmp_path / "a.jsonl"
    for run_id in ("11112222aaaa", "33334444bbbb", "../../../x"):
        add_note(notes_file(trace, run_id), {"kind": "note", "text": run_id}, trace=run_id)
    kept = {one.name: read_notes(one).trace for one in tmp_path.iterdir()}
    assert kept == {
        "a.notes.json": "11112222aaaa",
        "a-33334444.notes.json": "33334444bbbb",
        "a-x.notes.json": "../../../x",
    }
    (tmp_path / "a.notes.json").unlink()
    assert notes_file(trace, "33334444bbbb").name == "a-33334444.notes.json"
