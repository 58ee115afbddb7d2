"""The values a text states, in one form for all ways to write them."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.text.dates import contains, could_be_equal, find_dates
from retree_core.text.values import read_values, values_in

EQUAL = [
    ("1,234 km2", "1234 square kilometres"),
    ("1 234 km²", "1,234 sq km"),
    ("7,500 rpm", "7500 RPM"),
    ("the US", "the United States"),
    ("the US", "the U.S."),
    ("the UK", "the United Kingdom"),
    ("12 March 1990", "1990-03-12"),
    ("12 March 1990", "March 12th, 1990"),
    ("the 12th of March 1990", "12 March, 1990"),
    ("25/12/1990", "25 December 1990"),
    ("2020-01-01T00:00Z", "1 January 2020"),
    ("5.0", "5"),
    ("50%", "50 percent"),
    ("50 per cent", "fifty percent"),
    ("$3 million", "US$3,000,000"),
    ("£2.5m", "2.5 million pounds"),
    ("€500,000", "half a million euros"),
    ("seven bridges", "7 bridges"),
    ("twenty-three caps", "23 caps"),
    ("two hundred and five", "205"),
    ("1.5 billion", "1,500 million"),
    ("came third", "came 3rd"),
    ("the twenty-first century", "the 21st century"),
    ("135 minutes", "2 hours 15 minutes"),
    ("an hour and a half", "90 minutes"),
    ("1.2 km", "1,200 metres"),
    ("6 ft 2 in", "6'2\""),
    ("20 °C", "68 °F"),
    ("minus 40 degrees Celsius", "-40 °C"),
    ("by St. Brannoc", "by Saint Brannoc"),
    ("on Mt. Keld", "on Mount Keld"),
    ("two thirds of voters", "two-thirds of voters"),
    ("three quarters of voters", "75% of voters"),
    ("survived by three quarters", "survived by 75 percent"),
    ("over 1 1/2 miles", "over 1.5 miles"),
    ("in the nineteen-twenties", "in the 1920s"),
    ("by Dr. Lisel Haan", "by Doctor Lisel Haan"),
    ("1.234.567", "1,234,567"),
    ("1400万", "14 million"),
    ("1990年3月12日", "12 March 1990"),
]
DIFFERENT = [
    ("100", "1000"),
    ("1,234", "1.234"),
    ("03/12/1990", "12/03/1990"),
    ("-5", "5"),
    ("5 km", "5 kg"),
    ("5%", "5"),
    ("in 1931", "in 1934"),
    ("12 March 1990", "12 March 1991"),
    ("Henry IV", "Henry V"),
    ("third", "fourth"),
    ("44 BC", "AD 44"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_one_value_written_in_two_ways_is_one_value(one: str, other: str) -> None:
    assert values_in(one) == values_in(other) != frozenset()


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_values_stay_two(one: str, other: str) -> None:
    assert values_in(one) != values_in(other)


def test_a_text_without_values_has_none() -> None:
    assert values_in("the lake is popular with anglers") == frozenset()
    assert values_in("") == frozenset()


@pytest.mark.parametrize("text", ["One of the founders", "no one knows", "the A380", "in 3D", "a 5G network", "MP3"])
def test_pronouns_and_parts_of_names_are_no_numbers(text: str) -> None:
    assert not read_values(text).quantities


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("opened in 1931", [1931]),
        ("a hall for 1500 guests", []),
        ("1200 metres", []),
        ("from 1990 to 1998", [1990, 1998]),
        ("(1871–1945)", [1871, 1945]),
        ("1990-95", [1990, 1995]),
        ("the 1930s", [1930]),
        ("room 2400%", []),
    ],
)
def test_years_are_told_from_counts(text: str, years: list[int]) -> None:
    assert [date.year for date in find_dates(text)] == years


def test_dates_without_all_parts_do_not_clash() -> None:
    whole, year, month = (find_dates(text)[0] for text in ("12 May 2020", "in 2020", "May 2020"))
    assert contains(year, whole)
    assert contains(month, whole)
    assert contains(year, month)
    assert not contains(whole, year)
    assert find_dates("unknown") == ()


def test_an_unclear_date_can_be_either() -> None:
    unclear, one, other = (find_dates(text)[0] for text in ("03/12/1990", "3 December 1990", "12 March 1990"))
    third = find_dates("5 March 1990")[0]
    assert could_be_equal(unclear, one)
    assert could_be_equal(unclear, other)
    assert not could_be_equal(unclear, third)


def test_two_digits_leave_the_century_open_too() -> None:
    unclear, one, other, third = (
        find_dates(text)[0] for text in ("04/05/06", "5 April 2006", "4 May 1906", "5 April 2007")
    )
    assert [could_be_equal(unclear, date) for date in (one, other, third, unclear)] == [True, True, False, True]


@pytest.mark.parametrize(
    ("text", "hedge"),
    [
        ("about 1,200 people", "about"),
        ("more than 300 species", "least"),
        ("40 or more seats", "least"),
        ("up to 900 years", "most"),
        ("the toll went up to 15 dollars", ""),
        ("312 species", ""),
    ],
)
def test_how_exactly_a_number_is_meant(text: str, hedge: str) -> None:
    assert [quantity.hedge for quantity in read_values(text).quantities] == [hedge]


def test_a_separator_that_can_be_read_twice_keeps_both_readings() -> None:
    (grouped,) = read_values("1,234 kg").quantities
    (decimal,) = read_values("1.234 kg").quantities
    assert (grouped.amount, grouped.other) == (1234, Fraction("1.234"))
    assert (decimal.amount, decimal.other) == (Fraction("1.234"), 1234)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The mayor of Tarn is Louis Ferrand.", ["tarn", "louis ferrand"]),
        ("Construction began.", []),
        ("France's capital is Paris", ["france", "paris"]),
        ("St. Mary's Church in Bath", ["saint marys church", "bath"]),
        ("Leonardo da Vinci met Henry IV", ["leonardo da vinci", "henry iv"]),
        ("The Lord of the Rings", ["lord of the rings"]),
        ('the song "river of stars"', ["river of stars"]),
        ("Dr. Hanna Lund, CEO of Acme Inc.", ["hanna lund", "acme"]),
        ("On Monday in May", []),
        ("Apollo 11 landed", ["apollo 11"]),
    ],
)
def test_names_are_runs_of_capitals_in_one_form(text: str, names: list[str]) -> None:
    assert [name.key for name in read_values(text).names] == names


@given(st.text())
def test_reading_values_never_fails_and_no_two_overlap(text: str) -> None:
    values = read_values(text).in_order
    assert all(a.end <= b.start for a, b in pairwise(values))


@given(st.integers(0, 10**9))
def test_group_separators_do_not_change_an_integer(number: int) -> None:
    assert values_in(f"{number:,} kg") == values_in(f"{number} kg")
