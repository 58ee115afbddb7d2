"""The lists that `postings` ranks from: of each common word its passages, and how often it is in each.

FTS5 itself says which words a text has, but is asked only once for each piece of text between ASCII separators,
which end a word whatever stands beside them. Counting is then sorting numbers.
"""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from retree_core.search.tokens import index_text

COMMON = 128
"""Passages from which on those of a word are kept in a list; those of a rarer one FTS5 tells when asked for."""
TITLE_WEIGHT = 2

Numbers: TypeAlias = NDArray[Any]

_TABLES = """
CREATE TABLE posting (word TEXT PRIMARY KEY, passages BLOB, counts BLOB);
CREATE TABLE length (words BLOB);
"""
_FOLDING = """
CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(piece, content='', tokenize="{tokenize}");
CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_instance USING fts5vocab(temp, asked, instance);
"""
_BLANKED = bytes(byte if byte > 127 or chr(byte).isalnum() else 32 for byte in range(256)).lower()
"""ASCII letters made small, as FTS5 makes them; every other ASCII character that is no digit made a blank."""
_GENERAL_PUNCTUATION = re.compile("[\u2000-\u205f]")
"""Quotes, dashes and the like, which are no part of a word either, so that fewer pieces differ."""
_HALF = np.uint64(32)
"""Bits below the number of a word, for that of a passage."""


class Folding:
    """Words as the index has them, folded and stemmed by FTS5 itself."""

    def __init__(self, database: sqlite3.Connection, tokenize: str) -> None:
        self._database = database
        database.executescript(_FOLDING.format(tokenize=tokenize))

    def terms(self, pieces: Sequence[str]) -> list[tuple[int, str]]:
        """Return each word of some pieces of text, with the place of its piece, in their order."""
        self._database.executemany("INSERT INTO asked(rowid, piece) VALUES (?, ?)", enumerate(pieces))
        rows = self._database.execute("SELECT doc, term FROM asked_instance ORDER BY doc").fetchall()
        self._database.execute("INSERT INTO asked(asked) VALUES ('delete-all')")
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """The lists of some passages that follow each other."""

    terms: Numbers
    """Numbers of its words, ascending."""
    edges: Numbers
    """Where the list of each begins, and where the last one ends."""
    passages: Numbers
    counts: Numbers

    def spans(self, terms: Numbers) -> tuple[Numbers, Numbers]:
        """Where the lists of some words begin and end; an empty one for a word that is not here."""
        places = np.minimum(np.searchsorted(self.terms, terms), len(self.terms) - 1)
        there = self.terms[places] == terms
        return self.edges[places] * there, self.edges[places + 1] * there


class _Vocabulary:
    """Numbers for pieces of text and for the words they hold: mostly one each."""

    def __init__(self, folding: Folding) -> None:
        self.pieces: dict[bytes, int] = defaultdict(count().__next__)
        self.terms: dict[str, int] = defaultdict(count().__next__)
        self._folding = folding
        self._sizes = np.zeros(0, np.int64)
        self._terms = np.zeros(0, np.uint64)

    def entries(self, pieces: Numbers, passages: Numbers) -> Numbers:
        """Return one number for each word in some pieces of some passages: of the word, and below it of the passage."""
        self._learn()
        begins = np.cumsum(self._sizes) - self._sizes
        single = self._sizes[pieces] == 1
        entries: Numbers = self._terms[begins[pieces[single]]] << _HALF | passages[single]
        if len(entries) == len(pieces):
            return entries
        pieces, passages = pieces[~single], passages[~single]
        sizes = self._sizes[pieces]
        ends = np.cumsum(sizes)
        words = np.repeat(begins[pieces] - ends + sizes, sizes) + np.arange(ends[-1])
        return np.append(entries, self._terms[words] << _HALF | np.repeat(passages, sizes))

    def _learn(self) -> None:
        new = [piece.decode() for piece in islice(self.pieces, len(self._sizes), None)]
        found = self._folding.terms(new)
        sizes = np.bincount(np.array([place for place, _ in found], np.int64), minlength=len(new))
        self._sizes = np.append(self._sizes, sizes)
        self._terms = np.append(self._terms, np.array([self.terms[term] for _, term in found], np.uint64))


def keep_postings(database: sqlite3.Connection, tokenize: str, *, at_once: int = 1_000_000) -> None:
    """Writes the lists of an index whose passages are all in it, sorting so many words `at_once`."""
    database.executescript(_TABLES)
    vocabulary = _Vocabulary(Folding(database, tokenize))
    database.execute("BEGIN")
    lengths = [_length(size) for (size,) in database.execute("SELECT sz FROM word_docsize ORDER BY id")]
    database.execute("INSERT INTO length VALUES (?)", (np.array(lengths, np.uint32).tobytes(),))
    runs = [_sorted(*one, vocabulary) for one in _pieces(database, vocabulary.pieces, at_once)]
    database.executemany("INSERT INTO posting VALUES (?, ?, ?)", _lists(runs, list(vocabulary.terms)))
    database.execute("COMMIT")


def _length(size: bytes) -> int:
    """Words of a passage, from FTS5's record of them: one variable-length number for each column."""
    total = number = 0
    for byte in size:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            total, number = total + number, 0
    return total


def _pieces(database: sqlite3.Connection, numbers: dict[bytes, int], at_once: int) -> Iterator[tuple[Numbers, Numbers]]:
    """The pieces of text of all passages, some at once, and the passage of each, from 0."""
    pieces, sizes, first = array("I"), array("I"), 0
    for title, text in database.execute("SELECT title, text FROM passage ORDER BY id"):
        found = _split(f"{title} " * TITLE_WEIGHT + text)
        pieces.extend(map(numbers.__getitem__, found))
        sizes.append(len(found))
        if len(pieces) >= at_once:
            yield np.array(pieces), _repeated(first, sizes)
            pieces, sizes, first = array("I"), array("I"), first + len(sizes)
    yield np.array(pieces), _repeated(first, sizes)


def _repeated(first: int, sizes: array[int]) -> Numbers:
    """The passages from `first` on, each as often as it has pieces."""
    return np.repeat(np.arange(first, first + len(sizes), dtype=np.uint64), sizes)


def _split(text: str) -> list[bytes]:
    """The pieces of a text between what surely is no part of a word.

    >>> _split("The Quay's “1934” tower…")
    [b'the', b'quay', b's', b'1934', b'tower']
    """
    if not text.isascii():
        text = _GENERAL_PUNCTUATION.sub(" ", index_text(text))
    return text.encode().translate(_BLANKED).split()


def _sorted(pieces: Numbers, passages: Numbers, vocabulary: _Vocabulary) -> _Run:
    """The lists of some passages, from their pieces in any order."""
    entries = vocabulary.entries(pieces, passages)
    entries.sort()
    firsts = _firsts(entries)
    counts = np.diff(firsts, append=len(entries))
    terms = entries[firsts] >> _HALF
    edges = _firsts(terms)
    return _Run(
        terms=terms[edges],
        edges=np.append(edges, len(terms)),
        passages=entries[firsts].astype(np.uint32),
        counts=counts.astype(_narrowest(counts)),
    )


def _firsts(ascending: Numbers) -> Numbers:
    """Where a value stands for the first time."""
    return np.flatnonzero(np.diff(ascending, prepend=~ascending[:1]))


def _narrowest(counts: Numbers) -> np.dtype[Any]:
    return np.min_scalar_type(counts.max(initial=0))


def _lists(runs: list[_Run], words: list[str]) -> Iterator[tuple[str, bytes, bytes]]:
    """Each common word with its passages and its counts, whose width is the least that holds them all."""
    hits = np.zeros(len(words), np.int64)
    runs = [run for run in runs if len(run.terms)]
    for run in runs:
        hits[run.terms] += np.diff(run.edges)
    common = np.flatnonzero(hits >= COMMON)
    spans = [tuple(edge.tolist() for edge in run.spans(common)) for run in runs]
    for at, term in enumerate(common.tolist()):
        slices = [slice(begins[at], ends[at]) for begins, ends in spans]
        passages = np.concatenate([run.passages[one] for run, one in zip(runs, slices, strict=True)])
        counts = np.concatenate([run.counts[one] for run, one in zip(runs, slices, strict=True)])
        yield words[term], passages.tobytes(), counts.astype(_narrowest(counts)).tobytes()
