"""What a server says of itself before a run starts (L10, W05)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from stubs import ChatServer, Response, StubServer

from retree_core.errors import BackendError
from retree_core.llm.client import ModelClient

KEY = "dummy-key-4711-do-not-show"


def preflight(server: StubServer, model: str = "Qwen/Qwen3-8B", **options: Any) -> Any:
    async def work() -> Any:
        client = ModelClient(server.url, KEY, **options)
        try:
            return await client.preflight(model)
        finally:
            await client.close()

    return asyncio.run(work())


def refused(server: StubServer, model: str = "Qwen/Qwen3-8B", **options: Any) -> str:
    with pytest.raises(BackendError) as caught:
        preflight(server, model, **options)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
    return str(caught.value)


def test_preflight_tells_what_is_served() -> None:
    with ChatServer(lambda body: {}, models=["Qwen/Qwen3-8B", "other"]) as server:
        info = preflight(server)
        assert info.base_url == f"{server.url}/v1"
    assert (info.models, info.max_model_len, info.server) == (("Qwen/Qwen3-8B", "other"), 40960, "SGLang")


def test_preflight_names_a_model_that_is_not_served() -> None:
    with ChatServer(lambda body: {}, models=["a", "b"]) as server:
        line = refused(server)
    assert "serves a, b, not 'Qwen/Qwen3-8B'" in line
    assert "RETREE_MODEL" in line


def test_preflight_of_a_server_that_is_down() -> None:
    with StubServer(Response()) as server:
        pass
    line = refused(server)
    assert f"no model server at {server.url}/v1 (Connection refused)" in line
    assert "RETREE_BASE_URL" in line
    assert "sglang.launch_server" in line


def test_preflight_of_a_server_that_hangs() -> None:
    with StubServer(Response(delay_s=60)) as server:
        assert "no answer in time" in refused(server, total_timeout_s=0.2)


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (Response(status=401, json={"error": "Unauthorized"}), "RETREE_API_KEY"),
        (Response(status=503, json={"error": {"message": "Loading model"}}), "Loading model"),
        (Response(body="<html>hi</html>"), "not an OpenAI-compatible endpoint"),
        (
            Response(status=404, body="<html>hi</html>", headers={"content-type": "text/html"}),
            "not an OpenAI-compatible",
        ),
        (Response(json={"hello": "world"}), "not an OpenAI-compatible endpoint"),
        (Response(json=[]), "not an OpenAI-compatible endpoint"),
        (Response(body=""), "not an OpenAI-compatible endpoint"),
    ],
)
def test_preflight_refuses_in_one_line(response: Response, words: str) -> None:
    with StubServer(response) as server:
        line = refused(server)
    assert words in line
    assert server.url in line


def test_preflight_reads_no_list_without_end() -> None:
    with StubServer(Response(body=b"[" * 1_000_000, times=2_000)) as server:
        assert f"{server.url}/v1 is not an OpenAI-compatible endpoint" in refused(server)
    assert server.sent < 40_000_000


@pytest.mark.parametrize("body", [Response(status=404, json={"detail": "Not Found"}), Response(status=404, body="x")])
def test_preflight_accepts_a_server_without_a_list(body: Response) -> None:
    with StubServer(body) as server:
        info = preflight(server)
    assert (info.models, info.max_model_len) == ((), None)


def test_an_alias_is_served_too() -> None:
    entry = {"id": "a", "aliases": ["b"], "owned_by": "llamacpp", "meta": {"n_ctx": 8192, "n_ctx_train": 32768}}
    with StubServer(Response(json={"object": "list", "data": [entry, {"id": "c:latest"}, {"id": 7}, None]})) as server:
        info = preflight(server, "b")
        assert (info.models, info.max_model_len, info.server) == (("a", "c:latest"), 8192, "llama.cpp")
        assert preflight(server, "c").max_model_len is None
