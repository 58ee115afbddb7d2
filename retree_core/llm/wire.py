"""HTTP/1.1 over plain sockets, for a model server of one's own.

The openai SDK spends some 3 ms of CPU on a call, so that one process could keep no more than a few dozen sessions
busy. A server behind TLS or a proxy is still spoken to through the SDK.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

MAX_HEAD_BYTES = 1 << 16


class ConnectTimeout(Exception):
    """No connection came about in time."""


class BrokenReply(Exception):
    """What came is no HTTP, or ended too early."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response, whatever its status."""

    status: int
    reason: str
    headers: Mapping[str, str]
    """Names in lower case; of a repeated one the last."""
    data: bytes


@dataclass(slots=True, kw_only=True)
class _Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    loop: asyncio.AbstractEventLoop

    @property
    def usable(self) -> bool:
        ended = self.reader.at_eof() or self.writer.transport.is_closing()
        return not ended and self.loop is asyncio.get_running_loop()


def is_direct(base_url: str) -> bool:
    """Whether an address is reached without TLS and without a proxy.

    >>> is_direct("https://api.openai.com/v1")
    False
    """
    parts = urlsplit(base_url)
    proxies = getproxies()
    proxied = ("http" in proxies or "all" in proxies) and not proxy_bypass(parts.hostname or "")
    return parts.scheme == "http" and "@" not in parts.netloc and not proxied


@dataclass
class Wire:
    """Requests to one server; connections are kept and used again."""

    base_url: str
    headers: Mapping[str, str]
    """Sent with every request."""
    connect_timeout_s: float
    _idle: list[_Connection] = field(default_factory=list)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._path = parts.path
        fixed = {"host": parts.netloc, "accept": "application/json", "content-type": "application/json", **self.headers}
        self._head = "".join(f"{name}: {value}\r\n" for name, value in fixed.items()).encode("latin-1")

    async def post(self, path: str, body: bytes) -> Answer:
        """The answer to a JSON body. Raises ConnectTimeout, BrokenReply or OSError."""
        connection = await self._connection()
        kept = False
        try:
            line = f"POST {self._path}{path} HTTP/1.1\r\n".encode("latin-1")
            connection.writer.write(b"%b%bcontent-length: %d\r\n\r\n%b" % (line, self._head, len(body), body))
            await connection.writer.drain()
            answer, kept = await _answer(connection.reader)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            raise BrokenReply("the reply ended too early" if isinstance(error, EOFError) else "no HTTP reply") from None
        finally:
            if kept:
                self._idle.append(connection)
            else:
                connection.writer.close()
        return answer

    async def _connection(self) -> _Connection:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection
            _drop(connection)
        opening = asyncio.open_connection(self._host, self._port, limit=MAX_HEAD_BYTES)
        try:
            reader, writer = await asyncio.wait_for(opening, self.connect_timeout_s)
        except asyncio.TimeoutError:
            raise ConnectTimeout from None
        return _Connection(reader=reader, writer=writer, loop=asyncio.get_running_loop())

    def close(self) -> None:
        """Closes the connections."""
        while self._idle:
            _drop(self._idle.pop())


def _drop(connection: _Connection) -> None:
    if not connection.loop.is_closed():
        connection.writer.close()


async def _answer(reader: asyncio.StreamReader) -> tuple[Answer, bool]:
    """A response, and whether its connection can be used again. Raises ValueError for what is no HTTP."""
    status = 100
    while status < 200:  # 100 Continue and its kind come before the answer
        version, status, reason, headers = _head(await reader.readuntil(b"\r\n\r\n"))
    data, whole = await _body(reader, status, headers)
    again = whole and version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
    return Answer(status=status, reason=reason, headers=headers, data=data), again


def _head(data: bytes) -> tuple[str, int, str, dict[str, str]]:
    first, *lines = data.decode("latin-1").split("\r\n")
    version, status, *reason = first.split(" ", 2)
    if not version.startswith("HTTP/1."):
        raise ValueError("not HTTP/1")
    pairs = (line.partition(":") for line in lines if line)
    return version, int(status), " ".join(reason), {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _body(reader: asyncio.StreamReader, status: int, headers: Mapping[str, str]) -> tuple[bytes, bool]:
    """The body, and whether its end is known from it."""
    if status in (204, 304):
        return b"", True
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return await _chunks(reader), True
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"])), True
    return await reader.read(), False


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    while await reader.readuntil(b"\r\n") != b"\r\n":
        pass  # a trailer field, which nobody reads
    return b"".join(parts)
