"""What the record says about each call: which event it led to, what it took, whether the engine took its reply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from retree_core import events as ev
from retree_core.calls import CallFailed, ModelCall, ModelReply, Reply
from retree_core.llm.envelope import Completion, Usage, completion_of, read_completion, read_json, thinks_unasked
from retree_core.replies import REPLIES, parse
from retree_core.secrets import redact
from retree_core.trace.reader import Trace
from retree_core.trace.recorded import value_read
from retree_core.trace.records import CallRecord, EventRecord, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLine:
    """One call of a run, as a list of calls shows it."""

    number: int
    """In the run, from 1."""
    record: CallRecord
    role: str
    """A model role, or `search`."""
    moment: int | None
    """The event that it led to; None where the record ends here."""
    usage: Usage
    attempt: int = 1
    """Which try for a reply that validates this is."""
    rejected: str = ""
    """Why the engine did not take the reply; empty where it did."""
    empty: bool = False
    """The model wrote nothing at all."""
    thought: bool = False
    """It thought though it was asked not to."""
    discarded: bool = False
    """A summary written ahead, of no use since a repair followed."""
    beside: int | None = None
    """Number of the call that it was made side by side with."""
    old: bool = False
    """Recorded in format 1, which does not say what was made of a reply."""

    @property
    def read(self) -> Read:
        """What the engine made of a model's reply."""
        return read_record(self.record, old=self.old)

    @property
    def failed(self) -> bool:
        """There is no reply."""
        return isinstance(self.record.reply, CallFailed)

    @property
    def marked(self) -> bool:
        """Something about it wants a look."""
        record = self.record
        odd = self.rejected or self.empty or self.discarded
        return bool(self.failed or record.failed_attempts or record.edited or odd)


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """What all calls of a role took. Token sums are lower bounds where `uncounted` is not 0."""

    role: str
    calls: int
    seconds: float
    prompt_tokens: int
    cached_tokens: int | None
    """None where the server never said."""
    completion_tokens: int
    uncounted: int
    """Model calls without a count; a failed one has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A model's reply as the engine reads it."""

    value: Mapping[str, Any] | None
    """None where it does not validate."""
    trouble: str = ""
    """Why not, in one line."""
    cut: tuple[str, ...] = field(default=())
    """Fields that were longer than the schema lets them be."""


def call_lines(trace: Trace) -> tuple[CallLine, ...]:
    """Every call of a run, in order."""
    lines: list[CallLine] = []
    rejected: dict[str, ev.ReplyRejected] = {}
    before: Record | None = None
    for record in trace.records:
        if isinstance(record, EventRecord):
            if isinstance(record.event, ev.ReplyRejected):
                rejected[record.event.role] = record.event
            else:
                rejected.clear()
        elif isinstance(record, CallRecord):
            line = _line(trace, len(lines) + 1, record, rejected.get(record.role))
            if isinstance(before, CallRecord) and record.beside == before.seq:
                lines[-1] = replace(lines[-1], beside=line.number)
                line = replace(line, beside=lines[-1].number)
            lines.append(line)
        before = record
    return tuple(lines)


def _line(trace: Trace, number: int, record: CallRecord, before: ev.ReplyRejected | None) -> CallLine:
    """`before` is what the engine said of the try before."""
    moment = trace.leads.events[number - 1]
    after = trace.events[moment - 1] if moment else None
    refused = after if isinstance(after, ev.ReplyRejected) else None
    said = completion_of(record.reply)
    again = before.attempt + 1 if before is not None else 1
    return CallLine(
        number=number,
        record=record,
        role=record.role,
        moment=moment,
        usage=said.usage if said else Usage(),
        attempt=refused.attempt if refused else again,
        rejected=(refused.reason or "no reason given") if refused else "",
        empty=said is not None and not said.content.strip(),
        thought=thinks_unasked(record.call, record.reply),
        discarded=isinstance(after, ev.SummaryDiscarded),
        old=record.seq <= trace.header.old_until,
    )


def totals(lines: Iterable[CallLine]) -> tuple[Total, ...]:
    """What the calls of each role took, in order of first use."""
    by_role: dict[str, list[CallLine]] = {}
    for one in lines:
        by_role.setdefault(one.role, []).append(one)
    return tuple(total(role, ones) for role, ones in by_role.items())


def total(role: str, lines: Iterable[CallLine]) -> Total:
    """What these calls took together."""
    ones = tuple(lines)
    models = [one.usage for one in ones if one.role != "search"]
    cached = [one.cached_tokens for one in models if one.cached_tokens is not None]
    return Total(
        role=role,
        calls=len(ones),
        seconds=sum(one.record.seconds for one in ones),
        prompt_tokens=sum(one.prompt_tokens or 0 for one in models),
        cached_tokens=sum(cached) if cached else None,
        completion_tokens=sum(one.completion_tokens or 0 for one in models),
        uncounted=sum(one.prompt_tokens is None or one.completion_tokens is None for one in models),
    )


def read_record(record: CallRecord, *, old: bool) -> Read:
    """What was made of a model's reply, as its record says; of an `old` one, of format 1, what is made of it today."""
    assert isinstance(record.call, ModelCall)
    if old:
        return read_reply(record.call, record.reply)
    value = value_read(record)
    if value is None:
        return Read(value=None, trouble=_trouble(record))
    found = completion_of(record.reply)
    try:
        written = read_json(found) if found else {}
    except (ValueError, RecursionError):
        written = {}
    return Read(value=value, cut=_cut(value, written))


def _trouble(record: CallRecord) -> str:
    """Why a reply was not taken."""
    if isinstance(record.reply, CallFailed):
        return record.reply.message
    said = record.read or {}
    fault, failed = said.get("fault"), said.get("failed")
    text = fault.get("text") if isinstance(fault, Mapping) else None
    text = failed.get("message") if isinstance(failed, Mapping) else text
    return _in_a_line(text) if text else "the record does not say what was made of it"


def read_reply(call: ModelCall, reply: Reply) -> Read:
    """The reply as it is read today: as the type that was asked for, or why it is not one. Never raises, whatever the
    reply holds."""
    if isinstance(reply, CallFailed):
        return Read(value=None, trouble=reply.message)
    found = read_completion(reply.raw) if isinstance(reply, ModelReply) else None
    if not isinstance(found, Completion):
        return Read(value=None, trouble=found.message if found else "a search reply to a model call")
    try:
        data = read_json(found)
        value = _typed(call, data)
    except (ValueError, RecursionError) as error:
        return Read(value=None, trouble=_in_a_line(error) or type(error).__name__)
    return Read(value=value, cut=_cut(value, data))


def _in_a_line(text: object) -> str:
    return " ".join(redact(str(text)).split())[:200]


def _cut(value: Mapping[str, Any], written: Mapping[str, Any]) -> tuple[str, ...]:
    """Fields that are shorter than they were written."""
    return tuple(name for name in value if _shorter(value[name], written.get(name)))


def _typed(call: ModelCall, data: dict[str, Any]) -> Mapping[str, Any]:
    type_ = REPLIES.get(reply_name(call))
    if type_ is None:
        return data
    if call.role == "extract":  # its items are judged one by one, so that a bad one does not cost the others
        if not isinstance(data.get("facts"), list):
            raise ValueError("facts: expected a list")
        return {"facts": data["facts"]}
    value = asdict(parse(type_, data))
    if call.role == "policy" and value["action"] == "search" and not value["query"].strip():
        raise ValueError("query: a search needs one")
    return value


def _shorter(taken: Any, written: Any) -> bool:
    return isinstance(taken, str | list) and isinstance(written, str | list) and len(taken) < len(written)


def reply_name(call: ModelCall) -> str:
    """What the reply is to be, as `retree schema` names it: the paper's confirmation shares its role with ours."""
    asked = set(properties(call.body))
    plain = call.role == "confirm" and asked == {"reason", "apply"}
    return "confirm_paper" if plain else call.role


def properties(body: Mapping[str, Any]) -> Iterator[str]:
    """Names of the fields that the request's schema asks for."""
    schema = schema_of(body)
    found = schema.get("properties") if isinstance(schema, Mapping) else None
    return iter(map(str, found)) if isinstance(found, Mapping) else iter(())


def schema_of(body: Mapping[str, Any]) -> Any:
    """The JSON Schema that a request asks its reply to follow; None where there is none."""
    held: Any = body
    for name in ("response_format", "json_schema", "schema"):
        held = held.get(name) if isinstance(held, Mapping) else None
    return held
