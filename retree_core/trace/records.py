"""The records of a trace and their JSON form.

A record is one JSON object: `{"record": "event", "seq": 3, "at": "...", "event": {"kind": ...}}`.
Unknown kinds of record become `OtherRecord`, unknown fields go to `extra`; both survive a round trip.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any

from pydantic import ValidationError

from retree_core.adapters import adapter
from retree_core.calls import (
    Attempt,
    Call,
    CallFailed,
    JsonObject,
    ModelCall,
    ModelReply,
    Reply,
    SearchCall,
    SearchReply,
)
from retree_core.events import EVENT_KINDS, Event
from retree_core.llm import strict_json
from retree_core.protocol import DIGEST, canonical
from retree_core.secrets import redact
from retree_core.settings import Settings

FORMAT = "retree-trace"
MOST_BOUNDARIES = 1_000
VERSION = 2
"""Format 1 (release 0.1) has neither rules nor causes, prompts nor boundaries; it is read as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkOrigin:
    """Where a fork left its parent."""

    run_id: str
    moment: int
    """Events shared with the parent."""
    edit: str
    """What was changed, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a run was started with: all that its events depend on but the replies."""

    run_id: str
    created_at: str
    """UTC, ISO 8601."""
    question: str
    settings: Settings
    recorded_with: str
    """Plain words: the model that answered the calls, or `scripted`."""
    server: JsonObject = field(default_factory=dict)
    """The model server as it reported itself."""
    search: JsonObject = field(default_factory=dict)
    """The search backend as it described itself."""
    search_spec: str = ""
    """What `--search` was given, to resume with."""
    package_version: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompt name to SHA-256 of its text."""
    fork: ForkOrigin | None = None
    context_bound: int | None = None
    """No policy context of this run is longer, characters; None where nothing bounds it, and in format 1."""
    boundaries: tuple[int, ...] = ()
    """Numbers of the records at which another version took the run up from its state, since it did not come to the same
    by itself."""
    migrated: int = 0
    """Records up to this number are those of format 1."""
    version: int = VERSION
    extra: JsonObject = field(default_factory=dict)

    @property
    def old_until(self) -> int:
        """Records up to this number are those of format 1."""
        return sys.maxsize if self.version == 1 else self.migrated


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """One event."""

    seq: int
    """Position in the run, records of all kinds counted together, from 1."""
    event: Event
    at: str = ""
    """When it was written, UTC; only displayed."""
    because: tuple[int, ...] = ()
    """Numbers of the records whose replies led to it, in order."""
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call with its exact request and raw reply."""

    seq: int
    call: Call
    reply: Reply
    seconds: float = 0.0
    failed_attempts: tuple[Attempt, ...] = ()
    at: str = ""
    edited: bool = False
    """The reply was put here by a fork; nobody sent it."""
    beside: int | None = None
    """Number of the record of the call that it was made side by side with, just before it."""
    read: JsonObject | None = None
    """What was made of a model's reply: its `value`, a `fault` (kind, text) or why it `failed`; None where its content
    is the value, as JSON."""
    extra: JsonObject = field(default_factory=dict)

    @property
    def role(self) -> str:
        """Role of a model call, or `search`."""
        return self.call.role if isinstance(self.call, ModelCall) else "search"

    @property
    def failed(self) -> bool:
        """There is no reply."""
        return isinstance(self.reply, CallFailed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRecord:
    """The answer of a rule."""

    seq: int
    rule: str
    hash: str
    """Of the code that answered."""
    inputs: str
    """Digest of what it was asked about."""
    reply: JsonObject
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryRecord:
    """Between two steps: all that the run goes on from is in its state."""

    seq: int
    step: int
    """Searches made."""
    state: Mapping[str, str]
    """Field of the state to its digest (`retree_core.state_digests`)."""
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRecord:
    """The text of a prompt, before its first use; a later one of the same name takes its place from there on."""

    seq: int
    name: str
    text: str
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakerRecord:
    """The code that makes the records from here on, by short hashes; equal code can be held to what it made."""

    seq: int
    package: str
    """Version of this package."""
    engine: str
    """The agents and the fold."""
    renderer: str
    """What makes a request of a question, prompts aside."""
    reader: str
    """What reads a reply."""
    extra: JsonObject = field(default_factory=dict)

    def same(self, other: MakerRecord) -> bool:
        """Whether it is the same code."""
        mine = (self.engine, self.renderer, self.reader)
        return mine == (other.engine, other.renderer, other.reader)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherRecord:
    """None of these, kept as it is: `stopped`, `rewound`, `resumed`, or a kind this version does not know."""

    seq: int
    raw: JsonObject


EngineRecord = RuleRecord | BoundaryRecord | PromptRecord | MakerRecord
"""What makes a run repeatable, beside its events and calls."""
Record = EventRecord | CallRecord | EngineRecord | OtherRecord

_ENGINE: dict[str, type[Any]] = {
    "rule": RuleRecord,
    "boundary": BoundaryRecord,
    "prompt": PromptRecord,
    "maker": MakerRecord,
}
_ENGINE_KINDS = {type_: kind for kind, type_ in _ENGINE.items()}

_CALLS: dict[str, type[Any]] = {"model": ModelCall, "search": SearchCall}
_REPLIES: dict[str, type[Any]] = {"model": ModelReply, "search": SearchReply, "failed": CallFailed}


def _parse(type_: type[Any], raw: Any, *dropped: str) -> tuple[Any, dict[str, Any]]:
    """A value of `type_` from a JSON object, and the keys it does not know."""
    if not isinstance(raw, dict):
        raise ValueError(f"should be an object, is {strict_json.kind(raw)}")
    names = _names(type_)  # type: ignore[arg-type]  # a type is hashable
    if raw.keys() <= names:
        return adapter(type_).validator.validate_python(raw), {}
    extra = {key: value for key, value in raw.items() if key not in names and key not in dropped}
    known = {key: value for key, value in raw.items() if key in names}
    return adapter(type_).validate_python(known), extra


@cache
def _names(type_: type[Any]) -> frozenset[str]:
    return frozenset(one.name for one in fields(type_))


def _tagged(raw: Any, what: str, tag: str, types: Mapping[str, type[Any]]) -> tuple[Any, dict[str, Any]]:
    """A value of the type that `raw[tag]` names."""
    if not isinstance(raw, dict):
        raise ValueError(f"{what}: should be an object, is {strict_json.kind(raw)}")
    name = raw.get(tag)
    if not isinstance(name, str) or name not in types:
        raise ValueError(redact(f"{what}: unknown {tag} {name!r}")[:120])
    return _parse(types[name], raw, tag)


def read_header(raw: JsonObject) -> Header:
    """A header from its JSON object; raises ValueError that says what is wrong."""
    header, extra = _parse(Header, {**raw, "extra": {}}, "record", "format", "digest")
    if len(header.boundaries) > MOST_BOUNDARIES:
        raise ValueError(f"boundaries: a run is taken up at most {MOST_BOUNDARIES:,} times")
    unknown = {name: one for name, one in raw["settings"].items() if name not in Settings.__dataclass_fields__}
    return replace(header, extra=_extra(extra, settings=unknown))  # type: ignore[no-any-return]


def setting_problems(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the settings whose values this version does not take."""
    try:
        adapter(Settings).validate_python(raw)
    except ValidationError as error:
        return tuple(dict.fromkeys(str(one["loc"][0]) for one in error.errors() if one["loc"]))
    return ()


def read_record(raw: JsonObject, seq: int) -> Record:
    """A record from its JSON object; `seq` stands in for a missing one. Raises ValueError."""
    number = raw.get("seq", seq)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError("seq: expected a whole number")
    at = raw.get("at") if isinstance(raw.get("at"), str) else ""
    extra = {} if raw.keys() <= _RECORD_KEYS else {key: raw[key] for key in raw if key not in _RECORD_KEYS}
    match raw.get("record"):
        case "event":
            payload = raw.get("event")
            if isinstance(payload, dict) and str(payload.get("kind")) not in EVENT_KINDS:
                return OtherRecord(seq=number, raw=raw)
            event, unknown = _tagged(payload, "event", "kind", EVENT_KINDS)
            because = _because(raw.get("because"))
            return EventRecord(
                seq=number, event=event, at=at or "", because=because, extra=_extra(extra, event=unknown)
            )
        case "call":
            call, unknown = _tagged(raw.get("call"), "call", "type", _CALLS)
            reply, unknown_too = _tagged(raw.get("reply"), "reply", "type", _REPLIES)
            if isinstance(reply, SearchReply if isinstance(call, ModelCall) else ModelReply):
                raise ValueError("reply: is of another type than its call")
            attempts = adapter(tuple[Attempt, ...]).validate_python(raw.get("failed_attempts", ()))
            seconds = raw.get("seconds", 0.0)
            return CallRecord(
                seq=number,
                call=call,
                reply=reply,
                seconds=max(0.0, float(seconds)) if isinstance(seconds, int | float) else 0.0,
                failed_attempts=attempts,
                at=at or "",
                edited=raw.get("edited") is True,
                beside=_beside(raw.get("beside")),
                read=_read(raw.get("read")),
                extra=_extra(extra, call=unknown, reply=unknown_too),
            )
        case "rule" | "boundary" | "prompt" | "maker" as kind:
            found, unknown = _parse(_ENGINE[kind], {**raw, "seq": number, "extra": {}}, "record", "digest")
            return replace(found, extra=unknown)  # type: ignore[no-any-return]
        case str():
            return OtherRecord(seq=number, raw=raw)
        case _:
            raise ValueError("record: is missing, expected event, call or another kind of record")


def _beside(number: Any) -> int | None:
    if number is not None and type(number) is not int:
        raise ValueError(f"beside: should be a whole number, is {strict_json.kind(number)}")
    return number


def _because(numbers: Any) -> tuple[int, ...]:
    if numbers is None:
        return ()
    if not isinstance(numbers, list) or any(type(one) is not int for one in numbers):
        raise ValueError("because: should be a list of whole numbers")
    return tuple(numbers)


def _read(reading: Any) -> JsonObject | None:
    if reading is None:
        return None
    if not isinstance(reading, dict):
        raise ValueError(f"read: should be an object, is {strict_json.kind(reading)}")
    for name in ("value", "fault"):
        if name in reading and not isinstance(reading[name], dict):
            raise ValueError(f"read, {name}: should be an object, is {strict_json.kind(reading[name])}")
    if (fault := reading.get("fault")) and not all(isinstance(fault.get(one), str) for one in ("kind", "text")):
        raise ValueError("read, fault: expected a kind and a text")
    if failed := reading.get("failed"):
        adapter(CallFailed).validate_python(failed)
    return reading


def _extra(extra: dict[str, Any], **inside: dict[str, Any]) -> dict[str, Any]:
    """Unknown fields of a record and of the objects in it, where they stood."""
    if not extra and not any(inside.values()):
        return extra
    return {**extra, **{name: unknown for name, unknown in inside.items() if unknown}}


def _merged(plain: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """What is known, with the unknown fields put back."""
    inside = {name: _merged(plain[name], one) for name, one in extra.items() if isinstance(plain.get(name), dict)}
    return {**plain, **{name: one for name, one in extra.items() if name not in plain}, **inside}


_RECORD_KEYS = {
    "digest",
    "record",
    "seq",
    "at",
    "event",
    "call",
    "reply",
    "seconds",
    "failed_attempts",
    "edited",
    "beside",
    "because",
    "read",
}


def _plain(value: Any) -> Any:
    """Dataclasses to dicts and tuples to lists; everything else is JSON already, and not copied."""
    if isinstance(value, (str, dict)):
        return value
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    if is_dataclass(value):
        return {name: _plain(getattr(value, name)) for name, _ in _fields(type(value))}  # type: ignore[arg-type]  # a type is hashable
    return value


@cache
def _fields(type_: type[Any]) -> tuple[tuple[str, Any], ...]:
    """Names and defaults of a dataclass's fields."""
    return tuple((one.name, one.default) for one in fields(type_))


def header_json(header: Header) -> dict[str, Any]:
    """JSON object of a header."""
    plain: dict[str, Any] = _plain(header)
    extra = plain.pop("extra")
    for name in ("fork", "context_bound", "boundaries", "migrated"):
        if not plain[name]:
            plain.pop(name)
    return _merged({"record": "header", "format": FORMAT, **plain}, extra)


def record_json(record: Record) -> dict[str, Any]:
    """JSON object of a record."""
    if isinstance(record, OtherRecord):
        return dict(record.raw)
    if isinstance(record, EngineRecord):
        plain = {name: getattr(record, name) for name, _ in _fields(type(record))}  # type: ignore[arg-type]  # a type is hashable
        extra = plain.pop("extra")
        return _merged({"record": _ENGINE_KINDS[type(record)], **plain}, extra)
    head: dict[str, Any] = {"seq": record.seq, "at": record.at}
    if isinstance(record, EventRecord):
        because = {"because": list(record.because)} if record.because else {}
        return _merged({"record": "event", **head, **because, "event": event_json(record.event)}, record.extra)
    reply_type = next(name for name, type_ in _REPLIES.items() if isinstance(record.reply, type_))
    body = {
        "call": call_json(record.call),
        "reply": {"type": reply_type, **_plain(record.reply)},
        "seconds": round(record.seconds, 3),
    }
    if record.failed_attempts:
        body["failed_attempts"] = [_plain(one) for one in record.failed_attempts]
    if record.edited:
        body["edited"] = True
    if record.beside is not None:
        body["beside"] = record.beside
    if record.read is not None:
        body["read"] = record.read
    return _merged({"record": "call", **head, **body}, record.extra)


def call_json(call: Call) -> dict[str, Any]:
    """JSON object of a call."""
    plain = {"type": "model" if isinstance(call, ModelCall) else "search", **_plain(call)}
    return {name: one for name, one in plain.items() if name != "inputs" or one}


def call_key(call: Call) -> str:
    """Equal for equal requests, and for no others."""
    return json.dumps({**call_json(call), "inputs": ""}, sort_keys=True)


def call_name(call: Call) -> str:
    """Role of a model call, or `search`."""
    return call.role if isinstance(call, ModelCall) else "search"


def event_json(event: Event) -> dict[str, Any]:
    """JSON object of an event, its kind first; fields at their default are left out."""
    plain: dict[str, Any] = {"kind": event.kind}
    for name, default in _fields(type(event)):  # type: ignore[arg-type]  # a type is hashable
        value = getattr(event, name)
        if name != "kind" and value != default:
            plain[name] = _plain(value)
    return plain


def sealed_line(raw: dict[str, Any], before: str) -> tuple[bytes, str]:
    """One line of a trace file, and the digest of its record; `before` is that of the record before it."""
    raw.pop("digest", None)
    seal = _digest(raw, before)
    return _dumped(raw)[:-1] + b',"digest":"%s"}\n' % seal.encode(), seal


def sealed(raws: Iterable[dict[str, Any]], before: str = "") -> Iterator[dict[str, Any]]:
    """Records with their digests, by which `retree verify` finds what was changed, moved, put in or taken out; `before`
    is the digest of the record before the first."""
    for raw in raws:
        before = digest(raw, before)
        yield {**{name: one for name, one in raw.items() if name != "digest"}, "digest": before}


def digest(raw: Mapping[str, Any], before: str) -> str:
    """Short SHA-256 of a record's JSON without its own digest, and of the digest before it, in any order of keys."""
    return _digest({key: value for key, value in raw.items() if key != "digest"}, before)


def _digest(plain: Mapping[str, Any], before: str) -> str:
    return hashlib.sha256(before.encode() + canonical(plain)).hexdigest()[:DIGEST]


def is_sealed(raw: Mapping[str, Any], before: str | None) -> bool:
    """Whether the record says what it said when it was written after a record of that digest; of format 1, where there
    is no chain (None), whatever stood before it."""
    if before is not None:
        return raw.get("digest") == digest(raw, before)
    plain = {key: value for key, value in raw.items() if key != "digest"}
    texts = (canonical(plain), json.dumps(plain, sort_keys=True, separators=(",", ":")).encode())
    return raw.get("digest") in [hashlib.sha256(one).hexdigest()[:16] for one in texts]


def line(value: Mapping[str, Any]) -> bytes:
    """One line of JSON Lines."""
    return _dumped(value) + b"\n"


def _dumped(value: Mapping[str, Any]) -> bytes:
    return canonical(value, sort=False)
