"""Restatements: the same fact again, in other case, spacing, punctuation or format."""

from bisect import insort
from typing import TypeAlias

from retree_core.text.normal import normalise
from retree_core.text.one_format import in_one_format

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
