"""What the lists of agents without a tree are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from retree_viz.html import Html, tag
from retree_viz.panels.icons import icon

MOST = 300
"""Lines of a list shown at once."""
T = TypeVar("T")


def window(every: Sequence[T], here: int) -> Sequence[T]:
    """At most MOST of them, around the place where something happens.

    >>> window(range(1000), 500)[0], len(window(range(1000), 500)), len(window(range(9), 4))
    (350, 300, 9)
    """
    start = max(0, min(here - MOST // 2, len(every) - MOST))
    return every[start : start + MOST]


def rest(shown: int, total: int) -> Html | None:
    """Says so where a window does not show all."""
    if shown == total:
        return None
    return tag("p", f"{shown} of {total:,} shown, around this moment", cls="mut rest")


def classes(**names: bool) -> str:
    """The names that hold.

    >>> classes(on=True, later=False)
    'on'
    """
    return " ".join(name for name, holds in names.items() if holds)


def marked(now: bool) -> Html | None:
    """The sign of what this event changed."""
    if not now:
        return None
    words = "changed in this event"
    return tag("span", icon("here", "s"), tag("span", words, cls="unseen"), cls="changed-now", title=words)
