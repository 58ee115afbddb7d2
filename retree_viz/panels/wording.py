"""Two wordings of a text against each other: what is gone is struck out, what is new is marked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from retree_core.text.difference import Stretch, word_difference
from retree_viz.html import Html, join, tag, text
from retree_viz.panels.pieces import LONGEST_TEXT, cut

_NAMES = {"gone": "del", "new": "ins"}
LIKE = 0.4
"""Share of a text that must be common before its other words are marked."""


def marked(stretches: Iterable[Stretch]) -> Html:
    """The stretches one after another, those of one text alone in elements that say of which."""
    return join(*(tag(_NAMES[one.kind], one.text) if one.kind in _NAMES else text(one.text) for one in stretches))


def differing(old: str, new: str) -> Html:
    """Both texts in one, word by word."""
    if max(len(old), len(new)) > LONGEST_TEXT:
        return join(tag("del", cut(old)), " ", tag("ins", cut(new)))
    return marked(word_difference(old, new))


def side_of(old: str, new: str, keep: Literal["gone", "new"]) -> Html:
    """One of two texts (`gone`: the first, `new`: the second) with the words marked that the other has not.

    Texts with little in common are left unmarked: all of them would be.
    """
    own = old if keep == "gone" else new
    parts = word_difference(old, new) if max(len(old), len(new)) <= LONGEST_TEXT else ()
    if sum(len(one.text) for one in parts if one.kind == "same") < LIKE * len(own):
        return cut(own)
    kept = (one for one in parts if one.kind in ("same", keep))
    return join(*(tag("b", one.text, cls="apart") if one.kind == keep else text(one.text) for one in kept))
