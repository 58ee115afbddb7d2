"""The JSON values of a trace file in their order: line by line, or out of one document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from retree_core.errors import InputError
from retree_core.llm import strict_json
from retree_core.trace.packed import GZIP, MAX_BYTES, unpacked

Values = Iterator[tuple[int, Any, str]]
"""Line or position, value, and why there is none."""
_NEWLINES = re.compile(rb"\n+")
_CALL = rb'call","seq":(\d{1,15}),"at":"[^"\\]*","call":\{"type":"'
_ENGINE = rb'(?:rule|boundary|prompt)","seq":(\d{1,15}),"'
_WAITS = re.compile(rb'\{"record":"(?:%b|%b)' % (_CALL, _ENGINE))
"""How the line begins of a call, or of what makes a run repeatable, where we wrote it."""


_BEGINNING = b'{"record":"header"'
"""How a trace begins where we wrote it."""
TORN = object()
"""Stands for the value of a last line that is neither whole nor ended: what is on disk of a record whose writer was
killed."""


class Waiting(NamedTuple):
    """A record that nobody has looked at yet; the events are read without it."""

    line: int
    seq: int
    text: memoryview


def raw_records(data: bytes, name: str) -> Values:
    """The JSON values of a trace in file order, header first: line or position, value, and why there is none.

    Raises InputError where `data` is no trace at all.
    """
    return values(unpacked(data, name, MAX_BYTES).data, name)


def values(data: bytes, name: str, *, wait: bool = False) -> Values:
    """As `raw_records`; where they may wait, only events are decoded."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data or data.isspace():
        raise InputError(f"{name}: the file is empty; expected a ReTree trace (JSON Lines or JSON)")
    head, reason = decode(_first_line(data))
    if head is not None and not _is_document(head):
        return from_lines(data, wait=wait)
    whole, whole_reason = decode(data, any_depth=True)
    if whole is not None and _is_document(whole):
        return _from_document(whole, name)
    if whole is None and head is None and data.lstrip()[:1] == b"{" and b'"record"' in data:
        return from_lines(data, wait=wait)
    raise InputError(
        f"{name}: not a ReTree trace ({reason or whole_reason or 'no header'}); expected JSON Lines or JSON"
    )


def takes_lines(data: bytes) -> bool:
    """Whether records can be put at the end of this readable trace: it is not one JSON document."""
    data = unpacked(data, "", MAX_BYTES).data.removeprefix(b"\xef\xbb\xbf")
    head, _ = decode(_first_line(data))
    return not _is_document(decode(data)[0] if head is None else head)


def is_before_header(data: bytes) -> bool:
    """Whether a file is one whose writer was killed before its header was whole."""
    if GZIP.startswith(data):
        return True
    try:
        content = unpacked(data, "", MAX_BYTES).data
    except InputError:
        return False
    return b"\n" not in content and (content.startswith(_BEGINNING) or _BEGINNING.startswith(content))


def _first_line(data: bytes) -> bytes:
    data = data.lstrip()
    end = data.find(b"\n")
    return data if end < 0 else data[:end]


def decode(data: bytes, *, any_depth: bool = False) -> tuple[Any, str]:
    """JSON value of `data`, or None and the reason. Never raises, however hostile the text."""
    try:
        return strict_json.exact(data, any_depth=any_depth), ""
    except ValueError as error:
        return None, str(error)[:120]


def is_record(text: bytes) -> bool:
    """Whether a line is whole, its newline aside."""
    return isinstance(decode(text)[0], dict)


def _is_document(value: Any) -> bool:
    return isinstance(value, dict) and "records" in value


def from_lines(data: bytes, number: int = 1, *, wait: bool = False) -> Values:
    """The lines one after another, blank ones left out; `number` is that of the first.

    A last line that was cut off has the value TORN.
    """
    start, view = 0, memoryview(data)
    while start < len(data):
        end = data.find(b"\n", start)
        if end < 0:
            end, wait = len(data), False
        if wait and (begun := _WAITS.match(data, start, end)) and data[end - 1 : end] == b"}":
            yield number, Waiting(line=number, seq=int(begun[1] or begun[2]), text=view[start:end]), ""
        elif text := data[start:end].strip():
            value, reason = decode(text)
            yield number, TORN if reason and end == len(data) else value, reason
        after = _NEWLINES.match(data, end)
        start = after.end() if after else len(data)
        number += start - end


def _from_document(whole: dict[str, Any], name: str) -> Values:
    items = whole["records"]
    if not isinstance(items, list):
        raise InputError(f"{name}: `records` should be a list")
    header = {"record": "header", "format": whole.get("format"), **_as_dict(whole.get("header"))}
    return ((number, *_shallow(one)) for number, one in enumerate([header, *items]))


def _shallow(value: Any) -> tuple[Any, str]:
    """The value, or None and why it is not read."""
    return (None, strict_json.TOO_DEEP) if strict_json.too_deep(value) else (value, "")


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
