"""What a search brings that is new: its query, its passages, and the facts drawn from them (paper, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retree_core.judging.duplicates import is_duplicate
from retree_core.memory import Passage
from retree_core.rules.memory import WorkingMemory
from retree_core.text import cut_words, normalise
from retree_core.text.spans import locate
from retree_core.text.support import unsupported_values

FACT_CHARACTERS = 240
"""Longest fact that is stored."""
FACT_WORDS = 60

Answer = dict[str, Any]
Inputs = Mapping[str, Any]


def repeated(inputs: Inputs, memory: WorkingMemory) -> Answer:
    """Whether a `query` was made before: `earlier` is that search, `circles` why it is not made again."""
    answer: Answer = {}
    if earlier := memory.retrieved.search(inputs["query"]):
        answer["earlier"] = earlier
    if _goes_in_circles(memory, inputs["query"]):
        answer["circles"] = "the policy asked for the same search three times"
    return answer


def _goes_in_circles(memory: WorkingMemory, query: str) -> bool:
    """Whether the last search was a repetition, is asked for again, and the question itself is not yet searched."""
    state = memory.state
    last = state.searches[-1] if state.searches else None
    if last is None or last.repeat_of is None or normalise(last.query) != normalise(query):
        return False
    return all(normalise(one.query) != normalise(state.question) for one in state.searches)


def passages(inputs: Inputs, memory: WorkingMemory) -> Answer:
    """Which of the `hits` are taken, at most `limit`, each text once: in `kept` the place of a hit that is new, or the
    id of a passage that the run knows; `duplicates` are hits that repeat another one of this search."""
    kept: dict[str, int | str] = {}
    duplicates = 0
    for place, hit in enumerate(inputs["hits"]):
        key = normalise(hit["text"])
        if not key or key in kept:
            duplicates += key in kept
        elif len(kept) < inputs["limit"]:
            kept[key] = memory.retrieved.passage(hit["text"]) or place
    return {"kept": list(kept.values()), **({"duplicates": duplicates} if duplicates else {})}


def facts(inputs: Inputs, memory: WorkingMemory) -> Answer:
    """What becomes of each of the extracted `items`, in order, at most `limit` of which are taken.

    A fact is `text`, `quote` and `passage`, with `start` and `end` of the quote where it stands in the passage, and
    with `named` and `missing` where the extractor named a passage that lacks its values. An item that is not taken has
    `dropped` (why, in a word), `text` and `detail`. Item n of `passages` is the id of passage n + 1 as it was shown.
    """
    shown = [memory.state.passages[id_] for id_ in inputs["passages"]]
    found: list[Answer] = []
    for item in inputs["items"]:
        full = sum("dropped" not in one for one in found) >= inputs["limit"]
        found.append(_fact(item, shown, full=full))
    return {"facts": found} if found else {}


def _fact(item: Any, shown: Sequence[Passage], *, full: bool) -> Answer:
    """An item in any of the known shapes ({fact | text, passage, quote}, passages counted from 1), bound to a passage
    that holds its values."""
    if isinstance(item, str):
        return _dropped("unbound", item[:FACT_CHARACTERS], "names no passage")
    text = (item.get("fact") or item.get("text")) if isinstance(item, dict) else None
    if not isinstance(text, str) or not text.strip():
        return _dropped("malformed", str(item)[:FACT_CHARACTERS], "has no fact text")
    text = cut_words(text, FACT_WORDS, FACT_CHARACTERS)
    number = _index(item.get("passage"))
    if number is None or not 1 <= number <= len(shown):
        return _dropped("unbound", text, f"names passage {item.get('passage')!r}"[:120])
    if full:
        return _dropped("over_limit", text, "more facts than asked for")
    quote = item.get("quote")
    quote, named = quote if isinstance(quote, str) else "", shown[number - 1]
    missing = unsupported_values(text, _whole(named))
    if not missing:
        return {"text": text, "quote": quote, "passage": named.id, **_span(quote, named)}
    home = next((one for one in shown if not unsupported_values(text, _whole(one))), None)
    if home is None:
        return _dropped("unsupported", text, f"in no passage: {', '.join(missing)[:160]}")
    bound = {"text": text, "quote": quote, "passage": home.id, **_span(quote, home)}
    return {**bound, "named": named.id, "missing": list(missing)}


def _dropped(cause: str, text: str, detail: str) -> Answer:
    return {"dropped": cause, "text": text, "detail": detail}


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


def _span(quote: str, passage: Passage) -> Answer:
    """Where a quote stands in its passage."""
    span = locate(quote, passage.text) if quote.strip() else None
    return {"start": span.start, "end": span.end} if span else {}


def restated(inputs: Inputs, memory: WorkingMemory) -> Answer:
    """Which of the new `facts`, as (id, text), say what a fact in force or a newer one before them says: `of` has that
    fact for each."""
    fresh: list[tuple[str, str]] = []
    of: dict[str, str] = {}
    for id_, text in inputs["facts"]:
        same = memory.path.restated(text) or _first(fresh, text)
        if same:
            of[id_] = same
        else:
            fresh.append((id_, text))
    return {"of": of} if of else {}


def _first(facts: Iterable[tuple[str, str]], text: str) -> str | None:
    return next((id_ for id_, said in facts if is_duplicate(said, text)), None)
