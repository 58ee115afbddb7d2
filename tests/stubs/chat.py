"""A scripted model behind a real OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stubs.server import Response, Seen, StubServer

Role = Callable[[Mapping[str, Any]], Any]
"""From the request body to the reply: an object (sent as JSON text), text as it is, or a whole `Response`."""


def completion(content: Any, **changes: Any) -> dict[str, Any]:
    """An SGLang-like envelope around `content`; `changes` replace fields of the message, choice or body."""
    message = {"role": "assistant", "content": content, "reasoning_content": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop", "matched_stop": 151645}
    usage = {"prompt_tokens": 120, "total_tokens": 150, "completion_tokens": 30, "prompt_tokens_details": None}
    body = {
        "id": "0a1b",
        "object": "chat.completion",
        "created": 1,
        "model": "Qwen/Qwen3-8B",
        "choices": [choice],
        "usage": usage | {"reasoning_tokens": 0},
    }
    for name, value in changes.items():
        holder = next((each for each in (message, choice, body) if name in each), message)
        holder[name] = value
    return body


class ChatServer(StubServer):
    """`/v1/chat/completions` answered by a function, or by one function for each role, and `/v1/models`.

    A role is the name of the requested JSON schema, such as `retree_policy`; see `role_of`.
    """

    def __init__(self, role: Role | Mapping[str, Role], models: Sequence[str] = ("Qwen/Qwen3-8B",)) -> None:
        super().__init__(self._reply)
        self._role = role
        self._models = tuple(models)
        self.base_url = f"{self.url}/v1"

    def __enter__(self) -> ChatServer:
        super().__enter__()
        return self

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Bodies of the chat requests so far."""
        return [seen.json for seen in self.seen if seen.method == "POST"]

    def _reply(self, seen: Seen) -> Response:
        if seen.path == "/v1/models":
            return Response(json={"object": "list", "data": [_listed(name) for name in self._models]})
        if seen.path != "/v1/chat/completions":
            return Response(status=404, json={"detail": "Not Found"})
        return self._chat(seen.json)

    def _chat(self, body: dict[str, Any]) -> Response:
        role = self._role if callable(self._role) else self._role[role_of(body)]
        said = role(body)
        if isinstance(said, Response):
            return said
        content = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        return Response(json=completion(content, model=body.get("model")))


def role_of(body: Mapping[str, Any]) -> str:
    """The name of the requested schema, such as `retree_policy`; '' if none is requested."""
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    return str(schema.get("name", ""))


def _listed(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "owned_by": "sglang", "root": name, "max_model_len": 40960}
