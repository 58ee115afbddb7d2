"""Words for the index, as a property: whatever is searched for literally is found, and nothing crashes."""

from __future__ import annotations

import sqlite3

from hypothesis import given, settings
from hypothesis import strategies as st

from retree_core.search.tokens import MOST_TOKENS, expression, index_text, query_tokens


def matches(text: str, query: str) -> bool:
    wanted = expression(query_tokens(query))
    database = sqlite3.connect(":memory:")
    try:
        database.execute("CREATE VIRTUAL TABLE w USING fts5(t, tokenize='porter unicode61 remove_diacritics 2')")
        database.execute("INSERT INTO w VALUES (?)", (index_text(text),))
        found = wanted and database.execute("SELECT 1 FROM w WHERE w MATCH ?", (wanted,)).fetchone()
    finally:
        database.close()
    return bool(found)


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_query_is_a_valid_expression(query: str) -> None:
    matches("some text", query)
    index_text(query)


@settings(max_examples=200, deadline=None)
@given(st.text("aZ9 é日本のひカー東タワ서울กรงเ,。・-", min_size=1, max_size=20))
def test_a_text_is_found_by_itself(text: str) -> None:
    assert matches(text, text) == bool(query_tokens(text))


def test_the_number_of_tokens_is_bounded() -> None:
    assert query_tokens(" ".join(f"w{n}" for n in range(1_000))) == [f"w{n}" for n in range(MOST_TOKENS)]
