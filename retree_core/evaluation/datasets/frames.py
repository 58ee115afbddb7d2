"""FRAMES (Krishna et al., 2025): test.tsv with the columns Prompt, Answer, wikipedia_link_1 .., reasoning_types.

Its first column, without a name, counts the rows from 0; ids are made of it: frames-0, frames-1. The file names the
Wikipedia articles but not their text, so no passages come with a question.
"""

from __future__ import annotations

from pathlib import Path

from retree_core.evaluation.datasets.fields import (
    Record,
    answers,
    any_case,
    distinct,
    first_of,
    identity,
    text,
    text_if_any,
)
from retree_core.evaluation.datasets.files import records
from retree_core.evaluation.questions import Question

_INDEX = ("", "unnamed: 0", "index", "id")


def read(path: Path) -> tuple[Question, ...]:
    """The questions of the file. Raises InputError."""
    return distinct((one, _question(any_case(one))) for one in records(path))


def _question(record: Record) -> Question:
    index = first_of(record, *_INDEX)
    return Question(
        id=f"frames-{identity(record, index) if index in record.fields else record.number - 1}",
        text=text(record, "prompt"),
        answers=answers(record, "answer"),
        type=text_if_any(record, "reasoning_types"),
    )
