"""A digest of every field of a state, by which a record shows that it folds to what the engine had before it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from retree_core.folding import NAMES
from retree_core.protocol import canonical
from retree_core.state import State

DIGITS = 8
_WHOLE = 1 << 64


class StateDigests:
    """Digests of the states of one run; what did not change between two of them is not looked at again."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, int]] = {}
        """Sum of the hashes of an item, or of a stretch of them, by identity."""

    def of(self, state: State) -> dict[str, str]:
        """Field to digest, fields at their default left out, so that a field that comes later breaks no record.

        Of a mapping or a sequence it is the sum of its items' hashes, each with its place; within an item, fields at
        their default are left out as well.
        """
        found = ((name, getattr(state, name)) for name in NAMES)
        return {name: self._digest(value) for name, value in found if value and not _is_default(name, value)}

    def _digest(self, value: Any) -> str:
        if isinstance(value, Mapping):
            total = self._sum_of_stretches(value)
        elif isinstance(value, tuple):
            total = self._sum(value, 0)
        else:
            total = _hash(_bare(value))
        return f"{total % _WHOLE:016x}"[:DIGITS]

    def _sum_of_stretches(self, mapping: Mapping[str, Any]) -> int:
        stretches: Iterable[tuple[Any, ...]] = getattr(mapping, "stretches", None) or (tuple(mapping.items()),)
        total = place = 0
        for stretch in stretches:
            known = self._known.get(id(stretch))
            if known is None:
                known = self._known[id(stretch)] = (stretch, self._sum(stretch, place))
            total += known[1]
            place += len(stretch)
        return total

    def _sum(self, items: tuple[Any, ...], first: int) -> int:
        """Of the hashes of items, of which the first has that place."""
        total, known = 0, self._known
        for place, item in enumerate(items, first):
            found = known.get(id(item))
            if found is None:
                found = known[id(item)] = (item, _hash([place, _bare(item)]))
            total += found[1]
        return total


_DEFAULTS: Mapping[str, Any] = {name: getattr(State(), name) for name in NAMES}


def _is_default(name: str, value: Any) -> bool:
    return isinstance(value, str | int) and bool(value == _DEFAULTS[name])


def _hash(value: Any) -> int:
    return int.from_bytes(hashlib.sha256(canonical(value)).digest()[:8], "big")


def _bare(value: Any) -> Any:
    """A value as JSON, fields at their default left out."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, (tuple, list)):
        return [_bare(one) for one in value]
    if is_dataclass(value):
        held = ((name, getattr(value, name), default) for name, default in _fields(type(value)))  # type: ignore[arg-type]  # a type is hashable
        return {name: _bare(one) for name, one, default in held if one != default}
    return value


@cache
def _fields(type_: type[Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((one.name, one.default) for one in fields(type_))
