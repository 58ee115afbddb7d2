"""A record with an edit in it: where a fork begins.

A fork starts from the records before the call that an edit changes, and that call with another reply; a verdict
changes no reply but the settings, so that the engine decides as it was told.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from retree_core.calls import ModelCall, ModelReply, SearchReply
from retree_core.drivers.edits import (
    NEEDS,
    WITH_ID,
    Edit,
    decided_otherwise,
    decision,
    ids_of,
    made_for,
    moments,
    nearest,
    never_looked_at,
)
from retree_core.errors import UsageError
from retree_core.events import (
    ConflictConfirmed,
    ConflictProposed,
    ConflictRejected,
    FactsExtracted,
    PassagesRetrieved,
    SearchChosen,
)
from retree_core.llm.envelope import ReplyInvalid, completion_of, read_json
from retree_core.rules.retrieval import FACT_CHARACTERS, FACT_WORDS
from retree_core.settings import ForcedVerdict, Settings
from retree_core.text import cut_words, normalise
from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord, EventRecord, Record

MOST_PLACES = 20
"""Events that a message names before it counts the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where a fork begins."""

    moment: int
    """The event whose decision, words or findings change."""
    settings: Settings
    prefix: tuple[Record, ...]
    edited: CallRecord | None = None
    """The call after them whose reply changes; None where a decision does."""

    @property
    def records(self) -> tuple[Record, ...]:
        """All that it begins with."""
        return (*self.prefix, *((self.edited,) if self.edited else ()))

    @property
    def shared(self) -> int:
        """Events before the change."""
        return sum(isinstance(one, EventRecord) for one in self.prefix)


def starting(trace: Trace, moment: int | None, edits: tuple[Edit, ...]) -> Start:
    """Where a fork with these edits begins; without a moment, where the edited fact or passage came in.

    Raises UsageError, which says where else the edit is possible.
    """
    trace.require_agent()
    first, *more = edits
    if more and (first.what not in WITH_ID or any(one.what != first.what for one in more)):
        raise UsageError("several edits at once are for facts of one extraction, or for passages of one search")
    at = _home(trace, first) if moment is None else moment
    if not 1 <= at <= len(trace.events):
        has = f"events 1 to {len(trace.events)}" if trace.events else "no events"
        raise UsageError(f"--at {at}: this run has {has}")
    if first.what == "verdict":
        return _decided(trace, at, first)
    (place,) = {_call_place(trace, at, one) for one in edits}
    changed = trace.records[place]
    assert isinstance(changed, CallRecord)
    reply = _changed(trace, at, changed, edits)
    changed = replace(changed, reply=reply, edited=True, seconds=0.0, failed_attempts=(), read=None)
    return Start(moment=at, settings=trace.header.settings, prefix=tuple(trace.records[:place]), edited=changed)


def _home(trace: Trace, edit: Edit) -> int:
    """The event that brought the edited fact or passage."""
    if edit.what not in WITH_ID:
        raise UsageError(f"--at is missing; {edit.what}= needs the event to change{_changing(trace, edit)}")
    for moment, event in enumerate(trace.events, 1):
        if edit.id in ids_of(event, edit.what):
            return moment
    known = [id_ for event in trace.events for id_ in ids_of(event, edit.what)]
    some = f"it has {', '.join(dict.fromkeys(known[:12]))}" if known else "it has none"
    raise UsageError(f"{edit.what}={edit.id}: no such {edit.what} in this run; {some}")


def _changing(trace: Trace, edit: Edit) -> str:
    """All events at which the edit would change something, as the end of a sentence; a verdict, its own decision."""
    places = moments(trace, edit.what) if edit.what != "verdict" else decided_otherwise(trace, edit.value)
    if places:
        return f"; possible at event {_listed(places)}"
    if edit.what == "verdict":
        return f"; no decision of this run can be turned into {edit.value}"
    return "; this run has no such event"


def _listed(places: tuple[int, ...]) -> str:
    more = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
    return " or event ".join(map(str, places[:MOST_PLACES])) + more


def _where(trace: Trace, moment: int, what: str) -> str:
    """The nearest events at which `what` can be changed, as the end of a sentence."""
    near = nearest(trace, moment, what)
    if not near:
        return "; this run has no such event"
    return f"; possible at event {_listed(near)}"


def _event_place(trace: Trace, moment: int) -> int:
    """The place of an event among the records."""
    seen = 0
    for place, one in enumerate(trace.records):
        seen += isinstance(one, EventRecord)
        if seen == moment:
            return place
    return len(trace.records)


# Verdicts.


def _decided(trace: Trace, moment: int, edit: Edit) -> Start:
    """The verdict as a setting, and the records before the calls of the decision."""
    event = trace.events[moment - 1]
    if not isinstance(event, ConflictProposed | ConflictConfirmed | ConflictRejected):
        raise UsageError(
            f"event {moment} is {event.kind}; verdict= needs {NEEDS['verdict']}{_where(trace, moment, 'verdict')}"
        )
    decided = decision(trace.events, moment)
    if never_looked_at(trace.events, decided):
        raise UsageError(
            f"event {decided}: nothing was decided, since another fact was repaired in this search"
            f"{_where(trace, moment, 'verdict')}"
        )
    search = sum(isinstance(one, SearchChosen) for one in trace.events[:moment])
    forced = ForcedVerdict(search=search, old=event.old, new=event.new, repair=edit.value == "repair")
    former = (one for one in trace.header.settings.forced if replace(one, repair=forced.repair) != forced)
    settings = replace(trace.header.settings, forced=(*former, forced))
    place = _event_place(trace, decided) if decided else len(trace.records)
    return Start(
        moment=decided or moment, settings=settings, prefix=tuple(trace.records[: _decision_start(trace, place)])
    )


def _decision_start(trace: Trace, place: int) -> int:
    """Where the calls of the decision at record `place` begin: after the event before them."""
    at = place
    while at > 0 and not _settled(trace.records[at - 1]):
        at -= 1
    return at


def _settled(record: Record) -> bool:
    return isinstance(record, EventRecord) and record.event.kind != "reply_rejected"


# Replies.


def _call_place(trace: Trace, moment: int, edit: Edit) -> int:
    """The place of the call that led to an event. Raises UsageError where the edit does not fit it."""
    event = trace.events[moment - 1]
    fits = {"query": SearchChosen, "fact": FactsExtracted, "passage": PassagesRetrieved}.get(edit.what)
    if fits and not isinstance(event, fits):
        raise UsageError(
            f"event {moment} is {event.kind}; {edit.what}= needs {NEEDS[edit.what]}{_where(trace, moment, edit.what)}"
        )
    if edit.what in WITH_ID and edit.id not in ids_of(event, edit.what):
        has = ", ".join(ids_of(event, edit.what)) or "none"
        raise UsageError(f"event {moment} has no {edit.what} {edit.id}; it has {has}")
    if isinstance(event, PassagesRetrieved) and edit.what == "passage" and event.repeat_of:
        raise UsageError(f"event {moment} repeats search {event.repeat_of}: change its passages where they were found")
    place = _behind(trace, moment)
    call = trace.records[place] if place is not None else None
    if isinstance(call, CallRecord) and isinstance(call.call, ModelCall) != (edit.what == "passage"):
        assert place is not None
        return place
    source = "a search" if edit.what == "passage" else "a model's reply"
    raise UsageError(f"event {moment} ({event.kind}) does not come from {source}{_where(trace, moment, edit.what)}")


def _behind(trace: Trace, moment: int) -> int | None:
    """The place of the call that led to an event, or of the last one before it; None where there is none."""
    made = made_for(trace, moment)
    if made is not None:
        return next(at for at, one in enumerate(trace.records) if one is made)
    end = _event_place(trace, moment)
    return next((at for at in range(end - 1, -1, -1) if isinstance(trace.records[at], CallRecord)), None)


def _changed(trace: Trace, moment: int, call: CallRecord, edits: tuple[Edit, ...]) -> ModelReply | SearchReply:
    """The reply of the call with the edits in it."""
    event, first = trace.events[moment - 1], edits[0]
    if first.what == "passage":
        assert isinstance(event, PassagesRetrieved)
        return _with_passages(event, moment, call, edits)
    if first.what == "fact":
        assert isinstance(event, FactsExtracted)
        return _with_content(call, _with_facts(event, moment, call, edits))
    return _with_content(call, _with_query(first.value) if first.what == "query" else first.value)


def _with_content(call: CallRecord, content: str) -> ModelReply:
    """The recorded reply with other content."""
    raw: dict[str, Any] = {"choices": [{"index": 0, "message": {"role": "assistant"}, "finish_reason": "stop"}]}
    if isinstance(call.reply, ModelReply) and completion_of(call.reply):
        raw = deepcopy(dict(call.reply.raw))
    choice = raw["choices"][0]
    choice["finish_reason"] = "stop"
    choice["message"] = {"role": "assistant", "content": content}
    return ModelReply(raw=raw)


def _with_query(query: str) -> str:
    return json.dumps(
        {"reason": "query changed by hand", "missing": [], "action": "search", "query": query, "evidence": []},
        ensure_ascii=False,
    )


def _with_facts(event: FactsExtracted, moment: int, call: CallRecord, edits: tuple[Edit, ...]) -> str:
    """The extraction with the texts of some facts changed, or without them; quotes and passages stay."""
    reply = _object(call)
    items = reply.get("facts") if reply else None
    if not reply or not isinstance(items, list):
        raise UsageError(f"event {moment}: the reply behind it is not readable; change it whole with reply=TEXT")
    texts = {_item_of(items, event, one.id, moment): one.value for one in edits}
    changed = [_reworded(item, texts[place]) if place in texts else item for place, item in enumerate(items)]
    return json.dumps({**reply, "facts": [one for one in changed if one is not None]}, ensure_ascii=False)


def _reworded(item: dict[str, Any], text: str) -> dict[str, Any] | None:
    """The item with another text; without a text there is none."""
    return {**item, "fact" if item.get("fact") else "text": text} if text else None


def _object(call: CallRecord) -> dict[str, Any] | None:
    completion = completion_of(call.reply)
    try:
        return read_json(completion) if completion else None
    except ReplyInvalid:
        return None


def _item_of(items: list[Any], event: FactsExtracted, id_: str, moment: int) -> int:
    """The item of the reply that became a fact: facts keep the order of their items, some of which were dropped."""
    place = -1
    for fact in event.facts:
        later = range(place + 1, len(items))
        same = [at for at in later if _text(items[at]) == fact.text and items[at].get("quote", "") == fact.source.quote]
        if not same:
            raise UsageError(f"event {moment}: the reply behind it does not hold {fact.id}; change it with reply=TEXT")
        place = same[0]
        if fact.id == id_:
            break
    return place


def _text(item: Any) -> str | None:
    """The text of an item as a fact has it."""
    text = (item.get("fact") or item.get("text")) if isinstance(item, dict) else None
    return cut_words(text, FACT_WORDS, FACT_CHARACTERS) if isinstance(text, str) else None


def _with_passages(event: PassagesRetrieved, moment: int, call: CallRecord, edits: tuple[Edit, ...]) -> SearchReply:
    """What the search found, with the texts of some passages changed, or without them."""
    if not isinstance(call.reply, SearchReply):
        raise UsageError(f"event {moment}: the search behind it failed; there is no passage to change")
    were = {one.id: normalise(one.text) for one in event.passages}
    texts = {were[one.id]: one.value for one in edits}
    hits = (replace(one, text=texts.get(normalise(one.text), one.text)) for one in call.reply.hits)
    return SearchReply(hits=tuple(one for one in hits if one.text))
