"""A breakpoint of the address on one run: where it hits, or why it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass

from retree_core.breakpoints import Breakpoint, hits
from retree_core.errors import UsageError
from retree_core.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A breakpoint and the moments it hits."""

    text: str
    moments: tuple[int, ...] = ()
    problem: str = ""
    """What is wrong with its text; it is ignored then."""


def point(trace: Trace, text: str) -> Point:
    """The breakpoint that `text` names, on a run."""
    try:
        return Point(text=text, moments=hits(trace, Breakpoint.parse(text)))
    except UsageError as error:
        return Point(text=text, problem=str(error))
