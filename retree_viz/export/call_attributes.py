"""What a model or search call was and brought, as span attributes under both conventions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from retree_core.calls import ModelCall, ModelReply, SearchCall, SearchReply
from retree_core.llm.envelope import Usage, completion_of
from retree_core.trace import CallRecord, Header
from retree_core.trace.attributes import as_object
from retree_core.trace.chat import content_text

Attributes = dict[str, Any]


def model_attributes(header: Header, record: CallRecord) -> tuple[str, Attributes]:
    """A model call's name and attributes under both conventions."""
    assert isinstance(record.call, ModelCall)
    body = record.call.body
    model = str(body.get("model") or header.settings.model)
    settings = {name: value for name, value in body.items() if name not in ("messages", "model")}
    attributes: Attributes = {
        "openinference.span.kind": "LLM",
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": str(header.server.get("server") or "_OTHER"),
        "gen_ai.request.model": model,
        "llm.model_name": model,
        "llm.invocation_parameters": json.dumps(settings, ensure_ascii=False, allow_nan=False),
        **{name: body[key] for key, name in _REQUEST.items() if isinstance(body.get(key), int | float)},
        **_input(body),
        "retree.role": record.call.role,
    }
    if "response_format" in body:
        attributes["gen_ai.output.type"] = "json"
    if isinstance(record.reply, ModelReply):
        attributes |= _output(record.reply.raw)
    attributes |= _tokens(record)
    return f"chat {model}", attributes


def _tokens(record: CallRecord) -> Attributes:
    """Tokens as the server counted them; nothing where it did not."""
    said = completion_of(record.reply)
    usage = said.usage if said else Usage()
    attributes: Attributes = {}
    counts = ((usage.prompt_tokens, "prompt", "input"), (usage.completion_tokens, "completion", "output"))
    for number, ours, theirs in counts:
        if number is not None:
            attributes |= {f"llm.token_count.{ours}": number, f"gen_ai.usage.{theirs}_tokens": number}
    if usage.prompt_tokens is not None and usage.completion_tokens is not None:
        attributes["llm.token_count.total"] = usage.prompt_tokens + usage.completion_tokens
    if usage.cached_tokens is not None:
        attributes |= {
            "llm.token_count.prompt_details.cache_read": usage.cached_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        }
    return attributes


_REQUEST = {
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
    "top_k": "gen_ai.request.top_k",
    "max_tokens": "gen_ai.request.max_tokens",
    "seed": "gen_ai.request.seed",
}


def search_attributes(header: Header, record: CallRecord) -> tuple[str, Attributes]:
    """A search call's name and attributes under both conventions."""
    assert isinstance(record.call, SearchCall)
    source = str(header.search.get("name") or header.search.get("kind") or "search")
    attributes: Attributes = {
        "openinference.span.kind": "RETRIEVER",
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": record.call.query,
        "gen_ai.data_source.id": source,
        "input.value": record.call.query,
        "input.mime_type": "text/plain",
        "retree.limit": record.call.limit,
    }
    hits = record.reply.hits if isinstance(record.reply, SearchReply) else ()
    for place, hit in enumerate(hits):
        about = {"title": hit.title, "url": hit.url, "published": hit.published}
        known = {name: value for name, value in about.items() if value}
        attributes[f"retrieval.documents.{place}.document.id"] = hit.url or f"{place + 1}"
        attributes[f"retrieval.documents.{place}.document.content"] = hit.text
        attributes[f"retrieval.documents.{place}.document.metadata"] = json.dumps(
            known, ensure_ascii=False, allow_nan=False
        )
    return f"retrieval {source}", attributes


def _input(body: Mapping[str, Any]) -> dict[str, Any]:
    """The messages of a request."""
    messages = _messages(body.get("messages"))
    shown = [{"role": role, "content": content} for role, content in messages]
    attributes: dict[str, Any] = {
        "input.value": json.dumps({"messages": shown}, ensure_ascii=False, allow_nan=False),
        "input.mime_type": "application/json",
        "gen_ai.input.messages": _genai(messages),
    }
    for place, (role, content) in enumerate(messages):
        attributes[f"llm.input_messages.{place}.message.role"] = role
        attributes[f"llm.input_messages.{place}.message.content"] = content
    return attributes


def _output(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The first choice of a reply, and what the server says of itself and of the end."""
    choices = raw.get("choices")
    first = as_object(choices[0]) if isinstance(choices, list) and choices else {}
    message = first.get("message")
    attributes: dict[str, Any] = {}
    if isinstance(message, Mapping):
        role, content = _messages([message])[0]
        finish = first.get("finish_reason")
        attributes = {
            "output.value": content,
            "output.mime_type": "application/json" if content.lstrip()[:1] in ("{", "[") else "text/plain",
            "llm.output_messages.0.message.role": role,
            "llm.output_messages.0.message.content": content,
            "gen_ai.output.messages": _genai([(role, content)], finish),
        }
        if isinstance(finish, str):
            attributes |= {"gen_ai.response.finish_reasons": [finish], "llm.finish_reason": finish}
    for key, name in (("model", "gen_ai.response.model"), ("id", "gen_ai.response.id")):
        if isinstance(raw.get(key), str):
            attributes[name] = raw[key]
    return attributes


def _messages(value: Any) -> list[tuple[str, str]]:
    """Role and text of each message, whatever shape they have."""
    found = value if isinstance(value, list | tuple) else ()
    return [
        (str(one.get("role") or "assistant"), content_text(one.get("content")))
        if isinstance(one, Mapping)
        else ("user", str(one))
        for one in found
    ]


def _genai(messages: list[tuple[str, str]], finish: Any = None) -> str:
    """JSON of the GenAI conventions' messages: a role, and parts."""
    end = {"finish_reason": finish} if isinstance(finish, str) else {}
    return json.dumps(
        [{"role": role, "parts": [{"type": "text", "content": content}], **end} for role, content in messages],
        ensure_ascii=False,
        allow_nan=False,
    )
