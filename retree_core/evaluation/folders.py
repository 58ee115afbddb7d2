"""Results folders on disk: one process at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from retree_core.errors import UsageError
from retree_core.files import locked


@contextlib.contextmanager
def alone(file: Path, what: str) -> Iterator[None]:
    """Holds the lock `file`; raises UsageError where another process holds it. A killed process lets it go.

    `what` says what the other one is doing.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as held:
        if not locked(held):
            raise UsageError(f"{file.parent}: another process is {what}; wait for it, or stop it first")
        yield
