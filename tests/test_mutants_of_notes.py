"""Damaged files of notes by the hundred: whatever is in one, the run opens, and no note is lost or written over.

RETREE_FULL=1 makes 4,000 mutants. A failure names the mutant by seed and number.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from looking import command, data, exported, markup, said
from mutants import FULL, Base, Mutant, mutant

from retree_core.calls import ModelCall
from retree_core.errors import InputError
from retree_core.labels import label_note, label_scores
from retree_core.notes import add_note, read_notes, remove_notes
from retree_core.trace import read_trace
from retree_viz.dialogs.again import _named
from retree_viz.export import Exported
from retree_viz.noted import Noted
from retree_viz.panels import bar
from retree_viz.panels.foot import foot
from retree_viz.panels.inspector import inspector
from retree_viz.panels.noted import judge_section, marks_at, notes_list
from retree_viz.panels.replies import Made, kept, side_by_side
from retree_viz.place import Place
from retree_viz.run import Run
from retree_viz.runs import samples_folder
from retree_viz.tree.index import TreeIndex

COUNT = 4_000 if FULL else 120
SAMPLE = samples_folder() / "scripted-repair-north-pole.jsonl"
RUN = Run(read_trace(SAMPLE))
DECIDED = next(one for one in RUN.conflicts if one.decided)
CALL = next(one for one in RUN.trace.calls if isinstance(one.call, ModelCall))
RERUN = {
    "kind": "rerun",
    "id": "c",
    "at": "2026-01-01T00:00:00Z",
    "moment": 2,
    "text": "call 1 again",
    "call": 1,
    "server": "http://localhost:30000/v1",
    "model": "m",
    "messages": [{"role": "user", "content": "x"}],
    "temperature": 0.1,
    "seed": 1,
    "reply": {"choices": [{"message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}]},
    "seconds": 1.0,
}
NOTES = {
    "format": "retree-notes",
    "version": 1,
    "trace": RUN.trace.header.run_id,
    "notes": [
        {"kind": "note", "id": "a", "at": "2026-01-01T00:00:00Z", "moment": 3, "text": "hm"},
        {**label_note(DECIDED, "right"), "id": "b", "at": "2026-01-01T00:00:00Z"},
        RERUN,
    ],
}
BASE = Base(name="sample.notes.json", values=(NOTES,), lines=False)


@pytest.fixture(scope="module")
def index() -> TreeIndex:
    return TreeIndex(RUN)


def mutants() -> Iterator[Mutant]:
    return (mutant(number, among=[BASE]) for number in range(COUNT))


def test_a_mutant_of_notes_is_shown_or_refused_in_one_line(tmp_path: Path, index: TreeIndex) -> None:
    (tmp_path / "sample.jsonl").write_bytes(SAMPLE.read_bytes())
    path = tmp_path / BASE.name
    read = 0
    for one in mutants():
        path.write_bytes(one.data)
        try:
            read += shown(path, index, random.Random(one.words))
        except Exception as error:
            raise AssertionError(one.words) from error
    assert COUNT / 4 < read < COUNT


def shown(path: Path, index: TreeIndex, chance: random.Random) -> bool:
    """Whether the file was read; all that is made of it is looked at, and then it takes another note."""
    before = path.read_bytes()
    try:
        noted = Noted(notes=read_notes(path))
    except InputError as error:
        with pytest.raises(InputError):
            add_note(path, {"kind": "note", "moment": 1, "text": "new"})
        markup(bar.notices(RUN, said(error)))
        assert path.read_bytes() == before
        return False
    assert len({one["id"] for one in noted.notes.notes}) == len(noted.notes.notes)
    _panels(noted)
    _made_again(noted)
    if chance.random() < 0.1:
        for to in ("html", "json"):
            exported(to, Exported(run=RUN, index=index, moment=RUN.total, notes=noted.notes))
        for words in (("notes", str(path.parent)), ("notes", str(path.parent), "--json")):
            assert command(*words)[0] in (0, 1)
    added = add_note(path, {"kind": "note", "moment": 1, "text": "new"})
    assert added.notes[:-1] == noted.notes.notes
    assert read_notes(path) == added
    assert remove_notes(path, str(added.notes[-1]["id"])).notes == noted.notes.notes
    return True


def _panels(noted: Noted) -> None:
    data(noted.marks)
    markup(notes_list(noted, 3))
    markup(judge_section(label_scores(noted.labels)))
    for moment in (0, 2, 3, DECIDED.decided or 0):
        place = Place(run="a", moment=moment)
        markup(marks_at(noted, moment))
        markup(bar.event_line(RUN, moment, noted))
        markup(foot(RUN, place, noted))
        markup(inspector(RUN, place, noted))


def _made_again(noted: Noted) -> None:
    assert isinstance(CALL.call, ModelCall)
    recorded = Made(title="Recorded", call=CALL.call, reply=CALL.reply, seconds=1.0)
    for note in noted.notes.of("rerun"):
        assert _named(note)
        if made := kept(CALL.call, note):
            markup(side_by_side(recorded, made))
