"""What the two agents that keep no facts share: they name and cite the passages themselves."""

from __future__ import annotations

from collections.abc import Container

from retree_core.agents.memory import Memory
from retree_core.memory import Passage
from retree_core.prompts import quoted


def citable(memory: Memory) -> Container[str]:
    """Every passage retrieved so far."""
    return memory.state.passages


def headed(passage: Passage) -> str:
    """A passage by its id, title and date, as prompts show it."""
    date = f" ({quoted(passage.published)})" if passage.published else ""
    return f"[{passage.id}] {quoted(passage.title)}{date}"
