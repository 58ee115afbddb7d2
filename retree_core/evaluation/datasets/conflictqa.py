"""ConflictQA (Xie et al., 2024): conflictQA-popQA-*.json, conflictQA-strategyQA-*.json, which are JSON Lines.

{question, ground_truth, memory_answer, parametric_memory, counter_answer, counter_memory,
parametric_memory_aligned_evidence, counter_memory_aligned_evidence}. Ids are made of the record's number:
conflictqa-1. The ground truths True and False count as yes and no too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from retree_core.evaluation.datasets.fields import Record, answers, distinct, passages, text, text_or_blank
from retree_core.evaluation.datasets.files import records
from retree_core.evaluation.exact_match import normalised
from retree_core.evaluation.questions import Question

_TRUTHS = {"true": ("yes", "True"), "false": ("no", "False")}
_CLAIMS = ("memory_answer", "counter_answer")
_EVIDENCE = (
    "parametric_memory",
    "counter_memory",
    "parametric_memory_aligned_evidence",
    "counter_memory_aligned_evidence",
)


def read(path: Path) -> tuple[Question, ...]:
    """The questions of the file, each with its evidence for both claims. Raises InputError."""
    return distinct((one, _question(one)) for one in records(path))


def _question(record: Record) -> Question:
    right, wrong = _answers(record)
    evidence = [text_or_blank(record, field) for field in _EVIDENCE]
    return Question(
        id=f"conflictqa-{record.number}",
        text=text(record, "question"),
        answers=right,
        wrong_answers=wrong,
        passages=passages((f"Evidence {number}", one) for number, one in enumerate(evidence, 1)),
    )


def _answers(record: Record) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Right and wrong answers."""
    golds = answers(_truth_in_words(record), "ground_truth")
    claims = [text_or_blank(record, field) for field in _CLAIMS]
    truth = golds[0].lower() if len(golds) == 1 else ""
    if truth in _TRUTHS:
        return _TRUTHS[truth], _TRUTHS["false" if truth == "true" else "true"]
    wrong = tuple(one for one in claims if not any(_says(one, gold) for gold in golds))
    return golds, wrong if len(wrong) == 1 and wrong[0].strip() else ()


def _truth_in_words(record: Record) -> Record:
    given = record.fields.get("ground_truth")
    values = given if isinstance(given, list) else [given]
    words = [str(one) if isinstance(one, bool) else one for one in values]
    return replace(record, fields={**record.fields, "ground_truth": words}) if given is not None else record


def _says(claim: str, answer: str) -> bool:
    return f" {normalised(answer)} " in f" {normalised(claim)} "
