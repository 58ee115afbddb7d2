"""The notes on an opened run: where they are kept, read when they change; written, labelled and taken back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from retree_core.errors import InputError
from retree_core.labels import LabelScores, label_ids, label_note, label_of, label_scores, labels_in
from retree_core.notes import ENDING, Verdict, add_note, notes_file, read_notes, remove_notes
from retree_core.why import Conflict
from retree_viz.noted import UNNOTED, Noted
from retree_viz.opened import cards_of
from retree_viz.runs import Shelf, find, listed, shelves


def place_of(address: str, run_id: str) -> Path:
    """Where the notes on the run at an address are kept. Raises InputError where there is no such run."""
    return notes_file(find(address, shelves()).path, run_id)


def noted(address: str, run_id: str) -> Noted:
    """The notes on the run at an address."""
    try:
        return _noted(place_of(address, run_id))
    except InputError:  # nothing of the run is on disk yet
        return UNNOTED


def _noted(path: Path) -> Noted:
    try:
        about = path.stat()
    except OSError:
        return UNNOTED
    return _read(os.fsencode(path), (about.st_size, about.st_mtime_ns, about.st_ino))


@st.cache_resource(max_entries=500, show_spinner=False)
def _read(path: bytes, stamp: tuple[int, int, int]) -> Noted:
    try:
        return Noted(notes=read_notes(os.fsdecode(path)))
    except InputError as error:
        return Noted(problem=str(error))


def note_down(address: str, run_id: str, moment: int, text: str) -> None:
    """Keep a note on a moment. Raises InputError, UsageError."""
    add_note(place_of(address, run_id), {"kind": "note", "moment": moment, "text": text}, trace=run_id)


def forget(address: str, run_id: str, id_: str) -> None:
    """Take a note out. Raises InputError, UsageError."""
    remove_notes(place_of(address, run_id), id_)


def label_down(address: str, run_id: str, conflict: Conflict, verdict: Verdict) -> None:
    """Label a decision, or take the same label back. Raises InputError, UsageError."""
    path = place_of(address, run_id)
    before = read_notes(path)
    former = label_of(labels_in(before), conflict)
    if former is None or former.verdict != verdict:
        add_note(path, label_note(conflict, verdict), trace=run_id)
    if former is not None:
        remove_notes(path, *label_ids(before, conflict))


def judge_by_labels(environ: Mapping[str, str] = os.environ) -> LabelScores:
    """The judge by all labels on the user's own runs and on samples."""
    files = {path: None for shelf in shelves(environ)[1:] for path in _files(shelf, environ)}
    return label_scores(label for path in files for label in _noted(path).labels)


def _files(shelf: Shelf, environ: Mapping[str, str]) -> list[Path]:
    if shelf.path.is_file():
        return [notes_file(shelf.path, card.run_id, environ) for card in cards_of(listed(shelf))]
    try:
        return sorted(Path(one.path) for one in os.scandir(shelf.path) if one.name.endswith(ENDING))
    except OSError:
        return []
