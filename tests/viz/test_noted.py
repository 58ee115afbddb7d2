"""Notes and labels where the panels show them."""

from __future__ import annotations

from dataclasses import replace

from worlds import repaired_run

from retree_core.events import ConflictConfirmed
from retree_core.labels import label_note, label_scores
from retree_core.notes import Notes
from retree_core.trace.records import EventRecord
from retree_viz.noted import UNNOTED, Noted
from retree_viz.panels.bar import event_line
from retree_viz.panels.foot import foot
from retree_viz.panels.inspector import inspector
from retree_viz.panels.noted import judge_section, notes_list
from retree_viz.place import Place
from retree_viz.run import Run

RUN = Run(repaired_run())
CONFLICT = RUN.conflicts[0]
EVIL = "<img src=x onerror=alert(1)> \u202e **bold**"


def noted(*notes: dict[str, object]) -> Noted:
    return Noted(notes=Notes(trace="t", notes=notes))


LABELLED = noted({"id": "a", **label_note(CONFLICT, "wrong")}, {"id": "b", "kind": "note", "moment": 3, "text": EVIL})


def test_the_timeline_marks_moments_with_notes_and_labels() -> None:
    again = {"id": "c", "kind": "rerun", "moment": 4, "text": "Call 1 made again"}
    marks = noted(*LABELLED.notes.notes, again).marks
    assert [(moment, sign) for moment, sign, _ in marks] == [(3, "note"), (25, "wrong")]
    assert marks[0][2] == "<img src=x onerror=alert(1)> ⟨U+202E⟩ **bold**"


def test_the_foot_has_labels_where_something_was_decided() -> None:
    place = Place(run="runs/a", moment=25)
    plain, labelled = foot(RUN, place), foot(RUN, place, LABELLED)
    assert plain.count('aria-pressed="false"') == 2
    assert labelled.count('aria-pressed="true"') == 1
    assert 'class="wrong" data-do="label:wrong" aria-pressed="true"' in labelled.replace(' type="button"', "")
    assert "label:" not in foot(RUN, Place(run="runs/a", moment=3), LABELLED)


def test_what_a_person_decided_by_forking_has_no_labels() -> None:
    decided = RUN.event(25)
    assert isinstance(decided, ConflictConfirmed)
    by_fork = tuple(
        replace(one, event=replace(decided, by="fork"))
        if isinstance(one, EventRecord) and one.event == decided
        else one
        for one in RUN.trace.records
    )
    assert "label:" not in foot(Run(replace(RUN.trace, records=by_fork)), Place(run="runs/a", moment=25))


def test_heading_and_event_line_say_the_label() -> None:
    assert "labelled wrong" in inspector(RUN, Place(run="runs/a", moment=25), LABELLED)
    assert "labelled" not in inspector(RUN, Place(run="runs/a", moment=25))
    assert "labelled wrong" in event_line(RUN, 25, LABELLED)
    assert "dialog:note" not in event_line(RUN, 24, LABELLED)


def test_notes_are_text_and_each_leads_to_its_moment() -> None:
    said = notes_list(LABELLED, 3)
    assert "<img" not in said
    assert 'data-do="go:3"' in said
    assert 'data-do="forget:b"' in said
    assert said.index("go:3") < said.index("go:25")
    assert "No notes on this run yet" in notes_list(UNNOTED, 3)


def test_notes_of_no_known_shape_are_listed() -> None:
    odd = noted({"kind": ["x"], "moment": None, "text": {"a": 1}}, {"kind": "label", "moment": 2, "verdict": 5})
    assert 'data-do="go:0"' in notes_list(odd, 1)
    assert odd.marks == []


def test_the_judge_section_is_there_once_something_is_labelled() -> None:
    assert judge_section(label_scores(())) is None
    said = judge_section(label_scores(LABELLED.labels))
    assert said is not None
    assert "1 labelled decision" in said
    assert "<td>0.00</td>" in said
