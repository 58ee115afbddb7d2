"""Ids in sentences, and how each stood at a moment."""

from __future__ import annotations

from collections.abc import Iterable

from retree_core.state import State, active_path
from retree_core.why.values import Ref


def listed(ids: Iterable[str]) -> tuple[str, ...]:
    """The ids as `Ref`s with commas between them."""
    return tuple(part for one in ids for part in (", ", Ref(one)))[1:]


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
