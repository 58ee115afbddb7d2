"""The bytes of trace files: read to a limit, and packed and unpacked where they are gzipped."""

from __future__ import annotations

import stat
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retree_core.errors import InputError

MAX_BYTES = 1 << 30
"""Largest trace that is read, unpacked."""

GZIP = b"\x1f\x8b"
_LEVEL = 3
"""A record costs a third of what it does at zlib's level 4, and takes as much."""
_PIECE = 1 << 14
"""Bytes unpacked at once: after each of the joined files what is left of a piece is copied."""


class TooLarge(InputError):
    """A file of more bytes, unpacked, than are to be read of it."""


def read_bytes(path: Path, most: int = MAX_BYTES) -> bytes:
    """The file's bytes. Raises InputError where it is none, TooLarge where it holds more than `most`."""
    try:
        about = path.stat()
        if stat.S_ISDIR(about.st_mode):
            raise InputError(f"{path}: a folder, not a trace; name a file in it")
        if stat.S_ISCHR(about.st_mode) or stat.S_ISBLK(about.st_mode):
            raise InputError(f"{path}: a device, not a trace; name a file")
        data = _first_bytes(path, about.st_size, most) if about.st_size <= most else None
        if data is None:
            raise TooLarge(f"{path}: over {most >> 20} MiB, the largest trace that is read")
        return data
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def _first_bytes(path: Path, told: int, most: int) -> bytes | None:
    """All that the file holds, or None where that is over the limit; a pipe does not tell its size in advance."""
    pieces, size = [], 0
    with path.open("rb", buffering=0) as file:
        while piece := file.read(max(1 << 20, told - size)):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                return None
    return b"".join(pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacked:
    """What a trace file holds."""

    data: bytes
    trouble: str = ""
    """Why the rest could not be unpacked; then `data` ends with a whole line."""


def unpacked(data: bytes, name: str, most: int) -> Unpacked:
    """The content of a file, gzipped or not; of one that ends too soon, what there is of it.

    Raises TooLarge, and InputError where nothing at all can be unpacked.
    """
    if not data.startswith(GZIP):
        return Unpacked(data=data)
    out, at = bytearray(), 0
    while data.startswith(GZIP, at):  # gzip files may be joined end to end
        unpacker, start = zlib.decompressobj(wbits=31), at
        while at < len(data) and not unpacker.eof:
            piece = data[at : at + _PIECE]
            try:
                out += unpacker.decompress(piece, most - len(out) + 1)
            except zlib.error as error:
                out += _before_damage(data[start:at], piece)
                return _whole_lines(out, f"damaged gzip file ({error})", name)
            if len(out) > most:
                raise TooLarge(f"{name}: unpacks to over {most >> 20} MiB, the largest trace that is read")
            at += len(piece) - len(unpacker.unused_data)
    return Unpacked(data=bytes(out))


def _before_damage(whole: bytes, piece: bytes) -> bytes:
    """What a piece holds before its damage; `whole` is what stands before it."""
    unpacker, out = zlib.decompressobj(wbits=31), bytearray()
    unpacker.decompress(whole)
    with suppress(zlib.error):
        for at in range(len(piece)):
            out += unpacker.decompress(piece[at : at + 1])
    return bytes(out)


def _whole_lines(out: bytearray, trouble: str, name: str) -> Unpacked:
    if b"\n" not in out:
        raise InputError(f"{name}: {trouble}")
    return Unpacked(data=bytes(out[: out.rindex(b"\n") + 1]), trouble=trouble)


class Unpacker:
    """Unpacks a file while it grows; one that is not gzipped is given back as it is."""

    def __init__(self) -> None:
        self._unpacker: Any = None
        self._left = MAX_BYTES

    def unpacked(self, data: bytes) -> bytes:
        """The content of what was added. Raises InputError where that cannot be unpacked, TooLarge past MAX_BYTES."""
        if self._unpacker is None and not data.startswith(GZIP):
            return data
        out = bytearray()
        while data:
            if self._unpacker is None or self._unpacker.eof:
                if not data.startswith(GZIP):
                    break  # what is not packed after what is packed is nothing, as `unpacked` has it
                self._unpacker = zlib.decompressobj(wbits=31)
            try:
                out += self._unpacker.decompress(data, self._left - len(out) + 1)
            except zlib.error as error:
                raise InputError(f"damaged gzip file ({error})") from None
            if len(out) > self._left:
                raise TooLarge(f"it unpacks to over {MAX_BYTES >> 20} MiB, the largest trace that is read")
            data = self._unpacker.unused_data
        self._left -= len(out)
        return bytes(out)


class Packer:
    """Packs a file piece by piece, each so that it can be unpacked once it is written."""

    def __init__(self) -> None:
        from isal import isal_zlib

        self._mode = isal_zlib.Z_SYNC_FLUSH
        self._packer = isal_zlib.compressobj(_LEVEL, wbits=31)

    def packed(self, data: bytes) -> bytes:
        return self._packer.compress(data) + self._packer.flush(self._mode)

    def end(self) -> bytes:
        """What ends the file; without it the content can be unpacked all the same."""
        return self._packer.flush()
