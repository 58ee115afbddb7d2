"""Conflict checks: which stored and new facts were put before the judge in each search (paper, section 4.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retree_core import events as ev
from retree_core.agents.memory import relevant
from retree_core.calls import ModelCall
from retree_core.memory import Evidence
from retree_core.state import State, active_path
from retree_core.text import normalise, tokens
from retree_core.text.ranking import overlap
from retree_core.trace.records import CallRecord
from retree_core.why.ledger import Ledger, call_made
from retree_core.why.values import CallMade

_LISTED = re.compile(r"^\[([^\]\n]{1,60})\] ", re.MULTILINE)
"""A fact in the prompt: `[e3] ...` at the start of a line. Facts are put on one line, so none can fake another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a fact in force came when the facts to show were chosen."""

    id: str
    overlap: int
    """Content words shared with the query and the new facts; the order is by it, then newer first."""
    shown: bool
    """By the rule of this version; what was shown is in `Check.stored`."""
    same_as: str | None = None
    """A better placed fact of the same text, which stood for both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One conflict check: what was compared with what."""

    search: int
    query: str
    moment: int
    """The last event before it."""
    stored: tuple[str, ...]
    new: tuple[str, ...]
    recorded: bool
    """Read from the request as it was sent; else chosen again from the state by the rule of the engine."""
    calls: tuple[CallMade, ...]


def check_of(ledger: Ledger, search: int) -> Check | None:
    """The conflict check of a search; None where the record shows that none was made, or has no such search."""
    start = ledger.search_starts.get(search)
    if start is None:
        return None
    calls = judge_calls(ledger, start)
    if not calls and ledger.trace.calls:
        return None
    moment = ledger.moment_before(calls[0]) if calls else _read(ledger, start)
    if moment is None:
        return None
    state = ledger.at(moment)
    asked = _listed(calls[0].call.body) if calls and isinstance(calls[0].call, ModelCall) else None
    new = asked[1] if asked else _fresh(state, search)
    query = next((one.query for one in state.searches if one.number == search), "")
    stored = asked[0] if asked else tuple(one.id for one in _ranked(ledger, state, query, new) if one.shown)
    if not stored or not new:
        return None
    return Check(
        search=search,
        query=query,
        moment=moment,
        stored=stored,
        new=new,
        recorded=asked is not None,
        calls=tuple(map(call_made, calls)),
    )


def places(ledger: Ledger, check: Check) -> tuple[Place, ...]:
    """All facts in force at a check, in the order in which the engine prefers them."""
    return _ranked(ledger, ledger.at(check.moment), check.query, check.new)


def judge_calls(ledger: Ledger, start: int) -> tuple[CallRecord, ...]:
    """The conflict calls of the search chosen at `start`, repeated ones included."""
    end = ledger.search_end(start)
    calls = ledger.calls_between(start, end)
    return tuple(one for one in calls if isinstance(one.call, ModelCall) and one.call.role == "conflict")


def _read(ledger: Ledger, start: int) -> int | None:
    """In a record without calls: the moment at which the facts of a search are read and sorted out."""
    moment = ledger.next_of(start, ev.FactsExtracted, ev.SearchChosen)
    if moment is None or not isinstance(ledger.event(moment), ev.FactsExtracted):
        return None
    while moment < len(ledger.events) and isinstance(ledger.event(moment + 1), ev.DuplicateFound):
        moment += 1
    return moment


def _fresh(state: State, search: int) -> tuple[str, ...]:
    return tuple(one.id for one in state.evidence.values() if one.search == search and one.fate == "new")


def _listed(body: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Ids of the stored and of the new facts in a request; None where it is not one of ours."""
    sent = body.get("messages")
    last = sent[-1] if isinstance(sent, list | tuple) and sent else None
    content = last.get("content") if isinstance(last, Mapping) else None
    if not isinstance(content, str):
        return None
    head, _, new = content.rpartition("\nNew facts\n")
    _, _, stored = head.rpartition("\nStored facts\n")
    found = tuple(_LISTED.findall(stored)), tuple(_LISTED.findall(new))
    return found if all(found) else None


def _ranked(ledger: Ledger, state: State, query: str, new: tuple[str, ...]) -> tuple[Place, ...]:
    texts = [query, *(state.evidence[one].text for one in new if one in state.evidence)]
    wanted = {word for text in texts for word in tokens(text)}
    held = active_path(state)
    ranked = relevant(state, texts, len(held))
    first = {normalise(one.text): one.id for one in ranked}
    most = ledger.trace.header.settings.shown_evidence
    ordered = [*ranked, *(one for one in held if first.get(normalise(one.text)) != one.id)]
    return tuple(_place(one, wanted, at < most, first, len(ranked) > at) for at, one in enumerate(ordered))


def _place(one: Evidence, wanted: set[str], best: bool, first: dict[str, str], own: bool) -> Place:
    same_as = None if own else first.get(normalise(one.text))
    return Place(id=one.id, overlap=overlap(wanted, one.text), shown=best and own, same_as=same_as)
