"""What several parts of a comparison are made of: the signs of the two runs."""

from __future__ import annotations

from retree_viz.html import Html, tag

SIDES = ("a", "b")


def badge(side: str) -> Html:
    """The sign of a run: A is a solid circle, B a square."""
    return tag("span", side.upper(), cls=f"ab {side}")
