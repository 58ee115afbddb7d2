"""Cutting texts and labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.text import cut_label, cut_words
from retree_core.text.graphemes import clusters

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FLAGS = "\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea"


@pytest.mark.parametrize("cluster", [FAMILY, FLAGS[:2], "e\u0301", "\U0001f44d\U0001f3fd", "각", "\r\n", "क्षि", "กำ"])
def test_what_a_reader_sees_as_one_character_is_one_cluster(cluster: str) -> None:
    assert clusters(f"a{cluster}b") == ("a", cluster, "b")


@given(st.text())
def test_clusters_joined_are_the_text(text: str) -> None:
    assert "".join(clusters(text)) == text


def test_words_and_characters_both_bound_a_cut() -> None:
    assert cut_words("one two three four", 2, 100) == "one two"
    assert cut_words("one two three four", 100, 12) == "one two"
    assert cut_words("  one \n two ", 10, 100) == "one two"


def test_an_empty_or_blank_text_gives_an_empty_text() -> None:
    assert cut_words("", 5, 5) == ""
    assert cut_words(" \n ", 5, 5) == ""
    assert cut_words("word", 0, 10) == ""


def test_a_text_without_spaces_is_bounded_by_characters() -> None:
    summary = "東京の人口は約1400万人である。" * 200
    assert len(cut_words(summary, 140, 1000)) == 1000


def test_no_cut_falls_inside_a_cluster() -> None:
    for size in range(1, 30):
        kept = cut_words((FAMILY + FLAGS + "e\u0301") * 2, 140, size)
        whole = clusters((FAMILY + FLAGS + "e\u0301") * 2)
        assert clusters(kept) == whole[: len(clusters(kept))]


@given(st.text(), st.integers(0, 20), st.integers(0, 40))
def test_a_cut_keeps_both_bounds(text: str, words: int, characters: int) -> None:
    kept = cut_words(text, words, characters)
    assert len(kept) <= characters
    assert len(kept.split()) <= words
    assert " ".join(text.split()).startswith(kept)


def test_a_label_ends_in_an_ellipsis_only_when_it_was_cut() -> None:
    assert cut_label("short", 10) == "short"
    assert cut_label("The evidence tree", 14) == "The evidence…"


@given(st.text(), st.integers(0, 40))
def test_a_label_keeps_its_bound_and_its_clusters(text: str, characters: int) -> None:
    label = cut_label(text, characters)
    tidy = " ".join(text.split())
    assert len(label) <= characters or label == tidy
    kept = label.removesuffix("…")
    assert label == tidy or clusters(kept) == clusters(tidy)[: len(clusters(kept))]
