"""The agents: generators that do no I/O (`retree_core.protocol` says what passes between them and a driver)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retree_core.errors import UsageError
from retree_core.settings import Settings

if TYPE_CHECKING:
    from retree_core.agents.strategy import MemoryStrategy


def strategy_of(settings: Settings) -> MemoryStrategy:
    """How the agent of these settings keeps its memory. Raises UsageError where it is that of an imported record."""
    from retree_core.agents.flat import FLAT
    from retree_core.agents.react import REACT
    from retree_core.agents.report import REPORT
    from retree_core.agents.retree import RETREE

    if settings.agent == "imported":
        raise UsageError("this record was imported: there is nothing to replay, resume or fork")
    return {"retree": RETREE, "react": REACT, "flat": FLAT, "report": REPORT}[settings.agent]
