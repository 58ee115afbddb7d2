"""Ranking in a large corpus: SQLite's own BM25, worked out from kept lists instead of passage by passage.

FTS5's `bm25` looks up each passage that has a word of the query, and counts those of every word anew each time: a
second for common words in a million passages. Here each common word has its passages in one list, which are added up
roughly, for all passages at once. The few that can be among the best are scored again with FTS5's operations in FTS5's
order, so that the ranking is the same to the last bit.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retree_core.search.posting_lists import TITLE_WEIGHT, Folding, Numbers

_K1, _B, _LEAST_IDF = 1.2, 0.75, 1e-6  # those of FTS5
_SLACK = 1e-5
"""Share of a score by which the rough one may err: a few roundings of 32-bit numbers."""
_BLOCK = 256
"""Passages whose best score stands for them all while the least score that counts is looked for."""

_INSTANCES = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.instance USING fts5vocab(main, word, instance)"
_LIST = "SELECT CAST(coalesce(passages, '') AS BLOB), CAST(coalesce(counts, '') AS BLOB) FROM posting WHERE word = ?"
_RARE = "SELECT doc, count(*) + ? * sum(col = 'title') FROM instance WHERE term = ? GROUP BY doc ORDER BY doc"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """A word of the query in the corpus."""

    idf: float
    passages: Numbers
    """Those that have it, ascending from 0."""
    counts: Numbers
    """How often it is in each; in a title it counts more."""

    def counts_in(self, passages: Numbers) -> Numbers:
        """How often it is in some passages; 0 where it is not."""
        places = np.minimum(np.searchsorted(self.passages, passages), len(self.passages) - 1)
        return np.where(self.passages[places] == passages, self.counts[places], 0).astype(np.float64)


class Postings:
    """Ranked search in an index with kept lists. Not safe for use by two threads at once."""

    def __init__(self, database: sqlite3.Connection, tokenize: str) -> None:
        """Raises sqlite3.Error or TypeError where the index holds no lists, ValueError where they do not fit it."""
        database.execute(_LIST, ("",))
        passages, words = database.execute("SELECT passages, words FROM about, length").fetchone()
        self._lengths = np.frombuffer(words, np.uint32, passages)
        if len(words) != self._lengths.nbytes:
            raise ValueError("lengths of other passages")
        self._mean = max(self._lengths.sum(), 1) / len(self._lengths)
        self._rough_norms = self._norms(self._lengths).astype(np.float32)
        self._rough_scores = np.zeros(-(-len(self._lengths) // _BLOCK) * _BLOCK, np.float32)
        self._database = database
        self._folding = Folding(database, tokenize)
        database.execute(_INSTANCES)

    def best(self, tokens: Sequence[str], limit: int) -> list[int] | None:
        """Row ids of the `limit` best passages, by BM25 and then by their order; None where a token is no single word.

        Raises sqlite3.DatabaseError where the lists are damaged.
        """
        terms = self._folding.terms(tokens)
        if [place for place, _ in terms] != list(range(len(tokens))):
            return None
        words = [word for _, term in terms if (word := self._word(term)) is not None]
        found = self._within_reach(words, limit)
        norms = self._norms(self._lengths[found])
        scores = np.zeros(len(found))
        for word in words:
            often = word.counts_in(found)
            scores += word.idf * ((often * (_K1 + 1.0)) / (often + norms))
        best = np.lexsort((found, -scores))[:limit]
        return [int(passage) + 1 for passage in found[best]]

    def _norms(self, lengths: Numbers) -> Numbers:
        norms: Numbers = _K1 * (1 - _B + _B * lengths / self._mean)
        return norms

    def _word(self, term: str) -> _Word | None:
        row = self._database.execute(_LIST, (term,)).fetchone()
        passages, counts = _unpacked(*row) if row else self._rare(term)
        if not row and not len(passages):
            return None
        if not 0 < len(passages) == len(counts) <= len(self._lengths):
            raise sqlite3.DatabaseError("its lists are damaged")
        if passages.min() < 0 or passages.max() >= len(self._lengths):
            raise sqlite3.DatabaseError("its lists are damaged")
        idf = math.log((len(self._lengths) - len(passages) + 0.5) / (len(passages) + 0.5))
        return _Word(idf=idf if idf > 0 else _LEAST_IDF, passages=passages, counts=counts)

    def _rare(self, term: str) -> tuple[Numbers, Numbers]:
        rows = self._database.execute(_RARE, (TITLE_WEIGHT - 1, term)).fetchall()
        passages, counts = np.array(rows, np.int64).reshape(-1, 2).T
        return passages - 1, counts

    def _within_reach(self, words: list[_Word], limit: int) -> Numbers:
        """The passages that can be among the best, ascending."""
        rough = self._rough_scores
        rough.fill(0)
        for word in words:
            often = word.counts.astype(np.float32)
            passages = word.passages.astype(np.intp)
            rough[passages] += np.float32(word.idf * (_K1 + 1)) * (often / (often + self._rough_norms[passages]))
        bests = rough.reshape(-1, _BLOCK).max(axis=1)
        least = np.partition(bests, -limit)[-limit] if limit <= len(bests) else 0
        return np.flatnonzero(rough >= least * (1 - _SLACK) if least > 0 else rough)


def _unpacked(listed: bytes, counted: bytes) -> tuple[Numbers, Numbers]:
    """The lists as they are stored; of different lengths where they are damaged."""
    hits = len(listed) // 4
    width = next((one for one in (1, 2, 4) if one * hits == len(counted)), 1)
    return np.frombuffer(listed, np.uint32, hits), np.frombuffer(counted, f"u{width}")
