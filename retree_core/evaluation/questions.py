"""Questions with gold answers, and fixed subsets of them (paper, section 5.1)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from retree_core.calls import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of a data set."""

    id: str
    """As the data set gives it; made of its place in the file where it gives none."""
    text: str
    answers: tuple[str, ...]
    """Gold answers, of which any one counts."""
    type: str = ""
    """Kind of question, in the data set's own words."""
    wrong_answers: tuple[str, ...] = ()
    """Answers that misleading passages lead to, where the data set names them."""
    passages: tuple[Hit, ...] = ()
    """Passages that come with the question."""


def fixed_subset(questions: Sequence[Question], size: int | None, seed: int = 0) -> tuple[Question, ...]:
    """The same `size` questions for the same seed, in the data set's order; all where there are no more.

    >>> all_ten = [Question(id=str(n), text="?", answers=("a",)) for n in range(10)]
    >>> [one.id for one in fixed_subset(all_ten, 3)]
    ['0', '6', '9']
    """
    if size is None or size >= len(questions):
        return tuple(questions)
    chosen = random.Random(seed).sample(range(len(questions)), size)
    return tuple(questions[place] for place in sorted(chosen))
