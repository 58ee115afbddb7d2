"""One search and the facts drawn from it (paper, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from retree_core.agents.asking import CallGaveUp, NoValidReply, ask, consult
from retree_core.agents.passages import page
from retree_core.agents.policy import Search
from retree_core.calls import SearchCall, SearchReply
from retree_core.events import (
    DuplicateFound,
    FactDropped,
    FactRebound,
    FactsExtracted,
    NewFact,
    PassagesRetrieved,
    SearchChosen,
    SearchFailed,
)
from retree_core.memory import Evidence, Passage, Source
from retree_core.protocol import Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings

Answer = dict[str, Any]


def retrieve(memory: WorkingMemory, settings: Settings, choice: Search) -> Steps[tuple[Passage, ...]]:
    """The passages of one search; a query made before is served from the run's own record.

    Raises CallGaveUp where no later search can succeed either (quota spent, key refused).
    """
    number = len(memory.state.searches) + 1
    chosen = SearchChosen(
        search=number, query=choice.query, origin=choice.origin, reason=choice.reason, missing=choice.missing
    )
    yield memory.add(chosen, *choice.because)
    if choice.earlier:
        known = memory.state.searches[choice.earlier - 1].passages
        found = tuple(memory.state.passages[id_] for id_ in known)
        again = PassagesRetrieved(search=number, passages=found, repeat_of=choice.earlier)
        yield memory.add(again, *choice.because[-1:])
        return found
    given = yield SearchCall(query=choice.query, limit=settings.passages_per_search)
    assert given is not None, "a search is answered"
    if failed := given.failed:
        yield memory.add(SearchFailed(search=number, failure=failed.failure, message=failed.message), given.seq)
        if failed.failure in ("search_quota", "unauthorized"):
            quota = failed.failure == "search_quota"
            raise CallGaveUp("search_quota" if quota else "search_error", failed.message, (given.seq,))
        return ()
    if not isinstance(given.value, SearchReply):
        raise TypeError(f"a search call needs a search reply, got {type(given.value).__name__}")
    asked = {"hits": [asdict(one) for one in given.value.hits], "limit": settings.passages_per_search}
    taken = yield from consult("passages", asked, memory)
    found = _passages(memory, given.value, taken.value["kept"])
    retrieved = PassagesRetrieved(search=number, passages=found, duplicates=taken.value.get("duplicates", 0))
    yield memory.add(retrieved, given.seq, taken.seq)
    return found


def _passages(memory: WorkingMemory, reply: SearchReply, kept: Sequence[int | str]) -> tuple[Passage, ...]:
    """The passages that are taken: hits by their place, which get the next ids, and passages that are known."""
    known, fresh = memory.state.passages, 0
    found: list[Passage] = []
    for one in kept:
        if isinstance(one, str):
            found.append(known[one])
        else:
            fresh += 1
            hit = reply.hits[one]
            id_ = f"p{len(known) + fresh}"
            found.append(Passage(id=id_, title=hit.title, text=hit.text, url=hit.url, published=hit.published))
    return tuple(found)


def extract(
    memory: WorkingMemory, settings: Settings, query: str, passages: tuple[Passage, ...]
) -> Steps[tuple[Evidence, ...]]:
    """New facts that are neither unsupported by their passage nor known already."""
    items, because = yield from _items(memory, settings, query, passages)
    answers: list[Answer] = []
    if items:
        ids = [one.id for one in passages]
        asked = {"items": items, "passages": ids, "limit": settings.facts_per_search}
        bound = yield from consult("facts", asked, memory)
        answers, because = bound.value.get("facts", []), (*because, bound.seq)
    facts: list[NewFact] = []
    for one in answers:
        if "dropped" in one:
            yield memory.add(FactDropped(text=one["text"], cause=one["dropped"], detail=one["detail"]), *because)
            continue
        if "named" in one:
            missing = tuple(one["missing"])
            rebound = FactRebound(text=one["text"], named=one["named"], passage=one["passage"], missing=missing)
            yield memory.add(rebound, *because)
        source = Source(passage=one["passage"], quote=one["quote"], start=one.get("start"), end=one.get("end"))
        id_ = f"e{len(memory.state.evidence) + len(facts) + 1}"
        facts.append(NewFact(id=id_, text=one["text"], source=source))
    yield memory.add(FactsExtracted(search=len(memory.state.searches), facts=tuple(facts)), *because)
    return (yield from _without_restatements(memory, facts))


def _items(
    memory: WorkingMemory, settings: Settings, query: str, passages: tuple[Passage, ...]
) -> Steps[tuple[list[Any], tuple[int, ...]]]:
    """What the extractor wrote, item by item, and the records it stands in."""
    shown = [page(one) for one in passages]
    inputs = {"question": memory.state.question, "query": query, "passages": shown}
    try:
        given = yield from ask(settings, "extract", "extract", inputs)
    except NoValidReply as error:
        yield memory.add(FactDropped(text="", cause="malformed", detail=str(error)), *error.because)
        return [], error.because
    return given.value["facts"], (given.seq,)


def _without_restatements(memory: WorkingMemory, facts: Sequence[NewFact]) -> Steps[tuple[Evidence, ...]]:
    """The facts that say something new; a restated one lends its source to the fact it restates."""
    if not facts:
        return ()
    asked = {"facts": [[one.id, one.text] for one in facts]}
    found = yield from consult("restated", asked, memory)
    restated = found.value.get("of", {})
    for one in facts:
        if one.id in restated:
            yield memory.add(DuplicateFound(fact=one.id, of=restated[one.id]), found.seq)
    return memory.evidence(one.id for one in facts if one.id not in restated)
