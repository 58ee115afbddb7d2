"""Questions of any data set: {id, question, answers, type?, wrong_answers?, passages?: [{title, text, url?}]}."""

from __future__ import annotations

from pathlib import Path

from retree_core.calls import Hit
from retree_core.evaluation.datasets.fields import (
    Record,
    answers,
    answers_if_any,
    distinct,
    identity,
    parts,
    text,
    text_if_any,
)
from retree_core.evaluation.datasets.files import records
from retree_core.evaluation.questions import Question
from retree_core.search.hits import link


def read(path: Path) -> tuple[Question, ...]:
    """The questions of the file. Raises InputError that names line and field."""
    return distinct((one, _question(one)) for one in records(path))


def _question(record: Record) -> Question:
    given = parts(record, "passages", "passage") if record.fields.get("passages") is not None else ()
    return Question(
        id=identity(record, "id"),
        text=text(record, "question"),
        answers=answers(record, "answers"),
        type=text_if_any(record, "type"),
        wrong_answers=answers_if_any(record, "wrong_answers"),
        passages=tuple(_passage(one) for one in given),
    )


def _passage(record: Record) -> Hit:
    return Hit(title=text(record, "title"), text=text(record, "text"), url=link(record.fields.get("url")))
