"""What several parts of a comparison are made of: the signs of the two runs, faults of claims."""

from __future__ import annotations

from retree_core.compare import Fault
from retree_viz.html import Html, tag
from retree_viz.words import Sentence

SIDES = ("a", "b")


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
