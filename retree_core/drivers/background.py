"""A live run on a thread of its own, for a user interface that looks in now and then."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from retree_core.drivers.live import Gate
from retree_core.drivers.pausing import Pausing
from retree_core.errors import ReTreeError, fault
from retree_core.secrets import redact
from retree_core.trace.reader import Trace


class Work(Protocol):
    """What makes the run: `start_run`, `resume_run` or `fork`, with all but the gate given (`functools.partial`)."""

    def __call__(self, *, gate: Gate) -> Coroutine[Any, Any, Trace]: ...


class Background:
    """Work on a thread of its own; safe to ask from another thread."""

    error = ""
    """One line for a person; empty while all is well."""

    def begin(self, work: Coroutine[Any, Any, object], name: str) -> None:
        """Starts the work on a thread of that name."""
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(work)
        self._thread = threading.Thread(target=self._run, daemon=True, name=name)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            pass  # stopped by a person, which is no error
        except (ReTreeError, OSError) as error:
            self.error = redact(str(error))
        except Exception as error:  # noqa: BLE001  (on a thread, nobody else would say it)
            self.error = redact(fault(error))
        finally:
            self._loop.close()

    @property
    def finished(self) -> bool:
        """It has ended, was stopped, or failed."""
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Ends it where it waits next: a run after the record being written, so that it can be resumed."""
        with suppress(RuntimeError):  # it has just ended
            self._loop.call_soon_threadsafe(self._task.cancel)

    def join(self, timeout_s: float | None = None) -> None:
        """Waits for the end, at most `timeout_s` seconds."""
        self._thread.join(timeout_s)


class LiveRun(Pausing, Background):
    """A run being made."""

    def __init__(self, path: Path, work: Work, breakpoints: Sequence[str] = ()) -> None:
        """Starts the work, which writes its trace to `path`. Raises UsageError where a breakpoint makes no sense."""
        super().__init__(breakpoints)
        self.path = path
        self.begin(work(gate=self), "retree-run")
