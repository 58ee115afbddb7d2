"""Spans of other tracers as plain values: OTLP/JSON, or objects as Phoenix and the OpenTelemetry SDK print them.

What a span says is looked up under the names of OpenInference and of OpenTelemetry's GenAI conventions, older ones
included, whether its attributes are flat (`llm.model_name`) or nested (`{"llm": {"model_name": ...}}`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, get_args

from retree_core.calls import (
    Call,
    CallFailed,
    FailureKind,
    Hit,
    ModelCall,
    ModelReply,
    Reply,
    Role,
    SearchCall,
    SearchReply,
)
from retree_core.llm import strict_json
from retree_core.secrets import redact
from retree_core.trace.attributes import as_list, as_object, flat_attributes, json_object, rows
from retree_core.trace.chat import said, span_messages

_KINDS = {
    "chat": "LLM",
    "text_completion": "LLM",
    "generate_content": "LLM",
    "retrieval": "RETRIEVER",
    "execute_tool": "TOOL",
    "invoke_agent": "AGENT",
    "create_agent": "AGENT",
    "invoke_workflow": "CHAIN",
    "embeddings": "EMBEDDING",
}
"""What the GenAI conventions call an operation, to the span kind of OpenInference."""
_MODEL = ("llm.model_name", "gen_ai.response.model", "gen_ai.request.model", "llm.request.model_name")
_INPUT = ("llm.input_messages", "gen_ai.prompt")
_OUTPUT = ("llm.output_messages", "gen_ai.completion")
_PROMPT_TOKENS = ("llm.token_count.prompt", "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
_COMPLETION_TOKENS = ("llm.token_count.completion", "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
_CACHED_TOKENS = ("llm.token_count.prompt_details.cache_read", "gen_ai.usage.cache_read.input_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span, whoever wrote it."""

    id: str
    parent: str
    """Empty at the top."""
    trace: str
    name: str
    kind: str
    """As OpenInference names it (`LLM`, `RETRIEVER`, ...); empty where nothing says."""
    start: int | None
    """Nanoseconds since 1970; None where the record has no time."""
    end: int | None
    attributes: Mapping[str, Any]
    """Flat: dotted names to scalars."""
    error: str
    """What went wrong; empty where nothing did."""
    messages: tuple[dict[str, Any], ...] = ()
    """What a model was sent, as chat messages."""

    @property
    def input(self) -> str:
        return _text(self.attributes, "input.value", "gen_ai.retrieval.query.text", "gen_ai.tool.call.arguments")

    @property
    def output(self) -> str:
        return _text(self.attributes, "output.value", "gen_ai.tool.call.result")

    @property
    def model(self) -> str:
        return _text(self.attributes, *_MODEL)

    @property
    def seconds(self) -> float:
        known = self.start is not None and self.end is not None
        return max(0.0, (self.end - self.start) / 1e9) if known else 0.0  # type: ignore[operator]

    @property
    def at(self) -> str:
        return _iso(self.start)

    @property
    def ended_at(self) -> str:
        return _iso(self.end if self.end is not None else self.start)


def is_span(value: Any) -> bool:
    """Whether a JSON object is a single span."""
    return isinstance(value, Mapping) and bool(_id(value))


def _id(raw: Mapping[str, Any]) -> str:
    return _named(raw, "spanId", "span_id", "context.span_id", "context.spanId") or _named(
        as_object(raw.get("context")), "span_id", "spanId"
    )


def is_otlp(value: Any) -> bool:
    """Whether a JSON object is a request of OTLP."""
    return isinstance(value, Mapping) and ("resourceSpans" in value or "resource_spans" in value)


def otlp_spans(raw: Mapping[str, Any]) -> Iterator[Any]:
    """The spans in an OTLP/JSON request, in the order in which they stand; what is no list holds none."""
    for resource in as_list(raw, "resourceSpans", "resource_spans"):
        for scope in as_list(as_object(resource), "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
            yield from as_list(as_object(scope), "spans")


def read_span(raw: Any) -> Span:
    """The span in a JSON object. Raises ValueError that says what is wrong."""
    if not isinstance(raw, Mapping):
        raise ValueError(f"a span should be an object, found {strict_json.kind(raw)}")
    id_ = _id(raw)
    if not id_:
        raise ValueError("a span without an id (span_id)")
    context = as_object(raw.get("context"))
    attributes = flat_attributes(raw)
    start = _nanoseconds(raw, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
    return Span(
        id=id_,
        parent=_named(raw, "parentSpanId", "parent_span_id", "parent_id", "parentId"),
        trace=_named(raw, "traceId", "trace_id", "context.trace_id") or _named(context, "trace_id", "traceId"),
        name=_named(raw, "name") or "(no name)",
        kind=_kind(raw, attributes),
        start=start,
        end=_nanoseconds(raw, "endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"),
        attributes=attributes,
        error=_error(raw, attributes),
        messages=span_messages(attributes, _INPUT, "gen_ai.input.messages"),
    )


def text_of(span: Span) -> str:
    """What came of a span, in words: its error, reply, output, or at least what went in."""
    if span.error:
        return f"failed: {span.error}"
    if span.kind == "RETRIEVER":
        found = _hits(span)
        return f"{span.input} ({len(found)} found)" if found else span.input or span.output
    replied = span_messages(span.attributes, _OUTPUT, "gen_ai.output.messages")
    return "\n".join(filter(None, map(said, replied))) or span.output or span.input


def call_of(span: Span) -> tuple[Call, Reply] | tuple[None, None]:
    """The call that an LLM or RETRIEVER span was, with what the span holds of it; nothing for other spans."""
    if span.kind == "RETRIEVER":
        found = _hits(span)
        call = SearchCall(query=span.input, limit=len(found))
        return call, _failed(span, "search_error") or SearchReply(hits=found)
    if span.kind == "LLM":
        return ModelCall(role=_role(span), body=_body(span)), _failed(span, "server_error") or _reply(span)
    return None, None


def _role(span: Span) -> Role:
    """Our own name for the call, where the span comes from an export of ours."""
    named = span.attributes.get("retree.role")
    return next((one for one in get_args(Role) if one == named), "imported")


def _failed(span: Span, otherwise: FailureKind) -> CallFailed | None:
    if not span.error:
        return None
    named = span.attributes.get("error.type")
    failure = next((one for one in get_args(FailureKind) if one == named), otherwise)
    return CallFailed(failure=failure, message=span.error)


def _body(span: Span) -> dict[str, Any]:
    settings = json_object(span.attributes.get("llm.invocation_parameters"))
    messages = list(span.messages) or ([{"role": "user", "content": span.input}] if span.input else [])
    return {**({"model": span.model} if span.model else {}), **settings, "messages": messages}


def _reply(span: Span) -> ModelReply:
    replied = span_messages(span.attributes, _OUTPUT, "gen_ai.output.messages")
    message = replied[0] if replied else {"role": "assistant", "content": span.output}
    finish = span.attributes.get("llm.finish_reason", span.attributes.get("gen_ai.response.finish_reasons.0"))
    usage = {
        name: number
        for name, keys in (("prompt_tokens", _PROMPT_TOKENS), ("completion_tokens", _COMPLETION_TOKENS))
        if (number := _count(span.attributes, keys)) is not None
    }
    cached = _count(span.attributes, _CACHED_TOKENS)
    details = {"prompt_tokens_details": {"cached_tokens": cached}} if cached is not None else {}
    choice = {"message": message, **({"finish_reason": finish} if isinstance(finish, str) else {})}
    return ModelReply(raw={"choices": [choice], "usage": {**usage, **details}})


def _count(attributes: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    found = next((attributes[key] for key in keys if key in attributes), None)
    return int(found) if isinstance(found, int | float) and not isinstance(found, bool) and found == found else None


def _hits(span: Span) -> tuple[Hit, ...]:
    return tuple(_hit(one) for one in rows(span.attributes, "retrieval.documents"))


def _hit(row: Mapping[str, Any]) -> Hit:
    about = json_object(row.get("document.metadata"))
    url, published = row.get("document.url", about.get("url")), about.get("published")
    return Hit(
        title=str(about.get("title") or row.get("document.name") or row.get("document.id") or ""),
        text=str(row.get("document.content", "")),
        url=url if isinstance(url, str) else None,
        published=published if isinstance(published, str) else None,
    )


def _kind(raw: Mapping[str, Any], attributes: Mapping[str, Any]) -> str:
    named = attributes.get("openinference.span.kind") or raw.get("span_kind")
    operation = attributes.get("gen_ai.operation.name")
    if isinstance(named, str) and named.strip():
        return redact(named).strip().upper()[:40]
    if isinstance(operation, str):
        return _KINDS.get(operation, "")
    return "LLM" if any(key in attributes for key in _MODEL) else ""


def _error(raw: Mapping[str, Any], attributes: Mapping[str, Any]) -> str:
    """The message of a status that says error, however it is written."""
    status = raw.get("status")
    code = status.get("code", status.get("status_code")) if isinstance(status, Mapping) else raw.get("status_code")
    if str(code).upper() not in ("2", "ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR"):
        return ""
    about = _named(as_object(status), "message", "description") or _named(raw, "status_message")
    return about or _text(attributes, "exception.message", "error.type") or "no reason given"


def _named(raw: Mapping[str, Any], *keys: str) -> str:
    """The first of these keys that holds a text or a whole number."""
    found = (one for one in map(raw.get, keys) if isinstance(one, str | int) and not isinstance(one, bool))
    return next((str(one) for one in found if one != ""), "")


def _text(attributes: Mapping[str, Any], *keys: str) -> str:
    found = next((attributes[key] for key in keys if attributes.get(key) not in (None, "")), "")
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def _nanoseconds(raw: Mapping[str, Any], *keys: str) -> int | None:
    """A time as OTLP (nanoseconds, often a string) or as ISO 8601; None for whatever else stands there."""
    value = next((raw[key] for key in keys if raw.get(key) not in (None, "")), None)
    if re.fullmatch(r"\d{1,19}", str(value)):
        number = int(str(value))
        return number if number > 10**15 else number * 10**6  # some write milliseconds
    return nanoseconds_of(str(value))


def nanoseconds_of(iso: str) -> int | None:
    """Nanoseconds since 1970 at an ISO 8601 time, UTC where it names no zone; None where it is no time."""
    try:
        found = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", iso.replace("Z", "+00:00")))
        found = found if found.tzinfo else found.replace(tzinfo=timezone.utc)
        return int(found.timestamp()) * 10**9 + found.microsecond * 1000
    except (ValueError, OverflowError):
        return None


def _iso(nanoseconds: int | None) -> str:
    """UTC, as the records of our own traces write it."""
    try:
        found = datetime.fromtimestamp((nanoseconds or 0) / 1e9, timezone.utc)
    except (ValueError, OverflowError, OSError):
        return ""
    return found.isoformat(timespec="milliseconds").replace("+00:00", "Z") if nanoseconds is not None else ""
