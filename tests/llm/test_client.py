"""The client against a real server (L10 to L14, L16, T22)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import pytest
from stubs import ChatServer, FakeClock, Response, StubServer, completion

from retree_core.calls import Answered, CallFailed, ModelCall, ModelReply
from retree_core.errors import UsageError
from retree_core.llm.client import ModelClient, from_environment

KEY = "dummy-key-4711-do-not-show"
OK = Response(json=completion('{"q": "x"}'))
BODY: dict[str, Any] = {
    "model": "Qwen/Qwen3-8B",
    "messages": [{"role": "user", "content": "What does {x} mean in {{y}}? 日本 é 😀 \u2028"}],
    "temperature": 0.7,
    "top_p": 0.8,
    "top_k": 20,
    "seed": 0,
    "max_tokens": 512,
    "chat_template_kwargs": {"enable_thinking": False},
    "response_format": {"type": "json_schema", "json_schema": {"name": "retree_policy", "schema": {"type": "object"}}},
    "stop": None,
}
CALL = ModelCall(role="policy", body=BODY)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


async def asked(client: ModelClient, *calls: ModelCall) -> list[Answered]:
    try:
        return list(await asyncio.gather(*(client.complete(call) for call in calls)))
    finally:
        await client.close()


def ask(server: StubServer, call: ModelCall = CALL, **options: Any) -> Answered:
    clock = FakeClock()
    limits = {"clock": clock, "sleep": clock.sleep, "jitter": lambda: 0.0} | options

    async def work() -> Answered:
        return (await asked(ModelClient(f"{server.url}/v1", KEY, **limits), call))[0]

    answered: Answered = run(work())
    return answered


def failure(answered: Answered) -> CallFailed:
    assert isinstance(answered.reply, CallFailed)
    assert "\n" not in answered.reply.message
    assert KEY not in repr(answered)
    assert len(answered.reply.message) < 600
    return answered.reply


def test_the_body_goes_over_the_wire_as_it_is() -> None:
    with ChatServer(lambda body: {"action": "search", "query": "日本"}) as server:
        answered = ask(server)
        seen = server.seen[0]
    assert json.loads(seen.body) == BODY
    assert list(json.loads(seen.body)) == list(BODY)
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert isinstance(answered.reply, ModelReply)
    assert answered.reply.raw["choices"][0]["message"]["content"] == '{"action": "search", "query": "日本"}'
    assert answered.failed_attempts == ()


def test_the_whole_body_comes_back_whatever_it_says() -> None:
    raw = completion("x", metadata={"weight_version": "default"}) | {"new_field": [1, {"a": None}]}
    with StubServer(Response(json=raw)) as server:
        assert ask(server).reply == ModelReply(raw=raw)
    with StubServer(Response(json={"choices": []})) as server:
        assert ask(server).reply == ModelReply(raw={"choices": []})


OVERFLOWS = [
    {"error": {"message": "This model's maximum context length is 8192 tokens. However, you requested 9000."}},
    {
        "object": "error",
        "message": "The input (41000 tokens) is longer than the model's context length (40960 tokens).",
    },
    {"object": "error", "message": "Requested token count exceeds the model's maximum context length of 40960 tokens."},
    {"error": {"message": "too long", "type": "invalid_request_error", "code": "context_length_exceeded"}},
    {"error": {"code": 400, "message": "the request exceeds the available context size", "type": "x"}},
    {"error": {"code": 400, "message": "request (9000 tokens) exceeds it", "type": "exceed_context_size_error"}},
    {"object": "error", "message": "max_tokens must be at least 1, got -510."},
]


@pytest.mark.parametrize("body", OVERFLOWS)
def test_context_overflow_is_asked_once_l10_l11(body: dict[str, Any]) -> None:
    with StubServer(Response(status=400, json=body), OK) as server:
        assert failure(ask(server)).failure == "context_overflow"
        assert len(server.seen) == 1


def test_max_tokens_below_one_is_never_sent_l11() -> None:
    with StubServer(OK) as server:
        answered = ask(server, ModelCall(role="policy", body=BODY | {"max_tokens": -3}))
        assert failure(answered).failure == "context_overflow"
        assert server.seen == []


@pytest.mark.parametrize(
    ("response", "kind", "words"),
    [
        (Response(status=401, json={"error": "Unauthorized"}), "unauthorized", "RETREE_API_KEY"),
        (Response(status=403, body="<html>no</html>"), "unauthorized", "RETREE_API_KEY"),
        (
            Response(
                status=404, json={"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}
            ),
            "unknown_model",
            "RETREE_MODEL",
        ),
        (
            Response(status=404, json={"error": {"message": 'model "x" not found, try pulling it first'}}),
            "unknown_model",
            "RETREE_MODEL",
        ),
        (Response(status=404, json={"detail": "Not Found"}), "bad_request", "Not Found"),
        (
            Response(status=400, json={"object": "error", "message": "keyword(s) uniqueItems would be ignored"}),
            "bad_request",
            "uniqueItems",
        ),
        (
            Response(status=422, json={"detail": [{"msg": "field required", "loc": ["body"]}]}),
            "bad_request",
            "required",
        ),
        (Response(status=400, body="plain words"), "bad_request", "plain words"),
        (
            Response(status=307, headers={"location": "https://u:p@x.org/v1?key=12345678"}),
            "bad_request",
            "https://x.org",
        ),
        (Response(status=429, json={"error": {"code": "insufficient_quota", "message": "x"}}), "rate_limited", "429"),
        (Response(body="<html>hi</html>", headers={"content-type": "text/html"}), "bad_envelope", "HTML"),
        (Response(json=[1]), "bad_envelope", "list"),
    ],
)
def test_a_refusal_is_named_and_asked_once(response: Response, kind: str, words: str) -> None:
    with StubServer(response, OK) as server:
        found = failure(ask(server))
        assert len(server.seen) == 1
        assert server.url in found.message
    assert found.failure == kind
    assert words in found.message


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (Response(status=503, json={"object": "error", "message": "The request queue is full."}), "server_error"),
        (Response(status=500, body="oops"), "server_error"),
        (Response(status=502, body="<html>bad gateway</html>"), "server_error"),
        (Response(reset=True), "connection"),
        (Response(json=completion("x"), cut_after=20), "connection"),
        (Response(cut_after=0, headers={"content-length": "100"}), "connection"),
        (Response(body='{"choices": [{"mess'), "bad_envelope"),
        (Response(body=""), "bad_envelope"),
        (
            Response(body="5\r\nabcde\r\n", headers={"transfer-encoding": "chunked", "content-length": ""}),
            "connection",
        ),
    ],
)
def test_what_may_pass_is_tried_again_but_not_for_ever_l13_l16(response: Response, kind: str) -> None:
    with StubServer(response, response, OK) as server:
        answered = ask(server)
        assert isinstance(answered.reply, ModelReply)
        assert [each.failure for each in answered.failed_attempts] == [kind, kind]
        assert [each.waited_s for each in answered.failed_attempts] == [0.25, 0.5]
        assert answered.seconds == 0.75
    with StubServer(response) as server:
        answered = ask(server)
        assert failure(answered).failure == kind
        assert "(tried 4 times)" in failure(answered).message
        assert len(server.seen) == len(answered.failed_attempts) + 1 == 4


def test_retry_after_is_kept_in_both_forms_l12() -> None:
    wall = 1_000_000_000.0  # Sun, 09 Sep 2001 01:46:40 GMT
    script = (
        Response(status=429, headers={"retry-after": "2"}),
        Response(status=429, headers={"retry-after": "Sun, 09 Sep 2001 01:46:47 GMT"}),
        Response(status=429, headers={"retry-after": "soon"}),
        OK,
    )
    with StubServer(*script) as server:
        answered = ask(server, wall_clock=lambda: wall)
    assert isinstance(answered.reply, ModelReply)
    assert [each.waited_s for each in answered.failed_attempts] == [2.0, 7.0, 1.0]
    assert {each.failure for each in answered.failed_attempts} == {"rate_limited"}


def test_a_stated_pause_is_capped_l12() -> None:
    with StubServer(Response(status=429, headers={"retry-after": "99999"}), OK) as server:
        answered = ask(server)
    assert [each.waited_s for each in answered.failed_attempts] == [60.0]


def test_a_pause_beyond_the_deadline_is_not_waited_for_l12() -> None:
    with StubServer(Response(status=429, headers={"retry-after": "30"}), OK) as server:
        answered = ask(server, total_timeout_s=20)
        assert failure(answered).failure == "rate_limited"
        assert answered.seconds == 0.0
        assert len(server.seen) == 1


def test_parallel_calls_share_the_pause_l12() -> None:
    clock, sleepers = FakeClock(), list[float]()
    asked_at: list[float] = []

    def answer(_: object) -> Response:
        asked_at.append(clock())
        return OK if len(asked_at) > 1 else Response(status=429, headers={"retry-after": "9"})

    async def work(url: str) -> list[Answered]:
        over = asyncio.Event()

        async def sleep(seconds: float) -> None:
            sleepers.append(seconds)
            await over.wait()

        client = ModelClient(url, KEY, clock=clock, sleep=sleep, jitter=lambda: 0.0)
        first = asyncio.ensure_future(client.complete(CALL))
        while len(sleepers) < 1:
            await asyncio.sleep(0.001)
        second = asyncio.ensure_future(client.complete(CALL))
        while len(sleepers) < 2:
            await asyncio.sleep(0.001)
        clock.now += 9.0
        over.set()
        answers = [await first, await second]
        await client.close()
        return answers

    with StubServer(answer) as server:
        answered = run(work(server.url))
    assert sleepers == [9.0, 9.0]
    assert asked_at == [1_000.0, 1_009.0, 1_009.0]
    assert [len(each.failed_attempts) for each in answered] == [1, 0]
    assert [each.seconds for each in answered] == [9.0, 9.0]


def test_a_hang_ends_within_the_deadline_l13() -> None:
    with StubServer(Response(delay_s=60)) as server:

        async def work() -> Answered:
            return (await asked(ModelClient(server.url, KEY, read_timeout_s=60, total_timeout_s=0.3), CALL))[0]

        answered = run(work())
    assert failure(answered).failure == "timeout"
    assert 0.25 < answered.seconds < 2


def test_a_silent_server_ends_by_the_read_limit_l13() -> None:
    with StubServer(Response(delay_s=60)) as server:
        answered = ask(server, read_timeout_s=0.1, attempts=2)
        assert failure(answered).failure == "timeout"
        assert "0.1 s" in failure(answered).message
        assert len(server.seen) == 2


def test_a_server_that_is_down_is_a_connection_failure() -> None:
    with StubServer(OK) as server:
        pass
    found = failure(ask(server, attempts=2))
    assert found.failure == "connection"
    assert "Connection refused" in found.message


def test_text_that_no_json_can_carry_is_a_bad_request() -> None:
    with StubServer(OK) as server:
        body = BODY | {"messages": [{"role": "user", "content": "half \ud83d"}]}
        assert failure(ask(server, ModelCall(role="policy", body=body))).failure == "bad_request"
        assert server.seen == []


def test_no_key_in_what_a_server_says_t22() -> None:
    said = f"Incorrect API key provided: {KEY}. Also sk-abcdefghijklmnopqrst0123 and {'long ' * 500}"
    with StubServer(Response(status=401, json={"error": {"message": said}})) as server:
        found = failure(ask(server))
    assert "sk-abc" not in found.message


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://localhost:30000", "http://localhost:30000/v1"),
        ("http://localhost:30000/v1/", "http://localhost:30000/v1"),
        (" https://example.org/api/v3 ", "https://example.org/api/v3"),
        ("http://localhost:8089/v1/chat/completions", "http://localhost:8089/v1"),
        ("http://me:secret@localhost:1/v1", "http://localhost:1/v1"),
        ("http://[::1]:30000", "http://[::1]:30000/v1"),
    ],
)
def test_an_address_with_and_without_v1(given: str, used: str) -> None:
    assert from_environment(given, env={}).base_url == used


@pytest.mark.parametrize(
    "given",
    ["localhost:30000", "ftp://x", "http://", "http://x:99999", "http://x/v1?key=1", "x", "http://a b", "file:///x"],
)
def test_an_address_that_cannot_be_used(given: str) -> None:
    with pytest.raises(UsageError, match="RETREE_BASE_URL"):
        from_environment(given, env={})


def test_a_key_that_cannot_be_sent() -> None:
    with pytest.raises(UsageError, match="RETREE_API_KEY") as caught:
        from_environment(env={"RETREE_API_KEY": "schlüssel"})
    assert "schl" not in str(caught.value)


def test_the_environment_is_read() -> None:
    assert from_environment(env={}).base_url == "http://localhost:30000/v1"
    with ChatServer(lambda body: {}) as server:
        env = {"RETREE_BASE_URL": server.url, "RETREE_API_KEY": f" {KEY}\n"}
        run(asked(from_environment(env=env), CALL))
        run(asked(from_environment(env=env | {"RETREE_API_KEY": ""}), CALL))
        assert [seen.headers["authorization"] for seen in server.seen] == [f"Bearer {KEY}", "Bearer EMPTY"]


def test_no_key_of_this_client_stays_in_a_log_t22(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(0), StubServer(OK) as server:
        ask(server)
    assert KEY not in caplog.text


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan", "inf"])
def test_a_time_limit_that_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="RETREE_TIMEOUT_S"):
        from_environment(env={"RETREE_TIMEOUT_S": text})


def test_the_time_limit_of_the_environment() -> None:
    with StubServer(Response(delay_s=60)) as server:
        env = {"RETREE_BASE_URL": server.url, "RETREE_TIMEOUT_S": "0.2"}
        (answered,) = run(asked(from_environment(env=env), CALL))
    assert failure(answered).failure == "timeout"
    assert answered.seconds < 2
