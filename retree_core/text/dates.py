"""Dates, months, years, decades and centuries as written in a text."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from retree_core.text.numerals import ANY_ORDINAL, ONES, ORDINAL_WORDS, TENS
from retree_core.text.patterns import compiled
from retree_core.text.units import UNIT_PATTERN
from retree_core.text.wordlists import in_order

_MONTH_NAMES: Final = in_order("january february march april may june july august september october november december")
MONTHS: Final = {
    **{name: number for number, name in enumerate(_MONTH_NAMES, start=1)},
    **{name[:3]: number for number, name in enumerate(_MONTH_NAMES, start=1)},
    "sept": 9,
}
_MONTH: Final = r"(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY: Final = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_MONTH_OPENERS: Final = "in|since|until|till|during|by|from|every|each|early|late|last|this|next|of"
_YEAR: Final = r"(?P<year>1\d{3}|20\d{2}|21\d{2})"
_BEFORE: Final = r"(?<![\w.,$\u00a3\u20ac/])"
_NOT_A_COUNT: Final = (
    r"(?!\w|[.,]\d|/\d\d?/|-\d\d-|[ -]?%|[ -]?(?:" + UNIT_PATTERN + r")|[ ](?:hundred|thousand|million|billion)\b)"
)
_COUNTED: Final = re.compile(
    r"[ ](?:people|men|women|children|inhabitants|(?!is\b|was\b|has\b|as\b|its\b|this\b|does\b)[a-z]{3,}(?<!s)s)\b"
)
_TEMPORAL: Final = re.compile(
    r"\b(?:in|since|until|till|from|after|before|during|circa|c\.|ca\.|year|the|of|early|late|mid|between|by|and|to)"
    r"[ -]$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """A point in time as far as the text states it; unknown parts are None."""

    year: int | None = None
    """Negative before Christ. For a decade or century its first year."""
    month: int | None = None
    day: int | None = None
    grain: str
    """What is stated: day, month, year, decade, century, or 'unclear' (03/12/1990)."""
    written: str
    """The text it was read from."""
    start: int
    """First index in the text."""
    end: int
    """Index after the last character."""

    @property
    def key(self) -> str:
        """The canonical value: equal for equal dates however written."""
        if self.grain == "unclear":
            return f"date?:{self.written}"
        parts = (self.year, self.month, self.day)
        stated = "-".join("?" if part is None else f"{part:02d}" for part in parts).removesuffix("-?")
        return f"{self.grain}:{stated.removesuffix('-?')}"


def find_dates(text: str) -> tuple[Date, ...]:
    """Return the dates of an NFKC text, in order, never overlapping.

    >>> [date.key for date in find_dates("March 12th, 1990, or 1990-03-12; in 1931 and the 1990s")]
    ['day:1990-03-12', 'day:1990-03-12', 'year:1931', 'decade:1990']
    >>> [date.key for date in find_dates("a hall for 1500 guests")]
    []
    """
    lowered = lower(text)
    found: list[Date] = []
    for signs, pattern, read in _READERS:
        if signs and not any(one in lowered for one in signs):
            continue
        for match in compiled(pattern).finditer(lowered):
            date = read(match)
            if date is not None and all(date.end <= other.start or date.start >= other.end for other in found):
                found.append(replace(date, written=text[date.start : date.end]))
    return tuple(sorted(found, key=lambda date: date.start))


def lower(text: str) -> str:
    """Return the text in lower case with every index still in place."""
    if text.isascii():
        return text.lower()
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)


def could_be_equal(a: Date, b: Date) -> bool:
    """Tell whether two dates may name the same time under some reading of an unclear one."""
    return a.key == b.key or (_may_share_year(a, b) and _readings(a).intersection(_readings(b)) != frozenset())


def _may_share_year(a: Date, b: Date) -> bool:
    """Whether the years are the same, as far as two digits tell where no more are written."""
    short = [int(one.written[-2:]) for one in (a, b) if one.grain == "unclear" and one.year is None]
    if not short:
        return a.year == b.year
    years = [one.year % 100 for one in (a, b) if one.year is not None]
    return len({*short, *years}) == 1 and len(short) + len(years) == 2


def contains(wide: Date, narrow: Date) -> bool:
    """Tell whether `wide` is the same time stated less exactly (1990 for 12 March 1990, the 1990s for 1993)."""
    if wide.grain == "unclear" or narrow.grain == "unclear" or narrow.year is None:
        return wide.grain == "year" and wide.year == narrow.year
    if wide.grain in ("decade", "century") and wide.year is not None:
        span = 10 if wide.grain == "decade" else 100
        return wide.year <= narrow.year < wide.year + span
    same_year = wide.year is None or wide.year == narrow.year
    same_month = wide.month is None or wide.month == narrow.month
    return same_year and same_month and (wide.day is None or wide.day == narrow.day)


def _readings(date: Date) -> frozenset[tuple[int | None, int | None]]:
    """Return the possible (month, day) pairs."""
    if date.grain != "unclear":
        return frozenset({(date.month, date.day)})
    first, second = (int(part) for part in re.split(r"[./-]", date.written)[:2])
    return frozenset({(first, second), (second, first)})


def _at(match: re.Match[str], grain: str, year: int | None, month: int | None = None, day: int | None = None) -> Date:
    start, end = match.span("span") if "span" in match.re.groupindex else match.span()
    return Date(year=year, month=month, day=day, grain=grain, written=match.group(), start=start, end=end)


def _read_full(match: re.Match[str]) -> Date | None:
    return _at(match, "day", int(match["year"]), MONTHS[match["month"]], int(match["day"]))


def _read_iso(match: re.Match[str]) -> Date | None:
    month, day = int(match["month"]), int(match["day"])
    return _at(match, "day", int(match["year"]), month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _read_slashes(match: re.Match[str]) -> Date | None:
    """Read 25/12/1990; which of two small numbers is the month cannot be told, except with full stops (day first)."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if max(first, second) > 31 or min(first, second) > 12 or min(first, second) == 0:
        return None
    if first > 12 or first == second or match["mark"] == ".":
        return _at(match, "day", year, second, first) if second <= 12 else _at(match, "day", year, first, second)
    return _at(match, "day", year, first, second) if second > 12 else _at(match, "unclear", year)


def _read_short_slashes(match: re.Match[str]) -> Date | None:
    """Read 04/05/06, of which neither order nor century can be told."""
    first, second = int(match["first"]), int(match["second"])
    fits = 1 <= min(first, second) <= 12 and max(first, second) <= 31
    return _at(match, "unclear", None) if fits else None


def _read_short_end(match: re.Match[str]) -> Date | None:
    """Read the second year of 1990-95."""
    first, last = int(match["first"]), int(match["last"])
    year = first - first % 100 + last
    return _at(match, "year", year) if year > first else None


def _read_month(match: re.Match[str]) -> Date | None:
    return _at(match, "month", int(match["year"]), MONTHS[match["month"]])


def _read_iso_month(match: re.Match[str]) -> Date | None:
    return _at(match, "month", int(match["year"]), int(match["month"]))


def _read_day_of_year(match: re.Match[str]) -> Date | None:
    return _at(match, "day", None, MONTHS[match["month"]], int(match["day"]))


def _read_bare_month(match: re.Match[str]) -> Date | None:
    """Read a month without year or day behind a word of time: in May, every April (but 'this may' is no month)."""
    if match["month"] == "may" and match["before"] in ("this", "each", "every", "next"):
        return None
    return _at(match, "month", None, MONTHS[match["month"]])


def _read_decade(match: re.Match[str]) -> Date | None:
    first = int(match["decade"])
    return _at(match, "century" if first % 100 == 0 else "decade", first)


def _read_worded_decade(match: re.Match[str]) -> Date | None:
    return _at(match, "decade", 100 * ONES[match["hundreds"]] + TENS[match["tens"].replace("ies", "y")])


def _read_century(match: re.Match[str]) -> Date | None:
    number = ORDINAL_WORDS.get(match["ordinal"]) or int(re.sub(r"\D", "", match["ordinal"]) or 0)
    first = -100 * number if match["bc"] else 100 * (number - 1)
    return _at(match, "century", first) if number else None


def _read_era(match: re.Match[str]) -> Date | None:
    number = int(match["before"] or match["after"] or match["common"])
    return _at(match, "year", -number if match["before"] else number)


def _read_year(match: re.Match[str]) -> Date | None:
    """Read a bare year, unless it counts something: 'for 1500 guests' (but 'in 1998 voters chose' is a year)."""
    before, after = match.string[max(0, match.start() - 8) : match.start()], match.string[match.end() :]
    counts = bool(_COUNTED.match(after)) and not _TEMPORAL.search(before)
    return None if counts else _at(match, "year", int(match["year"]))


_ORDINAL: Final = r"(?P<ordinal>" + ANY_ORDINAL + r"|\d{1,2}(?:st|nd|rd|th))"
_MONTH_SIGNS: Final = tuple(name[:3] for name in _MONTH_NAMES)
_READERS: Final[tuple[tuple[tuple[str, ...], str, Callable[[re.Match[str]], Date | None]], ...]] = (
    (_MONTH_SIGNS, rf"\b{_DAY}(?: of)?[ -]{_MONTH},?[ -]{_YEAR}\b", _read_full),
    (_MONTH_SIGNS, rf"\b{_MONTH} {_DAY}(?:,| of)? ?{_YEAR}\b", _read_full),
    ((), rf"(?<![\d/-]){_YEAR}(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?!\d)", _read_iso),
    (("\u5e74",), r"(?P<year>\d{4})\u5e74(?P<month>\d\d?)\u6708(?P<day>\d\d?)\u65e5", _read_iso),
    (
        (),
        rf"(?<![\d/.-])(?P<first>\d\d?)(?P<mark>[/.-])(?P<second>\d\d?)(?P=mark){_YEAR}(?!\d)",
        _read_slashes,
    ),
    (("/",), r"(?<![\w/.-])(?P<first>\d\d?)/(?P<second>\d\d?)/\d\d(?![\w/])", _read_short_slashes),
    (_MONTH_SIGNS, rf"\b{_MONTH},?(?: of)? {_YEAR}\b", _read_month),
    (_MONTH_SIGNS, rf"\b{_DAY}(?: of)? {_MONTH}(?!\w)", _read_day_of_year),
    (_MONTH_SIGNS, rf"\b{_MONTH} {_DAY}(?![\w%]|[.,]\d)", _read_day_of_year),
    (
        _MONTH_SIGNS,
        rf"\b(?P<before>{_MONTH_OPENERS})[ ](?P<span>{_MONTH})(?!\w)(?! \d)",
        _read_bare_month,
    ),
    (("0s", "0's"), r"(?<![\w])(?P<decade>1\d\d0|20\d0)'?s\b", _read_decade),
    (
        ("ties",),
        (
            r"\b(?P<hundreds>sixteen|seventeen|eighteen|nineteen)[ -]"
            r"(?P<tens>(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies)\b"
        ),
        _read_worded_decade,
    ),
    (("century",), rf"\b{_ORDINAL}[ -]century(?P<bc> bce?\b)?", _read_century),
    (
        ("bc", "b.c.", "ad", "ce"),
        r"\b(?P<before>\d{1,4}) (?:bc|bce|b\.c\.)(?!\w)|\bad (?P<after>\d{1,4})\b|\b(?P<common>\d{1,4}) (?:ad|ce)\b",
        _read_era,
    ),
    (("\u5e74",), r"(?P<year>\d{4})\u5e74", _read_year),
    (
        ("-", "/", "\u2013"),
        r"(?<!\d)(?P<first>1\d{3}|20\d{2})[-/\u2013](?P<span>(?P<last>\d{2}))(?![\d/-])",
        _read_short_end,
    ),
    (("-",), r"(?<![\d/-])(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])(?![\d-])", _read_iso_month),
    ((), rf"{_BEFORE}{_YEAR}{_NOT_A_COUNT}(?!\d)", _read_year),
)
"""What a text must have one of for the pattern to be looked for (nothing: it always is), the pattern, its reader."""
