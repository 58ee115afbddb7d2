"""Files that are written whole or not at all, by one process at a time."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import IO, Any


def put(path: Path, data: bytes) -> None:
    """Writes the file whole, or leaves what was there; of several writers at once one is the last."""
    draft = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def put_all(file: IO[bytes], data: bytes) -> None:
    """Writes all of the data to an unbuffered file, which may take less at a time."""
    written = 0
    while written < len(data):
        written += file.write(data[written:])


def locked(file: IO[Any]) -> bool:
    """Takes the lock of an open file, until it is closed or the process ends; False where another process holds it.

    Where the system has no such locks, nothing is checked.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
