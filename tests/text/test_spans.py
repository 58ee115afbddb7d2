"""Where a quote stands in its passage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.text.spans import Span, locate

PASSAGE = (
    "Alder Street Library. The library on Alder Street opened on 3 May 1934; it wasn’t finished until 1936. "
    "Its architect, Ruth Amsel, also designed the opera house."
)


def found(quote: str, passage: str = PASSAGE) -> str | None:
    span = locate(quote, passage)
    return None if span is None else passage[span.start : span.end]


def test_an_exact_quote_is_found_where_it_stands() -> None:
    assert locate("opened on 3 May 1934", PASSAGE) == Span(start=50, end=70, score=100.0)


def test_case_spacing_and_punctuation_do_not_matter() -> None:
    assert found("THE LIBRARY  on alder street opened") == "The library on Alder Street opened"
    assert found("it wasn't finished until 1936") == "it wasn’t finished until 1936"


def test_a_slightly_different_quote_is_found_with_its_score() -> None:
    span = locate("Its architect Ruth Amsel designed the opera house", PASSAGE)
    assert span is not None
    assert 88 <= span.score < 100
    assert PASSAGE[span.start : span.end].startswith("Its architect")


@pytest.mark.parametrize(
    "quote",
    [
        "the library on Alder Street opened on 3 May 1931",
        "The library on Alder Street was demolished by fire",
        "Its architect, Ruth Amsel, never designed the opera house",
        "",
        "   ",
        "rar",
        "Amsel, also designed the opera house. " * 10,
    ],
)
def test_what_the_passage_does_not_say_is_not_located(quote: str) -> None:
    assert locate(quote, PASSAGE) is None


def test_a_number_is_not_found_inside_another() -> None:
    assert locate("93", PASSAGE) is None
    assert locate("1,234", "It covers 11,234 km2") is None
    assert locate("3.5", "It is 13.55 m") is None


def test_a_word_is_not_found_inside_another() -> None:
    assert found("art", "The party likes art") == "art"
    span = locate("art", "The party likes art")
    assert span is not None
    assert span.start == 16


def test_a_quote_with_an_ellipsis_spans_its_parts() -> None:
    assert found("The library on Alder Street ... it wasn't finished until 1936") == (
        "The library on Alder Street opened on 3 May 1934; it wasn’t finished until 1936"
    )
    assert locate("it wasn't finished until 1936 ... The library on Alder Street", PASSAGE) is None


def test_indices_are_those_of_the_original_passage() -> None:
    passage = "Caf\u0065\u0301 \u201cAu  Lait\u201d opened \U0001f389 in Zu\u0308rich."
    assert found("café au lait", passage) == "Caf\u0065\u0301 \u201cAu  Lait"
    assert found("zürich", passage) == "Zu\u0308rich"


def test_scripts_without_spaces_are_located() -> None:
    assert found("人口は約1400万人", "東京の人口は約1400万人である") == "人口は約1400万人"


@given(st.text(max_size=60), st.text(max_size=200))
def test_a_span_always_lies_in_the_passage(quote: str, passage: str) -> None:
    span = locate(quote, passage)
    assert span is None or (0 <= span.start < span.end <= len(passage) and 0 <= span.score <= 100)


@given(st.text(alphabet=st.characters(categories=["Ll", "Lu"]), min_size=1, max_size=30), st.text(max_size=40))
def test_a_word_that_stands_free_is_always_found(word: str, rest: str) -> None:
    span = locate(word, f"{word} {rest}")
    assert span is not None
    assert span.score == 100.0
