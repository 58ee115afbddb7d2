"""Results folders on disk: one process at a time, and files that are whole or as they were."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from retree_core.errors import UsageError


@contextlib.contextmanager
def alone(file: Path, what: str) -> Iterator[None]:
    """Holds the lock `file`; raises UsageError where another process holds it. A killed process lets it go.

    `what` says what the other one is doing. Where the system has no such locks, nothing is checked.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"{file.parent}: another process is {what}; wait for it, or stop it first") from None
        yield


def put(path: Path, data: bytes) -> None:
    """Writes the file whole, or leaves what was there; of several writers at once one is the last."""
    draft = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
