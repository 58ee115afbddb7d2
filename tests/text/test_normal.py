"""Normal forms and content tokens."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.text import normalise, tokens
from retree_core.text.normal import normalise_with_origins

SAME_TEXT = [
    ("The bridge opened in 1934.", "  the BRIDGE opened\tin 1934 "),
    ("Crème brûlée", "Cre\u0300me bru\u0302le\u0301e"),
    ("ＦＵＬＬ width", "full WIDTH"),
    ("St Mary’s church", "St Mary's church"),
    ("well-known", "well known"),
    ("zero\u200bwidth", "zerowidth"),
    ("“quoted”, he said", '"quoted" he said!'),
]
OTHER_TEXT = [
    ("-5", "5"),
    ("1,234", "1.234"),
    ("100", "1000"),
    ("10:30", "1030"),
    ("C", "C#"),
    ("5%", "5"),
    ("a", "not a"),
]


@pytest.mark.parametrize(("one", "other"), SAME_TEXT)
def test_case_spacing_and_punctuation_do_not_count(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), OTHER_TEXT)
def test_signs_and_separators_that_carry_a_value_count(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def test_a_text_of_punctuation_alone_keeps_a_form() -> None:
    assert normalise("!?") == "!?"
    assert normalise("  ") == ""


@given(st.text())
def test_every_character_of_the_form_has_an_origin(text: str) -> None:
    form, origins = normalise_with_origins(text)
    assert len(form) == len(origins)
    assert list(origins) == sorted(origins)
    assert all(0 <= origin < len(text) for origin in origins)


@given(st.text())
def test_canonically_equal_texts_have_one_normal_form(text: str) -> None:
    assert normalise(unicodedata.normalize("NFC", text)) == normalise(unicodedata.normalize("NFD", text))


def test_tokens_leave_out_stop_words_plurals_and_possessives() -> None:
    assert tokens("The mayors of the city's churches") == ("mayor", "city", "church")
    assert tokens("cities, glass, Paris, bus") == ("city", "glass", "paris", "bus")


def test_tokens_keep_negations_and_the_country_us() -> None:
    assert "not" in tokens("It is not the capital")
    assert "us" in tokens("made in the US")


def test_tokens_of_stop_words_alone_are_kept() -> None:
    assert tokens("The Who") == ("the", "who")


def test_scripts_without_spaces_overlap_by_bigrams() -> None:
    query, fact = "東京の人口", "東京の人口は約1400万人"
    assert set(tokens(query)) <= set(tokens(fact))
    assert set(tokens("กรุงเทพ")) & set(tokens("กรุงเทพมหานคร"))


@pytest.mark.parametrize("text", ["العاصمة هي القاهرة", "ירושלים היא הבירה", "मुंबई में", "Ελλάδα", "", "🙂", "\u202edef"])
def test_any_script_gives_tokens_without_an_error(text: str) -> None:
    assert isinstance(tokens(text), tuple)


@given(st.text())
def test_tokens_never_fail(text: str) -> None:
    assert all(tokens(text))
