"""The ranking from kept lists is FTS5's own: the same passages in the same order, to the last tie."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter, defaultdict
from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retree_core.calls import Hit
from retree_core.search.corpus_index import BEST, SMALL, TOKENIZE, filled
from retree_core.search.posting_lists import COMMON, TITLE_WEIGHT, keep_postings
from retree_core.search.postings import Postings
from retree_core.search.tokens import expression, query_tokens

WORDS = ("bridge", "bridges", "Opened", "towers", "1934", "lake", "東京", "Zürich", "दिल्ली", "the")
ODD = (
    "'s",
    "—",
    "“",
    "_",
    "\u0301",
    "\u200d",
    "\ue000",
    "\x00",
    "²",
    "Ⅳ",
    "ﬁ",
    "İ",
    "ß",
    "A",
    "a",
    "\u0903",
    "\U0001f600",
    "-",
)
ODD_TEXTS = st.lists(st.sampled_from((*WORDS, *ODD, " ")), max_size=12).map("".join)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


def database_of(hits: list[Hit]) -> sqlite3.Connection:
    """An index with lists, which a large corpus has anyway."""
    database = filled(":memory:", hits, "hash")
    if len(hits) < SMALL:
        keep_postings(database, TOKENIZE)
    return database


def by_fts5(database: sqlite3.Connection, tokens: list[str], limit: int) -> list[int]:
    return [id_ for (id_,) in database.execute(BEST, (expression(tokens), limit))]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12),
    st.integers(1, 3 * COMMON),
    st.lists(st.sampled_from((*WORDS, "tower's", "BRIDGE", "no such word")), min_size=1, max_size=6).map(" ".join),
    st.integers(1, 200),
)
def test_the_ranking_is_that_of_fts5(pages: list[tuple[str, str]], count: int, query: str, limit: int) -> None:
    hits = [Hit(title=title, text=f"{text} x{n % 5}") for n, (title, text) in enumerate(islice(cycle(pages), count))]
    database, tokens = database_of(hits), query_tokens(query)
    found = Postings(database, TOKENIZE).best(tokens, limit)
    assert found == by_fts5(database, tokens, limit) or (found is None and "दिल्ली" in query)


@pytest.mark.parametrize("seed", range(4))
def test_queries_of_common_and_rare_words_one_after_the_other(seed: int) -> None:
    chance = random.Random(seed)

    def words(count: int) -> str:
        return " ".join(f"w{min(int(chance.paretovariate(0.6)), 400)}" for _ in range(count))

    database = database_of([Hit(title=words(3), text=words(chance.randint(1, 40))) for _ in range(2_000)])
    lists = Postings(database, TOKENIZE)
    for _ in range(80):
        tokens, limit = query_tokens(words(chance.randint(1, 9))), chance.choice([1, 5, 20, 900])
        assert lists.best(tokens, limit) == by_fts5(database, tokens, limit)


def test_of_a_word_in_thousands_of_passages_a_few_are_looked_up() -> None:
    late = [" late" if n > 2_000 and n % 4 else " soon" for n in range(14_000)]
    texts = [f"common{late[n]} rare{n % 2_000} pair{n // 2}" for n in range(14_000)]
    database = database_of([Hit(title=str(n), text=text) for n, text in enumerate(texts)])
    lists = Postings(database, TOKENIZE)
    for query in (
        "pair3 late common",
        "pair4501 common late",
        "late pair6000",
        "pair6001 late",
        "rare7 late",
        "common",
    ):
        for limit in (1, 2, 5):
            assert lists.best(query.split(), limit) == by_fts5(database, query.split(), limit)


def test_a_word_that_fills_a_passage() -> None:
    hits = [Hit(title="long", text="bridge " * n) for n in (1, 300, 70_000)] + [Hit(title="t", text="lake")] * 200
    database = database_of(hits)
    assert Postings(database, TOKENIZE).best(["bridge", "lake"], 5) == by_fts5(database, ["bridge", "lake"], 5)


@settings(max_examples=40, deadline=None)
@example([("", "x".join(map(chr, (*range(0x80), *range(0x2000, 0x2070)))))], 60)
@given(st.lists(st.tuples(ODD_TEXTS, ODD_TEXTS), min_size=1, max_size=6), st.integers(1, 60))
def test_the_lists_hold_what_fts5_found(pages: list[tuple[str, str]], at_once: int) -> None:
    database = filled(":memory:", [Hit(title=title, text=text) for title, text in pages] * COMMON, "hash")
    keep_postings(database, TOKENIZE, at_once=at_once)
    database.execute("CREATE VIRTUAL TABLE temp.instances USING fts5vocab(main, word, instance)")
    weights: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for term, doc, column in database.execute("SELECT term, doc, col FROM instances"):
        weights[term][doc - 1] += TITLE_WEIGHT if column == "title" else 1
    rows = database.execute("SELECT word, passages, counts FROM posting")
    lists = {word: dict(zip(np.frombuffer(some, np.uint32), counts, strict=True)) for word, some, counts in rows}
    assert lists == weights


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE posting SET passages = x'ff7f00ff', counts = x'01'",
        "UPDATE posting SET passages = x'00'",
        "UPDATE posting SET passages = 'text'",
        "UPDATE posting SET passages = zeroblob(4000000), counts = zeroblob(1000000)",
        "UPDATE posting SET counts = NULL",
        "UPDATE posting SET counts = x'01'",
    ],
)
def test_damaged_lists_are_an_error_of_the_database(change: str) -> None:
    database = database_of([Hit(title="t", text=f"bridge {n}") for n in range(2 * COMMON)])
    database.execute(change)
    with pytest.raises(sqlite3.DatabaseError, match="damaged"):
        Postings(database, TOKENIZE).best(["bridge"], 5)
