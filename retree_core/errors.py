"""Every error this package raises on purpose.

::

    ReTreeError              message says what, where, what was expected, what to do
    ├── UsageError           a wrong argument, setting or environment variable   (exit code 2)
    ├── InputError           a file that cannot be read as what it should be     (exit code 2)
    ├── BackendError         a model server or search provider refused service   (exit code 1)
    ├── ReplayMismatch       a re-run departs from its record                    (exit code 1)
    └── ModelNeeded          an offline fork ran past what the record can answer (exit code 1)
"""

from __future__ import annotations

from retree_core.secrets import redact
from retree_core.terminal import printable

LONGEST = 1200
"""Characters of a message; in a longer one, such as quotes a giant id, the middle is left out."""


class ReTreeError(Exception):
    """Base of the tree. `str(error)` is one line fit for a user: what it quotes from a file acts on no terminal.

    >>> str(InputError("a\\nb\\x1b[2J: no trace"))
    'a↵b␛[2J: no trace'
    """

    exit_code = 1

    def __str__(self) -> str:
        words = printable(redact(super().__str__()))
        half = LONGEST // 2
        return words if len(words) <= LONGEST else f"{words[:half]} … {words[-half:]}"


class UsageError(ReTreeError):
    """A wrong argument, setting or environment variable."""

    exit_code = 2


class InputError(ReTreeError):
    """A file that cannot be read as what it should be: trace, corpus, pairs."""

    exit_code = 2


class BackendError(ReTreeError):
    """A model server or search provider that refused service before a run could start."""


class ReplayMismatch(ReTreeError):
    """A re-run departs from its record; names the event or call, the role and what changed."""

    def __init__(self, message: str, *, record: int) -> None:
        super().__init__(message)
        self.record = record
        """Index of the record in the trace, from 0, header not counted."""


class ModelNeeded(ReTreeError):
    """An offline fork asked something that the record does not answer."""


def fault(error: Exception) -> str:
    """The line for a person where an error is none of these."""
    return " ".join(redact(f"a fault of this program: {type(error).__name__}: {error}").split())[:300]
