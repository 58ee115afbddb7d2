"""Reading traces from anywhere: JSON Lines or one JSON document, plain or gzipped, whole or damaged, ours or not."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from retree_core.errors import InputError, UsageError
from retree_core.events import Event
from retree_core.garbage import uncollected
from retree_core.llm import strict_json
from retree_core.trace.kept import NO_OBJECT, Late, LateRecords, kept_call
from retree_core.trace.leading import Leads, leads
from retree_core.trace.packed import MAX_BYTES, Unpacked, read_bytes, unpacked
from retree_core.trace.records import (
    FORMAT,
    VERSION,
    CallRecord,
    EventRecord,
    Header,
    OtherRecord,
    Record,
    read_header,
    read_record,
    setting_problems,
)

ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
"""Names of files that may be traces."""
LINES = (".jsonl", ".jsonl.gz")
"""Of those that records can be put to the end of."""


def ending_of(name: str) -> str:
    """The ending by which a file name is that of a trace; empty where it has none.

    >>> ending_of("a.JSONL.gz"), ending_of("a.txt")
    ('.JSONL.gz', '')
    """
    known = next((one for one in sorted(ENDINGS, key=len, reverse=True) if name.lower().endswith(one)), "")
    return name[len(name) - len(known) :]


_Values = Iterator[tuple[int, Any, str]]
"""Line or position, value, and why there is none."""
MOST_DAMAGED = 10_000
"""Records of one file that may be damaged; one with more is no trace."""

_NEWLINES = re.compile(rb"\n+")
_CALL = re.compile(rb'\{"record":"call","seq":(\d{1,15}),"at":"[^"\\]*","call":\{"type":"')
"""How the line of a call begins where we wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A record that could not be read."""

    line: int
    """Line of a JSON Lines file, or position in the records of a document; from 1."""
    reason: str


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A run as read from disk, its records in order."""

    name: str
    header: Header
    records: Sequence[Record]
    """Of a file the calls are read when they, or `damage`, are first looked at; `events` are there without."""
    damage: Sequence[Damage] = ()
    notices: tuple[str, ...] = ()
    """What a person should know before trusting it, such as a newer format version."""

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Moment `n` is after `events[n - 1]`."""
        if isinstance(self.records, LateRecords):
            return self.records.events
        return tuple(one.event for one in self.records if isinstance(one, EventRecord))

    @cached_property
    def calls(self) -> tuple[CallRecord, ...]:
        return tuple(one for one in self.records if isinstance(one, CallRecord))

    @property
    def imported(self) -> bool:
        """Whether another program made this record: a chain of steps, without facts, conflicts or an agent of ours."""
        return self.header.settings.agent == "imported"

    def require_agent(self) -> None:
        """Raises UsageError where this record is imported, so that no agent of ours can go on from it."""
        if self.imported:
            raise UsageError(f"{self.name}: {self.header.recorded_with}; there is nothing to replay, resume or fork")

    @property
    def stopped(self) -> str:
        """Why nothing follows, though the run has not ended: `interrupted`, or what it needs; else empty."""
        last = self.records[-1] if self.records else None
        raw = last.raw if isinstance(last, OtherRecord) else {}
        return str(raw.get("reason", "")) if raw.get("record") == "stopped" else ""

    @cached_property
    def leads(self) -> Leads:
        """Which event each call led to."""
        return leads(self.records)

    @cached_property
    def calls_before(self) -> tuple[int, ...]:
        """For each event, how many calls were made before it."""
        counts, calls = [], 0
        for one in self.records:
            if isinstance(one, CallRecord):
                calls += 1
            elif isinstance(one, EventRecord):
                counts.append(calls)
        return tuple(counts)


def read_trace(path: str | os.PathLike[str], *, most: int = MAX_BYTES) -> Trace:
    """The trace at `path`, of at most so many bytes. Damaged records are named in `Trace.damage`, the rest is read.

    Raises InputError where the file is no trace at all, TooLarge where it is larger.
    """
    path = Path(path)
    return parse_trace(read_bytes(path, most), path.name, most)


def parse_trace(data: bytes, name: str, most: int = MAX_BYTES) -> Trace:
    """The trace in `data`, or what another program recorded, as a chain of steps; `name` is for messages.

    Raises InputError where it is neither, TooLarge where it unpacks to more than `most` bytes.
    """
    content = unpacked(data, name, most)
    data = content.data
    try:
        with uncollected():
            return _read(content, name)
    except InputError:
        if content.trouble:
            raise InputError(f"{name}: {content.trouble}") from None
        found = None if FORMAT.encode() in data else _imported(data, name)
        if found is None:
            raise
        return found


def _read(content: Unpacked, name: str) -> Trace:
    try:
        return _trace(name, _with_trouble(_values(content.data, name, wait=True), content))
    except _Unnumbered:
        return _trace(name, _with_trouble(_values(content.data, name), content))


def _with_trouble(values: _Values, content: Unpacked) -> _Values:
    """What could not be unpacked stands as one damaged line at the end."""
    yield from values
    if content.trouble:
        yield content.data.count(b"\n") + 1, None, content.trouble


def _imported(data: bytes, name: str) -> Trace | None:
    from retree_core.trace.foreign import imported

    data = data.removeprefix(b"\xef\xbb\xbf")
    whole, _ = _decode(data)
    values = [(1, whole, "")] if whole is not None else _from_lines(data)
    return imported(values, name, hashlib.sha256(data).hexdigest()[:16])


def raw_records(data: bytes, name: str) -> _Values:
    """The JSON values of a trace in file order, header first: line or position, value, and why there is none.

    Raises InputError where `data` is no trace at all.
    """
    return _values(unpacked(data, name, MAX_BYTES).data, name)


def _values(data: bytes, name: str, *, wait: bool = False) -> _Values:
    """As `raw_records`; where they may wait, calls are not decoded."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data or data.isspace():
        raise InputError(f"{name}: the file is empty; expected a ReTree trace (JSON Lines or JSON)")
    head, reason = _decode(_first_line(data))
    if head is not None and not _is_document(head):
        return _from_lines(data, wait=wait)
    whole, whole_reason = _decode(data, any_depth=True)
    if whole is not None and _is_document(whole):
        return _from_document(whole, name)
    if whole is None and head is None and data.lstrip()[:1] == b"{" and b'"record"' in data:
        return _from_lines(data, wait=wait)
    raise InputError(
        f"{name}: not a ReTree trace ({reason or whole_reason or 'no header'}); expected JSON Lines or JSON"
    )


def takes_lines(data: bytes) -> bool:
    """Whether records can be put at the end of this readable trace: it is not one JSON document."""
    data = unpacked(data, "", MAX_BYTES).data.removeprefix(b"\xef\xbb\xbf")
    head, _ = _decode(_first_line(data))
    return not _is_document(_decode(data)[0] if head is None else head)


def _first_line(data: bytes) -> bytes:
    data = data.lstrip()
    end = data.find(b"\n")
    return data if end < 0 else data[:end]


def _decode(data: bytes, *, any_depth: bool = False) -> tuple[Any, str]:
    """JSON value of `data`, or None and the reason. Never raises, however hostile the text."""
    try:
        return strict_json.exact(data, any_depth=any_depth), ""
    except ValueError as error:
        return None, str(error)[:120]


def is_record(text: bytes) -> bool:
    """Whether a line is whole, its newline aside."""
    return isinstance(_decode(text)[0], dict)


def _is_document(value: Any) -> bool:
    return isinstance(value, dict) and "records" in value


def _from_lines(data: bytes, *, wait: bool = False) -> _Values:
    """The lines one after another, blank ones left out."""
    number, start, view = 1, 0, memoryview(data)
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if wait and (call := _CALL.match(data, start, end)) and data[end - 1 : end] == b"}":
            yield number, _Waiting(line=number, seq=int(call[1]), text=view[start:end]), ""
        elif text := data[start:end].strip():
            yield number, *_decode(text)
        after = _NEWLINES.match(data, end)
        start = after.end() if after else len(data)
        number += start - end


def _from_document(whole: dict[str, Any], name: str) -> _Values:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """A call that nobody has looked at yet."""

    line: int
    seq: int
    text: memoryview


class _Unnumbered(Exception):
    """A record without a number stands after calls that wait; the number it gets depends on whether they are whole."""


def _trace(name: str, items: _Values) -> Trace:
    header: Header | None = None
    notices: list[str] = []
    records: list[Record | _Waiting] = []
    damage: list[Damage] = []
    waiting = False
    for number, raw, reason in items:
        if len(damage) > MOST_DAMAGED:
            raise InputError(f"{name}: more than {MOST_DAMAGED:,} damaged lines; not a ReTree trace")
        if isinstance(raw, _Waiting):
            waiting = True
            records.append(raw)
            continue
        if not isinstance(raw, dict):
            damage.append(Damage(line=number, reason=reason or NO_OBJECT))
            continue
        if waiting and "seq" not in raw:
            raise _Unnumbered
        try:
            if raw.get("record") == "header" and header is None:
                header = _header(raw, name, notices)
            else:
                records.append(read_record(raw, len(records) + 1))
        except (ValueError, RecursionError) as error:
            damage.append(Damage(line=number, reason=_reason(error)))
    if header is None:
        raise InputError(f"{name}: not a ReTree trace (no readable header{_first(damage)})")
    records.sort(key=lambda one: one.seq)
    looked = _Looked(records, damage)
    return Trace(
        name=name,
        header=header,
        records=LateRecords(looked.events, lambda: looked.whole[0]),
        damage=Late(lambda: looked.whole[1]),
        notices=tuple(notices),
    )


class _Looked:
    """What was read, and once somebody looks at the calls, what they are."""

    def __init__(self, records: list[Record | _Waiting], damage: list[Damage]) -> None:
        self._records, self._damage = records, damage
        self.events = tuple(one.event for one in records if isinstance(one, EventRecord))

    @cached_property
    def whole(self) -> tuple[tuple[Record, ...], tuple[Damage, ...]]:
        """Records in order, and damage by line. Past MOST_DAMAGED the rest of the calls is left out."""
        records: list[Record] = []
        damage = list(self._damage)
        with uncollected():
            for one in self._records:
                if not isinstance(one, _Waiting):
                    records.append(one)
                elif len(damage) <= MOST_DAMAGED:
                    try:
                        records.append(kept_call(one.text, one.seq))
                    except (ValueError, RecursionError) as error:
                        damage.append(Damage(line=one.line, reason=_reason(error)))
        return tuple(records), tuple(sorted(damage, key=lambda one: one.line))


def _first(damage: list[Damage]) -> str:
    return f"; line {damage[0].line}: {damage[0].reason}" if damage else ""


def _header(raw: dict[str, Any], name: str, notices: list[str]) -> Header:
    if raw.get("format") != FORMAT:
        raise InputError(f"{name}: not a ReTree trace (format is {str(raw.get('format'))[:40]!r}, expected {FORMAT!r})")
    version = raw.get("version")
    if not isinstance(version, int) or version != VERSION:
        notices.append(
            f"format version {str(version)[:20]} is not the {VERSION} this version writes; shown as far as understood"
        )
        raw = {**raw, "version": VERSION}
    return read_header({**raw, "settings": _known_settings(raw.get("settings"), notices)})


def _known_settings(raw: Any, notices: list[str]) -> Any:
    """The settings without values that this version cannot take; each is named in a notice."""
    if not isinstance(raw, dict):
        return raw
    kept = dict(raw)
    for name in setting_problems(raw):
        notices.append(
            f"setting {name} = {str(kept.pop(name))[:40]!r} is not known to this version; a replay may differ"
        )
    return kept


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:160]
    return str(error)[:160] or type(error).__name__
