"""Search in a corpus of one's own, beside FTS5's BM25 over the same index, and building it, beside FTS5 alone.

Times are of the processor, which other work changes less; a search is a whole one, from the query to its hits.
"""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from retree_core.calls import Answered, SearchCall
from retree_core.search.corpus import Corpus, open_corpus
from retree_core.search.corpus_index import BEST, TOKENIZE
from retree_core.search.tokens import expression, query_tokens
from tests.benchmarks.memory import SYLLABLES
from tests.benchmarks.table import Row

SIZES, FEW_SIZES = (10_000, 100_000, 1_000_000), (6_000,)
QUERIES, FEW_QUERIES = 25, 5
FIRST_RANK = 30
"""Words before are those that no query looks for; the most common of the others is in a fifth of all passages."""


class Pages:
    """Passages and queries of words as frequent as those of a language (Zipf), the same ones each time."""

    def __init__(self) -> None:
        self._chance = random.Random(11)
        self._words = ["".join(self._chance.choices(SYLLABLES, k=2 + rank % 4)) for rank in range(100_000)]
        self._weights = list(accumulate(1 / (FIRST_RANK + rank) for rank in range(len(self._words))))

    def words(self, count: int) -> str:
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=count))

    def write(self, path: Path, count: int) -> None:
        with path.open("w", encoding="utf-8") as file:
            for number in range(count):
                page = {"title": f"{self.words(2)} {number}".title(), "text": self.words(70)}
                file.write(json.dumps(page) + "\n")

    def query(self) -> str:
        return f"which {self.words(self._chance.randint(3, 8))}?"


def measure(short: bool) -> list[Row]:
    return [row for size in (FEW_SIZES if short else SIZES) for row in _rows(size, FEW_QUERIES if short else QUERIES)]


def _rows(size: int, queries: int) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path, env = Path(folder) / "corpus.jsonl", {"XDG_CACHE_HOME": folder}
        pages = Pages()
        pages.write(path, size)
        alone = _filled_by_fts5_alone(path, Path(folder) / "alone.sqlite")
        corpus, built = _opened(path, env)
        yield Row(
            what=f"building the index of {size:,} passages",
            ours=f"{built:.1f} s",
            alternative=f"FTS5 alone {alone:.1f} s",
            ratio=alone / built,
            target="at most 3 times FTS5 alone",
            met=built < 3 * alone,
        )
        corpus, opened = _opened(path, env)
        yield Row(
            what=f"opening a corpus of {size:,} passages again",
            ours=f"{1000 * opened:.0f} ms",
            alternative=f"building its index {built:.1f} s",
            ratio=built / opened,
            target="built once and reused",
            met=opened < built / 10,
        )
        ours, fts5 = _searches(corpus, _index_in(folder), [pages.query() for _ in range(queries)])
        yield Row(
            what=f"five results of {size:,} passages",
            ours=f"{ours:.1f} ms",
            alternative=f"bm25 of FTS5 {fts5:.1f} ms",
            ratio=fts5 / ours,
            target="under 20 ms at 1,000,000",
            met=ours < 20,
        )


def _filled_by_fts5_alone(path: Path, index: Path) -> float:
    """Seconds that the same file takes to become a table of FTS5's, without our reader and our lists."""
    started = time.process_time()
    database = sqlite3.connect(index, isolation_level=None)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;")
    database.execute(f'CREATE VIRTUAL TABLE word USING fts5(title, text, tokenize="{TOKENIZE}")')
    with path.open(encoding="utf-8") as lines:
        database.execute("BEGIN")
        database.executemany("INSERT INTO word VALUES (:title, :text)", map(json.loads, lines))
        database.execute("COMMIT")
    database.close()
    index.unlink()
    return time.process_time() - started


def _opened(path: Path, env: dict[str, str]) -> tuple[Corpus, float]:
    started = time.process_time()
    return open_corpus(str(path), env=env), time.process_time() - started


def _index_in(folder: str) -> sqlite3.Connection:
    (index,) = Path(folder).glob("retree/*.sqlite")
    return sqlite3.connect(f"{index.as_uri()}?mode=ro&immutable=1", uri=True)


def _searches(corpus: Corpus, index: sqlite3.Connection, queries: list[str]) -> tuple[float, float]:
    """Median milliseconds of the processor for a search: a whole one of ours, and the rows alone from FTS5."""

    async def found(query: str) -> Answered:
        return await corpus.search(SearchCall(query=query, limit=5))

    async def all_of_them() -> tuple[list[float], list[float]]:
        ours, fts5 = [], []
        await found(queries[0])
        for query in queries:
            started = time.process_time()
            await found(query)
            between = time.process_time()
            index.execute(BEST, (expression(query_tokens(query)), 20)).fetchall()
            ours.append(1000 * (between - started))
            fts5.append(1000 * (time.process_time() - between))
        return ours, fts5

    ours, fts5 = asyncio.run(all_of_them())
    return statistics.median(ours), statistics.median(fts5)
