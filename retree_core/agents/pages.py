"""What the two agents that keep no facts share: they name and cite the passages themselves."""

from __future__ import annotations

from retree_core.memory import Passage
from retree_core.prompts import quoted
from retree_core.state import State


def citable(state: State) -> set[str]:
    """Every passage retrieved so far."""
    return set(state.passages)


def headed(passage: Passage) -> str:
    """A passage by its id, title and date, as prompts show it."""
    date = f" ({quoted(passage.published)})" if passage.published else ""
    return f"[{passage.id}] {quoted(passage.title)}{date}"
