"""What a benchmark finds: rows of measured value, alternative, ratio and target."""

from __future__ import annotations

import importlib
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


def measured(name: str, short: bool) -> list[Row]:
    """The rows of a benchmark, by its name; in here, since a process started afresh knows nothing of `__main__`."""
    return importlib.import_module(f"tests.benchmarks.{name}").measure(short)  # type: ignore[no-any-return]


def lines(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    head = ("| what | measured | beside it | ratio | target | met |", "|---|---|---|---|---|---|")
    return "\n".join((*head, *map(_line, rows)))


def _line(row: Row) -> str:
    met = "yes" if row.met else "no"
    return f"| {row.what} | {row.ours} | {row.alternative} | {row.ratio:.2f} | {row.target} | {met} |"
