"""What validates a type, made once for each: making it takes far longer than using it."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

_made: dict[Any, TypeAdapter[Any]] = {}


def adapter(type_: Any) -> TypeAdapter[Any]:
    """The adapter of a type, the same for all who ask."""
    if type_ not in _made:
        _made[type_] = TypeAdapter(type_)
    return _made[type_]
