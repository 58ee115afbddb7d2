"""A clock that only moves when someone sleeps."""

from __future__ import annotations

import asyncio


class FakeClock:
    """`clock()` reads it, `await clock.sleep(s)` moves it and lets others run; `slept` holds every pause."""

    def __init__(self, start: float = 1_000.0) -> None:
        self.now = start
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        due = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, due)
