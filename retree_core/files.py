"""Files that are written whole or not at all, by one process at a time."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE
from typing import IO, Any


def put(path: Path, data: bytes) -> None:
    """Writes the file whole, or leaves what was there; of several writers at once one is the last."""
    draft, file = new_draft(path)
    try:
        with file:
            put_all(file, data)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def new_draft(path: Path) -> tuple[Path, IO[bytes]]:
    """A new file beside the one at `path`, open and unbuffered, which is to take its place; it has its permissions.

    No link is followed to it. Raises OSError where it cannot be made.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    draft.unlink(missing_ok=True)  # of a process that was killed
    mode = S_IMODE(path.stat().st_mode) if path.exists() else None
    careful = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    file = open(os.open(draft, careful, 0o666 if mode is None else mode), "wb", buffering=0)  # noqa: SIM115
    if mode is not None:
        with suppress(OSError):  # a file system without permissions
            draft.chmod(mode)
    return draft, file


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
