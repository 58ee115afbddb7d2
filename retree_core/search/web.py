"""Ask a web search provider: one request, bounded in time and size, every failure under its own name."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from retree_core.calls import Answered, CallFailed, FailureKind, SearchReply
from retree_core.llm import strict_json
from retree_core.llm.address import shown_address
from retree_core.llm.failures import error_code, error_text, one_line, root_cause
from retree_core.llm.retrying import Clock, Patience, Sleep, TryFailed, retry_after_s, with_retries
from retree_core.secrets import LOGGERS, redact_json, redact_logs_of

MOST_BYTES = 5_000_000

_BAD_KEY = re.compile(
    r"api[ _]?key|unauthori[sz]ed|invalid (?:token|credentials)|accessNotConfigured|SERVICE_DISABLED", re.IGNORECASE
)
_QUOTA = re.compile(
    r"quota|(?:daily|rate|usage|plan|monthly) ?limit|limit ?exceeded|credits?\b|billing|RESOURCE_EXHAUSTED",
    re.IGNORECASE,
)
_SPENT = re.compile(r"per day|daily|credits?\b|billing|monthly|plan limit|run out", re.IGNORECASE)

Reader = Callable[[Mapping[str, Any]], "SearchReply | TryFailed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Limits of one search, and the clocks to keep them by."""

    connect_timeout_s: float = 5.0
    read_timeout_s: float = 20.0
    total_timeout_s: float = 60.0
    """With all tries and pauses."""
    attempts: int = 3
    clock: Clock = time.monotonic
    sleep: Sleep = asyncio.sleep
    wall_clock: Clock = time.time
    jitter: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What goes to the provider."""

    method: str
    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None


class WebSearch:
    """The part that all providers share. Use one in one event loop."""

    def __init__(
        self,
        provider: str,
        timing: Timing | None = None,
        *,
        keyed: bool = True,
        advice: Mapping[int, str] | None = None,
    ) -> None:
        """`provider` names the service in messages; `advice` explains single statuses of it.

        `keyed`: the service wants a key, so that 403 means a wrong one.
        """
        self._keyed = keyed
        self._advice = advice or {}
        self._timing = timing or Timing()
        redact_logs_of(*LOGGERS)
        self._patience = Patience(
            whom=provider,
            attempts=self._timing.attempts,
            total_timeout_s=self._timing.total_timeout_s,
            longest_pause_s=20.0,
            clock=self._timing.clock,
            sleep=self._timing.sleep,
            jitter=self._timing.jitter,
        )
        limits = httpx.Timeout(self._timing.read_timeout_s, connect=self._timing.connect_timeout_s)
        self._http = httpx.AsyncClient(timeout=limits, follow_redirects=False)

    async def ask(self, request: Request, read: Reader) -> Answered:
        """Send `request`; `read` makes hits of the JSON object that comes back."""
        answered = await with_retries(lambda left_s: self._try(request, read, left_s), self._patience)
        reply = answered.reply
        return replace(answered, reply=_as_search_failure(reply)) if isinstance(reply, CallFailed) else answered

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def refused(self, status: int, body: Any, retry_after: float | None = None) -> TryFailed:
        """Return the failure that an error status or an error body means."""
        kind = _kind_of(status, body, self._keyed)
        words = error_text(body)
        advice = self._advice.get(status, "") if status != 200 else ""
        what = "; ".join(filter(None, (one_line(words), advice))) or "no message"
        return self.failed(
            kind,
            f"answered {status}: {what}",
            retry=kind == "server_error" or (status == 429 and not _SPENT.search(f"{error_code(body)} {words}")),
            retry_after=retry_after,
        )

    def failed(
        self,
        kind: FailureKind,
        what: str,
        *,
        retry: bool = False,
        retry_after: float | None = None,
        most_tries: int | None = None,
    ) -> TryFailed:
        """Return a failure of one try, in a line that names the provider."""
        return TryFailed(
            failure=kind,
            message=f"{self._patience.whom} {what}",
            retry=retry,
            retry_after_s=retry_after,
            most_tries=most_tries,
        )

    async def _try(self, request: Request, read: Reader, left_s: float) -> SearchReply | TryFailed:
        try:
            response, data = await asyncio.wait_for(self._fetched(request), left_s)
        except (httpx.TimeoutException, asyncio.TimeoutError):
            return self.failed("timeout", "did not answer in time", retry=True)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return self.failed("connection", f"cannot be reached: {one_line(_cause(error))}", retry=True)
        if data is None:
            return self.failed("bad_envelope", f"sent more than {MOST_BYTES:,} bytes")
        if response.status_code != 200:
            return self._error(response, data)
        return self._read(data, read)

    async def _fetched(self, request: Request) -> tuple[httpx.Response, bytes | None]:
        """Return the response and its body, None in place of a body beyond the size limit."""
        sending = self._http.stream(
            request.method, request.url, params=request.params, headers=request.headers, json=request.json
        )
        async with sending as response:
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > MOST_BYTES:
                    return response, None
        return response, bytes(data)

    def _error(self, response: httpx.Response, data: bytes) -> TryFailed:
        status = response.status_code
        if 300 <= status < 400:
            target = shown_address(response.headers.get("location", "elsewhere"))
            return self.failed("bad_request", f"redirects to {one_line(target)}, which is not followed")
        try:
            body = strict_json.loads(data)
        except ValueError:
            body = None
        wait = retry_after_s(response.headers.get("retry-after"), self._timing.wall_clock())
        return self.refused(status, body, wait if status in (429, 503) else None)

    def _read(self, data: bytes, read: Reader) -> SearchReply | TryFailed:
        if not data.strip():
            return self.failed("bad_envelope", "answered 200 with an empty body", retry=True, most_tries=2)
        try:
            raw = strict_json.loads(data)
        except ValueError as error:
            page = data.lstrip()[:1] == b"<"
            hint = f"; {self._advice[200]}" if 200 in self._advice else ""
            what = f"an HTML page instead of JSON{hint}" if page else f"a body that is not JSON: {error}"
            return self.failed("bad_envelope", f"answered 200 with {what}", retry=not page, most_tries=2)
        if not isinstance(raw, dict):
            return self.failed("bad_envelope", f"answered 200 with a JSON {type(raw).__name__}, expected an object")
        reply = read(raw)
        return replace(reply, raw=redact_json(raw)) if isinstance(reply, SearchReply) else reply


def _cause(error: BaseException) -> str:
    """Why there is no answer; never in httpx's words about an address, which quote it in pieces, perhaps half a key."""
    unreadable = isinstance(error, httpx.InvalidURL) or isinstance(error.__context__, httpx.InvalidURL)
    return "an address that cannot be read" if unreadable else root_cause(error)


def _kind_of(status: int, body: Any, keyed: bool) -> FailureKind:
    words = f"{error_code(body)} {_reasons(body)} {error_text(body)}"
    if status in (402, 429, 432, 433) or (status in (200, 400, 403) and _QUOTA.search(words)):
        return "search_quota"
    if status == 401 or (status == 403 and keyed) or (status in (200, 400, 403) and _BAD_KEY.search(words)):
        return "unauthorized"
    return "server_error" if status >= 500 or status in (408, 425) else "search_error"


def _reasons(body: Any) -> str:
    """Return the `reason` fields of a Google error in one string."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return ""
    listed = [each for name in ("errors", "details") for each in error.get(name) or () if isinstance(each, Mapping)]
    return " ".join(str(each.get("reason", "")) for each in listed)


def _as_search_failure(failed: CallFailed) -> CallFailed:
    if failed.failure in ("search_quota", "search_error", "unauthorized"):
        return failed
    kind: FailureKind = "search_quota" if failed.failure == "rate_limited" else "search_error"
    return replace(failed, failure=kind)
