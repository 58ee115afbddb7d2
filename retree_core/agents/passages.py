"""What the two agents that keep no facts share: they name and cite the passages themselves."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from retree_core.agents.asking import consult
from retree_core.agents.strategy import Shown
from retree_core.memory import Passage
from retree_core.protocol import Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.state import State


def shown(memory: WorkingMemory, kept: dict[str, Any]) -> Shown:
    """A memory of which all is shown."""
    return Shown(memory=kept, ids=tuple(memory.state.passages))


def measured(memory: WorkingMemory, kept: dict[str, Any]) -> Steps[Shown]:
    """The same with its length."""
    size = yield from consult("measure", {"memory": kept}, memory)
    ids = tuple(memory.state.passages)
    return Shown(memory=kept, ids=ids, characters=size.value["characters"], because=(size.seq,))


def citable(memory: WorkingMemory) -> Container[str]:
    """Every passage retrieved so far."""
    return memory.state.passages


def brought_something(state: State) -> bool:
    """What a search brings is kept as it is."""
    return True


def page(passage: Passage) -> dict[str, Any]:
    """A passage as prompts take it."""
    return {
        "id": passage.id,
        "title": passage.title,
        "text": passage.text,
        "url": passage.url,
        "published": passage.published,
    }
