"""Deciding whether two facts contradict each other (paper, section 4.3), with guards that can only say no.

First duplicates, which need no call; then guards over the two texts, before the confirmation is spent; then guards over
the parts that the confirmation states. Every guard is a small named function that may veto a repair and nothing else.
"""

from retree_core.judging.duplicates import is_duplicate
from retree_core.judging.facts import FactPair, GuardResult, Part, Parts
from retree_core.judging.guards import GUARDS, answered, part_guards, text_guards

__all__ = [
    "GUARDS",
    "FactPair",
    "GuardResult",
    "Part",
    "Parts",
    "answered",
    "is_duplicate",
    "part_guards",
    "text_guards",
]
