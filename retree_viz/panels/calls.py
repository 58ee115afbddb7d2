"""Calls: what was asked just before an event and what came back, word for word."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retree_core.calls import CallFailed, ModelCall, ModelReply, SearchCall, SearchReply
from retree_core.trace import CallRecord
from retree_viz.html import Child, Html, join, link, tag
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, empty, flag, rows, section
from retree_viz.run import Run
from retree_viz.words import count


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message as sent."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyParts:
    """What a model reply says, taken apart; None where the server did not say."""

    content: str
    reasoning: str
    finish: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None


def messages(body: Mapping[str, Any]) -> tuple[Message, ...]:
    """The messages of a request, whatever shape they have."""
    raw = body.get("messages")
    return tuple(
        Message(role=str(one.get("role", "?")), content=_content(one.get("content")))
        if isinstance(one, Mapping)
        else Message(role="?", content=str(one))
        for one in (raw if isinstance(raw, list | tuple) else ())
    )


def _content(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, Mapping) and isinstance(one.get("text"), str) for one in value):
        return "\n".join(one["text"] for one in value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def reply_parts(raw: Mapping[str, Any]) -> ReplyParts:
    """The parts of a raw reply that people look for; nothing here raises, however odd the reply."""
    choices = raw.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    message, usage = _object(first.get("message")), _object(raw.get("usage"))
    details = usage.get("prompt_tokens_details")
    return ReplyParts(
        content=_content(message.get("content")),
        reasoning=next((message[key] for key in _REASONING if isinstance(message.get(key), str)), ""),
        finish=first.get("finish_reason") if isinstance(first.get("finish_reason"), str) else None,
        prompt_tokens=_number(usage.get("prompt_tokens")),
        completion_tokens=_number(usage.get("completion_tokens")),
        cached_tokens=_number(details.get("cached_tokens")) if isinstance(details, Mapping) else None,
    )


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


_REASONING = ("reasoning_content", "reasoning", "thinking")


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def calls(run: Run, moment: int, chosen: int | None = None) -> Html:
    """The Calls panel: the calls made just before an event, or the last ones before it."""
    if not run.trace.calls:
        return empty(
            "No calls in this record.", "Traces written by `retree run` hold every call; this one has events only."
        )
    if chosen is not None and 1 <= chosen <= len(run.trace.calls):
        return _one(chosen, run.trace.calls[chosen - 1], len(run.trace.calls), opened=True)
    at = run.moment_with_calls(moment)
    if at is None:
        return empty("No call was made up to here.", "Step forward: the first is the policy's.")
    found = run.calls_at(at)
    note = (
        None
        if at == moment
        else tag("p", "None just before this event; these led to event ", _go(at), ".", cls="mut lead-note")
    )
    return join(
        section(None, note) if note else None,
        *(_one(number, one, len(run.trace.calls), opened=len(found) == 1) for number, one in found),
    )


def _go(moment: int) -> Html:
    return tag("button", str(moment), type="button", cls="go", data_do=f"go:{moment}")


def _one(number: int, record: CallRecord, total: int, *, opened: bool) -> Html:
    match record.call:
        case ModelCall():
            name: Child = tag("span", icon("call", "s"), tag("b", record.call.role), " model call")
        case SearchCall():
            name = tag("span", icon("search", "s"), tag("b", "search"))
    body = _model(record) if isinstance(record.call, ModelCall) else _search(record)
    head = tag("summary", name, tag("span", f"{number} of {total} · {record.seconds:.2f} s", cls="aside num"))
    marks = join(
        flag("warning", "reply put here by a fork; nobody sent it") if record.edited else None,
        *(flag("warning", f"try failed: {one.failure}, waited {one.waited_s:.1f} s") for one in record.failed_attempts),
    )
    return tag("details", head, marks or None, body, cls="call", open=opened)


def _model(record: CallRecord) -> Html:
    assert isinstance(record.call, ModelCall)
    body = record.call.body
    return join(
        _reply(record),
        *(tag("div", tag("h4", one.role), tag("pre", cut(one.content)), cls="msg") for one in messages(body)),
        tag(
            "details",
            tag("summary", "request settings"),
            tag("pre", cut(_json({k: v for k, v in body.items() if k != "messages"}))),
            cls="more",
        ),
    )


def _reply(record: CallRecord) -> Html:
    if isinstance(record.reply, CallFailed):
        return tag(
            "div",
            tag("h4", "no reply"),
            flag("warning", record.reply.failure, "conflict"),
            tag("pre", cut(record.reply.message)),
            cls="msg",
        )
    if not isinstance(record.reply, ModelReply):
        return tag(
            "div", tag("h4", "reply"), tag("pre", "a search reply to a model call: the record is damaged"), cls="msg"
        )
    parts = reply_parts(record.reply.raw)
    return join(
        rows(
            [("Finish", parts.finish or "not said"), ("Tokens", _tokens(parts)), ("Seconds", f"{record.seconds:.2f}")]
        ),
        tag("div", tag("h4", "thinking"), tag("pre", cut(parts.reasoning)), cls="msg") if parts.reasoning else None,
        tag(
            "div",
            tag("h4", "reply"),
            tag("pre", cut(_pretty(parts.content)) if parts.content else "(empty)"),
            cls="msg reply",
        ),
        tag("details", tag("summary", "raw reply"), tag("pre", cut(_json(record.reply.raw))), cls="more"),
    )


def _tokens(parts: ReplyParts) -> str:
    if parts.prompt_tokens is None and parts.completion_tokens is None:
        return "not said"
    known = [
        f"{number:,} {name}"
        for number, name in ((parts.prompt_tokens, "in"), (parts.completion_tokens, "out"))
        if number is not None
    ]
    cached = f" ({parts.cached_tokens:,} cached)" if parts.cached_tokens else ""
    return " · ".join(known) + cached


def _pretty(content: str) -> str:
    """JSON content indented, other content as it is."""
    try:
        value = json.loads(content) if content.lstrip()[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        value = None
    return content if value is None else _json(value)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except (ValueError, RecursionError):
        return str(value)[:20_000]


def _search(record: CallRecord) -> Html:
    assert isinstance(record.call, SearchCall)
    asked = rows([("Query", record.call.query), ("Limit", str(record.call.limit))])
    if isinstance(record.reply, CallFailed):
        return join(asked, flag("warning", record.reply.failure, "conflict"), tag("pre", cut(record.reply.message)))
    if not isinstance(record.reply, SearchReply):
        return join(asked, tag("pre", "a model reply to a search call: the record is damaged"))
    hits = (
        tag("li", tag("b", cut(one.title, 300)), link(one.url) if one.url else None, tag("span", cut(one.text, 600)))
        for one in record.reply.hits
    )
    return join(asked, tag("h4", count(len(record.reply.hits), "hit")), tag("ol", *hits, cls="hits"))


def title(run: Run, moment: int) -> tuple[Html, str]:
    """Heading of the panel and the line below it."""
    made = len(run.calls_at(moment))
    return tag(
        "span", "Calls"
    ), f"{count(made, 'call')} just before event {moment}" if made else "none just before this event"
