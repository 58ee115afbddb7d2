"""Does a passage state what a fact takes from it?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.text.support import unsupported_values

PASSAGE = (
    "Harrow Bridge. The Harrow Bridge, designed by Edmund Harcastle, opened on 12 March 1931. It is 1,234 m long and "
    "cost US$3 million, about two thirds of the budget. Some 40 percent of it was paid by the United States."
)
SUPPORTED = [
    "The Harrow Bridge was opened on March 12th, 1931.",
    "The Harrow Bridge opened in 1931.",
    "Harcastle designed the Harrow Bridge.",
    "E. Harcastle designed it.",
    "The bridge is 1234 metres long.",
    "The bridge is 1.234 km long.",
    "It cost $3,000,000.",
    "The US paid 40% of it.",
    "the bridge was designed by edmund harcastle",
    "the bridge is long",
    "",
]
UNSUPPORTED = [
    ("The Harrow Bridge opened in 1934.", ("1934",)),
    ("The bridge is 1,432 m long.", ("1,432 m",)),
    ("Otto Lindgren designed the bridge.", ("Otto Lindgren",)),
    ("Mary Harcastle designed the bridge.", ("Mary Harcastle",)),
    ("It cost 5 million dollars.", ("5 million dollars",)),
    ("It opened on 13 March 1931.", ("13 March 1931",)),
]


@pytest.mark.parametrize("fact", SUPPORTED)
def test_what_the_passage_says_in_any_format_is_supported(fact: str) -> None:
    assert unsupported_values(fact, PASSAGE) == ()


@pytest.mark.parametrize(("fact", "missing"), UNSUPPORTED)
def test_what_the_passage_does_not_say_is_named_as_the_fact_writes_it(fact: str, missing: tuple[str, ...]) -> None:
    assert unsupported_values(fact, PASSAGE) == missing


def test_prose_without_values_is_compared_by_its_words() -> None:
    assert unsupported_values("the engine burns diesel fuel", PASSAGE) == ("engine", "burn", "diesel", "fuel")


def test_an_empty_passage_supports_nothing() -> None:
    assert unsupported_values("It opened in 1931.", "") == ("1931",)


def test_an_inexact_number_is_supported_by_an_exact_one() -> None:
    assert unsupported_values("About 1,200 people live there.", "Its population is 1,187.") == ()
    assert unsupported_values("More than 300 species live there.", "It is home to 312 species.") == ()


@given(st.text(max_size=80))
def test_every_text_supports_itself(text: str) -> None:
    assert unsupported_values(text, text) == ()
