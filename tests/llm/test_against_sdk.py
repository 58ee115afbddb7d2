"""The openai SDK is the reference: our client asks as it does, and it reads what ours keeps."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import openai
from openai.types.chat import ChatCompletion
from stubs import ChatServer, StubServer

from retree_core.calls import ModelCall, ModelReply
from retree_core.llm.client import ModelClient

KEY = "dummy-key-4711-do-not-show"
BODY: dict[str, Any] = {
    "model": "Qwen/Qwen3-8B",
    "messages": [{"role": "user", "content": "Qu'est-ce que 日本 😀 \u2028?"}],
    "temperature": 0.0,
    "max_tokens": 512,
    "response_format": {"type": "json_schema", "json_schema": {"name": "retree_policy", "schema": {"type": "object"}}},
}
OWN = {"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}}
"""What SGLang takes beyond OpenAI's own arguments."""


async def by_sdk(server: StubServer) -> ChatCompletion:
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0) as client:
        return await client.chat.completions.create(**BODY, extra_body=OWN)


async def by_ours(server: StubServer) -> dict[str, Any]:
    client = ModelClient(f"{server.url}/v1", KEY)
    answered = await client.complete(ModelCall(role="policy", body=BODY | OWN))
    await client.close()
    assert isinstance(answered.reply, ModelReply)
    return answered.reply.raw


def test_the_same_call_is_the_same_request_and_the_same_reply() -> None:
    with ChatServer(lambda body: {"action": "search", "query": "日本"}) as server:
        theirs, ours = asyncio.run(by_sdk(server)), asyncio.run(by_ours(server))
        one, other = server.seen
    assert (one.method, one.path) == (other.method, other.path)
    assert json.loads(one.body) == json.loads(other.body)
    names = ("authorization", "content-type")
    assert [one.headers[name] for name in names] == [other.headers[name] for name in names]
    read = ChatCompletion.model_validate(ours)
    assert read.choices[0].message == theirs.choices[0].message
    assert read.usage == theirs.usage
