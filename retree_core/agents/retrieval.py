"""One search and the facts drawn from it (paper, section 4.2)."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from retree_core.agents.asking import CallGaveUp, NoValidReply, ask
from retree_core.agents.memory import FACT_CHARACTERS, Memory
from retree_core.agents.policy import Choice
from retree_core.calls import Call, CallFailed, Hit, Reply, SearchCall, SearchReply
from retree_core.events import (
    DuplicateFound,
    Event,
    FactDropped,
    FactRebound,
    FactsExtracted,
    NewFact,
    PassagesRetrieved,
    SearchChosen,
    SearchFailed,
)
from retree_core.judging.duplicates import is_duplicate
from retree_core.memory import Evidence, Passage, Source
from retree_core.prompts import messages, quoted
from retree_core.replies import ExtractReply
from retree_core.settings import Settings
from retree_core.text import cut_words, normalise
from retree_core.text.spans import locate
from retree_core.text.support import unsupported_values

Steps = Generator[Event | Call, Reply | None, "tuple[Passage, ...]"]

PASSAGE_CHARACTERS = 2000
"""How much of a passage the extractor reads; the record keeps all of it."""
FACT_WORDS = 60


def retrieve(memory: Memory, settings: Settings, choice: Choice) -> Steps:
    """The passages of one search; a query made before is served from the run's own record.

    Raises CallGaveUp where no later search can succeed either (quota spent, key refused).
    """
    number = len(memory.state.searches) + 1
    earlier = memory.retrieved.search(choice.query)
    yield memory.add(
        SearchChosen(
            search=number, query=choice.query, origin=choice.origin, reason=choice.reason, missing=choice.missing
        )
    )
    if earlier:
        found = tuple(memory.state.passages[id_] for id_ in memory.state.searches[earlier - 1].passages)
        yield memory.add(PassagesRetrieved(search=number, passages=found, repeat_of=earlier))
        return found
    reply = yield SearchCall(query=choice.query, limit=settings.passages_per_search)
    if isinstance(reply, CallFailed):
        yield memory.add(SearchFailed(search=number, failure=reply.failure, message=reply.message))
        if reply.failure in ("search_quota", "unauthorized"):
            raise CallGaveUp("search_quota" if reply.failure == "search_quota" else "search_error", reply.message)
        return ()
    if not isinstance(reply, SearchReply):
        raise TypeError(f"a search call needs a search reply, got {type(reply).__name__}")
    found, duplicates = _passages(memory, reply.hits, settings.passages_per_search)
    yield memory.add(PassagesRetrieved(search=number, passages=found, duplicates=duplicates))
    return found


def _passages(memory: Memory, hits: tuple[Hit, ...], limit: int) -> tuple[tuple[Passage, ...], int]:
    """Hits as passages, each text once; a text seen earlier in the run keeps its passage id."""
    state = memory.state
    found: dict[str, Passage] = {}
    duplicates = 0
    for hit in hits:
        key = normalise(hit.text)
        if not key or key in found:
            duplicates += key in found
        elif len(found) < limit:
            fresh = sum(one.id not in state.passages for one in found.values())
            id_ = f"p{len(state.passages) + fresh + 1}"
            passage = Passage(id=id_, title=hit.title, text=hit.text, url=hit.url, published=hit.published)
            known = memory.retrieved.passage(hit.text)
            found[key] = state.passages[known] if known else passage
    return tuple(found.values()), duplicates


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An extracted item that names a passage."""

    text: str
    quote: str
    passage: Passage


def extract(
    memory: Memory, settings: Settings, query: str, passages: tuple[Passage, ...]
) -> Generator[Event | Call, Reply | None, tuple[Evidence, ...]]:
    """New facts that are neither unsupported by their passage nor known already."""
    search = len(memory.state.searches)
    items = yield from _items(memory, settings, query, passages)
    facts: list[NewFact] = []
    for item in items:
        draft = yield from _bound(memory, item, passages, full=len(facts) >= settings.facts_per_search)
        if draft is not None:
            id_ = f"e{len(memory.state.evidence) + len(facts) + 1}"
            facts.append(NewFact(id=id_, text=draft.text, source=_source(draft)))
    yield memory.add(FactsExtracted(search=search, facts=tuple(facts)))
    return (yield from _without_duplicates(memory, [one.id for one in facts]))


def _items(
    memory: Memory, settings: Settings, query: str, passages: tuple[Passage, ...]
) -> Generator[Event | Call, Reply | None, list[Any]]:
    prompt = messages(
        "extract",
        question=memory.state.question,
        query=quoted(query),
        passages=shown_passages(passages),
        limit=settings.facts_per_search,
    )
    choices: dict[str, list[Any]] = {"passage": list(range(1, len(passages) + 1))}
    try:
        return (yield from ask(settings, "extract", ExtractReply, prompt, choices=choices, read=_fact_list))
    except NoValidReply as error:
        yield memory.add(FactDropped(text="", cause="malformed", detail=str(error)))
        return []


def shown_passages(passages: tuple[Passage, ...]) -> str:
    """Passages as the calls that read them are shown them, counted from 1."""
    return "\n\n".join(_shown(number, one) for number, one in enumerate(passages, 1))


def _shown(number: int, passage: Passage) -> str:
    date = f" ({quoted(passage.published)})" if passage.published else ""
    text = cut_words(passage.text, PASSAGE_CHARACTERS, PASSAGE_CHARACTERS)
    return f"Passage {number}: {quoted(passage.title)}{date}\n{quoted(text)}"


def _fact_list(data: dict[str, Any]) -> list[Any]:
    """The items as they are; each is judged on its own, so that one bad item does not cost the others."""
    facts = data.get("facts")
    if not isinstance(facts, list):
        raise ValueError("facts: expected a list")
    return facts


def _bound(
    memory: Memory, item: Any, passages: tuple[Passage, ...], *, full: bool
) -> Generator[Event | Call, Reply | None, Draft | None]:
    """The item bound to a passage that holds its values, or None with an event that says why."""
    draft = _draft(item, passages)
    if isinstance(draft, FactDropped):
        yield memory.add(draft)
        return None
    if full:
        yield memory.add(FactDropped(text=draft.text, cause="over_limit", detail="more facts than asked for"))
        return None
    missing = unsupported_values(draft.text, _whole(draft.passage))
    if not missing:
        return draft
    home = next((one for one in passages if not unsupported_values(draft.text, _whole(one))), None)
    if home is None:
        detail = f"in no passage: {', '.join(missing)[:160]}"
        yield memory.add(FactDropped(text=draft.text, cause="unsupported", detail=detail))
        return None
    yield memory.add(FactRebound(text=draft.text, named=draft.passage.id, passage=home.id, missing=missing))
    return replace(draft, passage=home)


def _draft(item: Any, passages: tuple[Passage, ...]) -> Draft | FactDropped:
    """An item in any of the known shapes: {fact | text, passage, quote}; passages count from 1."""
    if isinstance(item, str):
        return FactDropped(text=item[:FACT_CHARACTERS], cause="unbound", detail="names no passage")
    text = (item.get("fact") or item.get("text")) if isinstance(item, dict) else None
    if not isinstance(text, str) or not text.strip():
        return FactDropped(text=str(item)[:FACT_CHARACTERS], cause="malformed", detail="has no fact text")
    text = cut_words(text, FACT_WORDS, FACT_CHARACTERS)
    number = _index(item.get("passage"))
    if number is None or not 1 <= number <= len(passages):
        return FactDropped(text=text, cause="unbound", detail=f"names passage {item.get('passage')!r}"[:120])
    quote = item.get("quote")
    return Draft(text=text, quote=quote if isinstance(quote, str) else "", passage=passages[number - 1])


def _index(value: Any) -> int | None:
    """A passage number: 1, "1" or 1.0."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return int(value) if float(value) == int(float(value)) else None
    except (ValueError, OverflowError):
        return None


def _whole(passage: Passage) -> str:
    return f"{passage.title}\n{passage.text}"


def _source(draft: Draft) -> Source:
    span = locate(draft.quote, draft.passage.text) if draft.quote.strip() else None
    if span is None:
        return Source(passage=draft.passage.id, quote=draft.quote)
    return Source(passage=draft.passage.id, quote=draft.quote, start=span.start, end=span.end)


def _without_duplicates(memory: Memory, ids: list[str]) -> Generator[Event | Call, Reply | None, tuple[Evidence, ...]]:
    """The facts that say something new; a restated one lends its source to the fact it restates."""
    fresh: list[str] = []
    for id_, text in [(one.id, one.text) for one in memory.evidence(ids)]:
        among_fresh = (one.id for one in memory.evidence(fresh) if is_duplicate(one.text, text))
        same = memory.path.restated(text) or next(among_fresh, None)
        if same:
            yield memory.add(DuplicateFound(fact=id_, of=same))
        else:
            fresh.append(id_)
    return memory.evidence(fresh)
