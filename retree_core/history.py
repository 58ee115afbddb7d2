"""The states of a run by moment: any of them at once, without keeping all."""

from __future__ import annotations

from collections.abc import Sequence

from retree_core.events import Event
from retree_core.garbage import uncollected
from retree_core.state import State, states

EVERY = 32
"""Events between kept states; neighbours share what did not change."""
MOST_STRETCHES = 64
"""Stretches between kept states that stay folded once they were looked into: questions come in neighbourhoods."""


class History:
    """Moment 0 is before the first event; the last one is the number of events."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)
        with uncollected():
            self._kept = [State(), *states(self._events, every=EVERY)]
        self._stretches: dict[int, tuple[State, ...]] = {}
        self.last = self.at(len(self._events))

    def at(self, moment: int) -> State:
        """The state after `moment` events; moments outside of the run give its ends."""
        moment = max(0, min(moment, len(self._events)))
        number, place = divmod(moment, EVERY)
        return self._stretch(number)[place] if place else self._kept[number]

    def _stretch(self, number: int) -> tuple[State, ...]:
        """The states from a kept one up to before the next."""
        known = self._stretches  # sessions share a run: what is forgotten is left to whoever still reads it
        stretch = known.get(number)
        if stretch is None:
            start, kept = number * EVERY, self._kept[number]
            stretch = (kept, *states(self._events[start : start + EVERY - 1], kept))
            if len(known) >= MOST_STRETCHES:
                self._stretches = known = {}
            known[number] = stretch
        return stretch
