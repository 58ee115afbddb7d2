"""The agents: generators that do no I/O.

An agent yields an event (something happened to the memory) or a call (something it wants answered) and is
sent the reply to each call. Drivers decide where replies come from.
"""

from __future__ import annotations

from collections.abc import Generator

from retree_core.calls import Call, Reply
from retree_core.events import Event
from retree_core.settings import Settings

Item = Event | Call
Agent = Generator[Item, Reply | None, None]


def start(question: str, settings: Settings) -> Agent:
    """The agent that `settings` names, not yet started."""
    from retree_core.agents.retree import retree

    return {"retree": retree}[settings.agent](question, settings)


__all__ = ["Agent", "Item", "start"]
