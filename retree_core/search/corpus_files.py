"""Read a corpus: JSON Lines of {title, text, url?, published?}, plain or gzipped, one file or a folder."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from retree_core.calls import Hit
from retree_core.errors import InputError
from retree_core.llm import strict_json
from retree_core.search.hits import link

_SUFFIXES = (".jsonl", ".jsonl.gz")
_LONGEST_LINE = 32_000_000


def corpus_files(path: Path) -> tuple[Path, ...]:
    """Return the files of a corpus, by name. Raises `InputError` if there are none."""
    try:
        if path.is_file():
            return (path,)
        files = tuple(sorted(each for each in path.iterdir() if each.name.endswith(_SUFFIXES) and each.is_file()))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"corpus {path}: {reason}; expected a .jsonl file or a folder of them") from None
    if not files:
        raise InputError(f"corpus folder {path} holds no .jsonl or .jsonl.gz file")
    return files


def content_hash(files: tuple[Path, ...]) -> str:
    """Return the SHA-256 of one file, or of the list of hash and name of several, in hexadecimal."""
    hashes = [_hash_of(each) for each in files]
    if len(hashes) == 1:
        return hashes[0]
    listing = "".join(f"{each}  {file.name}\n" for each, file in zip(hashes, files, strict=True))
    return hashlib.sha256(listing.encode()).hexdigest()


def hits_hash(hits: tuple[Hit, ...]) -> str:
    """Return the SHA-256 of passages that no file holds, in hexadecimal."""
    listing = json.dumps([[one.title, one.text, one.url, one.published] for one in hits], ensure_ascii=False)
    return hashlib.sha256(listing.encode()).hexdigest()


def passages(files: tuple[Path, ...]) -> Iterator[Hit]:
    """Yield every passage in order. Raises `InputError` naming file, line, field and what was expected."""
    for path in files:
        for number, line in _lines(path):
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if text.strip():
                yield _passage(text, f"{path}, line {number}")


def _hash_of(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    return digest.hexdigest()


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        with cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(_LONGEST_LINE + 1):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise InputError(f"{path}, line {number}: longer than {_LONGEST_LINE:,} bytes; split the passage")
                yield number, line
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{path}: damaged gzip data after line {number}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def _passage(line: bytes, where: str) -> Hit:
    try:
        record = strict_json.loads(line)
    except ValueError as error:
        raise InputError(f"{where}: not a JSON object ({error}); expected {{title, text, url?, published?}}") from None
    if not isinstance(record, dict):
        raise InputError(f"{where}: {strict_json.kind(record)}, expected an object with title and text")
    text = _string(record, "text", where)
    if not text or not text.strip():
        raise InputError(f"{where}, field 'text': {'empty' if 'text' in record else 'missing'}, expected some text")
    if "title" not in record:
        raise InputError(f"{where}, field 'title': missing, expected a string")
    return Hit(
        title=_string(record, "title", where) or "",
        text=text.replace("\x00", ""),
        url=link(_string(record, "url", where)),
        published=_date(record, "published", where) or _date(record, "date", where),
    )


def _string(record: dict[str, Any], field: str, where: str) -> str | None:
    value = record.get(field)
    if value is None or isinstance(value, str):
        return value
    raise InputError(f"{where}, field {field!r}: {strict_json.kind(value)}, expected a string")


def _date(record: dict[str, Any], field: str, where: str) -> str | None:
    value = record.get(field)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _string(record, field, where)
