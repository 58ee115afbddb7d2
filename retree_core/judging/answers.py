"""What two facts answer to the one question that the confirmation asks of both, and the times they state besides."""

from __future__ import annotations

import re
from typing import Final

from retree_core.judging.facts import FactPair, Parts
from retree_core.judging.sameness import stems
from retree_core.text.dates import Date, could_be_equal
from retree_core.text.values import read_dates

_UNSTATED: Final = re.compile(
    r"^\W*(?:not (?:stated|given|mentioned|specified|applicable|answered)|unknown|none|n/?a)?\W*$", re.I
)


def answered(parts: Parts) -> bool:
    """Whether the confirmation has both facts answer its question."""
    return stated(parts.value.old) and stated(parts.value.new)


def stated(answer: str) -> bool:
    """Whether the confirmation gave an answer at all, and not "not stated" or the like."""
    return not _UNSTATED.match(answer)


def answers(pair: FactPair, parts: Parts) -> tuple[str, str]:
    """What the facts answer to the one question; where the model says "not stated", what the fact alone says."""
    a, b = parts.value.old.strip(), parts.value.new.strip()
    return (
        a if stated(a) else _own_words(pair.old, pair.new),
        b if stated(b) else _own_words(pair.new, pair.old),
    )


def _own_words(fact: str, other: str) -> str:
    """The words of `fact` that `other` lacks, set apart, so that they are no stretch of the fact."""
    there = stems(other)
    return " / ".join(word for word in fact.split() if stems(word) and not stems(word) & there)


def times_besides(fact: str, answer: str) -> list[Date]:
    """Dates of a fact that are not in its answer, not even in part ("April" of "every April")."""
    (_, named), (text, dates) = read_dates(answer), read_dates(fact)
    start = text.casefold().find(answer.casefold()) if answer else -1
    end = start + len(answer)
    return [
        one
        for one in dates
        if not any(could_be_equal(one, other) for other in named)
        and (start < 0 or one.end <= start or end <= one.start)
    ]
