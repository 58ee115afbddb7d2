"""HTTP over plain sockets, against a server that sends exact bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from retree_core.llm.wire import Answer, BrokenReply, Wire, is_direct

JSON = b'{"a": 1}'


def answered(*replies: bytes, requests: int = 1) -> tuple[list[Answer], int, list[bytes]]:
    """What `requests` posts are answered, the connections they took, and what was sent."""
    sent: list[bytes] = []
    opened = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        while not reader.at_eof():
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                break
            sent.append(head + await reader.readexactly(len(JSON)))
            reply = replies[min(len(sent), len(replies)) - 1]
            writer.write(reply)
            await writer.drain()
            if b"content-length" not in reply and b"chunked" not in reply:
                break
        writer.close()

    async def work() -> list[Answer]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        wire = Wire(f"http://127.0.0.1:{port}/v1", {"authorization": "Bearer k"}, 5.0)
        try:
            return [await asyncio.wait_for(wire.post("/chat", JSON), 10) for _ in range(requests)]
        finally:
            wire.close()
            server.close()

    return asyncio.run(work()), opened, sent


def whole(data: bytes, status: bytes = b"200 OK", more: bytes = b"") -> bytes:
    return b"HTTP/1.1 %b\r\ncontent-length: %d\r\n%b\r\n%b" % (status, len(data), more, data)


def test_a_connection_is_used_again():
    answers, opened, sent = answered(whole(b"one"), whole(b"two"), requests=2)
    assert ([one.data for one in answers], opened) == ([b"one", b"two"], 1)
    assert sent[0].startswith(b"POST /v1/chat HTTP/1.1\r\nhost: 127.0.0.1:")
    assert b"\r\nauthorization: Bearer k\r\ncontent-length: 8\r\n\r\n" + JSON in sent[0]


def test_a_connection_that_the_server_closes_is_not():
    answers, opened, _ = answered(whole(b"x", more=b"Connection: close\r\n"), requests=2)
    assert ([one.data for one in answers], opened) == ([b"x", b"x"], 2)


@pytest.mark.parametrize(
    ("reply", "data"),
    [
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", b"abcde"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx-sum: 1\r\n\r\n", b"a"),
        (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + whole(b"after"), b"after"),
    ],
    ids=["chunked", "trailer", "to the end", "100"],
)
def test_bodies_end_in_several_ways(reply: bytes, data: bytes):
    (answer,), _, _ = answered(reply)
    assert (answer.status, answer.data) == (200, data)


def test_a_refusal_is_an_answer():
    (answer,), _, _ = answered(whole(b"no", status=b"429 Too Many Requests", more=b"Retry-After: 3\r\n"))
    assert (answer.status, answer.reason, answer.headers["retry-after"]) == (429, "Too Many Requests", "3")


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 200 OK\r\ncontent-le",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000,
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
    ],
)
def test_what_is_no_http_is_said(reply: bytes):
    with pytest.raises((BrokenReply, OSError)):
        answered(reply)


@pytest.mark.parametrize(
    ("url", "environ", "direct"),
    [
        ("http://localhost:30000/v1", {}, True),
        ("https://localhost:30000/v1", {}, False),
        ("http://me:pw@host/v1", {}, False),
        ("http://host/v1", {"http_proxy": "http://proxy:1"}, False),
        ("http://host/v1", {"http_proxy": "http://proxy:1", "no_proxy": "host"}, True),
    ],
)
def test_what_is_reached_directly(url: str, environ: dict[str, str], direct: bool, monkeypatch: pytest.MonkeyPatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert is_direct(url) is direct


def test_many_at_once_have_a_connection_each():
    async def work(count: int, ask: Callable[[Wire], Awaitable[bytes]]) -> tuple[list[bytes], int]:
        opened = 0

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal opened
            opened += 1
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(0.05)
            writer.write(whole(b"x"))
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        wire = Wire(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", {}, 5.0)
        found = list(await asyncio.gather(*(ask(wire) for _ in range(count))))
        server.close()
        wire.close()
        return found, opened

    async def ask(wire: Wire) -> bytes:
        return (await wire.post("/chat", JSON)).data

    assert asyncio.run(work(20, ask)) == ([b"x"] * 20, 20)
