"""A trace opened for questions: states by moment, and which calls belong to which event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from retree_core import events as ev
from retree_core.calls import CallFailed
from retree_core.memory import Evidence, Revision
from retree_core.state import State
from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord
from retree_core.trace.spent import usage
from retree_core.why.values import CallMade, Context, Cost, Fact, PastValue, Quoted


class Ledger:
    """Answers what stood where in a run. Moment 0 is before the first event."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.events = trace.events
        self.last = trace.history.last

    def at(self, moment: int) -> State:
        """The state after `moment` events; moments outside of the run give its ends."""
        return self.trace.history.at(moment)

    def event(self, moment: int) -> ev.Event:
        return self.events[moment - 1]

    def moments(self, *kinds: type[ev.Event]) -> tuple[int, ...]:
        """Moments of all events of these kinds."""
        return tuple(moment for moment, event in enumerate(self.events, 1) if isinstance(event, kinds))

    def next_of(self, moment: int, *kinds: type[ev.Event]) -> int | None:
        """The first event of these kinds after `moment`."""
        later = range(moment + 1, len(self.events) + 1)
        return next((one for one in later if isinstance(self.event(one), kinds)), None)

    def last_of(self, moment: int, *kinds: type[ev.Event]) -> int | None:
        """The last event of these kinds up to `moment`."""
        return next((one for one in range(moment, 0, -1) if isinstance(self.event(one), kinds)), None)

    def search_end(self, start: int) -> int:
        """The moment at which the next search after the one chosen at `start` is; past the run where there is none."""
        return self.next_of(start, ev.SearchChosen) or len(self.events) + 1

    @cached_property
    def search_starts(self) -> dict[int, int]:
        """Search number to the moment it was chosen."""
        starts: dict[int, int] = {}
        for moment, event in enumerate(self.events, 1):
            if isinstance(event, ev.SearchChosen):
                starts.setdefault(event.search, moment)
        return starts

    @cached_property
    def added_at(self) -> Mapping[str, int]:
        """Fact to the moment a node was first added with it."""
        added: dict[str, int] = {}
        for moment, event in enumerate(self.events, 1):
            if isinstance(event, ev.NodeAdded):
                for id_ in event.evidence:
                    added.setdefault(id_, moment)
        return added

    def calls_between(self, first: int, last: int) -> tuple[CallRecord, ...]:
        """Calls made after event `first` and before event `last`."""
        before = self.trace.calls_before
        start = before[first - 1] if 0 < first <= len(before) else 0
        end = before[last - 1] if 0 < last <= len(before) else len(self.trace.calls)
        return self.trace.calls[start:end]

    def calls_for(self, moment: int, *roles: str) -> tuple[CallMade, ...]:
        """The calls made for an event, those included whose reply was rejected before."""
        event = self.event(moment) if 0 < moment <= len(self.events) else None
        if isinstance(event, ev.ReplyRejected):
            first = moment - 1
            while first > 0 and isinstance(self.event(first), ev.ReplyRejected):
                first -= 1
            made = [one for one in map(call_made, self.calls_between(first, moment)) if one.role == event.role]
        else:
            made = [call_made(self.trace.calls[number]) for number in self.trace.leads.tries.get(moment, ())]
        return tuple(one for one in made if not roles or one.role in roles)

    def context_before(self, moment: int) -> Context | None:
        """The policy context in force at an event."""
        at = self.last_of(moment, ev.ContextBuilt)
        if at is None:
            return None
        event, state = self.event(at), self.at(at)
        assert isinstance(event, ev.ContextBuilt)
        node = state.nodes.get(event.node)
        facts = facts_of(state, event.evidence)
        return Context(
            moment=at,
            node=event.node,
            summary=node.summary if node else "",
            evidence=facts,
            characters=event.characters,
        )

    def context_of_search(self, search: int) -> Context | None:
        """The policy context that led to a search."""
        at = self.search_starts.get(search)
        return self.context_before(at) if at else None

    def cost_of(self, searches: Iterable[int]) -> Cost:
        """All calls of these searches, each from its policy context to the next one."""
        numbers = tuple(sorted(set(searches)))
        calls: list[CallRecord] = []
        for number in numbers:
            at = self.search_starts.get(number)
            if at is not None:
                end = self.next_of(at, ev.ContextBuilt, ev.BudgetExhausted) or len(self.events) + 1
                first = self.last_of(at, ev.ContextBuilt)
                calls += self.calls_between(first if first is not None else at, end)
        return cost(numbers, tuple(map(call_made, calls)))


def cost(searches: tuple[int, ...], calls: tuple[CallMade, ...]) -> Cost:
    """The sum of some calls."""
    models = [one for one in calls if one.role != "search"]
    return Cost(
        searches=searches,
        calls=len(calls),
        seconds=round(sum(one.seconds for one in calls), 3),
        prompt_tokens=sum(one.prompt_tokens or 0 for one in models),
        completion_tokens=sum(one.completion_tokens or 0 for one in models),
        uncounted=sum(one.prompt_tokens is None or one.completion_tokens is None for one in models),
    )


def call_made(record: CallRecord) -> CallMade:
    """The call as a reference to its record."""
    counted = usage(record)
    return CallMade(
        seq=record.seq,
        role=record.role,
        seconds=record.seconds,
        prompt_tokens=counted.prompt_tokens if counted else None,
        completion_tokens=counted.completion_tokens if counted else None,
        failure=record.reply.failure if isinstance(record.reply, CallFailed) else "",
        edited=record.edited,
        beside=record.beside,
    )


def quoted(state: State, revision: Revision) -> tuple[Quoted, ...]:
    """The sources of a revision with their passages."""
    return tuple(Quoted(source=one, passage=state.passages.get(one.passage)) for one in revision.sources)


def fact(state: State, id_: str) -> Fact:
    """A fact as it reads in `state`; without text where it does not exist."""
    one = state.evidence.get(id_)
    if one is None:
        return Fact(id=id_, revision=0, text="", sources=())
    return Fact(id=id_, revision=one.current.number, text=one.text, sources=quoted(state, one.current))


def facts_of(state: State, ids: Iterable[str]) -> tuple[Fact, ...]:
    return tuple(fact(state, id_) for id_ in ids)


def history(state: State, one: Evidence | None) -> tuple[PastValue, ...]:
    """All values a piece of evidence has had in `state`, oldest first."""
    if one is None:
        return ()
    reasons = [later.reason for later in one.revisions[1:]] + [""]
    return tuple(
        PastValue(
            revision=each.number, text=each.text, sources=quoted(state, each), by=each.by, given_up=reasons[place]
        )
        for place, each in enumerate(one.revisions)
    )
