"""A trace that is being written, of which each look reads only what was added since the one before."""

from __future__ import annotations

import os
from pathlib import Path

from retree_core.errors import InputError
from retree_core.trace.packed import Unpacked, Unpacker
from retree_core.trace.reader import Trace, read_on, trace_of

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
        self._unpacker = Unpacker(self.path.name)
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
        added = self._added()
        if self._trace is None and not added.data:
            return trace_of(Unpacked(data=self._torn, trouble=added.trouble), self.path.name)
        if self._trace is None:
            self._trace = trace_of(added, self.path.name)
        elif added.data or added.trouble:
            self._trace = read_on(self._trace, added, self._lines + 1)
        self._lines += added.data.count(b"\n")
        return self._trace

    def _added(self) -> Unpacked:
        """The whole lines that were added; all of them where the file is another one than was read.

        Damage is told once, with what is before it.
        """
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
        damaged = self._unpacker.trouble
        content = self._torn + self._unpacker.unpacked(data)
        end = content.rfind(b"\n") + 1
        self._torn = content[end:]
        return Unpacked(data=content[:end], trouble="" if damaged else self._unpacker.trouble)
