"""Reading traces from anywhere: JSON Lines or one JSON document, plain or gzipped, whole or damaged, ours or not."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from retree_core.errors import InputError, UsageError
from retree_core.events import Event
from retree_core.garbage import uncollected
from retree_core.history import History
from retree_core.secrets import redact
from retree_core.settings import settings_of
from retree_core.trace import wording
from retree_core.trace.kept import NO_OBJECT, Late, LateRecords, kept
from retree_core.trace.leading import Leads, conflict_calls, leads
from retree_core.trace.lines import TORN, Values, Waiting, decode, from_lines, values
from retree_core.trace.packed import MAX_BYTES, Unpacked, read_bytes, unpacked
from retree_core.trace.records import (
    FORMAT,
    VERSION,
    CallRecord,
    EventRecord,
    Header,
    OtherRecord,
    Record,
    RuleRecord,
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


MOST_DAMAGED = 10_000
"""Records of one file that may be damaged; one with more is no trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A record that could not be read."""

    line: int
    """Line of a JSON Lines file, or position in the records of a document; from 1."""
    reason: str
    torn: bool = False
    """It is the last line, cut off, as a killed run leaves it."""
    unread: int = 0
    """Records from this line on that are left out unread, since too many lines before were damaged."""

    def __str__(self) -> str:
        return f"line {self.line} is damaged ({self.reason})"


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
    def corrupt(self) -> tuple[Damage, ...]:
        """Its damage but for a last line that was torn when the run was killed."""
        last = next((one for one in reversed(self.records) if not isinstance(one, OtherRecord)), None)
        before_end = isinstance(last, EventRecord) and self.header.version > 1
        whole = any(one.kind == "run_ended" for one in self.events) and not before_end
        return tuple(one for one in self.damage if whole or not one.torn)

    @cached_property
    def history(self) -> History:
        """Its states by moment."""
        return History(self.events)

    @cached_property
    def conflict_calls(self) -> Mapping[int, tuple[tuple[int, CallRecord], ...]]:
        """Search to its calls to the conflict judge, repeated ones included, each with the number of events before."""
        return conflict_calls(self.records)

    def is_old(self, moment: int) -> bool:
        """Whether an event was recorded in format 1, without its causes."""
        return moment <= self._causes[0]

    @cached_property
    def answers(self) -> tuple[RuleRecord, ...]:
        """Answers of rules."""
        return tuple(one for one in self.records if isinstance(one, RuleRecord))

    def answers_for(self, moment: int) -> tuple[RuleRecord, ...]:
        """The answers of rules that an event comes from."""
        causes = self._causes[1].get(moment, ())
        return tuple(one for one in self.answers if one.seq in causes) if causes else ()

    @cached_property
    def _causes(self) -> tuple[int, dict[int, tuple[int, ...]]]:
        """How many events are of format 1, and what each of the others comes from."""
        events = [one for one in self.records if isinstance(one, EventRecord)]
        old = sum(one.seq <= self.header.old_until for one in events)
        return old, {moment: one.because for moment, one in enumerate(events, 1) if one.because}

    @cached_property
    def leads(self) -> Leads:
        """Which event each call led to."""
        return leads(self.records, self.header.old_until)

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
    return trace_of(unpacked(data, name, most), name)


def trace_of(content: Unpacked, name: str) -> Trace:
    """As `parse_trace`, of content that was unpacked."""
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
        return _Reading(name).take(_with_trouble(values(content.data, name, wait=True), content))
    except _Unnumbered:
        return _Reading(name).take(_with_trouble(values(content.data, name), content))


def read_on(trace: Trace, added: Unpacked, first: int) -> Trace:
    """The trace with more whole lines at its end, of which the first has that number.

    Raises InputError where there is more damage than a trace has.
    """
    with uncollected():
        return _Reading.on(trace).take(_with_trouble(from_lines(added.data, first), added, first))


def _with_trouble(values: Values, content: Unpacked, first: int = 1) -> Values:
    """What could not be unpacked stands as one damaged line at the end."""
    yield from values
    if content.trouble:
        yield content.data.count(b"\n") + first, None, content.trouble


def _imported(data: bytes, name: str) -> Trace | None:
    from retree_core.trace.foreign import imported

    data = data.removeprefix(b"\xef\xbb\xbf")
    whole, _ = decode(data)
    values = [(1, whole, "")] if whole is not None else from_lines(data)
    return imported(values, name, hashlib.sha256(data).hexdigest()[:16])


class _Unnumbered(Exception):
    """A record without a number stands after calls that wait; the number it gets depends on whether they are whole."""


class _Reading:
    """A trace while it is read."""

    def __init__(self, name: str, records: Iterable[Record | Waiting] = ()) -> None:
        self._name = name
        self._header: Header | None = None
        self._notices: list[str] = []
        self._records = list(records)
        self._damage: list[Damage] = []
        self._waits = False

    @classmethod
    def on(cls, trace: Trace) -> _Reading:
        """Where a trace was read to."""
        reading = cls(trace.name, trace.records)
        reading._header, reading._notices, reading._damage = trace.header, list(trace.notices), list(trace.damage)
        return reading

    def take(self, values: Values) -> Trace:
        """The trace with these values. Raises InputError where it is none, _Unnumbered."""
        for number, raw, reason in values:
            if len(self._damage) > MOST_DAMAGED:
                raise InputError(f"{self._name}: more than {MOST_DAMAGED:,} damaged lines; not a ReTree trace")
            if isinstance(raw, Waiting):
                self._waits = True
                self._records.append(raw)
            elif isinstance(raw, dict):
                self._take(number, raw)
            else:
                self._damage.append(Damage(line=number, reason=reason or NO_OBJECT, torn=raw is TORN))
        return self._trace()

    def _take(self, number: int, raw: dict[str, Any]) -> None:
        if self._waits and "seq" not in raw:
            raise _Unnumbered
        try:
            if raw.get("record") == "header" and self._header is None:
                self._header = _header(raw, self._name, self._notices)
            else:
                self._records.append(read_record(raw, len(self._records) + 1))
        except (ValueError, RecursionError) as error:
            self._damage.append(Damage(line=number, reason=wording.reason(error)))

    def _trace(self) -> Trace:
        if self._header is None:
            raise InputError(f"{self._name}: not a ReTree trace (no readable header{_first(self._damage)})")
        self._records.sort(key=lambda one: one.seq)
        looked = _Looked(self._records, self._damage)
        return Trace(
            name=self._name,
            header=self._header,
            records=LateRecords(looked.events, lambda: looked.whole[0]),
            damage=Late(lambda: looked.whole[1]),
            notices=tuple(self._notices),
        )


class _Looked:
    """What was read, and once somebody looks at the calls, what they are."""

    def __init__(self, records: list[Record | Waiting], damage: list[Damage]) -> None:
        self._records, self._damage = records, damage
        self.events = tuple(one.event for one in records if isinstance(one, EventRecord))

    @cached_property
    def whole(self) -> tuple[tuple[Record, ...], tuple[Damage, ...]]:
        """Records in order, and damage by line. Past MOST_DAMAGED the rest of the calls is left out, as one damage."""
        records: list[Record] = []
        damage = list(self._damage)
        unread: list[Waiting] = []
        with uncollected():
            for one in self._records:
                if not isinstance(one, Waiting):
                    records.append(one)
                elif len(damage) >= MOST_DAMAGED:
                    unread.append(one)
                else:
                    try:
                        records.append(kept(one.text, one.seq))
                    except (ValueError, RecursionError) as error:
                        damage.append(Damage(line=one.line, reason=wording.reason(error)))
        damage += [_left_out(unread)] if unread else []
        return tuple(records), tuple(sorted(damage, key=lambda one: one.line))


def _left_out(calls: list[Waiting]) -> Damage:
    number = len(calls)
    text = f"{number:,} more record{'s' * (number > 1)} not read, since {MOST_DAMAGED:,} lines are damaged"
    return Damage(line=min(one.line for one in calls), reason=text, unread=number)


def _first(damage: list[Damage]) -> str:
    return f"; line {damage[0].line}: {damage[0].reason}" if damage else ""


def _header(raw: dict[str, Any], name: str, notices: list[str]) -> Header:
    if raw.get("format") != FORMAT:
        found = redact(str(raw.get("format")))[:40]
        raise InputError(f"{name}: not a ReTree trace (format is {found!r}, expected {FORMAT!r})")
    version = raw.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version not in (1, VERSION):
        notices.append(
            f"format version {redact(str(version))[:20]} is not the {VERSION} this version writes; "
            "shown as far as understood"
        )
        raw = {**raw, "version": VERSION}
    settings = _known_settings(raw.get("settings"), notices)
    if isinstance(settings, dict):
        settings = settings_of(raw["version"], settings)
    return read_header({**raw, "settings": settings})


def _known_settings(raw: Any, notices: list[str]) -> Any:
    """The settings without values that this version cannot take; each is named in a notice."""
    if not isinstance(raw, dict):
        return raw
    kept = dict(raw)
    for name in setting_problems(raw):
        notices.append(
            f"setting {name} = {redact(str(kept.pop(name)))[:40]!r} is not known to this version; a replay may differ"
        )
    return kept
