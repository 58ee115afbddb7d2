"""Results folders on disk: one process at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from retree_core.errors import UsageError
from retree_core.files import locked


@contextlib.contextmanager
def alone(file: Path, what: str) -> Iterator[None]:
    """Holds the lock `file`; raises UsageError where another process holds it. A killed process lets it go.

    `what` says what the other one is doing. Where nothing but the lock came into its folder, the lock is removed
    again, and so are the folders that were made for it.
    """
    made = [one for one in (file.parent, *file.parent.parents) if not one.exists()]
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as held:
        if not locked(held) or not os.fstat(held.fileno()).st_nlink:  # a file that was just removed locks nobody out
            raise UsageError(f"{file.parent}: another process is {what}; wait for it, or stop it first")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                _remove(made, file)


def _remove(made: list[Path], file: Path) -> None:
    """Raises OSError at the first folder that holds anything besides the lock."""
    if list(file.parent.iterdir()) == [file]:
        file.unlink()
    for one in made:
        one.rmdir()
