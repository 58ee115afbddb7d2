"""What stands in the cells of a report: numbers with what they are of, and what stands out or leads on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from retree_core.evaluation.scores import Rate, Score

NOTHING = "-"
NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A cell that leads to a trace."""

    path: Path
    text: str


class Best(str):
    """A cell that stands out, in bold or with a mark: the best of its data set."""

    __slots__ = ()


Cell = str | Trace


def percent(one: Rate) -> str:
    """
    >>> percent(Rate(value=0.44, of=100, low=0.341, high=0.5299))
    '44.0 [34.1, 53.0]'
    """
    return NOTHING if one.value is None else _with_interval(one, 100, ".1f")


def mean(one: Rate) -> str:
    """
    >>> mean(Rate(value=1234.5, of=1))
    '1,234'
    """
    return NOTHING if one.value is None else _with_interval(one, 1, ",.0f")


def _with_interval(one: Rate, factor: int, form: str) -> str:
    text = format(factor * (one.value or 0.0), form)
    if one.low is None or one.high is None:
        return text
    return f"{text} [{format(factor * one.low, form)}, {format(factor * one.high, form)}]"


def accuracy(one: Score) -> str:
    """The share with what it is of, such as `50.0 [0.0, 100.0] (2/4, 1 judge error)`."""
    if one.grades["not judged"]:
        return NOT_JUDGED
    errors = one.grades["judge error"]
    told = f", {errors} judge {'error' if errors == 1 else 'errors'}" if errors else ""
    return f"{percent(one.accuracy)} ({one.grades['correct']}/{one.accuracy.of}{told})"


def one_decimal(one: Rate) -> str:
    return NOTHING if one.value is None else f"{one.value:.1f}"
