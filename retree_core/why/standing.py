"""Ids in sentences, and how each stood at a moment."""

from __future__ import annotations

from collections.abc import Iterable

from retree_core.state import State, active_path
from retree_core.why.values import Ref

MOST_LISTED = 24


def listed(ids: Iterable[str]) -> tuple[str, ...]:
    """The ids as `Ref`s with commas between them; past MOST_LISTED, the number of the rest."""
    every = tuple(ids)
    rest = len(every) - MOST_LISTED
    named = tuple(part for one in every[:MOST_LISTED] for part in (", ", Ref(one)))[1:]
    return (*named, f" and {rest:,} more") if rest > 0 else named


def standing(state: State, id_: str) -> str:
    """How an id stood: `in force`, `pruned at event 33`, `no such evidence`."""
    one = state.evidence.get(id_)
    if one is None:
        return "a passage, seen" if id_ in state.passages else "no such evidence"
    match one.fate:
        case "active":
            held = any(each.id == id_ for each in active_path(state))
            return "in force" if held else "on a node outside of the active path"
        case "pruned":
            return f"pruned at event {one.pruned_at}"
        case "duplicate":
            return f"restates {one.other}"
        case "absorbed":
            return f"became a revision of {one.other}"
        case "set_aside":
            return "set aside"
        case _:
            return "read just now, not yet in force"
