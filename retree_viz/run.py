"""A trace opened for looking at: its state at every moment, and what the panels look up again and again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from retree_core import events as ev
from retree_core.state import State
from retree_core.trace import CallRecord, Trace
from retree_core.why import Absence, Change, Conflict, Ledger, changes_of, why_not
from retree_core.why.calls import CallLine, call_lines
from retree_core.why.conflicts import Conflicts
from retree_core.why.dependence import Dependence, dependence
from retree_core.why.returns import Former, returns
from retree_viz.timeline.data import Timeline, timeline
from retree_viz.timeline.points import Point, point

MOST_POINTS = 100
"""Breakpoints whose hits are kept."""
MOST_ABSENCES = 20
"""Pairs of facts whose answers are kept."""


class Run:
    """One trace with its states. Made once per file and shared by all sessions; never changed."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.events = trace.events
        self.ledger = Ledger(trace)
        self._points: dict[str, Point] = {}
        self._absences: dict[tuple[str, str], Absence] = {}

    @property
    def total(self) -> int:
        return len(self.events)

    @property
    def last(self) -> State:
        return self.ledger.last

    @property
    def has_tree(self) -> bool:
        """Whether its memory is a tree, or a chain of imported steps; else it is a list, a transcript or a report."""
        return self.last.has_tree

    def at(self, moment: int) -> State:
        return self.ledger.at(moment)

    def event(self, moment: int) -> ev.Event | None:
        """The event that led to a moment."""
        return self.events[moment - 1] if 1 <= moment <= self.total else None

    @cached_property
    def timeline(self) -> Timeline:
        return timeline(self.trace, self.last)

    def point(self, text: str) -> Point:
        """A breakpoint on this run; the last MOST_POINTS that were asked for are kept."""
        if text not in self._points:
            if len(self._points) >= MOST_POINTS:
                self._points.clear()
            self._points[text] = point(self.trace, text)
        return self._points[text]

    def absence(self, a: str, b: str) -> Absence:
        """Why no backtrack fired between two facts; the last pairs that were asked about are kept."""
        if (a, b) not in self._absences:
            if len(self._absences) >= MOST_ABSENCES:
                self._absences.clear()
            self._absences[a, b] = why_not(self.ledger, a, b, self.conflicts)
        return self._absences[a, b]

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Every conflict with all that it led to."""
        return self.contests.all

    @cached_property
    def contests(self) -> Conflicts:
        """The same one by one: a long run tells only those that are looked at."""
        return Conflicts(self.ledger)

    def changes(self, id_: str) -> tuple[Change, ...]:
        """The life of a fact, node or claim."""
        return changes_of(self.ledger, id_)

    @cached_property
    def dependence(self) -> Dependence:
        """What rests on what."""
        return dependence(self.events, self.last)

    @cached_property
    def returns(self) -> Mapping[str, Former]:
        """Facts that were given up before under another id."""
        return returns(self.events, self.last)

    @cached_property
    def came_back(self) -> dict[str, str]:
        """The other way round: given-up facts to those that restate them."""
        return {former.id: id_ for id_, former in reversed(tuple(self.returns.items()))}

    @cached_property
    def born(self) -> dict[str, int]:
        """Moment at which each node, piece of evidence and passage came to be; ids as events name them."""
        found: dict[str, int] = {}
        for moment, event in enumerate(self.events, 1):
            for id_ in _ids_made(event):
                found.setdefault(id_, moment)
        return found

    @cached_property
    def call_lines(self) -> tuple[CallLine, ...]:
        """Every call with what the record says about it."""
        return call_lines(self.trace)

    def calls_at(self, moment: int) -> tuple[tuple[int, CallRecord], ...]:
        """The calls that led to an event, each with its number in the run from 1."""
        numbers = self.trace.leads.calls.get(moment, ())
        return tuple((number + 1, self.trace.calls[number]) for number in numbers)

    def moment_with_calls(self, moment: int) -> int | None:
        """The latest moment up to this one that calls led to."""
        return next((one for one in range(min(moment, self.total), 0, -1) if one in self.trace.leads.calls), None)

    def number_of_call(self, seq: int) -> int | None:
        """Number in the run, from 1, of the call at a place in the record."""
        return next((number for number, one in enumerate(self.trace.calls, 1) if one.seq == seq), None)


def _ids_made(event: ev.Event) -> tuple[str, ...]:
    match event:
        case ev.RunStarted():
            return ("root",)
        case ev.PassagesRetrieved():
            return tuple(one.id for one in event.passages)
        case ev.FactsExtracted():
            return tuple(one.id for one in event.facts)
        case ev.NodeAdded():
            return (event.node,)
        case _:
            return ()
