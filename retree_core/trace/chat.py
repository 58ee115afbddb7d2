"""Chat messages of any maker, in the form of the chat-completions API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from retree_core.calls import Call, ModelCall, ModelReply, Reply
from retree_core.llm import strict_json
from retree_core.trace.attributes import as_list, as_object, rows

WINDOW = 200
"""Messages before a reply that its request shows; a longer talk would repeat itself too often."""


def is_message(value: Any) -> bool:
    """Whether a JSON value is a chat message: it has a role, and something said or called."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("role"), str)
        and any(key in value for key in ("content", "tool_calls", "function_call"))
    )


def said(message: Mapping[str, Any]) -> str:
    """The text of a message, then the tools it calls, a line each.

    >>> said({"role": "assistant", "tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]})
    'search({})'
    """
    parts = [content_text(message.get("content"))]
    calls = message.get("tool_calls")
    for one in calls if isinstance(calls, list) else [{"function": message.get("function_call")}]:
        function = one.get("function") if isinstance(one, Mapping) else None
        if isinstance(function, Mapping):
            parts.append(f"{function.get('name', '?')}({_plain(function.get('arguments', ''))})")
    return "\n".join(filter(None, parts))


def replied(raw: Mapping[str, Any]) -> str:
    """What the first choice of a reply says, tools it calls included."""
    choices = as_list(raw, "choices")
    return said(as_object(as_object(choices[0]).get("message"))) if choices else ""


def content_text(content: Any) -> str:
    """The text in a message's content: a string, or a list of parts of which some are text."""
    if isinstance(content, list):
        return "\n".join(filter(None, (_part(one) for one in content)))
    return "" if content is None else _plain(content)


def _part(part: Any) -> str:
    if isinstance(part, Mapping):
        found = part.get("text", part.get("content"))
        if isinstance(found, str):
            return found
    return _plain(part)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def request_before(talk: Sequence[Mapping[str, Any]], place: int) -> tuple[Call, Reply]:
    """The call that a message of the assistant answers, as far as the talk tells: the messages before it."""
    before = talk[max(0, place - WINDOW) : place]
    return (
        ModelCall(role="imported", body={"messages": list(before)}),
        ModelReply(raw={"choices": [{"message": dict(talk[place])}]}),
    )


def span_messages(attributes: Mapping[str, Any], flat: tuple[str, ...], whole: str) -> tuple[dict[str, Any], ...]:
    """Chat messages from numbered attributes, else from the one attribute that holds them all as JSON."""
    for prefix in flat:
        numbered = rows(attributes, prefix)
        if numbered:
            return tuple(_message(one) for one in numbered)
    value = attributes.get(whole)
    try:
        found = strict_json.exact(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    return tuple(_of_parts(one) for one in found if isinstance(one, Mapping)) if isinstance(found, list) else ()


def _message(row: Mapping[str, Any]) -> dict[str, Any]:
    plain = {key.removeprefix("message."): value for key, value in row.items()}
    content = plain.get("content")
    if content is None:
        content = "\n".join(str(one["message_content.text"]) for one in rows(plain, "contents") if _TEXT in one)
    calls = [
        {"function": {"name": one.get(f"{_CALL}.name", "?"), "arguments": one.get(f"{_CALL}.arguments", "")}}
        for one in rows(plain, "tool_calls")
    ]
    message = {"role": str(plain.get("role", "?")), "content": content}
    return {**message, "tool_calls": calls} if calls else message


_TEXT = "message_content.text"
_CALL = "tool_call.function"


def _of_parts(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A message of the GenAI conventions: a role, and parts of text, tool calls and their results."""
    parts = [one for one in as_list(raw, "parts") if isinstance(one, Mapping)]
    texts = [one.get("content", one.get("response")) for one in parts if one.get("type") != "tool_call"]
    calls = [
        {"function": {"name": one.get("name", "?"), "arguments": one.get("arguments", "")}}
        for one in parts
        if one.get("type") == "tool_call"
    ]
    content = content_text([one for one in texts if one is not None]) if parts else content_text(raw.get("content"))
    message = {"role": str(raw.get("role", "?")), "content": content}
    return {**message, "tool_calls": calls} if calls else message
