"""Normalised exact match, as HotpotQA and SQuAD define it (paper, section 5.2)."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(answer: str) -> str:
    """Lower case, without ASCII punctuation, articles and extra space: the official normalisation, order included.

    >>> normalised("The  Beatles!"), normalised("a-team")
    ('beatles', 'ateam')
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION)).split())


def official_match(prediction: str, gold: str) -> bool:
    """The official comparison of two answers, which calls "The" and "A" equal: nothing is left of either."""
    return normalised(prediction) == normalised(gold)


def exact_match(prediction: str | None, golds: Iterable[str]) -> bool:
    """Whether a prediction equals any gold answer. A blank or missing prediction never does.

    >>> exact_match("the Beatles", ["Beatles", "Fab Four"]), exact_match("", ["a"])
    (True, False)
    """
    if prediction is None or not prediction.strip():
        return False
    return any(official_match(prediction, one) for one in golds)
