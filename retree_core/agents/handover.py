"""Another model takes over a run that one began: a fork or a resumed run, answered by the server of now."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from retree_core.calls import Call, ModelCall, Reply, Together
from retree_core.events import Event
from retree_core.settings import Settings

Agent = Generator[Event | Call | Together, Reply | None, None]


def handed_over(agent: Agent, settings: Settings) -> Agent:
    """The agent with each model call addressed to the model that is in charge of it by then."""
    made, reply = 0, None
    while True:
        try:
            item = agent.send(reply)
        except StopIteration:
            return
        if isinstance(item, Together):
            item = Together(calls=tuple(_to(settings, one, made + place) for place, one in enumerate(item.calls)))
        elif isinstance(item, ModelCall):
            item = _to(settings, item, made)
            made += 1
        reply = yield item


def _to(settings: Settings, call: ModelCall, made: int) -> ModelCall:
    """The call, addressed to the model in charge after so many calls."""
    return replace(call, body={**call.body, "model": settings.model_of_call(made)})
