"""The states of a run by moment: any of them at once, without keeping all."""

from __future__ import annotations

from collections.abc import Sequence

from retree_core.events import Event
from retree_core.state import State, apply

EVERY = 64
"""Events between kept states in long runs."""
KEEP_ALL = 1500
"""Runs of up to so many events keep the state of every moment; neighbours share what did not change."""


class History:
    """Moment 0 is before the first event; the last one is the number of events."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)
        self._step = 1 if len(self._events) <= KEEP_ALL else EVERY
        self._kept = [State()]
        self._recent: dict[int, State] = {}
        self.last = State()
        for number, event in enumerate(self._events, 1):
            self.last = apply(self.last, event)
            if number % self._step == 0:
                self._kept.append(self.last)

    def at(self, moment: int) -> State:
        """The state after `moment` events; moments outside of the run give its ends."""
        moment = max(0, min(moment, len(self._events)))
        if moment == len(self._events):
            return self.last
        if moment not in self._recent:
            start = moment // self._step
            state = self._kept[start]
            for event in self._events[start * self._step : moment]:
                state = apply(state, event)
            if len(self._recent) > 2 * EVERY:
                self._recent.clear()
            self._recent[moment] = state
        return self._recent[moment]
