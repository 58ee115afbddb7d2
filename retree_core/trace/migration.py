"""What traces of format version 1 do not record, derived from what they do.

Here alone a rule of today runs over an old record: where what it gives does not fit what the record says came of it,
it is taken for not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from retree_core.events import (
    BudgetExhausted,
    ContextBuilt,
    ReplyRejected,
    RunEnded,
    SummaryDiscarded,
    SummaryStale,
    SummaryWritten,
)
from retree_core.llm.envelope import completion_of, read_json
from retree_core.memory import KEEPS_FACTS
from retree_core.replies import PolicyReply, parse
from retree_core.settings import Settings
from retree_core.state import State, active_path
from retree_core.text import LONGEST_READ, tokens
from retree_core.text.ranking import overlap, top_k
from retree_core.trace.leading import Leads, by_event
from retree_core.trace.reader import Trace
from retree_core.trace.recorded import Ranked, Ranking, missing_before
from retree_core.trace.records import CallRecord, EventRecord, Record

_OF_SUMMARIES = (SummaryWritten, SummaryStale, SummaryDiscarded, ContextBuilt, BudgetExhausted, RunEnded)
"""What a call for a summary may lead to; the last three where the record lacks the summary itself."""


class _Fact(NamedTuple):
    """A fact in force, as `top_k` takes it."""

    id: str
    text: str
    order: int


def context_ranking(trace: Trace, moment: int) -> Ranking | None:
    """See `recorded.context_ranking`."""
    event, settings = trace.events[moment - 1], trace.header.settings
    if not isinstance(event, ContextBuilt) or settings.agent not in KEEPS_FACTS:
        return None
    state, missing = trace.history.at(moment), missing_before(trace, moment)
    if missing is None:
        return None
    return _ranking(state, (state.question, *missing), settings.shown_evidence, event.evidence)


def check_ranking(trace: Trace, state: State, sought: tuple[str, ...], shown: tuple[str, ...]) -> Ranking | None:
    """See `recorded.check_ranking`."""
    return _ranking(state, sought, trace.header.settings.shown_evidence, shown)


def _ranking(state: State, sought: tuple[str, ...], most: int, shown: tuple[str, ...]) -> Ranking | None:
    """All facts in force, ranked anew; None unless those shown come out as the record has them."""
    facts = [_Fact(one.id, one.text, place) for place, one in enumerate(active_path(state))]
    if any(len(one.text) > LONGEST_READ for one in facts):
        return None
    ranked = top_k(sought, facts, len(facts))
    if tuple(one.id for one in ranked[: max(most, 0)]) != shown:
        return None
    wanted = {word for text in sought for word in tokens(text)}
    order = tuple(Ranked(id=one.id, score=overlap(wanted, one.text)) for one in ranked)
    return Ranking(sought=sought, order=order, shown=len(shown))


def missing_in(record: CallRecord) -> tuple[str, ...] | None:
    """The slots that the policy's reply names as missing; None where it is none, as it is read today."""
    completion = completion_of(record.reply)
    try:
        missing = parse(PolicyReply, read_json(completion)).missing if completion else None
    except (ValueError, RecursionError):
        return None
    return None if missing is None else tuple(one for one in missing if one.strip())


def context_bound(settings: Settings) -> int | None:
    """The bound of the agents of release 0.1, in which a word of a summary or report takes at most 8 characters."""
    match settings.agent:
        case "retree" | "flat":
            line = 240 + len("[e99999] \n")
            head = len("Summary: (nothing yet)\nEvidence:\n(none yet)")
            return head + 8 * settings.summary_words + settings.shown_evidence * line
        case "report":
            pages = _characters_of_pages(settings.max_searches * settings.passages_per_search)
            return len("Report: (nothing yet)\nVisited pages: ") + pages + 8 * settings.report_words
        case _:
            return None


def _characters_of_pages(count: int) -> int:
    """The length of `p1, p2, ...`, or of `(none yet)`."""
    if count <= 0:
        return len("(none yet)")
    digits: int = sum(count - 10**shorter + 1 for shorter in range(len(str(count))))
    return digits + count * len("p, ") - len(", ")


def leads_by_places(records: Sequence[Record]) -> Leads:
    """By the places of calls and events: mostly the next one, but calls made side by side stand together."""
    kinds = [one.event.kind for one in records if isinstance(one, EventRecord)]
    moment = sum(isinstance(one, EventRecord) for one in records)
    rejected: dict[str, int] = {}
    other: int | None = None
    summary: int | None = None
    events: list[int | None] = []
    taken: list[int | None] = []
    for record in reversed(records):
        if isinstance(record, CallRecord):
            role = record.role
            came = summary if role == "summarise" else other
            taken.append(came)
            events.append(min((one for one in (came, rejected.get(role)) if one), default=None))
        elif isinstance(record, EventRecord):
            if isinstance(record.event, ReplyRejected):
                rejected[record.event.role] = moment
            else:
                other = moment
                summary = moment if isinstance(record.event, _OF_SUMMARIES) else summary
            moment -= 1
    calls = by_event(events[::-1])
    made = {moment: found for moment in range(1, len(kinds) + 1) if (found := _behind(calls, kinds, moment))}
    return Leads(events=tuple(events[::-1]), calls=calls, tries=by_event(taken[::-1]), made=made)


def _behind(calls: Mapping[int, tuple[int, ...]], kinds: Sequence[str], moment: int) -> tuple[int, ...]:
    """The calls just before an event, or before the asides that came with it."""
    asides = _ASIDES.get(kinds[moment - 1], ())
    while moment not in calls and moment > 1 and kinds[moment - 2] in asides:
        moment -= 1
    return calls.get(moment, ())


_ASIDES = {"facts_extracted": ("fact_dropped", "fact_rebound"), "search_chosen": ("stop_refused",)}
"""Kinds of event that may stand between a reply and what it led to."""
