"""The memory of a run while it is being made: its state, and indexes into it."""

from __future__ import annotations

from collections.abc import Iterable

from retree_core.events import Event
from retree_core.memory import Evidence, Passage, Source
from retree_core.protocol import Happened
from retree_core.rules.recall import ActivePath, Retrieved
from retree_core.state import State, apply


class WorkingMemory:
    """All that an agent goes on from: every event passes through `add` on its way out."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.path = ActivePath.of(state)
        self.retrieved = Retrieved.of(state)

    def add(self, event: Event, *because: int) -> Happened:
        """Applies the event and hands it back to be yielded, with the records that it comes from."""
        self.state = apply(self.state, event)
        self.path.follow(event, self.state)
        self.retrieved.follow(event, self.state)
        return Happened(event=event, because=because)

    def evidence(self, ids: Iterable[str]) -> tuple[Evidence, ...]:
        """The evidence of these ids, in order."""
        return tuple(self.state.evidence[one] for one in ids)

    def passages(self, sources: Iterable[Source]) -> tuple[Passage, ...]:
        """The passages behind `sources`, in order."""
        return tuple(self.state.passages[one.passage] for one in sources)
