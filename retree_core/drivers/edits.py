"""Edits: what can be changed in a record, and where."""

from __future__ import annotations

import json
from dataclasses import dataclass

from retree_core.calls import ModelCall, ModelReply, SearchReply
from retree_core.errors import UsageError
from retree_core.events import (
    ConflictConfirmed,
    ConflictProposed,
    ConflictRejected,
    Event,
    EvidenceRepaired,
    FactsExtracted,
    PassagesRetrieved,
    SearchChosen,
)
from retree_core.llm.envelope import completion_of
from retree_core.llm.strict_json import clean
from retree_core.secrets import redact
from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord

GRAMMAR = "verdict=repair|reject, query=TEXT, fact=eN:TEXT, passage=pN:TEXT or reply=TEXT"
NEEDS = {
    "verdict": "conflict_proposed, conflict_confirmed or conflict_rejected",
    "query": "search_chosen",
    "fact": "facts_extracted",
    "passage": "passages_retrieved",
    "reply": "an event that a model's reply led to",
}
"""What each edit changes to the event it needs."""
WITH_ID = {"fact": "e3", "passage": "p3"}
"""Edits of one item among several to an id as an example; without a text the item is taken away."""
LONGEST_WORDS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of what was decided, said or found."""

    what: str
    """`verdict` (repair | reject), `query`, `fact`, `passage`, or `reply` (what the model wrote)."""
    value: str
    id: str = ""
    """The fact or passage; empty for the others."""

    @classmethod
    def of(cls, what: str, value: str, id_: str = "") -> Edit:
        """A checked edit, its text as it will be recorded. Raises UsageError."""
        value = redact(clean(value))  # what is recorded is what was used
        if what == "query" and not value.strip():
            raise UsageError("query= is empty; give the words to search for")
        if what == "verdict" and value not in ("repair", "reject"):
            raise UsageError(f"verdict={value!r}: expected repair or reject")
        if what == "reply" and value.lstrip()[:1] in ("{", "["):
            _check_json(value)
        return cls(what=what, value=value, id=id_)

    @classmethod
    def parse(cls, text: str) -> Edit:
        """From `what=value`, or `fact=e3:text`. Raises UsageError."""
        what, equals, value = text.partition("=")
        id_ = ""
        if not equals or what not in NEEDS:
            raise UsageError(f"--set {redact(text)[:80]!r}: expected {GRAMMAR}")
        if what in WITH_ID:
            id_, colon, value = value.partition(":")
            if not colon or not id_.strip():
                raise UsageError(
                    f"--set {redact(text)[:80]!r}: expected {what}={WITH_ID[what]}:TEXT (without TEXT: taken away)"
                )
        try:
            return cls.of(what, value.strip() if what in WITH_ID else value, id_.strip())
        except UsageError as error:
            raise UsageError(f"--set {error}") from None

    def __str__(self) -> str:
        """As it is written after `--set`, long texts cut."""
        text = redact(f"{self.what}={self.id}:{self.value}" if self.id else f"{self.what}={self.value}")
        return text if len(text) <= LONGEST_WORDS else text[:LONGEST_WORDS] + " …"


@dataclass(frozen=True, slots=True, kw_only=True)
class Editable:
    """Something that can be changed at an event."""

    what: str
    moment: int
    value: str
    """As it was recorded."""
    id: str = ""


def _check_json(value: str) -> None:
    """Raises UsageError for what begins like JSON and is none."""
    try:
        json.loads(value)
    except RecursionError:
        raise UsageError("reply: nested too deeply to be a reply") from None
    except ValueError as error:
        raise UsageError(f"reply: not JSON ({error}); see retree schema") from None


def editable(trace: Trace, moment: int) -> tuple[Editable, ...]:
    """What can be changed at an event, the most telling first; a model's reply comes last."""
    if not 1 <= moment <= len(trace.events):
        return ()
    event = trace.events[moment - 1]
    found = [_verdict(trace, moment)] if _fits(trace, moment, "verdict") else []
    match event:
        case SearchChosen() if _fits(trace, moment, "query"):
            found.append(Editable(what="query", moment=moment, value=event.query))
        case FactsExtracted() if _fits(trace, moment, "fact"):
            found += [Editable(what="fact", moment=moment, value=one.text, id=one.id) for one in event.facts]
        case PassagesRetrieved() if _fits(trace, moment, "passage"):
            found += [Editable(what="passage", moment=moment, value=one.text, id=one.id) for one in event.passages]
        case _:
            pass
    made = made_for(trace, moment)
    if made and isinstance(made.call, ModelCall):
        found.append(Editable(what="reply", moment=moment, value=said(made)))
    return tuple(found)


def moments(trace: Trace, what: str) -> tuple[int, ...]:
    """The events at which `what` can be changed, in order."""
    return tuple(moment for moment in range(1, len(trace.events) + 1) if _fits(trace, moment, what))


def said(call: CallRecord) -> str:
    """What the model wrote in a call; empty where it wrote nothing."""
    completion = completion_of(call.reply)
    return completion.content if completion else ""


def _fits(trace: Trace, moment: int, what: str) -> bool:
    event = trace.events[moment - 1]
    match what:
        case "verdict":
            return isinstance(event, ConflictProposed | ConflictConfirmed | ConflictRejected) and not never_looked_at(
                trace.events, decision(trace.events, moment)
            )
        case "query":
            return isinstance(event, SearchChosen) and made_for(trace, moment) is not None
        case "reply":
            made = made_for(trace, moment)
            return made is not None and isinstance(made.call, ModelCall)
        case "fact":
            return bool(ids_of(event, what)) and _replied(made_for(trace, moment))
        case _:
            made = made_for(trace, moment)
            return bool(ids_of(event, what)) and made is not None and isinstance(made.reply, SearchReply)


def nearest(trace: Trace, moment: int, what: str) -> tuple[int, ...]:
    """The last event before `moment` and the first one after it at which `what` can be changed."""
    every = moments(trace, what)
    before = [one for one in every if one < moment][-1:]
    return (*before, *[one for one in every if one > moment][:1])


def made_for(trace: Trace, moment: int) -> CallRecord | None:
    """The last call that led to an event."""
    made = trace.leads.made.get(moment)
    return trace.calls[made[-1]] if made else None


def _replied(call: CallRecord | None) -> bool:
    return call is not None and isinstance(call.reply, ModelReply)


def ids_of(event: Event, what: str) -> tuple[str, ...]:
    if what == "fact":
        return tuple(one.id for one in event.facts) if isinstance(event, FactsExtracted) else ()
    return tuple(one.id for one in event.passages) if isinstance(event, PassagesRetrieved) else ()


def decision(events: tuple[Event, ...], moment: int) -> int | None:
    """The event that decides the conflict at `moment`; None where none follows its proposal."""
    event = events[moment - 1]
    if not isinstance(event, ConflictProposed):
        return moment
    for later, one in enumerate(events[moment:], moment + 1):
        if isinstance(one, ConflictConfirmed | ConflictRejected) and (one.old, one.new) == (event.old, event.new):
            return later
        if isinstance(one, SearchChosen):
            break
    return None


def never_looked_at(events: tuple[Event, ...], decided: int | None) -> bool:
    """Whether a repair of the same search came before, of which there is at most one."""
    for one in reversed(events[: decided or 0]):
        if isinstance(one, EvidenceRepaired):
            return True
        if isinstance(one, SearchChosen):
            return False
    return False


def decided_otherwise(trace: Trace, verdict: str) -> tuple[int, ...]:
    """Where the verdict (`repair` or `reject`) would change a decision or make an open one, in order."""
    found = (_verdict(trace, moment) for moment in moments(trace, "verdict"))
    return tuple(dict.fromkeys(one.moment for one in found if one.value != verdict))


def _verdict(trace: Trace, moment: int) -> Editable:
    at = decision(trace.events, moment)
    event = trace.events[at - 1] if at else None
    value = {"conflict_confirmed": "repair", "conflict_rejected": "reject"}.get(event.kind if event else "", "")
    return Editable(what="verdict", moment=at or moment, value=value)
