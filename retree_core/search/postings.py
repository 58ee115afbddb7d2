"""Ranking in a large corpus: SQLite's own BM25, worked out from kept lists instead of passage by passage.

FTS5's `bm25` looks up each passage that has a word of the query, and counts those of every word anew each time: two
seconds for common words in a million passages. Here each common word has its passages in one blob. Scores are computed
with the same operations in the same order, so that the ranking is the same to the last bit.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

COMMON = 128
"""Occurrences from which on the passages of a word are kept as a blob; those of a rarer one are read when asked for."""
TITLE_WEIGHT, TEXT_WEIGHT = 2, 1
_K1, _B, _LEAST_IDF = 1.2, 0.75, 1e-6  # those of FTS5
_SLACK = 1e-9
"""Share of a score by which a bound may err, since it is summed in another order."""
_FEW = 16
"""A list so many times longer than the passages left is searched for them instead of gone through."""

Numbers: TypeAlias = NDArray[Any]

_TABLES = """
CREATE TABLE posting (word TEXT PRIMARY KEY, passages BLOB, counts BLOB) WITHOUT ROWID;
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


def keep_postings(database: sqlite3.Connection) -> None:
    """Writes the lists of an index whose passages are all in it."""
    database.executescript(_TABLES)
    database.execute(_INSTANCES)
    database.execute("BEGIN")
    lengths = [_length(size) for (size,) in database.execute("SELECT sz FROM word_docsize ORDER BY id")]
    database.execute("INSERT INTO length VALUES (?)", (np.array(lengths, np.uint32).tobytes(),))
    rows = database.execute(_LISTS, (COMMON,))
    database.executemany("INSERT INTO posting VALUES (?, ?, ?)", (_row(*each) for each in rows))
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


def _row(word: str, places: str, in_titles: str | None) -> tuple[str, bytes, bytes]:
    passages, counts = _counted(_numbers(places), _numbers(in_titles or ""))
    return word, passages.astype(np.uint32).tobytes(), counts.astype(np.min_scalar_type(counts.max())).tobytes()


def _numbers(listed: str) -> Numbers:
    return np.fromstring(listed, np.int64, sep=",")


def _counted(places: Numbers, in_titles: Numbers) -> tuple[Numbers, Numbers]:
    """Each passage once, from 0, and how often the word is in it, by weight."""
    passages, counts = np.unique(places, return_counts=True)
    counts = TEXT_WEIGHT * counts
    titled, more = np.unique(in_titles, return_counts=True)
    counts[np.searchsorted(passages, titled)] += (TITLE_WEIGHT - TEXT_WEIGHT) * more
    return passages - 1, counts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """A word of the query in the corpus."""

    passages: Numbers
    """Ascending, from 0."""
    counts: Numbers
    idf: float

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
            scores += self._score_of(word, found)
        best = np.lexsort((found, -scores))[:limit]
        return [int(passage) + 1 for passage in found[best]]

    def _terms(self, tokens: Sequence[str]) -> list[str] | None:
        """Each token as the index has it, folded and stemmed by FTS5 itself."""
        self._database.executemany("INSERT INTO asked(rowid, token) VALUES (?, ?)", enumerate(tokens))
        rows = self._database.execute("SELECT doc, term FROM asked_instance ORDER BY doc").fetchall()
        self._database.execute("INSERT INTO asked(asked) VALUES ('delete-all')")
        return [term for _, term in rows] if [doc for doc, _ in rows] == list(range(len(tokens))) else None

    def _word(self, term: str) -> _Word | None:
        row = self._database.execute("SELECT passages, counts FROM posting WHERE word = ?", (term,)).fetchone()
        passages, counts = _kept(*row) if row else self._read(term)
        hits = len(passages)
        if not hits:
            return None
        if hits != len(counts) or int(passages.max()) >= self._passages:
            raise sqlite3.DatabaseError("its lists are damaged")
        idf = math.log((self._passages - hits + 0.5) / (hits + 0.5))
        return _Word(passages=passages, counts=counts, idf=idf if idf > 0 else _LEAST_IDF)

    def _read(self, term: str) -> tuple[Numbers, Numbers]:
        rows = self._database.execute("SELECT doc, col FROM instance WHERE term = ?", (term,)).fetchall()
        places, titled = ([doc for doc, col in rows if col in columns] for columns in (("title", "text"), ("title",)))
        return _counted(np.array(places, np.int64), np.array(titled, np.int64))

    def _score(self, word: _Word, passages: Numbers, counts: Numbers) -> Numbers:
        often: Numbers = counts.astype(np.float64)
        scores: Numbers = word.idf * ((often * (_K1 + 1.0)) / (often + self._norms[passages]))
        return scores

    def _score_of(self, word: _Word, passages: Numbers) -> Numbers:
        """What a word adds to each of some passages, 0 where it is not in one."""
        places = np.minimum(np.searchsorted(word.passages, passages), len(word.passages) - 1)
        there = word.passages[places] == passages
        scores = np.zeros(len(passages))
        scores[there] = self._score(word, passages[there], word.counts[places[there]])
        return scores

    def _within_reach(self, words: list[_Word], limit: int) -> Numbers:
        """The passages that can be among the best: the rarest word first, until common ones alone lead nowhere."""
        words = sorted(words, key=lambda word: len(word.passages))
        seen: list[Numbers] = []
        found, floor = None, 0.0
        try:
            for at, word in enumerate(words):
                rest = sum(one.most for one in words[at:]) * (1 + _SLACK)
                if found is not None:
                    found = self._reaching(floor - rest, found)
                elif rest < floor:
                    found = np.unique(np.concatenate([self._reaching(floor - rest, one) for one in seen]))
                if found is None or len(found) * _FEW > len(word.passages):
                    self._scores[word.passages] += self._score(word, word.passages, word.counts)
                    seen.append(word.passages)
                else:
                    self._scores[found] += self._score_of(word, found)
                floor = max(floor, _least_of_best(self._scores[word.passages if found is None else found], limit))
            among = seen if found is None else [found]
            return np.unique(np.concatenate([self._reaching(floor, one) for one in among]))
        finally:
            for passages in seen:
                self._scores[passages] = 0.0

    def _reaching(self, score: float, passages: Numbers) -> Numbers:
        return passages[self._scores[passages] >= score * (1 - _SLACK)]


def _kept(listed: bytes, counted: bytes) -> tuple[Numbers, Numbers]:
    """Passages and counts of a blob each; whole numbers of bytes, whatever is in them."""
    hits = len(listed) // 4
    width = next((one for one in (1, 2, 4) if one * hits == len(counted)), 1)
    return np.frombuffer(listed, np.uint32, hits), np.frombuffer(counted, f"u{width}")


def _least_of_best(scores: Numbers, limit: int) -> float:
    """The `limit`th best score; 0 where there are not as many."""
    return float(np.partition(scores, -limit)[-limit]) if limit <= len(scores) else 0.0
