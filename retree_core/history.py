"""The states of a run by moment: any of them at once, without keeping all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from retree_core.events import Event
from retree_core.state import State, apply

EVERY = 64
"""Events between kept states in long runs."""
KEEP_ALL = 1500
"""Runs of up to so many events keep the state of every moment; neighbours share what did not change."""
MOST_STRETCHES = 4
"""Stretches between kept states that stay folded once they were looked into: questions come in neighbourhoods."""


class History:
    """Moment 0 is before the first event; the last one is the number of events."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)
        self._step = 1 if len(self._events) <= KEEP_ALL else EVERY
        self._kept = [State()]
        self._stretches: dict[int, tuple[State, ...]] = {}
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
        number, place = divmod(moment, self._step)
        return self._stretch(number)[place]

    def _stretch(self, number: int) -> tuple[State, ...]:
        """The states from a kept one up to before the next."""
        known = self._stretches  # sessions share a run: what is forgotten is left to whoever still reads it
        states = known.get(number)
        if states is None:
            start = number * self._step
            states = tuple(accumulate(self._events[start : start + self._step - 1], apply, initial=self._kept[number]))
            if len(known) >= MOST_STRETCHES:
                self._stretches = known = {}
            known[number] = states
        return states
