"""A run as OpenTelemetry spans (OTLP/JSON): one for the run, one a search step, one a model or search call.

Attributes have the names of OpenTelemetry's GenAI conventions and of OpenInference, so that viewers of either kind
know them; what only we have is under `retree.`. The events of the memory are span events. Ids come from the run id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Any, Final

from retree_core.calls import CallFailed, ModelCall
from retree_core.events import BudgetExhausted, ContextBuilt, Event, SearchChosen, StopChosen
from retree_core.memory import DONE
from retree_core.secrets import redact_json
from retree_core.state import State
from retree_core.trace import CallRecord, EventRecord, Header, Trace
from retree_core.trace.records import event_json
from retree_core.trace.spans import nanoseconds_of
from retree_viz.export import Exported
from retree_viz.export.call_attributes import model_attributes, search_attributes
from retree_viz.panels.bar import agent_name

_INTERNAL, _CLIENT = 1, 3
_OK, _ERROR = 1, 2
_SECOND: Final = 1_000_000_000
_MOST: Final = (1 << 63) - 1
"""Largest number that OTLP holds."""

Attributes = dict[str, Any]


@dataclass(slots=True)
class _Segment:
    """What belongs to one search step, or to the run itself."""

    search: SearchChosen | None = None
    events: list[tuple[int, EventRecord]] = field(default_factory=list)
    """With their moments."""
    calls: list[tuple[int, CallRecord]] = field(default_factory=list)
    """With their numbers in the run."""


def otlp(what: Exported) -> bytes:
    """The spans up to the moment, as one export request."""
    trace, run = what.run.trace, what.run
    spans = _spans(trace, run.at(what.moment), what.moment)
    request = {"resourceSpans": [{"resource": _resource(trace.header), "scopeSpans": [_scope(trace.header, spans)]}]}
    written = json.dumps(redact_json(request), ensure_ascii=False, allow_nan=False, indent=1)
    return written.encode("utf-8", errors="replace") + b"\n"


def _resource(header: Header) -> dict[str, Any]:
    about = {"service.name": "retree", "service.version": header.package_version}
    return {"attributes": _pairs({**about, "openinference.project.name": "retree"})}


def _scope(header: Header, spans: list[dict[str, Any]]) -> dict[str, Any]:
    return {"scope": {"name": "retree", "version": header.package_version}, "spans": spans}


def _spans(trace: Trace, state: State, moment: int) -> list[dict[str, Any]]:
    ids = _Ids(trace.header.run_id)
    clock = _Clock(trace.header.created_at)
    root, steps = _Segment(), []
    for segment in _segments(trace, moment):
        if segment.search is not None:
            steps.append(segment)
        else:
            root.events += segment.events
            root.calls += segment.calls
    times = clock.times(trace, moment)
    made = [_call_span(trace.header, ids, number, one, times, ids.of("run")) for number, one in root.calls]
    for step in steps:
        parent = ids.of(f"search {step.search.search}") if step.search else ""
        calls = [_call_span(trace.header, ids, number, one, times, parent) for number, one in step.calls]
        made += [_step_span(ids, step, calls, times), *calls]
    return [_run_span(trace.header, ids, state, root, made, clock, times), *made]


def _segments(trace: Trace, moment: int) -> list[_Segment]:
    """The record cut where a policy is shown its context, or decides to stop: each piece has at most one search."""
    segments = [_Segment()]
    at = number = 0
    for record in trace.records:
        if at == moment < len(trace.events):
            break
        if isinstance(record, CallRecord):
            number += 1
            segments[-1].calls.append((number, record))
        elif isinstance(record, EventRecord):
            at += 1
            event = record.event
            again = isinstance(event, SearchChosen) and segments[-1].search is not None
            if again or isinstance(event, ContextBuilt | StopChosen | BudgetExhausted):
                segments.append(_Segment())
            if isinstance(event, SearchChosen):
                segments[-1].search = event
            segments[-1].events.append((at, record))
    return segments


class _Ids:
    """Ids of one trace, the same whenever it is exported."""

    def __init__(self, run_id: str) -> None:
        self._run = run_id
        self.trace = sha256(f"trace {run_id}".encode("utf-8", "replace")).hexdigest()[:32]

    def of(self, name: str) -> str:
        return sha256(f"span {self._run} {name}".encode("utf-8", "replace")).hexdigest()[:16]


class _Clock:
    """Nanoseconds from the times that records were written at; one without a time has that of the one before."""

    def __init__(self, created_at: str) -> None:
        self.start = _nanoseconds(created_at) or 0

    def times(self, trace: Trace, moment: int) -> dict[int, int]:
        """Place of the record (`seq`) to when it was written."""
        now, found = self.start, {}
        for record in trace.records:
            if isinstance(record, CallRecord | EventRecord):
                at = _nanoseconds(record.at) or now
                aside = isinstance(record, CallRecord) and record.beside is not None
                found[record.seq] = at if aside else max(now, at)
                now = max(now, at)
        return found


def _nanoseconds(at: str) -> int | None:
    """As OTLP can hold it."""
    found = nanoseconds_of(at)
    return found if found is not None and 0 <= found <= _MOST else None


def _span(
    ids: _Ids,
    name: str,
    label: str,
    *,
    parent: str,
    kind: int,
    start: int,
    end: int,
    attributes: Attributes,
    events: Iterable[dict[str, Any]] = (),
    error: str = "",
) -> dict[str, Any]:
    return {
        "traceId": ids.trace,
        "spanId": ids.of(name),
        **({"parentSpanId": parent} if parent else {}),
        "name": label,
        "kind": kind,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(max(start, end)),
        "attributes": _pairs(attributes),
        "events": list(events),
        "status": {"code": _ERROR, "message": error} if error else {"code": _OK},
    }


def _run_span(
    header: Header,
    ids: _Ids,
    state: State,
    own: _Segment,
    made: list[dict[str, Any]],
    clock: _Clock,
    times: Mapping[int, int],
) -> dict[str, Any]:
    ended = state.ended
    answer = state.answer.text if state.answer else ""
    failed = bool(ended and not answer and ended.status not in DONE)
    name = agent_name(header.settings.agent)
    attributes = {
        "openinference.span.kind": "AGENT",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name,
        "gen_ai.request.model": header.settings.model,
        "gen_ai.conversation.id": header.run_id,
        "agent.name": name,
        "session.id": header.run_id,
        "input.value": header.question,
        "input.mime_type": "text/plain",
        **({"output.value": answer, "output.mime_type": "text/plain"} if answer else {}),
        "retree.run_id": header.run_id,
        "retree.recorded_with": header.recorded_with,
        "retree.moment": state.moment,
        "retree.status": ended.status if ended else "unfinished",
    }
    ends = [times.get(one.seq, clock.start) for _, one in own.events] + [int(one["endTimeUnixNano"]) for one in made]
    starts = [clock.start] if clock.start else [int(one["startTimeUnixNano"]) for one in made]
    return _span(
        ids,
        "run",
        f"invoke_agent {name}",
        parent="",
        kind=_INTERNAL,
        start=min(starts, default=0),
        end=max(ends, default=clock.start),
        attributes=attributes,
        events=_events(own, times),
        error=f"{ended.status}: {ended.detail}" if ended and failed else "",
    )


def _step_span(ids: _Ids, step: _Segment, calls: list[dict[str, Any]], times: Mapping[int, int]) -> dict[str, Any]:
    search = step.search
    assert search is not None
    starts = [int(one["startTimeUnixNano"]) for one in calls]
    written = [times.get(one.seq, 0) for _, one in step.events]
    attributes = {
        "openinference.span.kind": "CHAIN",
        "input.value": search.query,
        "input.mime_type": "text/plain",
        "retree.search": search.search,
        "retree.origin": search.origin,
        **({"retree.reason": search.reason} if search.reason else {}),
    }
    return _span(
        ids,
        f"search {search.search}",
        f"search step {search.search}",
        parent=ids.of("run"),
        kind=_INTERNAL,
        start=min([*starts, *written]),
        end=max([*written, *(int(one["endTimeUnixNano"]) for one in calls)]),
        attributes=attributes,
        events=_events(step, times),
    )


def _call_span(
    header: Header, ids: _Ids, number: int, record: CallRecord, times: Mapping[int, int], parent: str
) -> dict[str, Any]:
    end = times.get(record.seq, 0)
    failed = record.reply if isinstance(record.reply, CallFailed) else None
    about = model_attributes if isinstance(record.call, ModelCall) else search_attributes
    label, attributes = about(header, record)
    common: Attributes = {"retree.call": number, "retree.edited": True} if record.edited else {"retree.call": number}
    return _span(
        ids,
        f"call {number}",
        label,
        parent=parent,
        kind=_CLIENT,
        start=max(0, end - int(min(record.seconds * _SECOND, _MOST))),
        end=end,
        attributes={**attributes, **common, **({"error.type": failed.failure} if failed else {})},
        events=[_retry(one, end) for one in record.failed_attempts],
        error=failed.message or failed.failure if failed else "",
    )


def _retry(attempt: Any, at: int) -> dict[str, Any]:
    about = {"error.type": attempt.failure, "exception.message": attempt.message, "retree.waited_s": attempt.waited_s}
    return {"timeUnixNano": str(at), "name": "retree.failed_attempt", "attributes": _pairs(about)}


def _events(segment: _Segment, times: Mapping[int, int]) -> list[dict[str, Any]]:
    return [_event(moment, one.event, times.get(one.seq, 0)) for moment, one in segment.events]


def _event(moment: int, event: Event, at: int) -> dict[str, Any]:
    plain = event_json(event)
    names = [one.name for one in fields(event) if one.name != "kind" and one.name in plain]
    about = {f"retree.{name}": _scalar(plain[name]) for name in names}
    return {
        "timeUnixNano": str(at),
        "name": f"retree.{event.kind}",
        "attributes": _pairs({"retree.moment": moment, **about}),
    }


def _scalar(value: Any) -> Any:
    """A value that an attribute can hold: lists of texts as they are, other structures as JSON."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _pairs(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in values.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    """OTLP's tagged value; whole numbers are strings in its JSON."""
    match value:
        case bool():
            return {"boolValue": value}
        case int() if abs(value) <= _MOST:
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list() | tuple():
            return {"arrayValue": {"values": [_value(one) for one in value]}}
        case _:
            return {"stringValue": str(value)}
