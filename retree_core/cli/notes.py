"""`retree notes`: what people noted on the runs of a folder, and the judge's precision by their labels."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from retree_core.calls import JsonObject
from retree_core.errors import InputError, UsageError
from retree_core.labels import LabelScores, Score, label_scores, labels_in
from retree_core.notes import ENDING, Notes, moment_of, notes_file, read_notes
from retree_core.run_folders import sample_runs, samples_folder
from retree_core.terminal import json_text, printable, short
from retree_core.trace import read_trace


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        f"Notes are kept beside a trace in NAME{ENDING}, those on samples in your own runs. Folders below a folder are "
        "looked through too."
    )
    parser.add_argument("path", metavar="PATH", type=Path, help="a folder of runs, one trace, or one file of notes")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    found, unreadable = read_all(args.path)
    for one in unreadable:
        print(f"note: {printable(one)}; left out", file=sys.stderr)
    scores = label_scores(label for notes in found.values() for label in labels_in(notes))
    if args.json:
        print(json_text(_report(found, scores, unreadable)))
    else:
        print("\n".join(_lines(args.path, found, scores)))
    return 1 if unreadable else 0


def read_all(path: Path) -> tuple[dict[Path, Notes], list[str]]:
    """The notes on the runs of a folder or on one run, and why others cannot be read.

    Raises UsageError where there is no such path, and InputError where it is a file of something else.
    """
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder; name a folder with runs, or a trace")
    found: dict[Path, Notes] = {}
    unreadable: list[str] = []
    for file in _files(path):
        try:
            found[file] = read_notes(file)
        except InputError as error:
            unreadable.append(str(error))
    return found, unreadable


def _files(path: Path) -> list[Path]:
    """Those that hold the notes; of a folder of samples, they lie elsewhere."""
    if path.is_file():
        return [path if path.name.endswith(ENDING) else notes_file(path, read_trace(path).header.run_id)]
    below = [one for one in path.rglob(f"*{ENDING}") if one.is_file()]
    samples = sample_runs() if path.resolve() == samples_folder().resolve() else ()
    elsewhere = (notes_file(one, read_trace(one).header.run_id) for one in samples)
    return sorted({*below, *(one for one in elsewhere if one.is_file())})


def _lines(folder: Path, found: dict[Path, Notes], scores: LabelScores) -> Iterator[str]:
    noted = {file: notes for file, notes in found.items() if notes.notes}
    if not noted:
        yield f"{printable(folder)}: no notes yet; write them in the debugger (retree ui), key n"
    for file, notes in noted.items():
        yield printable(file)
        yield from (_line(one) for one in sorted(notes.notes, key=moment_of))
        yield ""
    if scores.labelled:
        yield from _table(scores)


def _line(note: JsonObject) -> str:
    return f"  event {moment_of(note):>5}  {short(note.get('kind', ''), 10):10}  {short(note.get('text', ''), 160)}"


def _table(scores: LabelScores) -> Iterator[str]:
    yield f"{'judge by your labels':32}  labelled  right  wrong  precision"
    yield _row("confirmed", scores.confirmed)
    yield _row("rejected", scores.rejected)
    yield ""
    yield f"{'decided by':32}  labelled  right  wrong  precision"
    for (decision, by), score in scores.by_decider.items():
        yield _row(f"{decision} by {short(by, 40)}", score)


def _row(name: str, one: Score) -> str:
    precision = "-" if one.precision is None else f"{one.precision:.3f}"
    return f"{name:32}  {one.labelled:8}  {one.right:5}  {one.wrong:5}  {precision:>9}"


def _report(found: dict[Path, Notes], scores: LabelScores, unreadable: list[str]) -> dict[str, Any]:
    return {
        "labelled": scores.labelled,
        "confirmed": _score_json(scores.confirmed),
        "rejected": _score_json(scores.rejected),
        "by_decider": [
            {"decision": decision, "decided_by": by, **_score_json(score)}
            for (decision, by), score in scores.by_decider.items()
        ],
        "notes": [
            {"file": str(file), "trace": notes.trace, **one} for file, notes in found.items() for one in notes.notes
        ],
        "unreadable": unreadable,
    }


def _score_json(one: Score) -> dict[str, Any]:
    return {"labelled": one.labelled, "right": one.right, "wrong": one.wrong, "precision": one.precision}
