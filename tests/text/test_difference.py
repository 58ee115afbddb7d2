"""Two texts word by word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.text.difference import MOST_CHARACTERS, MOST_WORDS, Stretch, word_difference


def told(old: str, new: str) -> str:
    """`same[-gone-]{+new+}`."""
    signs = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}
    return "".join(signs[one.kind].format(one.text) for one in word_difference(old, new))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", ""),
        ("a b", "a b", "a b"),
        ("", "a", "{+a+}"),
        ("a", "", "[-a-]"),
        ("Designed by Ann Lee.", "Designed by Bo Li.", "Designed by [-Ann Lee-]{+Bo Li+}."),
        ("opened in 1931, in May", "opened in 1932, in May", "opened in [-1931-]{+1932+}, in May"),
        ("born in Tarn", "She was born in Tarn", "{+She was +}born in Tarn"),
        ("東京の人口は", "東京の面積は", "東京の[-人口-]{+面積+}は"),
        ("3,400 m", "3,500 m", "[-3,400-]{+3,500+} m"),
    ],
)
def test_what_changed_is_marked_by_words(old: str, new: str, expected: str) -> None:
    assert told(old, new) == expected


@given(st.text(max_size=60), st.text(max_size=60))
def test_both_texts_can_be_put_together_again(old: str, new: str) -> None:
    parts = word_difference(old, new)
    assert "".join(one.text for one in parts if one.kind != "new") == old
    assert "".join(one.text for one in parts if one.kind != "gone") == new


def test_endless_texts_are_not_compared_word_by_word() -> None:
    old, new = "a b " * MOST_WORDS, "b a " * MOST_WORDS
    assert [one.kind for one in word_difference(old, new)] == ["gone", "new", "same"]


def test_texts_of_endless_length_count_as_changed_from_end_to_end() -> None:
    long = "word " * (MOST_CHARACTERS // 5)
    assert word_difference(long, f"{long}more") == (
        Stretch(kind="gone", text=long),
        Stretch(kind="new", text=f"{long}more"),
    )
    assert word_difference(long, long) == (Stretch(kind="same", text=long),)
