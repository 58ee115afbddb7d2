"""Asking a model for a typed reply: one schema-bound call, validated, repeated a bounded number of times."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from retree_core.calls import CallFailed, FailureKind, ModelCall, ModelReply, Reply, Role
from retree_core.events import Event, ReplyRejected
from retree_core.llm.envelope import Completion, ReplyInvalid, read_completion, read_json
from retree_core.prompts import quoted
from retree_core.replies import schema
from retree_core.secrets import redact
from retree_core.settings import Settings

T = TypeVar("T")
Asking = Generator[Event | ModelCall, Reply | None, T]

MAX_TOKENS: dict[Role, int] = {
    "policy": 500,
    "extract": 1400,
    "conflict": 900,
    "confirm": 900,
    "summarise": 450,
    "report": 600,
    "answer": 700,
    "judge": 300,
    "entail": 300,
}
"""Reply limits, tokens. A reply that is cut gets twice as much in its next attempt."""

_VERDICTS: frozenset[Role] = frozenset({"conflict", "confirm", "judge", "entail"})
"""A verdict is a decision, not a draw: greedy, except while thinking, where the model card warns against it."""


class CallGaveUp(Exception):
    """A call failed for good; the run ends with the status that belongs to `failure`."""

    def __init__(self, failure: FailureKind, message: str) -> None:
        super().__init__(message)
        self.failure = failure


class NoValidReply(Exception):
    """Every attempt was answered with something that does not validate."""

    def __init__(self, role: Role, reason: str) -> None:
        super().__init__(f"{role}: {reason}")


def ask(
    settings: Settings,
    role: Role,
    type_: type[Any],
    messages: list[dict[str, str]],
    *,
    choices: dict[str, list[Any]] | None = None,
    read: Callable[[dict[str, Any]], T],
) -> Asking[T]:
    """What `read` makes of a reply that was asked for as `type_`; `choices` narrows ids to those shown.

    `read` raises ValueError on a reply that will not do. Raises CallGaveUp (no reply) or NoValidReply (none will do).
    """
    note, tokens = "", MAX_TOKENS[role]
    for attempt in range(1, settings.reply_attempts + 1):
        body = request_body(
            settings, role, schema(type_, **(choices or {})), with_note(messages, note), tokens, attempt
        )
        reply = yield ModelCall(role=role, body=body)
        try:
            value = read(_data(reply))
        except (ReplyInvalid, ValueError) as error:
            reason = " ".join(redact(str(error)).split())[:200]
            yield ReplyRejected(role=role, attempt=attempt, reason=reason)
            cut = isinstance(error, ReplyInvalid) and error.reason_kind in ("truncated", "truncated_thinking")
            tokens = tokens * 2 if cut else tokens
            note = "" if cut else f"Your last reply was not valid ({reason}). Reply with the JSON object only."
            continue
        return value
    raise NoValidReply(role, reason)


def _data(reply: Reply | None) -> dict[str, Any]:
    completion = read_completion(reply.raw) if isinstance(reply, ModelReply) else reply
    if isinstance(completion, CallFailed):
        raise CallGaveUp(completion.failure, completion.message)
    if not isinstance(completion, Completion):
        raise TypeError(f"a model call needs a model reply, got {type(reply).__name__}")
    return read_json(completion)


def with_note(messages: list[dict[str, str]], note: str) -> list[dict[str, str]]:
    """The same messages with a correction at the end; it replaces an earlier one, so prompts do not grow."""
    if not note:
        return messages
    *first, last = messages
    return [*first, {**last, "content": f"{last['content']}\n\n{quoted(note)}"}]


def request_body(
    settings: Settings,
    role: Role,
    json_schema: dict[str, Any],
    messages: list[dict[str, str]],
    tokens: int,
    attempt: int,
) -> dict[str, Any]:
    """The JSON body of a call for `role`, its reply bound to a schema; `attempt` counts from 1."""
    sampling = settings.sampling
    return {
        "model": settings.model,
        "messages": messages,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": f"retree_{role}", "strict": True, "schema": json_schema},
        },
        "temperature": 0.0 if role in _VERDICTS and not sampling.thinking else sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "seed": sampling.seed + attempt - 1,
        "max_tokens": tokens,
        "chat_template_kwargs": {"enable_thinking": sampling.thinking},
    }
