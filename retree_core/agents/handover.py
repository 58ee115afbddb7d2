"""Another model takes over a run that one began: a fork or a resumed run, answered by the server of now."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from retree_core.calls import Call, ModelCall, Reply
from retree_core.events import Event
from retree_core.settings import Settings

Agent = Generator[Event | Call, Reply | None, None]


def handed_over(agent: Agent, settings: Settings) -> Agent:
    """The agent with each model call addressed to the model that is in charge of it by then."""
    made, reply = 0, None
    while True:
        try:
            item = agent.send(reply)
        except StopIteration:
            return
        if isinstance(item, ModelCall):
            item = replace(item, body={**item.body, "model": settings.model_of_call(made)})
            made += 1
        reply = yield item
