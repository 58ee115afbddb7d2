"""A call is made again with another prompt, on a thread of its own; only a reply is kept."""

import json

from stubs import ChatServer, Response

from retree_core.calls import Answered, ModelCall, ModelReply
from retree_core.drivers.again import Again, edited
from retree_core.errors import UsageError
from retree_core.llm.client import ModelClient

CALL = ModelCall(
    role="answer",
    body={
        "model": "recorded",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "retree_answer", "schema": {}}},
        "temperature": 0.7,
        "seed": 3,
        "max_tokens": 700,
    },
)


def changed(text: str = "Who, and when?") -> ModelCall:
    messages = [CALL.body["messages"][0], {"role": "user", "content": text}]
    return edited(CALL, model="Qwen/Qwen3-8B", messages=messages, temperature=0.2, seed=9)


def made(call: ModelCall, server: ChatServer | str) -> tuple[Again, list[Answered]]:
    kept: list[Answered] = []
    url = server if isinstance(server, str) else server.base_url
    again = Again(call, ModelClient(url, "EMPTY", attempts=1), kept.append)
    again.join(20)
    assert again.finished
    return again, kept


def test_only_the_edited_parts_of_the_request_differ() -> None:
    body = changed().body
    assert {name for name in body if body[name] != CALL.body[name]} == {"model", "messages", "temperature", "seed"}
    assert CALL.body["messages"][1]["content"] == "Who?"


def test_the_edited_request_is_sent_and_its_reply_kept() -> None:
    with ChatServer(lambda body: {"claims": [], "answer": body["messages"][1]["content"]}) as server:
        again, kept = made(changed(), server)
        assert server.calls == [json.loads(json.dumps(changed().body))]
    assert kept == [again.answered]
    assert isinstance(kept[0].reply, ModelReply)
    assert "Who, and when?" in kept[0].reply.raw["choices"][0]["message"]["content"]
    assert again.error == ""


def test_a_server_that_refuses_is_one_line_and_nothing_is_kept() -> None:
    refusal = Response(status=404, json={"error": {"message": "model not found", "code": "model_not_found"}})
    with ChatServer(lambda body: refusal) as server:
        again, kept = made(changed(), server)
    assert kept == []
    assert "404" in again.error
    assert "\n" not in again.error


def test_a_server_that_is_down_is_one_line() -> None:
    again, kept = made(changed(), "http://127.0.0.1:9/v1")
    assert kept == []
    assert "127.0.0.1:9" in again.error


def test_a_call_can_be_given_up() -> None:
    with ChatServer(lambda body: Response(json={}, delay_s=30)) as server:
        kept: list[Answered] = []
        again = Again(changed(), ModelClient(server.base_url, "EMPTY"), kept.append)
        assert not again.finished
        again.stop()
        again.join(20)
    assert again.finished
    assert "Stopped" in again.error
    assert kept == []
    again.stop()


def test_a_reply_that_cannot_be_kept_is_still_there() -> None:
    def refuse(answered: Answered) -> None:
        raise UsageError("the notes cannot be written")

    with ChatServer(lambda body: {"claims": [], "answer": "x"}) as server:
        again = Again(changed(), ModelClient(server.base_url, "EMPTY"), refuse)
        again.join(20)
    assert again.answered is not None
    assert again.error == "the notes cannot be written"
