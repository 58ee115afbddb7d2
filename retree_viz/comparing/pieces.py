"""What several parts of a comparison are made of: differing words, the signs of the two runs."""

from __future__ import annotations

from typing import Literal

from retree_core.compare import Fault
from retree_core.text.difference import word_difference
from retree_viz.html import Html, join, tag, text
from retree_viz.panels.pieces import LONGEST_TEXT, cut
from retree_viz.words import Sentence

SIDES = ("a", "b")
LIKE = 0.4
"""Share of a text that must be common before its other words are marked."""


def differing(old: str, new: str) -> Html:
    """Both texts in one, word by word: what is gone is struck out, what is new is marked."""
    if max(len(old), len(new)) > LONGEST_TEXT:
        return join(tag("del", cut(old)), " ", tag("ins", cut(new)))
    names = {"gone": "del", "new": "ins"}
    return join(
        *(tag(names[one.kind], one.text) if one.kind in names else text(one.text) for one in word_difference(old, new))
    )


def side_of(old: str, new: str, keep: Literal["gone", "new"]) -> Html:
    """One of two texts (`gone`: the first, `new`: the second) with the words marked that the other has not.

    Texts with little in common are left unmarked: all of them would be.
    """
    own = old if keep == "gone" else new
    parts = word_difference(old, new) if max(len(old), len(new)) <= LONGEST_TEXT else ()
    if sum(len(one.text) for one in parts if one.kind == "same") < LIKE * len(own):
        return cut(own)
    return join(
        *(
            tag("b", one.text, cls="apart") if one.kind == keep else text(one.text)
            for one in parts
            if one.kind in ("same", keep)
        )
    )


def badge(side: str) -> Html:
    """The sign of a run: A is a solid circle, B a square."""
    return tag("span", side.upper(), cls=f"ab {side}")


def fault_words(fault: Fault, there: str) -> Sentence:
    """Why a claim should not be trusted; `there` names the other run."""
    match fault.kind:
        case "nothing":
            return ("cites nothing",)
        case "missing":
            return (f"{fault.id} does not exist",)
        case "stale":
            return (f"{fault.id} is not in force",)
        case "premise":
            return (f"{fault.id} was found while {fault.by} had a value that was given up",)
        case "refuted_there":
            return (f"{there} gave up what {fault.id} says",)
        case _:
            return (f"{there} pruned what {fault.id} says",)
