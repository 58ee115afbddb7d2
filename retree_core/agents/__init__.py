"""The agents: generators that do no I/O.

An agent yields an event (something happened to the memory) or a call (something it wants answered) and is
sent the reply to each call; before calls that may be made side by side it says so. Drivers decide where replies
come from.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from retree_core.calls import Call, Reply, Together
from retree_core.errors import UsageError
from retree_core.events import Event
from retree_core.settings import Settings

if TYPE_CHECKING:
    from retree_core.agents.keeping import Keeping

Item = Event | Call | Together
Agent = Generator[Item, Reply | None, None]


def start(question: str, settings: Settings) -> Agent:
    """The agent that `settings` names, not yet started. Raises UsageError where it is that of an imported record."""
    from retree_core.agents.handover import handed_over
    from retree_core.agents.loop import search_agent

    agent = search_agent(question, settings, _keeping(settings))
    return handed_over(agent, settings) if settings.handovers else agent


def policy_bound(settings: Settings) -> int | None:
    """No policy context of this agent is longer, characters; None where nothing bounds it (section 5.2)."""
    return None if settings.agent == "imported" else _keeping(settings).bound(settings)


def _keeping(settings: Settings) -> Keeping:
    from retree_core.agents.flat import FLAT
    from retree_core.agents.react import REACT
    from retree_core.agents.report import REPORT
    from retree_core.agents.retree import RETREE

    if settings.agent == "imported":
        raise UsageError("this record was imported: there is nothing to replay, resume or fork")
    return {"retree": RETREE, "react": REACT, "flat": FLAT, "report": REPORT}[settings.agent]


__all__ = ["Agent", "Item", "policy_bound", "start"]
