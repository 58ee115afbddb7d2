"""The index chooses what the scan of all texts chooses, whatever came, changed and went before."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.text import tokens
from retree_core.text.overlap_index import OverlapIndex
from retree_core.text.ranking import overlap, top_k

WORDS = ("bridge", "opened", "towers", "lake", "1934", "東京", "is", "the", "")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(max_size=12)


@dataclass(frozen=True)
class Placed:
    id: str
    text: str
    order: int


def scanned(texts: list[str], queries: list[str], k: int) -> list[tuple[int, int]]:
    """The places chosen, with their scores."""
    items = [Placed(f"e{place}", text, place) for place, text in enumerate(texts)]
    wanted = {token for text in queries for token in tokens(text)}
    return [(one.order, overlap(wanted, one.text)) for one in top_k(queries, items, k)]


def indexed(texts: list[str]) -> OverlapIndex:
    index = OverlapIndex()
    for text in texts:
        index.append(text)
    return index


CHANGES = st.lists(st.tuples(st.sampled_from(("append", "append", "append", "replace", "cut")), TEXTS, st.integers(0)))


@given(st.lists(TEXTS, max_size=80), CHANGES, st.lists(TEXTS, max_size=4), st.integers(-1, 8))
def test_the_choice_is_that_of_a_scan(
    texts: list[str], changes: list[tuple[str, str, int]], queries: list[str], k: int
) -> None:
    index = indexed(texts)
    for change, text, number in changes:
        if change == "append":
            index.append(text)
            texts.append(text)
        elif change == "cut":
            length = number % (len(texts) + 1)
            index.cut(length)
            del texts[length:]
        elif texts:
            place = number % len(texts)
            index.replace(place, text)
            texts[place] = text
    assert index.best(queries, k) == scanned(texts, queries, k)


@pytest.mark.parametrize("cut", [0, 1, 200, 640, 1000])
def test_tokens_that_few_and_tokens_that_many_texts_have(cut: int) -> None:
    texts = [f"bridge {n % 3} x{n % 90} y{n} tower{n % 200}" for n in range(1000)]
    index = indexed(texts)
    for place in (5, 500, 999):
        texts[place] = f"tower7 y{place} again"
        index.replace(place, texts[place])
    index.cut(cut)
    for queries in (["y7"], ["tower7 bridge x7", "y150 y999"], ["2 x2 tower2 y2 y92"], ["nothing"], []):
        assert index.best(queries, 5) == scanned(texts[:cut], queries, 5)
