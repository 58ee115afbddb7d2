"""What a benchmark finds: rows of measured value, alternative, ratio and target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. The ratio is what is kept: absolute times vary from machine to machine."""

    what: str
    ours: str
    """Measured value with its unit."""
    alternative: str
    """What it stands beside, and its value in the same run."""
    ratio: float
    target: str
    """What was wished for, in words."""
    met: bool


def lines(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    head = ("| what | measured | beside it | ratio | target | met |", "|---|---|---|---|---|---|")
    body = (
        f"| {one.what} | {one.ours} | {one.alternative} | {one.ratio:.2f} | {one.target} | {'yes' if one.met else 'no'} |"
        for one in rows
    )
    return "\n".join((*head, *body))
