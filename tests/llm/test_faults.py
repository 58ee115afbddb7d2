"""Everything that a model server is known to get wrong, over a real connection (L01 to L19)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from stubs import FakeClock, Response, StubServer, completion
from stubs.faults import FAULTS, MEGABYTE

from retree_core.calls import Answered, CallFailed, ModelCall, ModelReply
from retree_core.llm.client import ModelClient
from retree_core.llm.envelope import ReplyInvalid, read_completion, read_json

KEY = "dummy-key-4711-do-not-show"
GOOD = {"action": "search", "query": "日本 and {braces}"}
CALL = ModelCall(role="policy", body={"model": "m", "messages": [{"role": "user", "content": "Who?"}]})


def ask(server: StubServer, calls: int = 1, **limits: Any) -> list[Answered]:
    """What comes of calls that one client makes one after the other."""

    async def work() -> list[Answered]:
        clock = FakeClock()
        client = ModelClient(server.url, KEY, clock=clock, sleep=clock.sleep, jitter=lambda: 0.0, **limits)
        try:
            return [await client.complete(CALL) for _ in range(calls)]
        finally:
            await client.close()

    return asyncio.run(work())


def outcome(answered: Answered) -> str:
    """`value`, why the reply is invalid, or why there is none."""
    reply = answered.reply
    found = read_completion(reply.raw) if isinstance(reply, ModelReply) else reply
    if isinstance(found, CallFailed):
        assert "\n" not in found.message
        assert len(found.message) < 600
        return found.failure
    assert not isinstance(found, ModelReply)
    try:
        return "value" if read_json(found) == GOOD else "another value"
    except ReplyInvalid as error:
        return error.reason_kind


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if not fault.slow])
def test_every_fault_ends_as_what_it_is_and_what_may_pass_is_asked_again(name: str) -> None:
    fault = FAULTS[name]

    def answer(_: object) -> Response:
        passed = fault.retried and len(server.seen) == 2
        return Response(json=completion(json.dumps(GOOD))) if passed else fault.answer(json.dumps(GOOD))

    with StubServer(answer) as server:
        first, second = ask(server, calls=2, attempts=2)
    if fault.retried:
        assert (outcome(first), outcome(second), len(server.seen)) == ("value", fault.outcome, 4)
    else:
        assert (outcome(first), outcome(second), len(server.seen)) == (fault.outcome, fault.outcome, 2)
    assert KEY not in repr((first, second))


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.slow])
def test_what_takes_for_ever_ends_in_time(name: str) -> None:
    with StubServer(FAULTS[name].answer("")) as server:
        (answered,) = ask(server, read_timeout_s=0.2, total_timeout_s=0.6, attempts=2)
    assert outcome(answered) == FAULTS[name].outcome


@pytest.mark.parametrize("chunks", [b"zz\r\n{}\r\n", b"-5\r\n{}\r\n", b"2\r\n{}xx\r\n", b"f" * 20 + b"\r\n{}"])
def test_a_chunk_of_no_size_ends_by_the_read_limit_at_the_latest(chunks: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    with StubServer(Response(head=head, body=chunks, drip_s=0.01)) as server:
        (answered,) = ask(server, read_timeout_s=0.2, total_timeout_s=0.6, attempts=2)
    assert outcome(answered) in ("connection", "timeout")


@pytest.mark.parametrize("name", ["50 MB", "2 GB", "500 without end", "headers without end"])
def test_a_body_without_end_is_not_read_to_its_end(name: str) -> None:
    with StubServer(FAULTS[name].answer("")) as server:
        (answered,) = ask(server, attempts=1)
    assert outcome(answered) == FAULTS[name].outcome
    assert server.sent < 40 * MEGABYTE


def test_a_redirect_is_not_followed_to_another_host() -> None:
    with StubServer(Response(json=completion("{}"))) as other:
        for status in (301, 302, 303, 307, 308):
            away = Response(status=status, headers={"location": f"{other.url}/v1/chat/completions?key={KEY}"})
            with StubServer(away) as server:
                (answered,) = ask(server)
            assert outcome(answered) == "bad_request"
            assert KEY not in repr(answered)
        assert other.seen == []
