"""The bytes of trace files: read to a limit, and unpacked where they are gzipped."""

from __future__ import annotations

import stat
import zlib
from pathlib import Path

from retree_core.errors import InputError

MAX_BYTES = 1 << 30
"""Largest trace that is read, unpacked."""

GZIP = b"\x1f\x8b"
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


def unpacked(data: bytes, name: str, most: int) -> bytes:
    if not data.startswith(GZIP):
        return data
    out, at = bytearray(), 0
    while data.startswith(GZIP, at):  # gzip files may be joined end to end
        unpacker = zlib.decompressobj(wbits=31)
        while at < len(data) and not unpacker.eof:
            piece = data[at : at + _PIECE]
            try:
                out += unpacker.decompress(piece, most - len(out) + 1)
            except zlib.error as error:
                raise InputError(f"{name}: damaged gzip file ({error})") from None
            if len(out) > most:
                raise TooLarge(f"{name}: unpacks to over {most >> 20} MiB, the largest trace that is read")
            at += len(piece) - len(unpacker.unused_data)
    return bytes(out)
