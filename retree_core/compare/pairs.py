"""Texts of two runs brought together: the same, the same with another value, or in one run only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol, TypeVar

from retree_core.text import LONGEST_READ, comparable, tokens

How = Literal["same", "changed", "only_a", "only_b"]

MOST_COMPARED = 40_000
"""Pairs whose likeness is worked out; past that only equal texts are brought together."""


class Worded(Protocol):
    """Anything with a text."""

    @property
    def text(self) -> str: ...


W = TypeVar("W", bound=Worded)


def pairs(a: Sequence[W], b: Sequence[W], like: float) -> Iterator[tuple[How, W | None, W | None]]:
    """Every item of both sides once, in the order of A and then of B: equal texts first, then the most alike.

    Texts are compared in their normal form, very long ones as they are; `like` (0 to 1) is the least share of common
    words of a `changed` pair.
    """
    partner = _equal(a, b)
    partner |= _alike(a, b, partner, like)
    for place, one in enumerate(a):
        if place in partner:
            other = b[partner[place]]
            yield ("same" if comparable(one.text) == comparable(other.text) else "changed"), one, other
        else:
            yield "only_a", one, None
    taken = set(partner.values())
    for place, other in enumerate(b):
        if place not in taken:
            yield "only_b", None, other


def _equal(a: Sequence[W], b: Sequence[W]) -> dict[int, int]:
    """Place in A to place in B, for equal texts."""
    waiting: dict[str, list[int]] = {}
    for place, other in enumerate(b):
        waiting.setdefault(comparable(other.text), []).append(place)
    found: dict[int, int] = {}
    for place, one in enumerate(a):
        places = waiting.get(comparable(one.text))
        if places:
            found[place] = places.pop(0)
    return found


def _alike(a: Sequence[W], b: Sequence[W], known: dict[int, int], like: float) -> dict[int, int]:
    """The same for texts that are not equal but alike enough, the most alike first."""
    taken = set(known.values())
    left = [(place, frozenset(tokens(one.text[:LONGEST_READ]))) for place, one in enumerate(a) if place not in known]
    right = [(place, frozenset(tokens(one.text[:LONGEST_READ]))) for place, one in enumerate(b) if place not in taken]
    if len(left) * len(right) > MOST_COMPARED:
        return {}
    likeness = ((_common(ours, theirs), -one, -other) for one, ours in left for other, theirs in right)
    found: dict[int, int] = {}
    for _, one, other in sorted((each for each in likeness if each[0] >= like), reverse=True):
        if -one not in found and -other not in found.values():
            found[-one] = -other
    return found


def _common(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of common words, 0 to 1."""
    return 2 * len(one & other) / max(1, len(one) + len(other))
