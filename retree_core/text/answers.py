"""An answer as a model writes it down, and the times that a fact states besides."""

from __future__ import annotations

import re
from typing import Final

from retree_core.text.dates import Date, could_be_equal
from retree_core.text.values import read_dates

_UNSTATED: Final = re.compile(
    r"^\W*(?:not (?:stated|given|mentioned|specified|applicable|answered)|unknown|none|n/?a)?\W*$", re.I
)


def stated(answer: str) -> bool:
    """Whether an answer was given at all, and not "not stated" or the like."""
    return not _UNSTATED.match(answer)


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
