"""The choice of `top_k` from an index that is kept as texts come and go, instead of from all texts each time.

Sets of texts are bits of one integer, so that a machine word compares 64 of them at once.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from sys import intern

from retree_core.text.normal import normalise, tokens

_SPARSE = 64
"""A token in less than one of so many texts is kept as a list of their places, which is shorter than as many bits."""


class OverlapIndex:
    """Texts by place, from 0; a later one is newer."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._tokens: list[tuple[str, ...]] = []
        """Those of each text."""
        self._with: dict[str, list[int] | int] = {}
        """Token to the places of the texts that have it, in order or as bits."""

    def append(self, text: str) -> None:
        """The newest text."""
        self._texts.append(text)
        self._tokens.append(_content(text))
        self._enter(len(self._texts) - 1)

    def replace(self, place: int, text: str) -> None:
        """Another text at a place."""
        self._leave(place)
        self._texts[place] = text
        self._tokens[place] = _content(text)
        self._enter(place)

    def cut(self, length: int) -> None:
        """Drops the texts from place `length` on."""
        while len(self._texts) > length:
            self._leave(len(self._texts) - 1)
            self._texts.pop()
            self._tokens.pop()

    def best(self, query_texts: Sequence[str], k: int) -> list[tuple[int, int]]:
        """The places that `top_k` chooses, each with its number of shared tokens: most of them first, then newest;
        equal normal forms once."""
        wanted = {token for text in query_texts for token in tokens(text)}
        found = (self._with[token] for token in wanted if token in self._with)
        chosen: dict[str, int] = {}
        if k > 0:
            for place in _by_count([self._bits(one) for one in found], len(self._texts)):
                chosen.setdefault(normalise(self._texts[place]), place)
                if len(chosen) == k:
                    break
        return [(place, len(wanted.intersection(self._tokens[place]))) for place in chosen.values()]

    def _enter(self, place: int) -> None:
        for token in self._tokens[place]:
            places = self._with.setdefault(token, [])
            if isinstance(places, int):
                self._with[token] = places | 1 << place
                continue
            insort(places, place)
            if len(places) * _SPARSE > len(self._texts):
                self._with[token] = self._bits(places)

    def _leave(self, place: int) -> None:
        for token in self._tokens[place]:
            places = self._with[token]
            if isinstance(places, int):
                self._with[token] = places ^ 1 << place
            else:
                places.remove(place)
            if not self._with[token]:
                del self._with[token]

    def _bits(self, places: list[int] | int) -> int:
        if isinstance(places, int):
            return places
        bits = bytearray(places[-1] // 8 + 1)
        for place in places:
            bits[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(bits, "little")


def _content(text: str) -> tuple[str, ...]:
    """The tokens of a text, each once; a token is one string in all texts."""
    return tuple(set(map(intern, tokens(text))))


def _by_count(sets: Iterable[int], length: int) -> Iterator[int]:
    """The places below `length`, those in most sets first, of equals the highest."""
    digits = _counted(sets)
    left = (1 << length) - 1
    while left:
        most = left
        for digit in reversed(digits):
            most = most & digit or most
        left ^= most
        while most:
            place = most.bit_length() - 1
            yield place
            most ^= 1 << place


def _counted(sets: Iterable[int]) -> list[int]:
    """In how many sets each place is, as binary digits: item n holds the places whose count has 2 to the n in it."""
    digits: list[int] = []
    for carry in sets:
        for at, digit in enumerate(digits):
            digits[at], carry = digit ^ carry, digit & carry
            if not carry:
                break
        if carry:
            digits.append(carry)
    return digits
