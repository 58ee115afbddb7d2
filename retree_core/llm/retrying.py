"""Try a request again where that can help: bounded in number and time, polite to the server."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from retree_core.calls import Answered, Attempt, CallFailed, FailureKind, ModelReply, SearchReply

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]

_FIRST_PAUSE_S = 0.5
_LONGEST_BACKOFF_S = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TryFailed:
    """One try that got no usable reply."""

    failure: FailureKind
    message: str
    retry: bool = False
    """Whether the same request may succeed later."""
    retry_after_s: float | None = None
    """Pause that the server asked for, seconds."""
    most_tries: int | None = None
    """Tries after which this failure is final, if fewer than usual."""


@dataclass(slots=True, kw_only=True)
class Patience:
    """How long and how often to try, and the pause that all requests of one client share."""

    whom: str
    """The server, as messages name it."""
    attempts: int
    total_timeout_s: float
    """From first try to the end of the last, pauses included, seconds."""
    longest_pause_s: float = 60.0
    """Cap on what a server may ask for, seconds."""
    clock: Clock = time.monotonic
    sleep: Sleep = asyncio.sleep
    jitter: Callable[[], float] = random.random
    """A number from 0 to 1."""
    paused_until: float = field(default=float("-inf"), init=False)
    """Reading of `clock` before which no request of this client starts."""

    def pause_after(self, failed: TryFailed, tries: int) -> float:
        """Return the seconds to wait before the next try; a stated pause is kept and shared."""
        if failed.retry_after_s is not None:
            pause = min(failed.retry_after_s, self.longest_pause_s)
            self.paused_until = max(self.paused_until, self.clock() + pause)
            return pause + self.jitter() * min(1.0, pause / 4)
        backoff: float = min(_LONGEST_BACKOFF_S, _FIRST_PAUSE_S * 2 ** (tries - 1))
        return backoff * (0.5 + self.jitter() / 2)


async def with_retries(
    try_once: Callable[[float], Awaitable[ModelReply | SearchReply | TryFailed]], patience: Patience
) -> Answered:
    """Return the first usable reply, or the last failure once another try is pointless or too late.

    `try_once` gets the seconds left and must return within them. `failed_attempts` holds the tries that
    were followed by another, so the number of requests is one more.
    """
    started = patience.clock()
    deadline = started + patience.total_timeout_s
    attempts: list[Attempt] = []
    while True:
        outcome = await _one_try(try_once, patience, deadline)
        if not isinstance(outcome, TryFailed):
            return _answered(outcome, started, attempts, patience)
        tries = len(attempts) + 1
        pause = patience.pause_after(outcome, tries)
        last = tries >= min(patience.attempts, outcome.most_tries or patience.attempts)
        if last or not outcome.retry or patience.clock() + pause >= deadline:
            return _answered(_final(outcome, tries), started, attempts, patience)
        await patience.sleep(pause)
        attempts.append(Attempt(failure=outcome.failure, message=outcome.message, waited_s=pause))


async def _one_try(
    try_once: Callable[[float], Awaitable[ModelReply | SearchReply | TryFailed]], patience: Patience, deadline: float
) -> ModelReply | SearchReply | TryFailed:
    while (now := patience.clock()) < patience.paused_until:
        if patience.paused_until >= deadline:
            return TryFailed(failure="rate_limited", message=f"{patience.whom} asked for a pause beyond the time limit")
        await patience.sleep(patience.paused_until - now + patience.jitter() / 2)
    return await try_once(max(0.0, deadline - now))


def _final(failed: TryFailed, tries: int) -> CallFailed:
    message = failed.message if tries == 1 else f"{failed.message} (tried {tries} times)"
    return CallFailed(failure=failed.failure, message=message)


def _answered(
    reply: ModelReply | SearchReply | CallFailed, started: float, attempts: list[Attempt], patience: Patience
) -> Answered:
    return Answered(reply=reply, seconds=patience.clock() - started, failed_attempts=tuple(attempts))


def retry_after_s(header: str | None, now: float) -> float | None:
    """Return the seconds that a Retry-After header asks for, from a number or an HTTP date; None if unreadable.

    `now` is the time in seconds since the epoch.

    >>> retry_after_s("2", now=0.0)
    2.0
    >>> retry_after_s("Thu, 01 Jan 1970 00:00:30 GMT", now=10.0)
    20.0
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        seconds = _date_s(header) - now
    return max(0.0, seconds) if seconds == seconds else None


def _date_s(header: str) -> float:
    try:
        return parsedate_to_datetime(header).timestamp()
    except (TypeError, ValueError, OverflowError):
        return float("nan")
