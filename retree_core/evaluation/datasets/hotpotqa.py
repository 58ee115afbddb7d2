"""HotpotQA (Yang et al., 2018): hotpot_dev_distractor_v1.json, hotpot_dev_fullwiki_v1.json, hotpot_train_v1.1.json.

{_id, question, answer, type, level, supporting_facts, context: [[title, [sentence]]]}; in the export from
Hugging Face {id, ..., context: {title: [title], sentences: [[sentence]]}}. The test file has no answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retree_core.errors import InputError
from retree_core.evaluation.datasets.fields import (
    Record,
    answers,
    distinct,
    first_of,
    identity,
    items,
    passages,
    text,
    text_if_any,
)
from retree_core.evaluation.datasets.files import records
from retree_core.evaluation.questions import Question


def read(path: Path) -> tuple[Question, ...]:
    """The questions of the file, each with the paragraphs of its context. Raises InputError."""
    return distinct((one, question(one)) for one in records(path))


def question(record: Record) -> Question:
    """The question of a record. Raises InputError."""
    return Question(
        id=identity(record, first_of(record, "_id", "id")),
        text=text(record, "question"),
        answers=answers(record, "answer"),
        type=text_if_any(record, "type"),
        passages=passages(_paragraphs(record)),
    )


def _paragraphs(record: Record) -> Iterable[tuple[str, str]]:
    for number, (title, sentences) in enumerate(_pairs(record), 1):
        if not (isinstance(title, str) and _all_text(sentences)):
            where = f"{record.where}, field 'context', paragraph {number}"
            raise InputError(f"{where}: expected a title and a list of sentences")
        yield title, " ".join(one.strip() for one in sentences if one.strip())


def _pairs(record: Record) -> Iterable[tuple[Any, Any]]:
    context = record.fields.get("context")
    if isinstance(context, dict):
        columns = Record(where=f"{record.where}, field 'context'", number=1, fields=context)
        titles, sentences = items(columns, "title"), items(columns, "sentences")
        if len(titles) != len(sentences):
            raise InputError(f"{columns.where}: {len(titles)} titles, but sentences for {len(sentences)}")
        return zip(titles, sentences, strict=True)
    return ((one[0], one[1]) if _is_pair(one) else (None, None) for one in items(record, "context"))


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _all_text(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(one, str) for one in values)
