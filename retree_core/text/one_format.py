"""A text with its values in one format, so that the same statement in another format reads the same."""

from functools import lru_cache
from sys import intern
from typing import Final

from retree_core.text.normal import normalise
from retree_core.text.values import read_values

_ARTICLES: Final = frozenset({"a", "an", "the"})


@lru_cache(maxsize=2048)
def in_one_format(text: str) -> tuple[str, ...]:
    """Return the text's words in order, each value in its canonical form, articles left out."""
    values = read_values(text)
    words: list[str] = []
    at = 0
    for value in values.in_order:
        words.extend(_words(values.text[at : value.start]))
        words.append(value.key)
        at = value.end
    return tuple(map(intern, (*words, *_words(values.text[at:]))))


def _words(text: str) -> list[str]:
    """Return the words of a stretch between two values; punctuation and articles do not count."""
    return [word for word in normalise(text).split() if word not in _ARTICLES and any(map(str.isalnum, word))]
