"""The one place that talks to a model server, through the openai SDK with its own retries switched off."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

import openai

from retree_core.calls import Answered, CallFailed, FailureKind, ModelCall, ModelReply
from retree_core.errors import BackendError, UsageError
from retree_core.llm import strict_json
from retree_core.llm.address import DEFAULT_BASE_URL, checked_key, endpoint, without_secrets
from retree_core.llm.failures import describe, error_text, is_worth_retrying, kind_of, one_line, root_cause
from retree_core.llm.preflight import ServerInfo, no_endpoint, no_server, server_info
from retree_core.llm.retrying import Clock, Patience, Sleep, TryFailed, retry_after_s, with_retries
from retree_core.secrets import known

DEFAULT_TIMEOUT_S = 600.0
"""One call with all its tries; a 1.5B model on a busy CPU takes minutes."""
PREFLIGHT_TIMEOUT_S = 30.0


class ModelClient:
    """An OpenAI-compatible chat endpoint. Use one client in one event loop; calls may run side by side."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
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

        `total_timeout_s` bounds one call with all its tries and pauses, `read_timeout_s` (default half of it)
        the wait for an answer; `jitter` returns 0 to 1.
        """
        url = endpoint(base_url)
        key = checked_key(api_key)
        known(key)
        self.base_url = without_secrets(url)
        """The address as it may be shown."""
        self._wall_clock = wall_clock
        self._patience = Patience(
            whom=f"model server {self.base_url}",
            attempts=attempts,
            total_timeout_s=total_timeout_s,
            clock=clock,
            sleep=sleep,
            jitter=jitter,
        )
        self._timeout = openai.Timeout(read_timeout_s or total_timeout_s / 2, connect=connect_timeout_s)
        self._sdk = openai.AsyncOpenAI(
            base_url=url,
            api_key=key,
            max_retries=0,
            timeout=self._timeout,
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False, timeout=self._timeout),
        )

    async def complete(self, call: ModelCall) -> Answered:
        """Send `call.body` exactly as it is and return the whole response body, or why there is none."""
        body = dict(call.body)
        if unfit := self._unfit(body):
            return Answered(reply=CallFailed(failure=unfit.failure, message=unfit.message), seconds=0.0)
        return await with_retries(lambda left_s: self._try(body, left_s), self._patience)

    async def preflight(self, model: str) -> ServerInfo:
        """Return what the server says about itself, before any question is asked.

        Raises `BackendError` with one line: server down, key refused, model not served, no such endpoint.
        A server without a model list is accepted, with no models named.
        """
        limit_s = min(PREFLIGHT_TIMEOUT_S, self._patience.total_timeout_s)
        try:
            answer = await asyncio.wait_for(self._sdk.models.with_raw_response.list(), limit_s)
        except openai.APIStatusError as error:
            html = "html" in error.response.headers.get("content-type", "")
            if error.status_code in (404, 405) and not html:
                return ServerInfo(base_url=self.base_url)
            failed = self._refused(error)
            raise BackendError(no_endpoint(self.base_url) if html else failed.message) from None
        except (openai.APITimeoutError, asyncio.TimeoutError):
            raise BackendError(no_server(self.base_url, "no answer in time")) from None
        except openai.APIConnectionError as error:
            raise BackendError(no_server(self.base_url, root_cause(error))) from None
        return server_info(self.base_url, model, answer.content, answer.headers.get("server"))

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()

    async def _try(self, body: dict[str, Any], left_s: float) -> ModelReply | TryFailed:
        request = self._sdk.post("/chat/completions", cast_to=bytes, body=body)
        try:
            data = await asyncio.wait_for(request, left_s)
        except openai.APIStatusError as error:
            return self._refused(error)
        except (openai.APIConnectionError, asyncio.TimeoutError) as error:
            return self._unreachable(error)
        return self._read(data)

    def _unfit(self, body: dict[str, Any]) -> TryFailed | None:
        """Return why a body is not worth sending."""
        if any(isinstance(body.get(name), int) and body[name] < 1 for name in ("max_tokens", "max_completion_tokens")):
            return self._failed("context_overflow", "not sent, max_tokens would be below 1")
        try:
            json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            return self._failed("bad_request", f"not sent, no server can read it as JSON: {error}")
        return None

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

    def _refused(self, error: openai.APIStatusError) -> TryFailed:
        status, headers = error.status_code, error.response.headers
        body = _error_body(error.response.text)
        kind = kind_of(status, body)
        target = f" to {without_secrets(headers['location'])}" if 300 <= status < 400 and "location" in headers else ""
        return self._failed(
            kind,
            f"answered {status}{target}: {error_text(body) or error.response.reason_phrase}",
            retry=is_worth_retrying(kind, status, body),
            retry_after=retry_after_s(headers.get("retry-after"), self._wall_clock()) if status in (429, 503) else None,
        )

    def _unreachable(self, error: BaseException) -> TryFailed:
        cause = error.__cause__
        if isinstance(error, openai.APITimeoutError) and type(cause).__name__ == "ConnectTimeout":
            return self._failed("timeout", f"no connection within {self._timeout.connect:g} s", retry=True)
        if isinstance(error, (openai.APITimeoutError, asyncio.TimeoutError)):
            limit_s = min(self._timeout.read or float("inf"), self._patience.total_timeout_s)
            return self._failed("timeout", f"no answer within {limit_s:g} s", retry=True)
        return self._failed("connection", f"no connection: {root_cause(error)}", retry=True)

    def _failed(
        self, kind: FailureKind, what: str, *, retry: bool = False, retry_after: float | None = None
    ) -> TryFailed:
        message = describe(self._patience.whom, kind, what)
        return TryFailed(failure=kind, message=message, retry=retry, retry_after_s=retry_after)


def from_environment(base_url: str | None = None, *, env: Mapping[str, str] | None = None) -> ModelClient:
    """Return a client for RETREE_BASE_URL (default SGLang on localhost:30000) with RETREE_API_KEY.

    `base_url` wins over the environment. RETREE_TIMEOUT_S is the total time of one call, seconds.
    Raises `UsageError` for an address that is not http or https, and for a time that is none.
    """
    values = os.environ if env is None else env
    return ModelClient(
        base_url or values.get("RETREE_BASE_URL") or DEFAULT_BASE_URL,
        values.get("RETREE_API_KEY") or "EMPTY",
        total_timeout_s=_seconds(values.get("RETREE_TIMEOUT_S") or str(DEFAULT_TIMEOUT_S)),
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"RETREE_TIMEOUT_S is {text[:40]!r}, expected a number of seconds above 0")
    return seconds


def _error_body(text: str) -> Any:
    try:
        return strict_json.loads(text)
    except ValueError:
        return one_line(text)
