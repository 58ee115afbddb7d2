"""The one place that talks to a model server: chat completions over HTTP, with retries that the record shows."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from pydantic_core import PydanticSerializationError, to_json

from retree_core.calls import Answered, CallFailed, FailureKind, ModelCall, ModelReply
from retree_core.errors import BackendError, UsageError
from retree_core.llm import strict_json
from retree_core.llm.address import (
    AGENTS,
    DEFAULT_BASE_URL,
    Naming,
    checked_key,
    endpoint,
    shown_address,
    without_secrets,
)
from retree_core.llm.failures import describe, error_text, is_worth_retrying, kind_of, one_line, root_cause
from retree_core.llm.preflight import ServerInfo, no_endpoint, no_server, server_info
from retree_core.llm.retrying import Clock, Patience, Sleep, TryFailed, retry_after_s, with_retries
from retree_core.secrets import LOGGERS, known, known_in, redact_logs_of

DEFAULT_TIMEOUT_S = 600.0
"""One call with all its tries; a 1.5B model on a busy CPU takes minutes."""
PREFLIGHT_TIMEOUT_S = 30.0
_LIMITS = ("max_tokens", "max_completion_tokens")
MOST_BYTES = 10_000_000
"""Of one answer, unpacked; a long reply takes a hundredth of it."""


class BodyTooLarge(Exception):
    """A body went beyond its bound; nothing of it is kept."""


class ModelClient:
    """An OpenAI-compatible chat endpoint. Use one client in one event loop; calls may run side by side."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        naming: Naming = AGENTS,
        connect_timeout_s: float = 10.0,
        read_timeout_s: float | None = None,
        total_timeout_s: float = DEFAULT_TIMEOUT_S,
        attempts: int = 4,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        wall_clock: Clock = time.time,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Open no connection yet. Raises `UsageError` for an address or key that cannot be used.

        `naming` is how messages call address, key and model. `total_timeout_s` bounds one call with all its tries
        and pauses, `read_timeout_s` (default half of it) the wait for an answer; `jitter` returns 0 to 1.
        """
        url = endpoint(base_url, naming.url)
        key = checked_key(api_key, naming.key)
        known(key)
        known_in(base_url)
        redact_logs_of(*LOGGERS)
        self.base_url = without_secrets(url)
        """The address as it may be shown."""
        self._naming = naming
        self._wall_clock = wall_clock
        self._patience = Patience(
            whom=f"model server {self.base_url}",
            attempts=attempts,
            total_timeout_s=total_timeout_s,
            clock=clock,
            sleep=sleep,
            jitter=jitter,
        )
        self._connect_s = connect_timeout_s
        self._read_s = read_timeout_s or total_timeout_s / 2
        self._headers = {"authorization": _authorization(url, key), "content-type": "application/json"}
        self._proxy = _proxy(url)
        self._opened: aiohttp.ClientSession | None = None

    async def complete(self, call: ModelCall) -> Answered:
        """Send `call.body` exactly as it is and return the whole response body, or why there is none."""
        try:
            data = to_json(call.body)
        except PydanticSerializationError as error:
            unfit = self._failed("bad_request", f"not sent, no server can read it as JSON: {error}")
            return Answered(reply=CallFailed(failure=unfit.failure, message=unfit.message), seconds=0.0)
        if any(isinstance(call.body.get(name), int) and call.body[name] < 1 for name in _LIMITS):
            unfit = self._failed("context_overflow", "not sent, max_tokens would be below 1")
            return Answered(reply=CallFailed(failure=unfit.failure, message=unfit.message), seconds=0.0)
        return await with_retries(lambda left_s: self._try(data, left_s), self._patience)

    async def preflight(self, model: str) -> ServerInfo:
        """Return what the server says about itself, before any question is asked.

        Raises `BackendError` with one line: server down, key refused, model not served, no such endpoint.
        A server without a model list is accepted, with no models named.
        """
        limit_s = min(PREFLIGHT_TIMEOUT_S, self._patience.total_timeout_s)
        try:
            response, body = await self._exchange("GET", "/models", None, limit_s)
        except asyncio.TimeoutError:
            raise BackendError(no_server(self.base_url, "no answer in time", self._naming)) from None
        except (aiohttp.ClientError, OSError) as error:
            raise BackendError(no_server(self.base_url, _cause(error), self._naming)) from None
        except BodyTooLarge:
            raise BackendError(no_endpoint(self.base_url, self._naming)) from None
        if response.status < 300:
            return server_info(self.base_url, model, body, response.headers.get("server"), self._naming)
        html = "html" in response.headers.get("content-type", "")
        if response.status in (404, 405) and not html:
            return ServerInfo(base_url=self.base_url)
        refused = no_endpoint(self.base_url, self._naming) if html else self._refused(response, body).message
        raise BackendError(refused)

    async def close(self) -> None:
        """Close the connections."""
        if self._opened:
            await self._opened.close()

    def _session(self) -> aiohttp.ClientSession:
        """Opened by the first request, since it belongs to the event loop that is running then."""
        if self._opened is None:
            self._opened = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=self._headers,
                proxy=self._proxy,
            )
        return self._opened

    async def _exchange(
        self, method: str, path: str, data: bytes | None, left_s: float
    ) -> tuple[aiohttp.ClientResponse, bytes]:
        """One request and the whole body of its answer. Raises BodyTooLarge, and what aiohttp raises."""
        limits = aiohttp.ClientTimeout(total=left_s, sock_connect=self._connect_s, sock_read=self._read_s)
        asked = self._session().request(method, self.base_url + path, data=data, timeout=limits, allow_redirects=False)
        async with asked as response:
            body = bytearray()
            async for part in response.content.iter_any():
                body += part
                if len(body) > MOST_BYTES:
                    raise BodyTooLarge(f"sent more than {MOST_BYTES:,} bytes")
            return response, bytes(body)

    async def _try(self, data: bytes, left_s: float) -> ModelReply | TryFailed:
        try:
            response, body = await self._exchange("POST", "/chat/completions", data, left_s)
        except (aiohttp.ClientError, asyncio.TimeoutError, OSError) as error:
            return self._unreachable(error)
        except BodyTooLarge as error:
            return self._failed("bad_envelope", str(error))
        return self._read(body) if response.status < 300 else self._refused(response, body)

    def _read(self, data: bytes) -> ModelReply | TryFailed:
        try:
            raw = strict_json.loads(data)
        except ValueError as error:
            html = data.lstrip()[:1] == b"<"
            what = "an HTML page" if html else f"a body that is not JSON: {error}" if data.strip() else "an empty body"
            return self._failed("bad_envelope", f"answered 200 with {what}", retry=not html)
        if not isinstance(raw, dict):
            return self._failed("bad_envelope", f"answered 200 with a JSON {type(raw).__name__}, expected an object")
        return ModelReply(raw=raw)

    def _refused(self, response: aiohttp.ClientResponse, data: bytes) -> TryFailed:
        status, headers = response.status, response.headers
        body = _error_body(data.decode(errors="replace"))
        kind = kind_of(status, body)
        target = f" to {shown_address(headers['location'])}" if 300 <= status < 400 and "location" in headers else ""
        return self._failed(
            kind,
            f"answered {status}{target}: {error_text(body) or response.reason}",
            retry=is_worth_retrying(kind, status, body),
            retry_after=retry_after_s(headers.get("retry-after"), self._wall_clock()) if status in (429, 503) else None,
        )

    def _unreachable(self, error: BaseException) -> TryFailed:
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return self._failed("timeout", f"no connection within {self._connect_s:g} s", retry=True)
        if isinstance(error, asyncio.TimeoutError):
            limit_s = min(self._read_s, self._patience.total_timeout_s)
            return self._failed("timeout", f"no answer within {limit_s:g} s", retry=True)
        return self._failed("connection", f"no connection: {_cause(error)}", retry=True)

    def _failed(
        self, kind: FailureKind, what: str, *, retry: bool = False, retry_after: float | None = None
    ) -> TryFailed:
        message = describe(self._patience.whom, kind, what, self._naming)
        return TryFailed(failure=kind, message=message, retry=retry, retry_after_s=retry_after)


def from_environment(
    base_url: str | None = None, *, env: Mapping[str, str] | None = None, naming: Naming = AGENTS
) -> ModelClient:
    """Return a client for RETREE_BASE_URL (default SGLang on localhost:30000) with RETREE_API_KEY.

    `base_url` wins over the environment. RETREE_TIMEOUT_S is the total time of one call, seconds. `naming` is how
    messages call address, key and model.
    Raises `UsageError` for an address that is not http or https, and for a time that is none.
    """
    values = os.environ if env is None else env
    return ModelClient(
        base_url or values.get("RETREE_BASE_URL") or DEFAULT_BASE_URL,
        values.get("RETREE_API_KEY") or "EMPTY",
        naming=naming,
        total_timeout_s=_seconds(values.get("RETREE_TIMEOUT_S") or str(DEFAULT_TIMEOUT_S)),
    )


def _cause(error: BaseException) -> str:
    """Why there is no answer; never in the words of aiohttp's parser, which quote it in pieces, perhaps half a key."""
    if isinstance(error.__cause__, aiohttp.http_exceptions.HttpProcessingError):
        broken = isinstance(error, aiohttp.ClientPayloadError)
        return "the answer broke off" if broken else "the answer is not HTTP that can be read"
    return root_cause(error)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"RETREE_TIMEOUT_S is {one_line(text, 40)!r}, expected a number of seconds above 0")
    return seconds


def _authorization(url: str, key: str) -> str:
    """The key, or the user and password that the address names."""
    parts = urlsplit(url)
    if parts.username is None:
        return f"Bearer {key}"
    return aiohttp.encode_basic_auth(unquote(parts.username), unquote(parts.password or ""))


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for this address."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


def _error_body(text: str) -> Any:
    try:
        return strict_json.loads(text)
    except ValueError:
        return one_line(text)
