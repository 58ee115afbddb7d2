"""What a record of format 1 does not hold, derived from its events and requests: answers of rules, and how replies were
read.

Release 0.1 had its rules inside the engine. What they said shows in what happened next, which is looked up here each
time that the agent asks a rule. Where the record ends before that, the installed rule answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import chain, takewhile
from typing import Any

from retree_core import events as ev
from retree_core.calls import ModelCall, ModelReply
from retree_core.drivers.course import Course
from retree_core.llm.envelope import Completion, read_completion, read_json
from retree_core.protocol import Ask, Boundary, Fault, RuleCall
from retree_core.reading import Reading, read, tidied
from retree_core.rules import answered
from retree_core.secrets import redact
from retree_core.trace.records import CallRecord, EventRecord, Record, RuleRecord

Answer = dict[str, Any]

_TEXT_GUARDS = ("not_only", "one_sided_cue", "unrelated", "value_not_in_passage")
"""Guards of release 0.1 that were asked before the confirmation."""
_PARTS = {name: {"old": 120, "new": 120, "same": 0} for name in ("entity", "attribute", "scope", "time", "value")}
_POLICY = {"reason": 400, "missing": (4, 120), "action": 0, "query": 240, "evidence": (8, 120)}
_BOUNDS: Mapping[str, Any] = {
    "policy": _POLICY,
    "policy_react": _POLICY,
    "policy_report": _POLICY,
    "conflict": {"pairs": (4, {"reason": 400, "stored": 120, "new": 120})},
    "confirm": {"question": 240, **_PARTS, "reason": 400, "contradiction": 0, "better": 0},
    "confirm_paper": {"reason": 400, "apply": 0},
    "summarise": {"summary": 1500},
    "regenerate": {"summary": 1500},
    "report": {"report": 2200},
    "answer": {"claims": (6, {"text": 240, "evidence": (6, 120)}), "answer": 240},
}
"""To how many characters or items release 0.1 cut the fields of a reply; 0: not at all."""


class Derived:
    """The place of a record of format 1, and what follows from there."""

    def __init__(self, course: Course, records: Sequence[Record], place: int) -> None:
        self._course = course
        self._records = records
        self._place = place
        self._first = next(self._coming(), None)

    def _coming(self) -> Iterator[EventRecord | CallRecord]:
        """Events and calls from the place on, to where the next step begins."""
        return _step(self._records, self._place)

    @cached_property
    def _events(self) -> list[ev.Event]:
        """What happened before the next call."""
        return list(_told(self._coming()))

    def settle(self, watch: Callable[[RuleRecord], None]) -> None:
        """Leads the course to the next thing that format 1 records; tells of each answer that shows in it, as the
        record that it would have, without a number."""
        while isinstance(self._course.item, RuleCall | Boundary):
            item = self._course.item
            if isinstance(item, Boundary):
                self._course.go_on()
                continue
            derive: Callable[[Answer], Answer | None] | None = getattr(self, f"_{item.rule}", None)
            found = derive(dict(item.inputs)) if derive else None
            if found is not None:
                watch(RuleRecord(seq=0, rule=item.rule, hash="", inputs=item.digest, reply=found))
            self._course.give_rule(0, answered(item) if found is None else found)

    def reading(self, record: CallRecord) -> Reading:
        """What was made of the reply in the record at this place."""
        ask, now = self._course.item, read_now(self._course, record)
        assert isinstance(ask, Ask)
        rest = self._coming()
        next(rest)
        following = next(rest, None)
        if now.failed or following is None:
            return now
        if isinstance(following, CallRecord) and following.beside == record.seq:
            following = next(rest, None)
        after = _told(chain((following,), rest) if following else rest)
        for event in after:
            if isinstance(event, ev.ReplyRejected) and (event.role, event.attempt) == (ask.role, len(ask.faults) + 1):
                return Reading(fault=Fault(kind=now.fault.kind if now.fault else "invalid", text=event.reason))
        return _as_read(ask, record) or now

    # One method a rule: its answer, or None where the record does not tell.

    def _next(self) -> ev.Event | None:
        """What happens next, if that is no call."""
        return self._events[0] if self._events else None

    def _context(self, inputs: Answer) -> Answer | None:
        event = self._next()
        if not isinstance(event, ev.ContextBuilt):
            return None
        return {"order": list(event.evidence), "characters": event.characters}

    def _measure(self, inputs: Answer) -> Answer | None:
        event = self._next()
        return {"characters": event.characters} if isinstance(event, ev.ContextBuilt) else None

    def _related(self, inputs: Answer) -> Answer | None:
        shown = self._choices("conflict", "pairs", "items", "properties", "stored")
        return {"order": shown} if shown else None if self._first is None else {}

    def _basis(self, inputs: Answer) -> Answer | None:
        shown = self._choices("answer", "claims", "items", "properties", "evidence", "items")
        return {"shown": shown} if shown else None if self._first is None else {}

    def _choices(self, role: str, *path: str) -> list[str]:
        """The ids that the schema of the next call lets a reply name."""
        call = self._first.call if isinstance(self._first, CallRecord) else None
        if not isinstance(call, ModelCall) or call.role != role:
            return []
        held: Any = call.body
        for name in ("response_format", "json_schema", "schema", "properties", *path):
            held = held.get(name) if isinstance(held, Mapping) else None
        ids = held.get("enum") if isinstance(held, Mapping) else None
        return list(ids) if isinstance(ids, list) else []

    def _repeated(self, inputs: Answer) -> Answer | None:
        for place, event in enumerate(self._events):
            if isinstance(event, ev.SearchChosen):
                if event.query != inputs["query"]:
                    return {"circles": event.reason}
                after = self._events[place + 1] if place + 1 < len(self._events) else None
                again = after.repeat_of if isinstance(after, ev.PassagesRetrieved) else None
                return {"earlier": again} if again else {}
        return None

    def _passages(self, inputs: Answer) -> Answer | None:
        event = self._next()
        memory = self._course.item.memory if isinstance(self._course.item, RuleCall) else None
        if not isinstance(event, ev.PassagesRetrieved) or memory is None:
            return None
        hits = {(one["title"], one["text"]): place for place, one in reversed(list(enumerate(inputs["hits"])))}
        known = memory.state.passages
        kept = [one.id if one.id in known else hits.get((one.title, one.text)) for one in event.passages]
        return None if None in kept else {"kept": kept, "duplicates": event.duplicates}

    def _facts(self, inputs: Answer) -> Answer | None:
        extracted = next((one for one in self._events if isinstance(one, ev.FactsExtracted)), None)
        if extracted is None:
            return None
        told: list[Answer] = []
        left = list(extracted.facts)
        for event in self._events[: self._events.index(extracted)]:
            if isinstance(event, ev.FactDropped):
                told.append({"dropped": event.cause, "text": event.text, "detail": event.detail})
            elif isinstance(event, ev.FactRebound):
                same = [(one.text, one.source.passage) == (event.text, event.passage) for one in left]
                place = same.index(True) if True in same else 0
                told += map(_fact, left[:place])
                if place < len(left):
                    told.append({**_fact(left[place]), "named": event.named, "missing": list(event.missing)})
                left = left[place + 1 :]
        return {"facts": [*told, *map(_fact, left)]}

    def _restated(self, inputs: Answer) -> Answer | None:
        found = takewhile(lambda one: isinstance(one, ev.DuplicateFound), self._events)
        return {"of": {one.fact: one.of for one in found if isinstance(one, ev.DuplicateFound)}}

    def _limit(self, inputs: Answer) -> Answer | None:
        event = self._next()
        limited = isinstance(event, ev.ConflictRejected) and event.by == "limit"
        return {"why": event.reason} if limited and isinstance(event, ev.ConflictRejected) else {}

    def _text_guards(self, inputs: Answer) -> Answer | None:
        decided = self._decided()
        if decided is None:
            return None
        asked = isinstance(self._first, CallRecord)
        return {"guards": [asdict(one) for one in decided.guards if not asked or one.name in _TEXT_GUARDS]}

    def _part_guards(self, inputs: Answer) -> Answer | None:
        decided = self._decided()
        if decided is None:
            return None
        guards = [asdict(one) for one in decided.guards if one.name not in _TEXT_GUARDS]
        agreed = isinstance(decided, ev.ConflictConfirmed) or decided.by == "guard"
        return {"guards": guards, "agreed": agreed}

    def _decided(self) -> ev.ConflictConfirmed | ev.ConflictRejected | None:
        """The decision that is being made."""
        every = (one.event for one in self._coming() if isinstance(one, EventRecord))
        found = next((one for one in every if not isinstance(one, ev.ReplyRejected)), None)
        return found if isinstance(found, ev.ConflictConfirmed | ev.ConflictRejected) else None

    def _bound(self, inputs: Answer) -> Answer | None:
        event = self._next()
        if isinstance(event, ev.SummaryStale):
            return {"stale": event.value}
        joined = isinstance(event, ev.SummaryWritten) and event.origin == "facts"
        if "refuted" in inputs and (joined or isinstance(self._first, CallRecord)):
            return {"text": ""}
        if not isinstance(event, ev.SummaryWritten):
            return None
        text = "" if event.origin == "kept" else event.text
        return {"text": text, "cut": event.cut, "invented": list(event.invented)}

    def _refusal(self, inputs: Answer) -> Answer | None:
        event = self._next()
        if not isinstance(event, ev.StopRefused):
            return None
        forced = (one.reason for one in self._events if isinstance(one, ev.SearchChosen) and one.origin == "forced")
        return {"why": event.reason, "instead": next(forced, "two stops were refused")}


def _told(records: Iterable[EventRecord | CallRecord]) -> Iterator[ev.Event]:
    """The events before the next call."""
    for one in records:
        if not isinstance(one, EventRecord):
            return
        yield one.event


def _step(records: Sequence[Record], place: int) -> Iterator[EventRecord | CallRecord]:
    """Events and calls from a place to where the next step begins."""
    for at in range(place, len(records)):
        one = records[at]
        if isinstance(one, EventRecord | CallRecord):
            yield one
        if at > place and isinstance(one, EventRecord) and one.event.kind in ("context_built", "run_ended"):
            return


def shown(call: RuleCall, reply: Mapping[str, Any]) -> Answer:
    """The part of a rule's answer that shows in a record of format 1."""
    inputs = call.inputs
    if call.rule in ("context", "related"):
        order = list(reply.get("order", ()))[: inputs["k"]]
        return {"order": order, "characters": reply.get("characters")}
    if call.rule == "bound":
        stale, text = reply.get("stale", ""), reply.get("text", inputs["text"])
        more = {"cut": bool(reply.get("cut")), "invented": list(reply.get("invented", ()))}
        return {"stale": stale} if stale else {"text": text, **(more if text or "refuted" not in inputs else {})}
    hidden = "instead" if call.rule == "refusal" and inputs["refusals"] == 1 else ""
    return {name: one for name, one in reply.items() if one and name != hidden}


def read_now(course: Course, record: CallRecord) -> Reading:
    """What the installed reader makes of a reply."""
    assert isinstance(course.item, Ask)
    return read(course.item, record.reply, course.settings)


def _fact(fact: ev.NewFact) -> Answer:
    source = fact.source
    span = {} if source.start is None else {"start": source.start, "end": source.end}
    return {"text": fact.text, "quote": source.quote, "passage": source.passage, **span}


def _as_read(ask: Ask, record: CallRecord) -> Reading | None:
    """What release 0.1 read in a reply that it took; None where there is no JSON in it."""
    completion = read_completion(record.reply.raw) if isinstance(record.reply, ModelReply) else None
    if not isinstance(completion, Completion):
        return None
    try:
        data = read_json(completion)
        return Reading(value=tidied(ask, _cut(data, _BOUNDS[ask.prompt])) if ask.prompt in _BOUNDS else data)
    except (ValueError, KeyError, TypeError):
        return None


def _cut(value: Any, most: Any) -> Any:
    if isinstance(most, dict):
        return {name: _cut(value[name], one) for name, one in most.items()}
    if isinstance(most, tuple):
        return [_cut(one, most[1]) for one in value[: most[0]]]
    return redact(value)[:most] if isinstance(value, str) and 0 < most < len(value) else value
