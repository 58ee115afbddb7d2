"""Reading traces from anywhere: JSON Lines or one JSON document, plain or gzipped, whole or damaged, ours or not."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from retree_core.errors import InputError, UsageError
from retree_core.events import Event
from retree_core.llm import strict_json
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


def ending_of(name: str) -> str:
    """The ending by which a file name is that of a trace; empty where it has none.

    >>> ending_of("a.JSONL.gz"), ending_of("a.txt")
    ('.JSONL.gz', '')
    """
    known = next((one for one in sorted(ENDINGS, key=len, reverse=True) if name.lower().endswith(one)), "")
    return name[len(name) - len(known) :]


MAX_BYTES = 1 << 30
"""Largest trace that is read, unpacked."""
MOST_DAMAGED = 10_000
"""Records of one file that may be damaged; one with more is no trace."""

_GZIP = b"\x1f\x8b"
_PIECE = 1 << 14
"""Bytes unpacked at once: after each of the joined files what is left of a piece is copied."""
_LINE = re.compile(rb"[^\n]+")


class TooLarge(InputError):
    """A file of more bytes, unpacked, than are to be read of it."""


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
    records: tuple[Record, ...]
    damage: tuple[Damage, ...] = ()
    notices: tuple[str, ...] = ()
    """What a person should know before trusting it, such as a newer format version."""

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Moment `n` is after `events[n - 1]`."""
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
    data = _unpacked(data, name, most)
    try:
        return _trace(name, _values(data, name))
    except InputError:
        found = None if FORMAT.encode() in data else _imported(data, name)
        if found is None:
            raise
        return found


def _imported(data: bytes, name: str) -> Trace | None:
    from retree_core.trace.foreign import imported

    data = data.removeprefix(b"\xef\xbb\xbf")
    whole, _ = _decode(data)
    values = [(1, whole, "")] if whole is not None else _from_lines(data)
    return imported(values, name, hashlib.sha256(data).hexdigest()[:16])


def raw_records(data: bytes, name: str) -> Iterator[tuple[int, Any, str]]:
    """The JSON values of a trace in file order, header first: line or position, value, and why there is none.

    Raises InputError where `data` is no trace at all.
    """
    return _values(_unpacked(data, name, MAX_BYTES), name)


def _values(data: bytes, name: str) -> Iterator[tuple[int, Any, str]]:
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data or data.isspace():
        raise InputError(f"{name}: the file is empty; expected a ReTree trace (JSON Lines or JSON)")
    head, reason = _decode(_first_line(data))
    if head is not None and not _is_document(head):
        return _from_lines(data)
    whole, whole_reason = _decode(data, any_depth=True)
    if whole is not None and _is_document(whole):
        return _from_document(whole, name)
    if whole is None and head is None and data.lstrip()[:1] == b"{" and b'"record"' in data:
        return _from_lines(data)
    raise InputError(
        f"{name}: not a ReTree trace ({reason or whole_reason or 'no header'}); expected JSON Lines or JSON"
    )


def takes_lines(data: bytes) -> bool:
    """Whether records can be put at the end of this readable trace: neither gzipped nor one JSON document."""
    if data.startswith(_GZIP):
        return False
    data = data.removeprefix(b"\xef\xbb\xbf")
    head, _ = _decode(_first_line(data))
    return not _is_document(_decode(data)[0] if head is None else head)


def _first_line(data: bytes) -> bytes:
    data = data.lstrip()
    end = data.find(b"\n")
    return data if end < 0 else data[:end]


def read_bytes(path: Path, most: int = MAX_BYTES) -> bytes:
    """The file's bytes. Raises InputError where it is none, TooLarge where it holds more than `most`."""
    try:
        about = path.stat()
        if stat.S_ISDIR(about.st_mode):
            raise InputError(f"{path}: a folder, not a trace; name a file in it")
        if stat.S_ISCHR(about.st_mode) or stat.S_ISBLK(about.st_mode):
            raise InputError(f"{path}: a device, not a trace; name a file")
        data = _first_bytes(path, most) if about.st_size <= most else None
        if data is None:
            raise TooLarge(f"{path}: over {most >> 20} MiB, the largest trace that is read")
        return data
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def _first_bytes(path: Path, most: int) -> bytes | None:
    """All that the file holds, or None where that is over the limit; a pipe does not say so in advance."""
    pieces, size = [], 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                return None
    return b"".join(pieces)


def _unpacked(data: bytes, name: str, most: int) -> bytes:
    if not data.startswith(_GZIP):
        return data
    out, at = bytearray(), 0
    while data.startswith(_GZIP, at):  # gzip files may be joined end to end
        unpacker = zlib.decompressobj(wbits=31)
        while at < len(data) and not unpacker.eof:
            piece = data[at : at + _PIECE]
            try:
                out += unpacker.decompress(piece, most - len(out) + 1)
            except zlib.error as error:
                raise InputError(f"{name}: damaged gzip file ({error})") from None
            if len(out) > most:
                raise TooLarge(f"{name}: unpacks to over {most >> 20} MiB, the largest trace that is read")
            at += len(piece) - len(unpacker.unused_data)
    return bytes(out)


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


def _from_lines(data: bytes) -> Iterator[tuple[int, Any, str]]:
    """The lines one after another, blank ones left out."""
    number, end = 1, 0
    for found in _LINE.finditer(data):
        number += data.count(b"\n", end, found.start())
        end = found.end()
        if text := found[0].strip():
            yield number, *_decode(text)


def _from_document(whole: dict[str, Any], name: str) -> Iterator[tuple[int, Any, str]]:
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


def _trace(name: str, items: Iterator[tuple[int, Any, str]]) -> Trace:
    header: Header | None = None
    notices: list[str] = []
    records: list[Record] = []
    damage: list[Damage] = []
    for number, raw, reason in items:
        if len(damage) > MOST_DAMAGED:
            raise InputError(f"{name}: more than {MOST_DAMAGED:,} damaged lines; not a ReTree trace")
        if not isinstance(raw, dict):
            damage.append(Damage(line=number, reason=reason or "not a JSON object"))
            continue
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
    return Trace(name=name, header=header, records=tuple(records), damage=tuple(damage), notices=tuple(notices))


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
