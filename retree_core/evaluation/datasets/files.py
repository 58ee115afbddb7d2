"""The records of a file: a JSON list, JSON Lines, or a table (.csv, .tsv); plain or gzipped, read piece by piece."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from retree_core.errors import InputError
from retree_core.evaluation.datasets.fields import Record
from retree_core.llm import strict_json

_PLAIN = json.JSONDecoder()
_BOM = b"\xef\xbb\xbf"
_NOT_TEXT = {b"PK\x03\x04": "a zip archive; unpack it", b"PAR1": "Parquet; export it as JSON Lines"}
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_BLANKS = re.compile(r"[ \t\r\n]*")
_PIECE = 1 << 20
_LONGEST_FIELD = (1 << 31) - 1


def records(path: Path) -> Iterator[Record]:
    """Yields every record, in order. Raises InputError that names file and line or item."""
    after = "its start"
    try:
        with path.open("rb") as file:
            for record in _records(_unpacked(file), path):
                after = record.where
                yield record
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{path.name}: damaged gzip data after {after}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: not UTF-8 after {after}; save it as UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} cannot be read: {reason}; expected a file of questions") from None


def _unpacked(file: BinaryIO) -> io.BufferedReader:
    plain = cast(io.BufferedReader, file)
    gzipped = plain.peek(2).startswith(b"\x1f\x8b")
    return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=plain))) if gzipped else plain


def _records(file: io.BufferedReader, path: Path) -> Iterator[Record]:
    start = file.peek(_PIECE)
    if told := next((told for mark, told in _NOT_TEXT.items() if start.startswith(mark)), None):
        raise InputError(f"{path.name}: is {told}")
    delimiter = _DELIMITERS.get(Path(path.name.removesuffix(".gz")).suffix.lower())
    if delimiter:
        return _rows(_text(file), delimiter, path.name)
    if start.removeprefix(_BOM).lstrip().startswith(b"["):
        return _items(_Ahead(_text(file)), path.name)
    return _lines(file, path.name)


def _text(file: io.BufferedReader) -> TextIO:
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")


def _lines(file: io.BufferedReader, name: str) -> Iterator[Record]:
    number = 0
    for line_number, line in enumerate(file, 1):
        if line.strip():
            number += 1
            where = f"{name}, line {line_number}"
            yield Record(where=where, number=number, fields=_object(line, where))


def _object(text: str | bytes, where: str) -> dict[str, Any]:
    try:
        found = strict_json.loads(text)
    except ValueError as error:
        raise InputError(f"{where}: not JSON ({error})") from None
    if not isinstance(found, dict):
        raise InputError(f"{where}: {strict_json.kind(found)}, expected an object")
    return found


def _rows(text: TextIO, delimiter: str, name: str) -> Iterator[Record]:
    # The csv module's own limit is 131,072 characters a field, and one for the whole process.
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    line, number = 1, 0
    try:
        header = [one.strip() for one in next(reader, [])]
        line = reader.line_num + 1
        for row in reader:
            where, line = f"{name}, line {line}", reader.line_num + 1
            if any(cell.strip() for cell in row):
                number += 1
                yield Record(where=where, number=number, fields=_cells(header, row, where))
    except csv.Error as error:
        raise InputError(f"{name}, line {line}: not a table ({error})") from None


def _cells(header: list[str], row: list[str], where: str) -> dict[str, str]:
    if len(row) != len(header):
        raise InputError(f"{where}: {len(row)} columns, expected the {len(header)} of the first line")
    return {column: strict_json.clean(cell) for column, cell in zip(header, row, strict=True)}


def _items(ahead: _Ahead, name: str) -> Iterator[Record]:
    ahead.take()
    number, mark = 0, "," if ahead.peek() != "]" else ahead.take()
    while mark == ",":
        number += 1
        where = f"{name}, item {number}"
        yield Record(where=where, number=number, fields=_object(ahead.value(), where))
        mark = ahead.take()
        if mark not in (",", "]"):
            found = f"{mark!r} follows" if mark else "the file ends here, cut off"
            raise InputError(f"{where}: {found}, expected ',' or ']'")
    if mark := ahead.peek():
        raise InputError(f"{name}: {mark!r} after the end of the list")


class _Ahead:
    """The text of a JSON list, of which no more is held than the item being read."""

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._text = ""
        self._at = 0

    def peek(self) -> str:
        """The next character that is no blank; nothing at the end."""
        while True:
            blanks = _BLANKS.match(self._text, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def take(self) -> str:
        """As peek, and goes past it."""
        found = self.peek()
        self._at += len(found)
        return found

    def value(self) -> str:
        """The text of the next value; all that is left where it is no JSON."""
        self.peek()
        end = self._end()
        while end is None and self._more():
            end = self._end()
        found = self._text[self._at : end]
        self._at += len(found)
        return found

    def _end(self) -> int | None:
        try:
            return _PLAIN.raw_decode(self._text, self._at)[1]
        except (ValueError, RecursionError):
            return None

    def _more(self) -> bool:
        piece = self._source.read(max(_PIECE, len(self._text) - self._at))
        self._text = self._text[self._at :] + piece
        self._at = 0
        return bool(piece)
