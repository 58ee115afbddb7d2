"""Bamboogle (Press et al., 2023): the authors' sheet as CSV with the columns Question and Answer.

Exports as JSON Lines or CSV with other capitals, an id, a second answer (`Answer 2`) or a list of answers are read as
well. Where the file has no ids they are made of the row's number: bamboogle-1, bamboogle-2.
"""

from __future__ import annotations

from pathlib import Path

from retree_core.evaluation.datasets.fields import (
    Record,
    answers,
    answers_if_any,
    any_case,
    distinct,
    first_of,
    identity,
    text,
)
from retree_core.evaluation.datasets.files import records
from retree_core.evaluation.questions import Question


def read(path: Path) -> tuple[Question, ...]:
    """The questions of the file. Raises InputError."""
    return distinct((one, _question(any_case(one))) for one in records(path))


def _question(record: Record) -> Question:
    golds = answers(record, first_of(record, "answer", "answers", "golden_answers"))
    return Question(
        id=identity(record, "id") if "id" in record.fields else f"bamboogle-{record.number}",
        text=text(record, "question"),
        answers=tuple(dict.fromkeys((*golds, *answers_if_any(record, "answer 2")))),
    )
