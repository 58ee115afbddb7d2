"""Writing traces: one record a write, flushed, so that a killed run loses at most the record in hand."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import time
from collections.abc import Callable
from datetime import datetime, timezone
from errno import ENOENT
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

from retree_core.errors import UsageError
from retree_core.files import locked, new_draft, put, put_all
from retree_core.trace.lines import decode, is_record
from retree_core.trace.packed import GZIP, MAX_BYTES, Packer, unpacked
from retree_core.trace.reader import Trace
from retree_core.trace.records import (
    FORMAT,
    CallRecord,
    Header,
    Record,
    header_json,
    record_json,
    sealed,
    sealed_line,
)

Redact = Callable[[Any], Any]
"""Takes a JSON value and gives it back without secrets."""


def utc_now() -> str:
    """Now, as traces write it."""
    return _written(time.time_ns() // 1_000_000)


@lru_cache(maxsize=1)
def _written(milliseconds: int) -> str:
    """A time since the epoch; the records between two calls mostly share one."""
    moment = datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class TraceWriter:
    """Appends records to a JSON Lines trace, gzipped where its name ends in `.gz`; use as a context manager.

    A new file is refused where one exists (UsageError). A write that fails raises OSError: a run that
    cannot be recorded must not go on spending calls.
    """

    def __init__(self, path: str | os.PathLike[str], *, redact: Redact) -> None:
        self.path = Path(path)
        self._redact = redact
        self._file: Any = None
        self._packer: Packer | None = None
        self._last = ""
        """Digest of the last record."""

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], header: Header, *, redact: Redact, overwrite: bool = False
    ) -> TraceWriter:
        """A new trace with its header written."""
        writer = cls(path, redact=redact)
        try:
            if not (folder := writer.path.parent).exists():
                folder.mkdir(parents=True, exist_ok=True)
            writer._file = open(writer.path, "ab" if overwrite else "xb", buffering=0)  # noqa: SIM115
        except FileExistsError:
            raise UsageError(f"{path} exists; name another file, or give --overwrite") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be written ({error.strerror})") from None
        writer._lock()
        if writer._locked.st_size:
            writer._file.truncate(0)
        if writer.path.suffix.lower() == ".gz":
            writer._packer = Packer()
        writer._seal(redact(header_json(header)))
        return writer

    @classmethod
    def append(cls, path: str | os.PathLike[str], *, redact: Redact, read: bytes | None = None) -> TraceWriter:
        """Goes on with an existing trace; a torn last line is cut off first, a whole one without its end is ended.

        A gzipped one is packed anew up to there, since nothing can follow a stream that was broken off.
        `read` is what the caller knows of it. Raises UsageError, and leaves the file as it is, where another process
        has changed it since, or where it is damaged.
        """
        writer = cls(path, redact=redact)
        try:
            writer._file = open(writer.path, "r+b", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise UsageError(f"{path} cannot be written ({error.strerror})") from None
        writer._lock()
        whole = writer._file.read()
        if read is not None and (whole != read or not writer._is_at_its_path()):
            writer._file.close()
            raise UsageError(f"{path} was changed by another process just now; look at it again, then resume")
        if whole.startswith(GZIP):
            content = unpacked(whole, writer.path.name, MAX_BYTES)
            if content.trouble:
                writer._file.close()
                raise UsageError(f"{path}: {content.trouble}; nothing can be put at its end")
            writer._packer = Packer()
            writer.replace_all(_whole_lines(content.data))
            return writer
        writer._last = _last_digest(_whole_lines(whole))
        end = whole.rfind(b"\n") + 1
        if is_record(whole[end:]):
            put_all(writer._file, b"\n")
            return writer
        writer._file.truncate(end)
        writer._file.seek(end)
        return writer

    def _lock(self) -> None:
        """Two writers on one file would tear each other's lines: the second is refused."""
        if not locked(self._file):
            self._file.close()
            raise UsageError(f"{self.path} is being written by another process")
        self._locked = os.fstat(self._file.fileno())

    def _is_at_its_path(self) -> bool:
        """Nobody has put another file in the place of the one that is open."""
        try:
            return os.path.samestat(self._locked, os.stat(self.path))
        except OSError:
            return False

    def replace_all(self, data: bytes) -> None:
        """Other content in place of all that there is, whole or not at all; the lock is never let go.

        The file keeps its permissions, and a link to it stays one.
        """
        path, former = self.path.resolve(), self._file
        self._last = _last_digest(data)
        if self._packer:
            self._packer = Packer()
        try:
            draft, self._file = new_draft(path)
            try:
                self._lock()
                self._put(data)
                draft.replace(path)
            except BaseException:
                self._file.close()
                draft.unlink(missing_ok=True)
                raise
        finally:
            former.close()

    def write(self, *records: Record) -> None:
        """Puts records at the end, in one write. A call stands as it was made: replies, and all that requests are made
        of, were redacted when they came in.

        Raises OSError where they cannot be kept: a full disk, or, seen with a call, a file that is no longer there.
        """
        if any(isinstance(one, CallRecord) for one in records) and not self._is_at_its_path():
            raise OSError(ENOENT, "it was removed or replaced meanwhile")
        raws = [record_json(one) for one in records]
        redacted = iter(self._redact([raw for raw in raws if raw["record"] != "call"]))
        self._seal(*(raw if raw["record"] == "call" else next(redacted) for raw in raws))

    def _seal(self, *raws: dict[str, Any]) -> None:
        """Writes records with their digests, each of which rests on the one before it."""
        lines = []
        for one in raws:
            text, self._last = sealed_line(one, self._last)
            lines.append(text)
        self._put(b"".join(lines))

    def _put(self, data: bytes) -> None:
        try:
            put_all(self._file, self._packer.packed(data) if self._packer else data)
        except OSError:
            self._packer = None  # an end after half a record would be read as a part of it
            raise

    def close(self) -> None:
        if self._packer:
            with contextlib.suppress(OSError):  # only a check of what is written already
                put_all(self._file, self._packer.end())
        self._packer = None
        self._file.close()

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _whole_lines(data: bytes) -> bytes:
    """The lines of a trace, a torn last one left out, the last one with its end."""
    end = data.rfind(b"\n") + 1
    return data + b"\n" if is_record(data[end:]) else data[:end]


def _last_digest(data: bytes) -> str:
    """The digest of the last of some whole lines."""
    last = decode(data.rstrip(b"\n").rpartition(b"\n")[2])[0]
    return str(last.get("digest", "")) if isinstance(last, dict) else ""


def save_document(trace: Trace, path: str | os.PathLike[str]) -> None:
    """The trace as one JSON document (`.json`, or gzipped by the name `.json.gz`), written whole or not at all."""
    path = Path(path)
    raws = [header_json(trace.header), *map(record_json, trace.records)]
    header, *records = raws if trace.header.version == 1 else sealed(raws)
    body = {
        "format": FORMAT,
        "version": trace.header.version,
        "header": {key: value for key, value in header.items() if key not in ("record", "format")},
        "records": records,
    }
    data = json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1).encode("utf-8", "backslashreplace")
    put(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
