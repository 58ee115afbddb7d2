"""The values a text states: dates, quantities and names, and their canonical forms."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from retree_core.text.dates import Date, find_dates
from retree_core.text.names import Name, find_names
from retree_core.text.quantities import Quantity, find_quantities, nfkc

Value: TypeAlias = Date | Quantity | Name
"""Anything with a `key`, a `start` and an `end`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What one text states, in reading order. All indices are into `text`."""

    text: str
    """The NFKC form the values were read from."""
    dates: tuple[Date, ...]
    quantities: tuple[Quantity, ...]
    names: tuple[Name, ...]

    @property
    def in_order(self) -> tuple[Value, ...]:
        """All values as they stand in the text."""
        found: list[Value] = [*self.dates, *self.quantities, *self.names]
        return tuple(sorted(found, key=lambda value: value.start))


@lru_cache(maxsize=2048)
def read_values(text: str) -> Values:
    """Return the dates, quantities and names of `text`; no two overlap."""
    plain, dates = read_dates(text)
    quantities = find_quantities(plain, dates)
    measured = [quantity for quantity in quantities if quantity.unit not in ("", "ordinal")]
    names = find_names(plain, [*_stretches(dates), *_stretches(measured)])
    inside = _stretches(names)
    free = tuple(quantity for quantity in quantities if not any(a <= quantity.start < b for a, b in inside))
    return Values(text=plain, dates=dates, quantities=free, names=names)


@lru_cache(maxsize=2048)
def read_dates(text: str) -> tuple[str, tuple[Date, ...]]:
    """Return the NFKC form of `text` and the dates in it: of its values what is found soonest."""
    plain = nfkc(text)
    return plain, find_dates(plain)


def values_in(text: str) -> frozenset[str]:
    """Return the canonical values of `text`: the same set however numbers, dates and names are written.

    >>> values_in("1,234 km2") == values_in("1234 square kilometres")
    True
    >>> values_in("opened on 12 March 1990") == values_in("opened March 12th, 1990")
    True
    >>> values_in("1,234") == values_in("1.234")
    False
    >>> sorted(values_in("The U.S. has fifty states"))
    ['name:united states', 'number:50']
    """
    values = read_values(text)
    return frozenset(f"name:{value.key}" if isinstance(value, Name) else value.key for value in values.in_order)


def _stretches(values: Sequence[Value]) -> list[tuple[int, int]]:
    return [(value.start, value.end) for value in values]
