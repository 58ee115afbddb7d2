"""Ranking in a large corpus: SQLite's own BM25, worked out from kept lists instead of passage by passage.

FTS5's `bm25` looks up each passage that has a word of the query, and counts those of every word anew each time: two
seconds for common words in a million passages. Here each common word has its passages in one blob. Scores are computed
with the same operations in the same order, so that the ranking is the same to the last bit.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

COMMON = 128
"""Occurrences from which on the passages of a word are kept in lists; those of a rarer one are read when asked for."""
_CHUNK = 4096
"""Passages of a word that are kept together: few of a common one are looked up without reading all."""
TITLE_WEIGHT, TEXT_WEIGHT = 2, 1
_K1, _B, _LEAST_IDF = 1.2, 0.75, 1e-6  # those of FTS5
_SLACK = 1e-9
"""Share of a score by which a bound may err, since it is summed in another order."""

Numbers: TypeAlias = NDArray[Any]

_TABLES = """
CREATE TABLE common (word TEXT PRIMARY KEY, id INTEGER, hits INTEGER);
CREATE TABLE posting (common INTEGER, first INTEGER, passages BLOB, counts BLOB, PRIMARY KEY (common, first))
    WITHOUT ROWID;
CREATE TABLE length (words BLOB);
"""
_INSTANCES = "CREATE VIRTUAL TABLE temp.instance USING fts5vocab(main, word, instance)"
_LISTS = """
SELECT term, group_concat(doc), group_concat(CASE col WHEN 'title' THEN doc END) FROM instance
GROUP BY term HAVING count(*) >= ?
"""
_ASKED = """
CREATE VIRTUAL TABLE temp.asked USING fts5(token, content='', tokenize="{tokenize}");
CREATE VIRTUAL TABLE temp.asked_instance USING fts5vocab(temp, asked, instance);
"""
_ALL = "SELECT passages, counts FROM posting WHERE common = ? ORDER BY first"
_ONE = "SELECT passages, counts FROM posting WHERE common = ? AND first <= ? ORDER BY first DESC LIMIT 1"


def keep_postings(database: sqlite3.Connection) -> None:
    """Writes the lists of an index whose passages are all in it."""
    database.executescript(_TABLES)
    database.execute(_INSTANCES)
    database.execute("BEGIN")
    lengths = [_length(size) for (size,) in database.execute("SELECT sz FROM word_docsize ORDER BY id")]
    database.execute("INSERT INTO length VALUES (?)", (np.array(lengths, np.uint32).tobytes(),))
    for id_, (word, places, titled) in enumerate(database.execute(_LISTS, (COMMON,))):
        passages, counts = _counted(_numbers(places), _numbers(titled or ""))
        database.execute("INSERT INTO common VALUES (?, ?, ?)", (word, id_, len(passages)))
        database.executemany("INSERT INTO posting VALUES (?, ?, ?, ?)", _chunks(id_, passages, counts))
    database.execute("COMMIT")
    database.execute("DROP TABLE temp.instance")


def _length(size: bytes) -> int:
    """Words of a passage, from FTS5's record of them: one variable-length number for each column."""
    total = number = 0
    for byte in size:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            total, number = total + number, 0
    return total


def _numbers(listed: str) -> Numbers:
    return np.fromstring(listed, np.int64, sep=",")


def _counted(places: Numbers, in_titles: Numbers) -> tuple[Numbers, Numbers]:
    """Each passage once, from 0, and how often the word is in it, by weight."""
    passages, counts = np.unique(places, return_counts=True)
    counts = TEXT_WEIGHT * counts
    titled, more = np.unique(in_titles, return_counts=True)
    counts[np.searchsorted(passages, titled)] += (TITLE_WEIGHT - TEXT_WEIGHT) * more
    return passages - 1, counts


def _chunks(id_: int, passages: Numbers, counts: Numbers) -> Iterator[tuple[int, int, bytes, bytes]]:
    width = np.min_scalar_type(counts.max())
    for at in range(0, len(passages), _CHUNK):
        some = passages[at : at + _CHUNK]
        yield id_, int(some[0]), some.astype(np.uint32).tobytes(), counts[at : at + _CHUNK].astype(width).tobytes()


@dataclass(kw_only=True)
class _Word:
    """A word of the query in the corpus."""

    hits: int
    """Passages that have it."""
    idf: float
    common: int = -1
    """Its number among the words with kept lists."""
    lists: tuple[Numbers, Numbers] | None = None
    """Its passages, ascending from 0, and its count in each; None while they are not read."""

    @property
    def most(self) -> float:
        """No passage scores more for it."""
        return self.idf * (_K1 + 1)


class Postings:
    """Ranked search in an index with kept lists. Not safe for use by two threads at once."""

    def __init__(self, database: sqlite3.Connection, tokenize: str) -> None:
        """Raises sqlite3.Error or TypeError where the index holds no lists, ValueError where they do not fit it."""
        (words,) = database.execute("SELECT words FROM length").fetchone()
        lengths = np.frombuffer(words, np.uint32)
        self._database = database
        self._passages = len(lengths)
        self._norms = _K1 * (1 - _B + _B * lengths / (lengths.sum() / self._passages))
        self._scores = np.zeros(self._passages)
        database.executescript(_INSTANCES + ";" + _ASKED.format(tokenize=tokenize))

    def best(self, tokens: Sequence[str], limit: int) -> list[int] | None:
        """Row ids of the `limit` best passages, by BM25 and then by their order; None where a token is no single word.

        Raises sqlite3.DatabaseError where the lists are damaged.
        """
        terms = self._terms(tokens)
        if terms is None:
            return None
        words = [word for term in terms if (word := self._word(term)) is not None]
        found = self._within_reach(words, limit) if words else np.zeros(0, np.int64)
        scores = np.zeros(len(found))
        for word in words:
            scores += self._scores_of(word, found)
        best = np.lexsort((found, -scores))[:limit]
        return [int(passage) + 1 for passage in found[best]]

    def _terms(self, tokens: Sequence[str]) -> list[str] | None:
        """Each token as the index has it, folded and stemmed by FTS5 itself."""
        self._database.executemany("INSERT INTO asked(rowid, token) VALUES (?, ?)", enumerate(tokens))
        rows = self._database.execute("SELECT doc, term FROM asked_instance ORDER BY doc").fetchall()
        self._database.execute("INSERT INTO asked(asked) VALUES ('delete-all')")
        return [term for _, term in rows] if [doc for doc, _ in rows] == list(range(len(tokens))) else None

    def _word(self, term: str) -> _Word | None:
        row = self._database.execute("SELECT hits, id FROM common WHERE word = ?", (term,)).fetchone()
        if row:
            return _Word(hits=row[0], idf=self._idf(row[0]), common=row[1])
        rows = self._database.execute("SELECT doc, col FROM instance WHERE term = ?", (term,)).fetchall()
        titled = [doc for doc, col in rows if col == "title"]
        passages, counts = _counted(np.array([doc for doc, _ in rows], np.int64), np.array(titled, np.int64))
        if not len(passages):
            return None
        return _Word(hits=len(passages), idf=self._idf(len(passages)), lists=self._checked(passages, counts))

    def _idf(self, hits: int) -> float:
        if hits > self._passages:
            raise sqlite3.DatabaseError("its lists are damaged")
        idf = math.log((self._passages - hits + 0.5) / (hits + 0.5))
        return idf if idf > 0 else _LEAST_IDF

    def _checked(self, passages: Numbers, counts: Numbers) -> tuple[Numbers, Numbers]:
        if not len(passages) or len(passages) != len(counts) or int(passages.max()) >= self._passages:
            raise sqlite3.DatabaseError("its lists are damaged")
        return passages, counts

    def _read(self, word: _Word) -> tuple[Numbers, Numbers]:
        """The whole lists of a word."""
        if word.lists is None:
            rows = self._database.execute(_ALL, (word.common,)).fetchall()
            word.lists = self._joined(rows)
        return word.lists

    def _joined(self, rows: list[tuple[bytes, bytes]]) -> tuple[Numbers, Numbers]:
        listed, counted = (b"".join(column) for column in zip(*rows, strict=True)) if rows else (b"", b"")
        hits = len(listed) // 4
        width = next((one for one in (1, 2, 4) if one * hits == len(counted)), 1)
        return self._checked(np.frombuffer(listed, np.uint32, hits), np.frombuffer(counted, f"u{width}"))

    def _score(self, word: _Word, passages: Numbers, counts: Numbers) -> Numbers:
        often: Numbers = counts.astype(np.float64)
        scores: Numbers = word.idf * ((often * (_K1 + 1.0)) / (often + self._norms[passages]))
        return scores

    def _scores_of(self, word: _Word, passages: Numbers) -> Numbers:
        """What a word adds to each of some passages, which ascend; 0 where it is not in one."""
        scores = np.zeros(len(passages))
        if word.lists is not None or len(passages) * _CHUNK > word.hits:
            listed, counts = self._read(word)
        else:
            rows = (self._database.execute(_ONE, (word.common, int(one))).fetchone() for one in passages)
            near = list(dict.fromkeys(row for row in rows if row))
            if not near:
                return scores
            listed, counts = self._joined(near)
        places = np.minimum(np.searchsorted(listed, passages), len(listed) - 1)
        there = listed[places] == passages
        scores[there] = self._score(word, passages[there], counts[places[there]])
        return scores

    def _within_reach(self, words: list[_Word], limit: int) -> Numbers:
        """The passages that can be among the best: the rarest word first, until common ones alone lead nowhere."""
        words = sorted(words, key=lambda word: word.hits)
        seen: list[Numbers] = []
        found, floor = None, 0.0
        try:
            for at, word in enumerate(words):
                rest = sum(one.most for one in words[at:]) * (1 + _SLACK)
                if found is not None:
                    found = self._reaching(floor - rest, found)
                elif rest < floor:
                    found = self._among(seen, floor - rest)
                if found is None or len(found) * _CHUNK > word.hits:
                    passages, counts = self._read(word)
                    self._scores[passages] += self._score(word, passages, counts)
                    seen.append(passages)
                else:
                    self._scores[found] += self._scores_of(word, found)
                floor = self._floor(seen[-1] if found is None else found, limit, floor)
            return self._among(seen if found is None else [found], floor)
        finally:
            for passages in seen:
                self._scores[passages] = 0.0

    def _among(self, lists: list[Numbers], score: float) -> Numbers:
        """The passages of some lists that reach a score, ascending and each once."""
        found = np.sort(np.concatenate([self._reaching(score, one) for one in lists]))
        return found[np.flatnonzero(np.diff(found, prepend=-1))]

    def _reaching(self, score: float, passages: Numbers) -> Numbers:
        return passages[self._scores[passages] >= score * (1 - _SLACK)]

    def _floor(self, passages: Numbers, limit: int, floor: float) -> float:
        """The `limit`th best score of some passages, if it is above the floor."""
        scores = self._scores[passages]
        above = scores[scores > floor]
        return float(np.partition(above, -limit)[-limit]) if limit <= len(above) else floor
