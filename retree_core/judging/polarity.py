"""Negation and antonyms: what turns a statement round."""

import re
from typing import Final

from retree_core.judging.cues import NEGATIONS, NOT_ONLY
from retree_core.judging.phrases import ANTONYM_FORMS, find_phrases, spans_of
from retree_core.judging.reading import Reading
from retree_core.judging.stems import stem

_CONTRACTED: Final = re.compile(r"n['\u2019]t\b")
_NOT_UNTIL: Final = re.compile(r"\bnot (?:\w+ ){1,3}until\b")
_NONE_MORE: Final = re.compile(r"\bno \w+ .*\b(?:more|\w+er)\b.* than\b")
_TIME_NEGATIONS: Final = frozenset({"no longer", "not yet", "no more", "not until", "not always"})


def negations_in(reading: Reading) -> tuple[str, ...]:
    """Return the words that negate the fact; 'not only' and 'no longer' do not.

    >>> from retree_core.judging.reading import read_fact
    >>> negations_in(read_fact("Bats aren't blind")), negations_in(read_fact("It is not only the capital"))
    (("n't",), ())
    """
    return tuple(reading.lowered[start:end] for start, end in _negation_spans(reading))


def is_negative(reading: Reading) -> bool:
    """Tell whether an odd number of words negate the fact."""
    return len(_negation_spans(reading)) % 2 == 1


def negated_words(reading: Reading) -> tuple[str, ...]:
    """Return the stems of the content words that follow the negation."""
    spans = _negation_spans(reading)
    return tuple(word.stem for word in reading.content if spans and word.start >= spans[0][1])


def _negation_spans(reading: Reading) -> list[tuple[int, int]]:
    text = reading.lowered
    if _NONE_MORE.search(text):
        return []
    excused = [*spans_of(text, NOT_ONLY | _TIME_NEGATIONS), *(match.span() for match in _NOT_UNTIL.finditer(text))]
    found = sorted({*spans_of(text, NEGATIONS - {"n't"}), *(match.span() for match in _CONTRACTED.finditer(text))})
    return [span for span in found if not any(start <= span[0] < end for start, end in excused)]


def antonyms(old: Reading, new: Reading) -> tuple[str, str] | None:
    """Return the first pair of words, one in each fact, that exclude each other; None when there is none.

    A pair only counts when neither fact has both of its words. A prefix such as un- makes an antonym too.
    """
    for one, other in ANTONYM_FORMS:
        a, b = _sides(old, one, other), _sides(new, one, other)
        for here, there in ((0, 1), (1, 0)):
            if a[here] and b[there] and not a[there] and not b[here]:
                return a[here][0], b[there][0]
    return _prefixed(old, new)


def _sides(reading: Reading, one: frozenset[str], other: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return find_phrases(reading.lowered, one), find_phrases(reading.lowered, other)


def _prefixed(old: Reading, new: Reading) -> tuple[str, str] | None:
    """Return a word and the same word with a negative prefix: safe, unsafe."""
    for first, second, turned in ((old, new, False), (new, old, True)):
        plain = {word.stem: word.text for word in first.content}
        for word in second.content:
            for prefix in ("un", "non", "in", "im", "ir", "il", "dis"):
                base = word.text.removeprefix(prefix).lstrip("-")
                if word.text.startswith(prefix) and len(base) > 3 and stem(base) in plain and word.stem not in plain:
                    pair = plain[stem(base)], word.text
                    return (pair[1], pair[0]) if turned else pair
    return None
