"""Ids in sentences, and how each stood at a moment."""

from __future__ import annotations

from collections.abc import Iterable

from retree_core.memory import Evidence
from retree_core.state import State, active_path
from retree_core.why.values import Ref

MOST_LISTED = 24


def listed(ids: Iterable[str]) -> tuple[str, ...]:
    """The ids as `Ref`s with commas between them; past MOST_LISTED, the number of the rest."""
    every = tuple(ids)
    rest = len(every) - MOST_LISTED
    named = tuple(part for one in every[:MOST_LISTED] for part in (", ", Ref(one)))[1:]
    return (*named, f" and {rest:,} more") if rest > 0 else named


_FATES = {"new": "just read", "active": "in force", "set_aside": "set aside"}


def fate_words(one: Evidence) -> str:
    """What became of a fact: `in force`, `restates e2`, `pruned at event 33`."""
    match one.fate:
        case "duplicate":
            return f"restates {one.other}"
        case "absorbed":
            return f"became a revision of {one.other}"
        case "pruned":
            return f"pruned at event {one.pruned_at}" if one.pruned_at else "pruned"
        case fate:
            return _FATES.get(fate, fate)


def standing(state: State, id_: str) -> str:
    """How an id stood: `in force`, `pruned at event 33`, `no such evidence`."""
    one = state.evidence.get(id_)
    if one is None:
        return "a passage, seen" if id_ in state.passages else "no such evidence"
    if one.fate == "active" and all(each.id != id_ for each in active_path(state)):
        return "on a node outside of the active path"
    return "just read, not yet in force" if one.fate == "new" else fate_words(one)
