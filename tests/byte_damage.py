"""What a disk or a network does to the bytes of a file, each with what was done in words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

LITERALS = (b"NaN", b"-Infinity", b"1e400", b"1" * 400, b"[" * 3000 + b"]" * 3000, b'"\\ud800"', b"nul", b"'x'", b"0x1")


def flipped(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    changed = bytearray(data)
    bits = [chance.randrange(8 * len(data)) for _ in range(chance.choice((1, 1, 4, 40)))] if data else []
    for bit in bits:
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed), f"bits {bits[:4]} flipped"


def cut(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    a, b = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    if chance.random() < 0.6:
        return data[:b], f"cut at byte {b}"
    return data[:a] + data[b:], f"bytes {a} to {b} left out"


def _inserted(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    at = chance.randrange(len(data) + 1)
    new = chance.choice((b"\0", b"\xff\xfe", b"\n", b'"', b"{", b"}", b"\xe6\x9d", b"\x1b[2J", b"\r", *LITERALS))
    return data[:at] + new + data[at:], f"{new[:12]!r} at byte {at}"


def _literal(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    """One value in the text is no JSON, or too much."""
    found = list(re.finditer(rb'(?<=": )(?:"[^"\\]{0,40}"|-?\d+)', data))
    if not found:
        return data, ""
    one, new = chance.choice(found), chance.choice(LITERALS)
    return data[: one.start()] + new + data[one.end() :], f"{new[:12]!r} for the value at byte {one.start()}"


def _recoded(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    name = chance.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig", "shift_jis", "utf-7"))
    return data.decode(errors="replace").encode(name, "replace"), f"in {name}"


def _line_ends(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    new = chance.choice((b"\r\n", b"\r", b"\n\n\n", b"\n \n", b"\x0b\n", b"\n\xef\xbb\xbf", b",\n", b""))
    return data.replace(b"\n", new), f"lines end with {new!r}"


def twice(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    at = chance.randrange(len(data) + 1)
    return (data + data, "twice over") if chance.random() < 0.5 else (data + data[at:], f"again from byte {at}")


def _framed(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    before = chance.choice(
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf", b"\0" * 64, b"[", b"// x\n", b"data: ", b" " * 99)
    )
    after = chance.choice((b"", b"\0" * 512, b"]", b'{"record": "event', b"\n\n\n", b"}"))
    return before + data + after, f"{before[:6]!r} before and {after[:6]!r} after it"


ON_BYTES: tuple[Callable[[bytes, random.Random], tuple[bytes, str]], ...] = (
    flipped,
    flipped,
    cut,
    _inserted,
    _literal,
    _literal,
    _recoded,
    _line_ends,
    twice,
    _framed,
)
