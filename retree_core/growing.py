"""A mapping that is never changed, of which a changed copy is cheap however large it is: one moment of a memory."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from itertools import chain
from operator import itemgetter
from typing import Generic, TypeVar

V = TypeVar("V")

_WIDTH = 64
"""Items a chunk. A change copies one chunk and the list of chunks, and shares all the rest with what it comes from."""
_KEY, _VALUE = itemgetter(0), itemgetter(1)


class _Places:
    """Where the keys of a mapping and of all that grew from it stand; a mapping looks no further than its length."""

    __slots__ = ("of", "taken")

    def __init__(self, keys: Iterator[str]) -> None:
        self.taken = dict(enumerate(keys))
        self.of = {key: place for place, key in self.taken.items()}

    def claimed(self, place: int, key: str) -> bool:
        """Whether the place is or becomes that of the key; safe where threads grow one mapping side by side."""
        if self.taken.setdefault(place, key) != key:
            return False
        self.of[key] = place
        return True


class Growing(Mapping[str, V], Generic[V]):
    """Keys in order of arrival; a key keeps its place, and none ever leaves.

    >>> one = Growing[int]().put("a", 1).put("b", 2)
    >>> two = one.put("a", 3)
    >>> dict(one), dict(two)
    ({'a': 1, 'b': 2}, {'a': 3, 'b': 2})
    """

    __slots__ = ("_chunks", "_length", "_places")

    def __init__(self, items: Mapping[str, V] | None = None) -> None:
        pairs = tuple((items or {}).items())
        self._chunks = tuple(pairs[at : at + _WIDTH] for at in range(0, len(pairs), _WIDTH))
        self._length = len(pairs)
        self._places = _Places(map(_KEY, pairs))

    def put(self, key: str, value: V) -> Growing[V]:
        """The mapping with this value at this key."""
        return self.put_all(((key, value),))

    def put_all(self, items: Iterable[tuple[str, V]]) -> Growing[V]:
        """The mapping with each of these values at its key."""
        chunks, length, places = list(self._chunks), self._length, self._places
        for item in items:
            place = places.of.get(item[0], length)
            number, at = divmod(place, _WIDTH)
            if place < length:
                chunks[number] = (*chunks[number][:at], item, *chunks[number][at + 1 :])
                continue
            if not places.claimed(length, item[0]):
                places = _Places(chain(map(_KEY, chain.from_iterable(chunks)), (item[0],)))
            if length % _WIDTH:
                chunks[-1] = (*chunks[-1], item)
            else:
                chunks.append((item,))
            length += 1
        return self._like(tuple(chunks), length, places)

    @property
    def stretches(self) -> tuple[tuple[tuple[str, V], ...], ...]:
        """The items in pieces; a piece in which nothing changed is the same object in all that grew from it."""
        return self._chunks

    def _like(self, chunks: tuple[tuple[tuple[str, V], ...], ...], length: int, places: _Places) -> Growing[V]:
        made: Growing[V] = Growing.__new__(Growing)
        made._chunks, made._length, made._places = chunks, length, places
        return made

    def __getitem__(self, key: str) -> V:
        place = self._places.of.get(key, self._length)
        if place >= self._length:
            raise KeyError(key)
        return self._chunks[place // _WIDTH][place % _WIDTH][1]

    def get(self, key: str, default: V | None = None) -> V | None:  # type: ignore[override]
        place = self._places.of.get(key, self._length)
        return self._chunks[place // _WIDTH][place % _WIDTH][1] if place < self._length else default

    def __contains__(self, key: object) -> bool:
        return self._places.of.get(key, self._length) < self._length  # type: ignore[call-overload,no-any-return]

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return map(_KEY, chain.from_iterable(self._chunks))

    def values(self) -> ValuesView[V]:
        return _Values(self)

    def items(self) -> ItemsView[str, V]:
        return _Items(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self)!r})"


class _Values(ValuesView[V]):
    _mapping: Growing[V]

    def __iter__(self) -> Iterator[V]:
        return map(_VALUE, chain.from_iterable(self._mapping._chunks))


class _Items(ItemsView[str, V]):
    _mapping: Growing[V]

    def __iter__(self) -> Iterator[tuple[str, V]]:
        return chain.from_iterable(self._mapping._chunks)


def put_all(mapping: Mapping[str, V], items: Iterable[tuple[str, V]]) -> Growing[V]:
    """The mapping with each of these values at its key, whatever mapping it is."""
    return (mapping if isinstance(mapping, Growing) else Growing(mapping)).put_all(items)


def put(mapping: Mapping[str, V], key: str, value: V) -> Growing[V]:
    """The mapping with this value at this key, whatever mapping it is."""
    return put_all(mapping, ((key, value),))
