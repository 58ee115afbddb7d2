"""A scripted HTTP server on a port of its own: answers, delays, cuts and resets, on request."""

from __future__ import annotations

import json
import socket
import socketserver
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Response:
    """One scripted answer. `json` wins over `body`."""

    status: int = 200
    json: Any = None
    body: bytes | str = b""
    headers: dict[str, str] = field(default_factory=dict)
    """Beside or in place of the usual ones; an empty one leaves a usual one out."""
    head: bytes | None = None
    """Status line and headers as they go over the wire, in place of all others."""
    delay_s: float = 0.0
    """Wait before the first byte; ends early when the server stops."""
    times: int = 1
    """The body is sent so often."""
    drip_s: float | None = None
    """The body is sent byte by byte with this wait between two; ends early when the server stops."""
    cut_after: int | None = None
    """Send the headers and this many bytes of the body, then close."""
    reset: bool = False
    """Send nothing and reset the connection."""

    def payload(self) -> bytes:
        if self.json is not None:
            return json.dumps(self.json, ensure_ascii=False).encode()
        return self.body.encode() if isinstance(self.body, str) else self.body


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One request as it came over the wire; header names in lower case."""

    method: str
    path: str
    """With query."""
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Handler = Callable[[Seen], Response]


class StubServer:
    """Context manager; plays `script` in order (the last answer stays), or asks a function for each answer.

    >>> with StubServer(Response(json={"ok": True})) as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(self, *script: Response | Handler) -> None:
        self.seen: list[Seen] = []
        """Every request so far."""
        self.sent = 0
        """Bytes of bodies that went out so far."""
        self._script = script
        self._lock = threading.Lock()
        self.stopped = threading.Event()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> StubServer:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, seen: Seen) -> Response:
        with self._lock:
            step = self._script[min(len(self.seen), len(self._script) - 1)]
            self.seen.append(seen)
        return step if isinstance(step, Response) else step(seen)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, stub: StubServer) -> None:
        self.stub = stub
        super().__init__(("127.0.0.1", 0), _Connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no test failure."""


class _Connection(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        seen = self._read()
        if seen is None:
            return
        response = self.server.stub.answer(seen)
        if response.delay_s:
            self.server.stub.stopped.wait(response.delay_s)
        if response.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        self._write(response)

    def _read(self) -> Seen | None:
        words = self.rfile.readline().decode("latin-1").split()
        if len(words) != 3:
            return None
        headers = {}
        while line := self.rfile.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = self.rfile.read(int(headers.get("content-length", 0)))
        return Seen(method=words[0], path=words[1], headers=headers, body=body)

    def _write(self, response: Response) -> None:
        payload = response.payload()
        self.wfile.write(response.head if response.head is not None else _head(response, len(payload)))
        payload = payload if response.cut_after is None else payload[: response.cut_after]
        for _ in range(response.times):
            if response.drip_s is None:
                self._send(payload)
            else:
                self._drip(payload, response.drip_s)

    def _drip(self, payload: bytes, pause_s: float) -> None:
        for place in range(len(payload)):
            if self.server.stub.stopped.wait(pause_s):
                return
            self._send(payload[place : place + 1])

    def _send(self, piece: bytes) -> None:
        self.wfile.write(piece)
        self.server.stub.sent += len(piece)


def _head(response: Response, length: int) -> bytes:
    kind = "application/json" if response.json is not None else "text/plain; charset=utf-8"
    usual = {"content-type": kind, "content-length": str(length * response.times), "connection": "close"}
    headers = usual | {name.lower(): value for name, value in response.headers.items()}
    lines = [f"HTTP/1.1 {response.status} Stub", *(f"{name}: {value}" for name, value in headers.items() if value)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
