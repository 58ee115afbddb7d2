"""A trace that is being written, of which each look reads only what was added since the one before."""

from __future__ import annotations

import os
from pathlib import Path

from retree_core.errors import InputError
from retree_core.trace.packed import Unpacker
from retree_core.trace.reader import Trace, parse_trace, read_on

_KNOWN = 256
"""Last bytes that were read, by which a file is known again: a seal is among them."""


class Following:
    """A file of JSON Lines, gzipped or not, that somebody appends to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._begin()

    def _begin(self) -> None:
        self._file = (0, 0)
        self._read = self._lines = 0
        self._last = self._torn = b""
        self._unpacker = Unpacker()
        self._trace: Trace | None = None

    def look(self) -> Trace:
        """The trace as it stands, a record that is being written left out; the same one where nothing was added.

        Raises InputError where it is no trace, or none yet, and OSError where it cannot be read.
        """
        try:
            return self._look()
        except InputError:
            self._begin()
            raise

    def _look(self) -> Trace:
        lines = self._added()
        if self._trace is None and not lines:
            return parse_trace(self._torn, self.path.name)
        if self._trace is None:
            self._trace = parse_trace(lines, self.path.name)
        elif lines:
            self._trace = read_on(self._trace, lines, self._lines + 1)
        self._lines += lines.count(b"\n")
        return self._trace

    def _added(self) -> bytes:
        """The whole lines that were added; all of them where the file is another one than was read."""
        with self.path.open("rb") as file:
            about = os.fstat(file.fileno())
            file.seek(self._read - len(self._last))
            if (about.st_dev, about.st_ino) != self._file or file.read(len(self._last)) != self._last:
                self._begin()
                self._file = (about.st_dev, about.st_ino)
                file.seek(0)
            data = file.read()
        self._read += len(data)
        self._last = (self._last + data)[-_KNOWN:]
        content = self._torn + self._unpacker.unpacked(data)
        end = content.rfind(b"\n") + 1
        self._torn = content[end:]
        return content[:end]
