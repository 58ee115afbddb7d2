"""2WikiMultiHopQA (Ho et al., 2020): dev.json, train.json.

The format of HotpotQA, with evidences and, in the later release, answer_id. That release comes with id_aliases.json,
JSON Lines of {Q_id, aliases, demonyms}: where it lies beside the file, all names of the answer count, as in the
authors' evaluation (2wikimultihop_evaluate_v1.1.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from retree_core.evaluation.datasets import hotpotqa
from retree_core.evaluation.datasets.fields import Record, answers_if_any, distinct, identity, text_if_any
from retree_core.evaluation.datasets.files import records
from retree_core.evaluation.questions import Question

ALIASES = "id_aliases.json"


def read(path: Path) -> tuple[Question, ...]:
    """The questions of the file, each with the paragraphs of its context. Raises InputError."""
    beside = path.parent / ALIASES
    names = _names(beside) if beside.exists() else {}
    return distinct((one, _question(one, names)) for one in records(path))


def _names(path: Path) -> Mapping[str, tuple[str, ...]]:
    return {
        identity(one, "Q_id"): (*answers_if_any(one, "aliases"), *answers_if_any(one, "demonyms"))
        for one in records(path)
    }


def _question(record: Record, names: Mapping[str, tuple[str, ...]]) -> Question:
    one = hotpotqa.question(record)
    others = names.get(text_if_any(record, "answer_id"), ())
    return replace(one, answers=tuple(dict.fromkeys((*one.answers, *others))))
