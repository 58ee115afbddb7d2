"""Read JSON that others wrote, models, servers or people: strict, bounded, and never anything but `ValueError`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, NoReturn

import orjson

from retree_core.secrets import redact

MAX_DEPTH = 100
"""Deepest nesting accepted; far above any schema of ours, far below Python's recursion limit."""
MAX_DIGITS = 30
"""Of a whole number; it stays one that can be drawn, divided and turned into a float."""

TOO_DEEP = "nested too deeply"
_ODD = object()

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def loads(text: str | bytes) -> Any:
    """Parse one JSON document; strings come out free of lone surrogates, so they can always be encoded.

    Raises `ValueError` with a short reason: not JSON, not UTF-8, NaN or Infinity, a key twice in one
    object, a number out of range, nesting deeper than 100.

    >>> loads('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: key 'a' appears twice in one object
    """
    text = _decoded(text) if isinstance(text, bytes) else text
    value = exact(text)
    halves = "\\ud" in text.lower() or (not text.isascii() and _HALF_CHARACTER.search(text))
    return _cleaned(value) if halves else value


def exact(text: str | bytes, *, any_depth: bool = False) -> Any:
    """As `loads`, with lone surrogates as they are; of `any_depth` where the parts are checked by `too_deep`."""
    if isinstance(text, bytes):
        if not any_depth and (value := _plain(text)) is not _ODD:
            return value
        text = _decoded(text)
    try:
        value = _decoder.decode(text.strip("\ufeff \t\r\n"))
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{_in_words(error.msg)} at character {error.pos} of {len(text)}") from None
    if not any_depth and text.count("[") + text.count("{") > MAX_DEPTH and too_deep(value):
        raise ValueError(TOO_DEEP)
    return value


def _plain(data: bytes) -> Any:
    """The value of a text that is just as `orjson` writes it, which is fast and leaves no room for anything odd."""
    try:
        value = orjson.loads(data)
        odd = orjson.dumps(value) != data
    except (ValueError, TypeError):
        return _ODD
    return _ODD if odd or (data.count(b"[") + data.count(b"{") > MAX_DEPTH and too_deep(value)) else value


_WORDS = {
    "Expecting value": "no JSON value",
    "Expecting ',' delimiter": "no comma or closing bracket",
    "Expecting ':' delimiter": "no colon",
    "Expecting property name": "no field name in double quotes",
    "Illegal trailing comma": "a comma before a closing bracket",
    "Unterminated string": "a text that does not end, begun",
    "Invalid control character": "a line break, tab or other control character inside a text",
    "Invalid \\": "an unknown escape in a text",
    "Extra data": "more text after the end of the JSON",
}
"""How a message of Python's parser begins, to what it means."""


def _in_words(message: str) -> str:
    return next((words for start, words in _WORDS.items() if message.startswith(start)), message)


def kind(value: Any) -> str:
    """What a JSON value is, in words.

    >>> kind({}), kind(True), kind(None)
    ('an object', 'true or false', 'null')
    """
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)


_KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}


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
        raise ValueError(f"key {redact(clean(twice))[:60]!r} appears twice in one object")
    return found


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of more than {MAX_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"a number out of range: {digits[:40]}")
    return value


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)


def too_deep(value: Any) -> bool:
    """Whether a parsed value is nested deeper than MAX_DEPTH."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [each for outer in level for each in _children(outer) if isinstance(each, dict | list)]
        if not level:
            return False
    return True


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return value
