"""Find the JSON object in a model's text, whatever prose or code fence stands around it."""

from __future__ import annotations

import re
from typing import Any

from retree_core.llm import strict_json

_FENCED = re.compile(r"\A```[A-Za-z0-9_-]*[ \t]*\r?\n?(.*?)\s*```\Z", re.DOTALL)
_FENCE_BEFORE = re.compile(r"```[A-Za-z0-9_-]*\s*\Z")
_LOOKS_LIKE_JSON = re.compile(r'\{\s*["}]')
_STRUCTURE = re.compile(r'["{}]')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_MOST_STRAY_BRACES = 20


class Unclosed(ValueError):
    """An object begins and does not end."""


def whole_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that `text` is, a code fence around it aside; None if it is anything else."""
    bare = unfenced(text)
    if not (bare.startswith("{") and bare.endswith("}")):
        return None
    try:
        value = strict_json.loads(bare)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def unfenced(text: str) -> str:
    """Return `text` without surrounding space, byte order mark and code fence.

    >>> unfenced('```json\\n{"x": 1}\\n```')
    '{"x": 1}'
    """
    stripped = text.strip("\ufeff \t\r\n")
    fenced = _FENCED.match(stripped)
    return fenced.group(1).strip() if fenced else stripped


def the_object(text: str) -> dict[str, Any]:
    """Return the one JSON object in `text`.

    Objects inside a broken outer one never count. Of several different ones, the only one that opens a
    code fence counts. Raises `Unclosed` if an object does not end, `ValueError` with a reason for
    everything else.
    """
    found, fenced, reason = [], [], "no JSON object in the text"
    for start, end in _spans(text):
        if end is None:
            raise Unclosed("the JSON object does not end")
        try:
            value = strict_json.loads(text[start:end])
        except ValueError as error:
            reason = str(error)
            continue
        found.append(value)
        if _FENCE_BEFORE.search(text, max(0, start - 40), start):
            fenced.append(value)
    return _the_only(found, fenced, reason)


def _the_only(found: list[dict[str, Any]], fenced: list[dict[str, Any]], reason: str) -> dict[str, Any]:
    for values in (found, fenced):
        if values and all(value == values[0] for value in values):
            return values[0]
    raise ValueError(f"{len(found)} different JSON objects, one expected" if found else reason)


def _spans(text: str) -> list[tuple[int, int | None]]:
    """Outermost brace-balanced stretches; end None where an object is open when the text stops."""
    spans: list[tuple[int, int | None]] = []
    position = stray = 0
    while (start := text.find("{", position)) >= 0:
        end = _end_of_object(text, start)
        if end is None and stray < _MOST_STRAY_BRACES and not _LOOKS_LIKE_JSON.match(text, start):
            stray, position = stray + 1, start + 1
            continue
        spans.append((start, end))
        if end is None:
            break
        position = end
    return spans


def _end_of_object(text: str, start: int) -> int | None:
    depth, position = 0, start
    while mark := _STRUCTURE.search(text, position):
        if mark.group() == '"':
            string = _STRING.match(text, mark.start())
            if string is None:
                return None
            position = string.end()
            continue
        depth += 1 if mark.group() == "{" else -1
        position = mark.end()
        if depth == 0:
            return position
    return None
