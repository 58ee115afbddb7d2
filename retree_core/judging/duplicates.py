"""Restatements: the same fact again, in other case, spacing, punctuation or format."""

from bisect import insort
from functools import lru_cache
from sys import intern
from typing import Final, TypeAlias

from retree_core.text.normal import normalise
from retree_core.text.values import read_values

_ARTICLES: Final = frozenset({"a", "an", "the"})
_Forms: TypeAlias = tuple[str, tuple[str, ...]]


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


class Restatements:
    """Facts by number, found by what restates them."""

    def __init__(self) -> None:
        self._forms: dict[int, _Forms] = {}
        self._numbers: dict[str | tuple[str, ...], list[int]] = {}

    def add(self, number: int, fact: str) -> None:
        """Keeps a fact under a number that holds none."""
        self._forms[number] = _forms(fact)
        for form in self._forms[number]:
            insort(self._numbers.setdefault(form, []), number)

    def remove(self, number: int) -> None:
        """Drops the fact under a number."""
        for form in self._forms.pop(number):
            self._numbers[form].remove(number)
            if not self._numbers[form]:
                del self._numbers[form]

    def first(self, fact: str) -> int | None:
        """The smallest number of a fact that `fact` duplicates, as `is_duplicate` says."""
        return min((self._numbers[form][0] for form in _forms(fact) if form in self._numbers), default=None)


def _forms(fact: str) -> _Forms:
    """Two facts that have one of these in common are duplicates."""
    return normalise(fact), in_one_format(fact)


@lru_cache(maxsize=2048)
def in_one_format(fact: str) -> tuple[str, ...]:
    """Return the fact's words in order, each value in its canonical form, articles left out."""
    values = read_values(fact)
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
