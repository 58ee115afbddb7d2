"""Deciding whether two facts contradict each other: duplicates first, then guards that may only veto a repair."""

from collections.abc import Mapping

from retree_core.judging.duplicates import is_duplicate
from retree_core.judging.facts import FactPair, GuardResult, Part, Parts
from retree_core.judging.guards import text_guards

__all__ = ["GUARDS", "FactPair", "GuardResult", "Part", "Parts", "is_duplicate", "part_guards", "text_guards"]

GUARDS: Mapping[str, str] = {}


def part_guards(pair: FactPair, parts: Parts) -> tuple[GuardResult, ...]:
    """Return what every guard over the stated parts says, in a fixed order."""
    return ()
