"""Conflict checks: which stored and new facts were put before the judge in each search (paper, section 4.3)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from retree_core import events as ev
from retree_core.calls import ModelCall
from retree_core.memory import Evidence
from retree_core.state import State, active_path
from retree_core.text import normalise
from retree_core.trace.recorded import Ranking, check_ranking, compared
from retree_core.why.ledger import Ledger, call_made
from retree_core.why.values import CallMade


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a fact in force came when the facts to show were chosen."""

    id: str
    overlap: int | None
    """Content words shared with what was sought, by which facts are chosen; None where that was not recorded."""
    shown: bool
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
    """Read from the request as it was sent; else `stored` is empty, for the record does not say."""
    calls: tuple[CallMade, ...]


def check_of(ledger: Ledger, search: int) -> Check | None:
    """The conflict check of a search; None where the record shows that none was made, or has no such search."""
    start = ledger.search_starts.get(search)
    calls = ledger.trace.conflict_calls.get(search, ())
    if start is None or (not calls and ledger.trace.calls):
        return None
    moment = calls[0][0] if calls else _read(ledger, start)
    if moment is None:
        return None
    state = ledger.at(moment)
    call = calls[0][1].call if calls else None
    asked = compared(call.body) if isinstance(call, ModelCall) else None
    stored, new = asked or ((), _fresh(state, search))
    if not asked and not (new and active_path(state)):
        return None
    return Check(
        search=search,
        query=next((one.query for one in state.searches if one.number == search), ""),
        moment=moment,
        stored=stored,
        new=new,
        recorded=asked is not None,
        calls=tuple(call_made(one) for _, one in calls),
    )


def places(ledger: Ledger, check: Check) -> tuple[Place, ...]:
    """All facts in force at a check, best first where that was recorded; empty where nothing was."""
    if not check.recorded:
        return ()
    return placed(check_ranking(ledger.trace, check.search), active_path(ledger.at(check.moment)), check.stored)


def placed(ranking: Ranking | None, facts: Sequence[Evidence], shown: Container[str]) -> tuple[Place, ...]:
    """Facts in the order of a ranking, then those that it leaves out; in their own order where there is none."""
    if ranking is None:
        return tuple(Place(id=one.id, overlap=None, shown=one.id in shown) for one in facts)
    scores = {one.id: one.score for one in ranking.order}
    texts = {one.id: normalise(one.text) for one in facts}
    best = {texts[id_]: id_ for id_ in scores if id_ in texts}
    same = {one.id: best.get(texts[one.id]) for one in facts if one.id not in scores}
    return (
        *(Place(id=id_, overlap=score, shown=id_ in shown) for id_, score in scores.items()),
        *(
            Place(id=id_, overlap=None if as_ is None else scores[as_], shown=id_ in shown, same_as=as_)
            for id_, as_ in same.items()
        ),
    )


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
