"""A live run on a thread of its own, for a user interface that looks in now and then."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from retree_core.drivers.session import Job, start_run
from retree_core.errors import ReTreeError
from retree_core.settings import Settings
from retree_core.trace.reader import Trace, read_trace


class LiveRun:
    """A run being made; safe to ask from another thread."""

    def __init__(self, job: Job) -> None:
        self.path = job.out
        self.error = ""
        """One line for a person; empty while all is well."""
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[Trace] | None = None
        self._thread = threading.Thread(target=self._run, args=(job,), daemon=True, name="retree-run")
        self._thread.start()

    def _run(self, job: Job) -> None:
        try:
            self._task = self._loop.create_task(start_run(job))
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            pass  # stopped by a person, which is no error
        except (ReTreeError, OSError) as error:
            self.error = str(error)
        finally:
            self._loop.close()

    @property
    def finished(self) -> bool:
        """The run has ended, was stopped, or failed."""
        return not self._thread.is_alive()

    def trace(self) -> Trace | None:
        """What is on disk so far; None before the header is."""
        try:
            return read_trace(self.path)
        except ReTreeError:
            return None

    def stop(self) -> None:
        """Ends the run after the record being written; it can be resumed."""
        if self._task and not self.finished:
            self._loop.call_soon_threadsafe(self._task.cancel)

    def join(self, timeout_s: float | None = None) -> None:
        """Waits for the end, at most `timeout_s` seconds."""
        self._thread.join(timeout_s)


def start_in_thread(question: str, settings: Settings, *, search_spec: str, out: Path) -> LiveRun:
    """A live run, started; its trace grows at `out`."""
    return LiveRun(Job(question=question, settings=settings, search_spec=search_spec, out=out))
