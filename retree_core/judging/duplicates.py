"""Restatements: the same fact again, in other case, spacing, punctuation or format."""

from typing import Final

from retree_core.text.normal import normalise
from retree_core.text.values import read_values

_ARTICLES: Final = frozenset({"a", "an", "the"})


def is_duplicate(old: str, new: str) -> bool:
    """Tell whether two facts differ only in case, spacing, punctuation or the format of their values.

    >>> is_duplicate("The lake covers 1,234 km2.", "the lake covers 1234 square kilometres")
    True
    >>> is_duplicate("Astrel is the capital.", "Astrel is not the capital.")
    False
    >>> is_duplicate("Osmund defeated Aldric.", "Aldric defeated Osmund.")
    False
    """
    return normalise(old) == normalise(new) or in_one_format(old) == in_one_format(new)


def in_one_format(fact: str) -> tuple[str, ...]:
    """Return the fact's words in order, each value in its canonical form, articles left out."""
    values = read_values(fact)
    words: list[str] = []
    at = 0
    for value in values.in_order:
        words.extend(_words(values.text[at : value.start]))
        words.append(value.key)
        at = value.end
    return (*words, *_words(values.text[at:]))


def _words(text: str) -> list[str]:
    """Return the words of a stretch between two values; punctuation and articles do not count."""
    return [word for word in normalise(text).split() if word not in _ARTICLES and any(map(str.isalnum, word))]
