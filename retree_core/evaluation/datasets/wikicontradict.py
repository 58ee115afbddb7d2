"""WikiContradict (Hou et al., 2024): WikiContradict_dataset_v1_rag_qa.csv, or the same records as JSON.

{question_ID, question, context1, context2, answer1, answer2, contradictType, WikipediaArticleTitle, url, ...}. Both
answers are gold: the passages really contradict each other.
"""

from __future__ import annotations

from pathlib import Path

from retree_core.evaluation.datasets.fields import Record, answers, distinct, identity, passages, text, text_if_any
from retree_core.evaluation.datasets.files import records
from retree_core.evaluation.questions import Question


def read(path: Path) -> tuple[Question, ...]:
    """The questions of the file, each with its two passages. Raises InputError."""
    return distinct((one, _question(one)) for one in records(path))


def _question(record: Record) -> Question:
    title = text_if_any(record, "WikipediaArticleTitle")
    # Both passages have the article's one address, and a search shows no address twice: so neither is given it.
    return Question(
        id=identity(record, "question_ID"),
        text=text(record, "question"),
        answers=tuple(dict.fromkeys((*answers(record, "answer1"), *answers(record, "answer2")))),
        type=text_if_any(record, "contradictType"),
        passages=passages((title, text(record, field)) for field in ("context1", "context2")),
    )
