"""What the timeline draws: ticks, search brackets, repair bands, context sizes and evidence lanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from retree_core import events as ev
from retree_core.state import State, resolve
from retree_core.trace import CallRecord, EventRecord, Trace
from retree_core.trace.recorded import context_bound
from retree_viz.html import visible
from retree_viz.packed import packed

MARKS: dict[str, tuple[str, str]] = {
    "run_started": ("a", "run started"),
    "context_built": ("b", "policy context"),
    "reply_rejected": ("c", "reply rejected"),
    "search_chosen": ("d", "search"),
    "stop_chosen": ("e", "stop"),
    "stop_refused": ("f", "stop refused"),
    "passages_retrieved": ("g", "passages"),
    "search_failed": ("h", "search failed"),
    "facts_extracted": ("i", "facts"),
    "fact_rebound": ("j", "fact rebound"),
    "fact_dropped": ("k", "fact dropped"),
    "duplicate_found": ("l", "duplicate"),
    "conflict_proposed": ("m", "conflict proposed"),
    "conflict_rejected": ("n", "conflict rejected"),
    "conflict_confirmed": ("o", "conflict confirmed"),
    "evidence_repaired": ("p", "repaired"),
    "repair_skipped": ("q", "repair skipped"),
    "summary_written": ("r", "summary"),
    "summary_stale": ("s", "summary stale"),
    "summary_discarded": ("C", "summary discarded"),
    "nodes_pruned": ("t", "pruned"),
    "search_resumed": ("u", "search resumed"),
    "facts_set_aside": ("v", "set aside"),
    "facts_added": ("B", "facts added"),
    "node_added": ("w", "node added"),
    "budget_exhausted": ("x", "budget spent"),
    "answered": ("y", "answer"),
    "run_ended": ("z", "run ended"),
    "step_taken": ("A", "step"),
}
"""Event kind to the letter that stands for it in `Timeline.codes`, and its name on the screen."""

UNKNOWN = "?"
ROLES = {
    "policy": "p",
    "extract": "x",
    "conflict": "c",
    "confirm": "f",
    "summarise": "s",
    "report": "r",
    "answer": "a",
    "judge": "j",
    "entail": "e",
    "imported": "i",
    "search": "q",
}
"""What a call was made for to the letter that stands for it in `Timeline.calls`; the capital for one that failed."""
ERRORS = ("llm_error", "context_overflow", "search_error", "search_quota")
"""Statuses that a run ends with when something outside of it went wrong."""
MOST_LANES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """The events of one search, first and last moment."""

    first: int
    last: int
    number: int
    query: str
    forced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """The events of one repair: from its proposal to the last thing it caused."""

    first: int
    last: int
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """The life of one piece of evidence."""

    id: str
    born: int
    gone: int | None
    """Moment of the prune; None while in force."""
    marks: tuple[tuple[int, str], ...]
    """Moment and code of what happened to it: proposed, rejected, repaired."""
    end: str
    """What became of it, in two or three words."""


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """A run on the time axis; moments count from 1."""

    total: int
    codes: str
    """One letter an event (see MARKS)."""
    calls: str
    """A letter for each call (see ROLES), a full stop for each event, in the order of the record; a plus sign before a
    call that was made side by side with the one before it."""
    led: tuple[tuple[int, int], ...]
    """Number of a call and the event that it led to, where that is not the next one."""
    errors: tuple[int, ...]
    """Moments at which something went wrong: failed searches and calls, replies rejected, an end by an error."""
    brackets: tuple[Bracket, ...]
    bands: tuple[Band, ...]
    context: tuple[tuple[int, int], ...]
    """Moment and characters of each policy context."""
    bound: int | None
    """No policy context of this agent is longer; None where nothing bounds it."""
    lanes: tuple[Lane, ...]
    """The lanes worth most first, at most MOST_LANES."""
    lanes_total: int

    @cached_property
    def json(self) -> dict[str, Any]:
        """The same as plain JSON for the browser."""
        return asdict(self)

    @cached_property
    def packed(self) -> bytes:
        """The same again, as it is sent."""
        return packed(self.json)


def timeline(trace: Trace, last: State) -> Timeline:
    """The timeline of a run whose final state is `last`."""
    events = trace.events
    lanes = _lanes(events, last)
    return Timeline(
        total=len(events),
        codes="".join(MARKS.get(one.kind, (UNKNOWN, ""))[0] for one in events),
        calls="".join("." if isinstance(one, EventRecord) else _letter(one) for one in _made(trace)),
        led=tuple(_led(trace)),
        errors=_errors(trace),
        brackets=_brackets(events),
        bands=_bands(events),
        context=tuple(
            (moment, one.characters) for moment, one in enumerate(events, 1) if isinstance(one, ev.ContextBuilt)
        ),
        bound=context_bound(trace.header),
        lanes=lanes[:MOST_LANES],
        lanes_total=len(lanes),
    )


def _made(trace: Trace) -> Iterator[EventRecord | CallRecord]:
    return (one for one in trace.records if isinstance(one, EventRecord | CallRecord))


def _letter(record: CallRecord) -> str:
    letter = ROLES.get(record.role, UNKNOWN)
    beside = "" if record.beside is None else "+"
    return beside + (letter.upper() if record.failed else letter)


def _led(trace: Trace) -> Iterator[tuple[int, int]]:
    """Calls, from 1, that led to another event than the one after them, and that event."""
    number, moment = 0, 1
    for one in _made(trace):
        if isinstance(one, EventRecord):
            moment += 1
        else:
            number += 1
            led = trace.leads.events[number - 1]
            if led is not None and led != moment:
                yield number, led


def _errors(trace: Trace) -> tuple[int, ...]:
    """Moments of errors, in order; a failed call counts at the event after it."""
    found: dict[int, None] = {}
    moment = 0
    for one in _made(trace):
        if isinstance(one, EventRecord):
            moment += 1
            if _is_error(one.event):
                found[moment] = None
        elif one.failed:
            found[min(moment + 1, len(trace.events))] = None
    return tuple(sorted(found))


def _is_error(event: ev.Event) -> bool:
    return isinstance(event, ev.SearchFailed | ev.ReplyRejected) or (
        isinstance(event, ev.RunEnded) and event.status in ERRORS
    )


def _brackets(events: Sequence[ev.Event]) -> tuple[Bracket, ...]:
    chosen = [(moment, one) for moment, one in enumerate(events, 1) if isinstance(one, ev.SearchChosen)]
    firsts = [_first_of_search(events, moment) for moment, _ in chosen]
    ends = [*firsts, len(events) + 1][1:] if firsts else []
    return tuple(
        Bracket(
            first=first,
            last=_last_of_search(events, moment, end),
            number=one.search,
            query=visible(one.query)[:80],
            forced=one.origin == "forced",
        )
        for (moment, one), first, end in zip(chosen, firsts, ends, strict=True)
    )


def _first_of_search(events: Sequence[ev.Event], chosen: int) -> int:
    """A search begins with the context its policy call was shown."""
    return chosen - 1 if chosen > 1 and isinstance(events[chosen - 2], ev.ContextBuilt) else chosen


_ENDS_SEARCH = (ev.ContextBuilt, ev.StopChosen, ev.StopRefused, ev.BudgetExhausted, ev.Answered, ev.RunEnded)


def _last_of_search(events: Sequence[ev.Event], chosen: int, end: int) -> int:
    for moment in range(chosen + 1, end):
        if isinstance(events[moment - 1], _ENDS_SEARCH):
            return moment - 1
    return end - 1


_CAUSED_BY_REPAIR = (
    ev.ReplyRejected,
    ev.SummaryWritten,
    ev.SummaryStale,
    ev.SummaryDiscarded,
    ev.NodesPruned,
    ev.SearchResumed,
    ev.FactsSetAside,
)


def _bands(events: Sequence[ev.Event]) -> tuple[Band, ...]:
    bands = []
    for moment, one in enumerate(events, 1):
        if isinstance(one, ev.EvidenceRepaired):
            last = moment
            while last < len(events) and isinstance(events[last], _CAUSED_BY_REPAIR):
                last += 1
            bands.append(Band(first=_proposal(events, one, moment), last=last, evidence=visible(one.evidence)))
    return tuple(bands)


def _proposal(events: Sequence[ev.Event], repair: ev.EvidenceRepaired, moment: int) -> int:
    """Moment of the proposal that led to a repair; the repair's own where there is none."""
    for earlier in range(moment - 1, 0, -1):
        one = events[earlier - 1]
        if isinstance(one, ev.ConflictProposed) and (one.old, one.new) == (repair.evidence, repair.by):
            return earlier
    return moment


def _lanes(events: Sequence[ev.Event], last: State) -> tuple[Lane, ...]:
    born = {
        one.id: moment
        for moment, event in enumerate(events, 1)
        if isinstance(event, ev.FactsExtracted)
        for one in event.facts
    }
    marks = lane_marks(events)
    cited = {id_: ", ".join(claims) for id_, claims in cited_by(last).items()}
    lanes = [
        Lane(
            id=visible(id_),
            born=born.get(id_, 1),
            gone=one.pruned_at,
            marks=tuple(marks.get(id_, ())),
            end=f"cited by {cited[id_]}" if id_ in cited else f"pruned, {one.pruned_at}" if one.pruned_at else "",
        )
        for id_, one in last.evidence.items()
        if one.node is not None
    ]
    return tuple(sorted(lanes, key=_worth))


def _worth(lane: Lane) -> tuple[bool, bool, bool, bool]:
    """Sorts lanes: repaired, then contested, then cited, then pruned, else in order of arrival."""
    codes = {code for _, code in lane.marks}
    return "p" not in codes, not codes, not lane.end.startswith("cited"), lane.gone is None


def lane_marks(events: Sequence[ev.Event]) -> dict[str, list[tuple[int, str]]]:
    """Evidence to moment and letter of each proposal, decision and repair."""
    marks: dict[str, list[tuple[int, str]]] = {}
    for moment, one in enumerate(events, 1):
        match one:
            case ev.ConflictProposed() | ev.ConflictRejected() | ev.ConflictConfirmed():
                marks.setdefault(one.old, []).append((moment, MARKS[one.kind][0]))
            case ev.EvidenceRepaired():
                marks.setdefault(one.evidence, []).append((moment, MARKS[one.kind][0]))
    return marks


def cited_by(last: State) -> dict[str, list[str]]:
    """Evidence in force to the claims that cite it."""
    claims: dict[str, list[str]] = {}
    for number, claim in enumerate(last.answer.claims if last.answer else (), 1):
        for id_ in claim.cites:
            found = resolve(last, id_)
            if found.evidence and found.standing != "stale":
                claims.setdefault(found.evidence, []).append(f"c{number}")
    return {id_: list(dict.fromkeys(names)) for id_, names in claims.items()}
