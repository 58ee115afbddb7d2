"""Restatements of a fact, which need no call to a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.judging.duplicates import Restatements, is_duplicate

RESTATED = [
    ("The bridge opened in 1934.", "the bridge  opened in 1934"),
    ("The lake covers 1,234 km2.", "The lake covers 1234 square kilometres."),
    ("The engine runs at 7,500 rpm.", "The engine runs at 7500 RPM"),
    ("She is a citizen of the US.", "She is a citizen of the United States."),
    ("She is a citizen of the U.S.", "She is a citizen of the United States."),
    ("The treaty was signed on 12 March 1990.", "The treaty was signed on 1990-03-12."),
    ("The treaty was signed on 12 March 1990.", "The treaty was signed on March 12th, 1990."),
    ("The score is 5.0.", "The score is 5."),
    ("50% of the seats are taken.", "50 percent of the seats are taken."),
    ("It raised $3 million.", "It raised US$3,000,000."),
    ("St. Brannoc's church is old.", "Saint Brannoc's church is old."),
    ("She won seven medals.", "She won 7 medals."),
]
NOT_RESTATED = [
    ("Astrel is the capital.", "Astrel is not the capital."),
    ("She won the cup.", "She never won the cup."),
    ("Osmund defeated Aldric.", "Aldric defeated Osmund."),
    ("It weighs 100 kg.", "It weighs 1000 kg."),
    ("It weighs 1,234 kg.", "It weighs 1.234 kg."),
    ("It is 5 degrees.", "It is -5 degrees."),
    ("Signed on 03/12/1990.", "Signed on 12/03/1990."),
    ("Born in Lund.", "Born in Lund in 1902."),
    ("Henry IV died.", "Henry V died."),
    ("It is only the capital.", "It is not only the capital."),
]


@pytest.mark.parametrize(("old", "new"), RESTATED)
def test_a_restatement_is_a_duplicate_either_way_round(old: str, new: str) -> None:
    assert is_duplicate(old, new)
    assert is_duplicate(new, old)


@pytest.mark.parametrize(("old", "new"), NOT_RESTATED)
def test_what_says_something_else_is_none(old: str, new: str) -> None:
    assert not is_duplicate(old, new)
    assert not is_duplicate(new, old)


@given(st.text(), st.text())
def test_being_a_duplicate_goes_both_ways(old: str, new: str) -> None:
    assert is_duplicate(old, new) == is_duplicate(new, old)


@given(st.text())
def test_every_fact_restates_itself(fact: str) -> None:
    assert is_duplicate(fact, f" {fact} ")


FACTS = [fact for pair in (*RESTATED, *NOT_RESTATED) for fact in pair]


@given(st.lists(st.sampled_from(FACTS), max_size=30), st.sets(st.integers(0, 29)), st.sampled_from(FACTS))
def test_the_first_fact_that_is_restated_is_found_without_a_look_at_each(
    facts: list[str], gone: set[int], new: str
) -> None:
    kept = Restatements()
    for number, fact in reversed(list(enumerate(facts))):
        kept.add(number, fact)
    for number in gone & set(range(len(facts))):
        kept.remove(number)
    left = [number for number in range(len(facts)) if number not in gone]
    assert kept.first(new) == next((number for number in left if is_duplicate(facts[number], new)), None)
