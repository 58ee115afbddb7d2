"""A gate that a person opens and closes from another thread, and that breakpoints close."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence

from retree_core.breakpoints import Breakpoint
from retree_core.drivers.live import Coming

ASKED = "as asked"
STEPPED = "after one step"


class Pausing:
    """The gate of one live run. Nothing of it enters the trace."""

    def __init__(self, breakpoints: Sequence[str] = ()) -> None:
        """Raises UsageError where a breakpoint makes no sense."""
        self.paused = ""
        """Before which call the run waits, and why; empty while it goes on."""
        self._lock = threading.Lock()
        self._next = ""
        """Why to wait before the next call, whatever it is."""
        self._held: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self.set_breakpoints(breakpoints)

    async def __call__(self, coming: Coming) -> None:
        """Returns when the call may be made."""
        opened = asyncio.Event()
        with self._lock:
            why = self._why(coming)
            self._next = ""
            if not why:
                return
            self._held = asyncio.get_running_loop(), opened
            self.paused = f"paused before {coming.name}: {why}"
        try:
            await opened.wait()
        finally:
            with self._lock:
                self._held, self.paused = None, ""

    def set_breakpoints(self, texts: Sequence[str]) -> None:
        """The breakpoints from now on. Raises UsageError, and then the former ones stay."""
        self._breakpoints = tuple(Breakpoint.parse(one) for one in texts)

    @property
    def pausing(self) -> bool:
        """Whether the run will wait before its next call, which it has not reached yet."""
        return bool(self._next) and not self.paused

    def pause(self) -> None:
        """Wait before the next call."""
        with self._lock:
            if self._held is None:
                self._next = ASKED

    def go_on(self) -> None:
        """Go on to the next breakpoint."""
        self._open("")

    def step(self) -> None:
        """Make the call that is waited for, and wait before the one after it."""
        self._open(STEPPED)

    def _open(self, then: str) -> None:
        with self._lock:
            self._next = then
            if self._held is not None:  # the lock keeps the run from ending, and its loop from closing, meanwhile
                loop, opened = self._held
                loop.call_soon_threadsafe(opened.set)

    def _why(self, coming: Coming) -> str:
        """Why to wait; empty where there is no reason."""
        found = next(self._hits(coming), None)
        return f"breakpoint {found.text}" if found else self._next

    def _hits(self, coming: Coming) -> Iterator[Breakpoint]:
        for one in self._breakpoints:
            before = any(one.stops_before(call, coming.state) for call in coming.calls)
            if before or any(one.stops_at(*happened) for happened in coming.events):
                yield one
