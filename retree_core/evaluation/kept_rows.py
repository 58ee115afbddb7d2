"""Rows kept beside the traces they were read from, so that only traces that changed are read again.

What is kept saves time and decides nothing: damaged, made by other code or missing, it is as if it were not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

import retree_core
from retree_core.evaluation.rows import Row
from retree_core.files import put

NAME = "rows.cache"
FORMAT = "retree-rows"
SETTLED_S = 3.0
"""A file written later than this before it was read may change again without a new time; its row is not kept."""
WORTH = 50
"""Writing the file takes as long as reading about one in so many of its traces: fewer new rows are not worth it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A trace's size and time; another stamp is another trace."""

    size: int
    mtime_ns: int

    @property
    def settled(self) -> bool:
        return time.time_ns() - self.mtime_ns > SETTLED_S * 1e9


def stamp_of(path: Path) -> Stamp | None:
    """None where there is no such file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Stamp(size=found.st_size, mtime_ns=found.st_mtime_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A row and the trace it was read from."""

    stamp: Stamp
    row: Row


class KeptRows:
    """The rows of one results folder, by their traces' paths within it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._kept = {one.row.trace: one for one in _read(self._path)}
        self._new = 0

    def row(self, trace: str, stamp: Stamp) -> Row | None:
        """The row of a trace; None where it has to be read."""
        found = self._kept.get(trace)
        return found.row if found and found.stamp == stamp else None

    def keep(self, row: Row, stamp: Stamp) -> None:
        """Keeps a row whose trace had this stamp before it was read."""
        if stamp.settled:
            self._kept[row.trace] = Kept(stamp=stamp, row=row)
            self._new += 1

    def save(self, current: Iterable[Row]) -> None:
        """Writes what is kept of the current rows, where that is worth it and the folder can be written."""
        if self._new * WORTH <= len(self._kept):
            return
        kept = [self._kept[one.trace] for one in current if one.trace in self._kept]
        with contextlib.suppress(OSError):
            put(self._path, _written(kept))


def _written(kept: Iterable[Kept]) -> bytes:
    lines = "".join(f"{json.dumps(asdict(one))}\n" for one in kept).encode()
    return _head(lines) + b"\n" + lines


def _head(lines: bytes) -> bytes:
    """What stands above these lines where this very code wrote them and nothing happened to them since."""
    head = {"format": FORMAT, "code": code(), "sha256": hashlib.sha256(lines).hexdigest()}
    return json.dumps(head).encode()


def _read(path: Path) -> Iterator[Kept]:
    try:
        head, _, lines = path.read_bytes().partition(b"\n")
    except OSError:
        return
    if head != _head(lines):
        return
    adapter = TypeAdapter(Kept)
    for line in lines.splitlines():
        with contextlib.suppress(ValidationError):
            yield adapter.validate_json(line, strict=True)


@cache
def code() -> str:
    """Digest of the engine's source, any of which may decide what a row says."""
    root = Path(retree_core.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
