"""Read JSON written by a model or a server: strict, bounded, and never anything but `ValueError`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, NoReturn

MAX_DEPTH = 100
"""Deepest nesting accepted; far above any schema of ours, far below Python's recursion limit."""
MAX_DIGITS = 300

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def loads(text: str | bytes) -> Any:
    """Parse one JSON document; strings come out free of lone surrogates, so they can always be encoded.

    Raises `ValueError` with a short reason: not JSON, not UTF-8, NaN or Infinity, a key twice in one
    object, a number of more than 300 digits, nesting deeper than 100.

    >>> loads('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: key 'a' appears twice in one object
    """
    if isinstance(text, bytes):
        text = _decoded(text)
    try:
        value = _decoder.decode(text.strip("\ufeff \t\r\n"))
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos} of {len(text)}") from None
    if _depth(value) > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return _cleaned(value) if "\\ud" in text.lower() or _HALF_CHARACTER.search(text) else value


def clean(text: str) -> str:
    """Return `text` with lone surrogates (half a character) replaced by U+FFFD."""
    return _HALF_CHARACTER.sub("\ufffd", text)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"key {clean(twice)[:60]!r} appears twice in one object")
    return found


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits[:40]} is out of range")
    return value


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [child for each in level for child in _children(each)]:
        depth += 1
        if depth > MAX_DEPTH:
            break
    return depth


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return value
