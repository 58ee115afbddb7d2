"""RAMDocs (Wang et al., 2025): RAMDocs_test.jsonl.

{question, documents: [{text, type, answer}], disambig_entity, gold_answers, wrong_answers}. Ids are made of the
record's number: ramdocs-1. The authors' own measure wants every gold answer and no wrong one; here any gold counts.
"""

from __future__ import annotations

from pathlib import Path

from retree_core.evaluation.datasets.fields import (
    Record,
    answers,
    answers_if_any,
    distinct,
    parts,
    passages,
    text,
    text_or_blank,
)
from retree_core.evaluation.datasets.files import records
from retree_core.evaluation.questions import Question


def read(path: Path) -> tuple[Question, ...]:
    """The questions of the file, each with its documents. Raises InputError."""
    return distinct((one, _question(one)) for one in records(path))


def _question(record: Record) -> Question:
    documents = parts(record, "documents", "document")
    return Question(
        id=f"ramdocs-{record.number}",
        text=text(record, "question"),
        answers=answers(record, "gold_answers"),
        wrong_answers=answers_if_any(record, "wrong_answers"),
        passages=passages((f"Document {one.number}", text_or_blank(one, "text")) for one in documents),
    )
