"""Where a quoted sentence stands in the passage it came from (paper, section 4.2)."""

import re
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from retree_core.text.graphemes import clusters
from retree_core.text.normal import is_unspaced, normalise_with_origins

FUZZY_THRESHOLD: Final = 88.0
"""Least similarity, 0..100, at which a differing quote still counts as located."""
_SHORTEST_FUZZY: Final = 16
_LONGEST_CLUSTER: Final = 64
_ELLIPSES: Final = re.compile(r"\s*(?:\u2026|\.{3,}|\[\.\.\.\])\s*")
_NEGATIONS: Final = frozenset({"not", "no", "never", "neither", "nor", "without", "cannot"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of a passage: `passage[start:end]`."""

    start: int
    """First index in the passage string."""
    end: int
    """Index after the last character."""
    score: float
    """How alike quote and stretch are, 0..100; 100 is the same text after normalising."""


def locate(quote: str, passage: str) -> Span | None:
    """Return where `quote` stands in `passage`, or None when it does not (a place is never invented).

    Tried in order: the exact text, the normalised text, and a close fuzzy match with the same numbers and negations.
    The span is in indices of `passage` and begins and ends at word borders.

    >>> locate("the bridge OPENED in 1934", "In fact, The bridge opened  in 1934.")
    Span(start=9, end=35, score=100.0)
    >>> locate("the bridge opened in 1931", "In fact, the bridge opened in 1934.") is None
    True
    """
    if not quote.strip() or not passage.strip():
        return None
    at = _find_at_borders(quote.strip(), passage)
    if at is not None:
        return Span(start=at, end=at + len(quote.strip()), score=100.0)
    return _locate_normalised(quote, passage) or _locate_parts(quote, passage)


def _locate_normalised(quote: str, passage: str) -> Span | None:
    needle, _ = normalise_with_origins(quote)
    haystack, origins = normalise_with_origins(passage)
    at = _find_at_borders(needle, haystack)
    if at is not None:
        return _original(passage, origins, at, at + len(needle), 100.0)
    return _locate_fuzzy(needle, haystack, passage, origins)


def _locate_fuzzy(needle: str, haystack: str, passage: str, origins: tuple[int, ...]) -> Span | None:
    """Return a close match of the whole needle that says the same numbers and negations."""
    if len(needle) < _SHORTEST_FUZZY or len(needle) > len(haystack) * 1.1:
        return None
    match = fuzz.partial_ratio_alignment(needle, haystack, score_cutoff=FUZZY_THRESHOLD)
    if match is None or match.dest_end <= match.dest_start:
        return None
    start, end = _grow(needle, haystack, *_widen(haystack, match.dest_start, match.dest_end))
    if not _says_the_same(needle, haystack[start:end]):
        return None
    return _original(passage, origins, start, end, round(match.score, 1))


def _grow(needle: str, haystack: str, start: int, end: int) -> tuple[int, int]:
    """Return the stretch with neighbouring words taken in while that makes it more like the needle.

    The match has the needle's length, so words that only the passage has push others out at its ends.
    """
    best = fuzz.ratio(needle, haystack[start:end])
    while True:
        left, right = haystack.rfind(" ", 0, max(start - 1, 0)) + 1, haystack.find(" ", end + 1)
        wider = ((left, end), (start, right if right >= 0 else len(haystack)))
        score, a, b = max((fuzz.ratio(needle, haystack[a:b]), a, b) for a, b in wider)
        if score <= best:
            return start, end
        best, start, end = score, a, b


def _says_the_same(quote: str, found: str) -> bool:
    """Tell whether the words that turn a statement round are the same: numbers and negations, and most words."""
    wanted, there = quote.split(), found.split()
    numbers = {word for word in wanted if any(c.isdigit() for c in word)}
    negations = _NEGATIONS.intersection(wanted) == _NEGATIONS.intersection(there)
    shared = sum(word in there for word in wanted)
    unspaced = any(is_unspaced(character) for character in quote)
    return numbers <= set(there) and negations and (unspaced or shared >= 0.7 * len(wanted))


def _locate_parts(quote: str, passage: str) -> Span | None:
    """Return the stretch from first to last part of a quote with an ellipsis, if all parts are there in order."""
    parts = [part for part in _ELLIPSES.split(quote) if part.strip(" .,;:")]
    if len(parts) < 2:
        return None
    first, last = locate(parts[0], passage), locate(parts[-1], passage)
    middle = [locate(part, passage) for part in parts[1:-1]]
    if first is None or last is None or None in middle or last.start < first.end:
        return None
    return Span(start=first.start, end=last.end, score=min(first.score, last.score))


def _find_at_borders(needle: str, haystack: str) -> int | None:
    """Return the first index of the needle that is not inside a longer word."""
    at = haystack.find(needle) if needle else -1
    while at >= 0:
        if _is_border(haystack, at) and _is_border(haystack, at + len(needle)):
            return at
        at = haystack.find(needle, at + 1)
    return None


def _is_border(text: str, at: int) -> bool:
    """Tell whether no word of a spaced script runs across the place before index `at`."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    inside = _in_word(before) and _in_word(after)
    inside_number = before in ".,:/-" and after.isdigit() and at > 1 and text[at - 2].isdigit()
    number_goes_on = after in ".,:/" and before.isdigit() and at + 1 < len(text) and text[at + 1].isdigit()
    return not (inside or inside_number or number_goes_on)


def _in_word(character: str) -> bool:
    return character.isalnum() and not is_unspaced(character)


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the stretch widened to the nearest borders, without white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while not _is_border(text, start):
        start -= 1
    while not _is_border(text, end):
        end += 1
    return start, end


def _original(passage: str, origins: tuple[int, ...], start: int, end: int, score: float) -> Span:
    """Translate a stretch of the normal form back into indices of the passage."""
    last = origins[end - 1]
    stop = last + len(clusters(passage[last : last + _LONGEST_CLUSTER])[0])
    first, stop = _widen(passage, origins[start], stop)
    return Span(start=first, end=stop, score=score)
