"""The ranking from kept lists is FTS5's own: the same passages in the same order, to the last tie."""

from __future__ import annotations

import random
import sqlite3
from itertools import cycle, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retree_core.calls import Hit
from retree_core.search.corpus_index import TOKENIZE, CorpusIndex, filled
from retree_core.search.postings import COMMON, Postings, keep_postings
from retree_core.search.tokens import query_tokens

WORDS = ("bridge", "bridges", "Opened", "towers", "1934", "lake", "東京", "Zürich", "दिल्ली", "the")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


def database_of(hits: list[Hit]) -> sqlite3.Connection:
    return filled(":memory:", hits, "hash")


def ranked(hits: list[Hit], query: str, limit: int) -> tuple[list[int] | None, list[int]]:
    """Row ids by the lists, and by FTS5."""
    database = database_of(hits)
    by_fts5 = CorpusIndex(database).ranked(query_tokens(query), limit)
    keep_postings(database)
    return Postings(database, TOKENIZE).best(query_tokens(query), limit), by_fts5


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12),
    st.integers(1, 3 * COMMON),
    st.lists(st.sampled_from((*WORDS, "tower's", "BRIDGE", "no such word")), min_size=1, max_size=6).map(" ".join),
    st.integers(1, 200),
)
def test_the_ranking_is_that_of_fts5(pages: list[tuple[str, str]], count: int, query: str, limit: int) -> None:
    hits = [Hit(title=title, text=f"{text} x{n % 5}") for n, (title, text) in enumerate(islice(cycle(pages), count))]
    by_lists, by_fts5 = ranked(hits, query, limit)
    assert by_lists in (by_fts5, None)
    assert by_lists is not None or "दिल्ली" in query


@pytest.mark.parametrize("seed", range(4))
def test_queries_of_common_and_rare_words_one_after_the_other(seed: int) -> None:
    chance = random.Random(seed)

    def words(count: int) -> str:
        return " ".join(f"w{min(int(chance.paretovariate(0.6)), 400)}" for _ in range(count))

    database = database_of([Hit(title=words(3), text=words(chance.randint(1, 40))) for _ in range(2_000)])
    keep_postings(database)
    by_lists, by_fts5 = Postings(database, TOKENIZE), CorpusIndex(database)
    for _ in range(80):
        tokens, limit = query_tokens(words(chance.randint(1, 9))), chance.choice([1, 5, 20, 900])
        assert by_lists.best(tokens, limit) == by_fts5.ranked(tokens, limit)


def test_a_word_that_fills_a_passage() -> None:
    hits = [Hit(title="long", text="bridge " * n) for n in (1, 300, 70_000)] + [Hit(title="t", text="lake")] * 200
    by_lists, by_fts5 = ranked(hits, "bridge lake", 5)
    assert by_lists == by_fts5


@pytest.mark.parametrize("change", ["UPDATE posting SET passages = x'ff7f00ff'", "UPDATE posting SET counts = x'01'"])
def test_damaged_lists_are_an_error_of_the_database(change: str) -> None:
    database = database_of([Hit(title="t", text=f"bridge {n}") for n in range(2 * COMMON)])
    keep_postings(database)
    database.execute(change)
    with pytest.raises(sqlite3.DatabaseError, match="damaged"):
        Postings(database, TOKENIZE).best(["bridge"], 5)
