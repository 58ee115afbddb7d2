"""Read the envelope of a chat completion, and the JSON that the model was asked for.

Pure: a raw response body in, values out. Nothing here imports an HTTP library, so replay can use it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from retree_core.calls import Call, CallFailed, FailureKind, JsonObject, ModelCall, ModelReply, Reply
from retree_core.llm.failures import describe, error_text, kind_of, one_line, status_of_error
from retree_core.llm.json_in_text import Unclosed, the_object, whole_object
from retree_core.llm.loops import goes_in_circles, strings_of
from retree_core.llm.thinking import split_thinking

_MOST_TOKENS = 10**12
"""No call takes so many; a count from there on is none."""

InvalidReason = Literal["truncated", "truncated_thinking", "empty", "degenerate", "not_json"]
"""truncated: JSON cut by the token limit. truncated_thinking: cut before any JSON began. empty: nothing said.
degenerate: went round in circles. not_json: none, broken, hostile or several different objects."""


class ReplyInvalid(ValueError):
    """A reply that holds no usable JSON object. `str(error)` is one line, at most 300 characters."""

    def __init__(self, reason_kind: InvalidReason, message: str) -> None:
        super().__init__(one_line(message))
        self.reason_kind: InvalidReason = reason_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts as the server reports them; None where it does not say, never a made-up 0."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    """Prompt tokens served from the prefix cache."""
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The first choice of a chat completion, thinking parted from what was said."""

    content: str
    reasoning: str
    """Thoughts from whichever field or tag held them; never shown to a model again."""
    finish_reason: str | None
    usage: Usage
    model: str | None
    """Model name as the server reports it."""


def completion_of(reply: Reply) -> Completion | None:
    """What the model said; None for every other kind of reply."""
    return _completion(_Same(reply)) if isinstance(reply, ModelReply) else None


class _Same:
    """A reply as a key: that very one, whatever it holds."""

    def __init__(self, reply: ModelReply) -> None:
        self.reply = reply

    def __hash__(self) -> int:
        return id(self.reply)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.reply is other.reply


@lru_cache(maxsize=64)
def _completion(same: _Same) -> Completion | None:
    """Remembered while a reply is at hand: whoever counts it reads it several times."""
    found = read_completion(same.reply.raw)
    return found if isinstance(found, Completion) else None


def thinks_unasked(call: Call, reply: Reply) -> bool:
    """Whether a reply holds thoughts though its request says that the model is not to think."""
    template = call.body.get("chat_template_kwargs") if isinstance(call, ModelCall) else None
    off = isinstance(template, Mapping) and template.get("enable_thinking") is False
    said = completion_of(reply) if off else None
    return said is not None and bool(said.reasoning)


def read_completion(raw: JsonObject) -> Completion | CallFailed:
    """Return the completion in a response body of status 200, or why there is none.

    An error object in place of choices, nested or flat, becomes a `CallFailed` of its own kind;
    everything else that is not a completion is `bad_envelope`.
    """
    if raw.get("error") or (raw.get("object") == "error"):
        return _refusal(raw)
    choices = raw.get("choices")
    if not isinstance(choices, list) or not choices:
        return _no_completion("without choices" if choices is None else "with an empty or odd list of choices", raw)
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping):
        return _no_completion("whose first choice has no message", raw)
    said, thought = _text_and_thoughts(message.get("content"))
    thoughts_inside, content = split_thinking(said)
    return Completion(
        content=content,
        reasoning=_joined(_reasoning_field(message), thought, thoughts_inside),
        finish_reason=_string(choice.get("finish_reason")),
        usage=_usage(raw.get("usage")),
        model=_string(raw.get("model")),
    )


def read_json(completion: Completion) -> dict[str, Any]:
    """Return the JSON object that the model wrote, freed from code fence and surrounding prose.

    The object may stand in the reasoning if nothing was said and the reasoning is nothing else. Text cut
    by the token limit counts only if it is one whole object. Raises `ReplyInvalid`.
    """
    said = completion.content if completion.content.strip() else ""
    whole = whole_object(said or completion.reasoning)
    if whole is None:
        return _embedded(said, completion)
    if any(goes_in_circles(text) for text in strings_of(whole)):
        raise ReplyInvalid("degenerate", "the reply repeats itself inside a JSON string")
    return whole


def _embedded(said: str, completion: Completion) -> dict[str, Any]:
    if goes_in_circles(completion.content) or (not said and goes_in_circles(completion.reasoning)):
        raise ReplyInvalid("degenerate", "the reply repeats itself")
    cut = completion.finish_reason == "length"
    if cut:
        raise _cut_short(said)
    if not said:
        raise ReplyInvalid("empty", f"the reply is empty (finish reason {completion.finish_reason!r})")
    try:
        return the_object(said)
    except Unclosed as error:
        raise ReplyInvalid("not_json" if completion.finish_reason else "truncated", str(error)) from None
    except ValueError as error:
        raise ReplyInvalid("not_json", str(error)) from None


def _cut_short(said: str) -> ReplyInvalid:
    if "{" in said:
        return ReplyInvalid("truncated", "the JSON was cut by the token limit (max_tokens)")
    return ReplyInvalid("truncated_thinking", "the token limit (max_tokens) was spent before any JSON began")


def _refusal(raw: JsonObject) -> CallFailed:
    kind = kind_of(status_of_error(raw), raw)
    return CallFailed(failure=kind, message=_from_server(kind, error_text(raw) or "an error without a message"))


def _no_completion(what: str, raw: JsonObject) -> CallFailed:
    start = one_line(json.dumps(raw, ensure_ascii=False, default=str), 120)
    return CallFailed(failure="bad_envelope", message=_from_server("bad_envelope", f"a body {what}: {start}"))


def _from_server(kind: FailureKind, what: str) -> str:
    return describe("model server answered 200 with", kind, what)


def _text_and_thoughts(content: Any) -> tuple[str, str]:
    """Return what a message's content says and thinks: text, a list of parts, a number, an object, or null."""
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        return json.dumps(content, ensure_ascii=False), ""
    said = [_part_text(part) for part in content if not _is_thought(part)]
    thought = [_part_text(part) for part in content if _is_thought(part)]
    return "".join(said), "\n".join(thought)


def _is_thought(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") in ("thinking", "reasoning")


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "".join(_part_text(each) for each in part)
    if isinstance(part, Mapping):
        return next((_part_text(part[name]) for name in ("text", "thinking", "value", "content") if part.get(name)), "")
    return ""


def _reasoning_field(message: Mapping[str, Any]) -> str:
    fields = (message.get(name) for name in ("reasoning_content", "reasoning", "thinking"))
    return next((text for text in map(_part_text, fields) if text.strip()), "")


def _joined(*texts: str) -> str:
    return "\n".join(text.strip() for text in texts if text.strip())


def _usage(usage: Any) -> Usage:
    return Usage(
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        cached_tokens=_count(usage, "prompt_tokens_details", "cached_tokens"),
        reasoning_tokens=_first_count(
            _count(usage, "reasoning_tokens"), _count(usage, "completion_tokens_details", "reasoning_tokens")
        ),
    )


def _first_count(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def _count(holder: Any, *path: str) -> int | None:
    for name in path:
        holder = holder.get(name) if isinstance(holder, Mapping) else None
    known = isinstance(holder, int) and not isinstance(holder, bool) and 0 <= holder < _MOST_TOKENS
    return holder if known else None


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
