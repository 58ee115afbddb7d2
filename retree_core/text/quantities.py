"""Quantities in a text: a number, its unit in a base unit, and how exactly it is meant."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from retree_core.text.dates import Date, lower
from retree_core.text.normal import is_unspaced
from retree_core.text.numerals import (
    ANY_ORDINAL,
    DIGITS,
    FRACTION_WORDS,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    SCALES,
    SHORT_SCALES,
    Numeral,
    read_digits,
    read_words,
)
from retree_core.text.patterns import compiled
from retree_core.text.units import CURRENCY_PATTERN, CURRENCY_SIGNS, UNIT_PATTERN, is_imperial, read_unit

_SCALE: Final = (
    r"(?:(?:[ -]?(?P<scale>hundred|thousand|million|billion|trillion|lakh|crore|dozen)s?\b)"
    r"|(?P<short>k|mn|mln|bn|tn|m|b)(?![\w])|(?P<cjk>[\u4e07\u842c\u5104\u4ebf]))?"
)
_SIGN: Final = r"(?P<sign>(?<![\w)\]])[-\u2212]|\bminus )?"
_CURRENCY: Final = rf"(?:(?P<currency>{CURRENCY_PATTERN}) ?)?"
_UNIT: Final = rf"(?:[ -]?(?P<unit>{UNIT_PATTERN}))?"
_QUANTITY: Final = (
    rf"(?<![a-z\u00c0-\u024f\u0370-\u052f])(?<![\d.,\x00])(?<![a-z]-){_SIGN}{_CURRENCY}"
    rf"(?:(?P<digits>{DIGITS})|\b(?P<fraction>{FRACTION_WORDS})|\b(?P<words>{NUMBER_WORDS}))"
    rf"(?![.]?[0-9]){_SCALE}{_UNIT}(?P<plus>\+)?"
)
_FEET: Final = re.compile(
    r"(?<![\w.,])(?P<feet>\d{1,2})\s?(?:ft|feet|foot|'|\u2032)\s?(?P<inches>\d{1,2})\s?"
    r"(?:in\b|inch(?:es)?\b|\"|''|\u2032\u2032)"
)
_HOURS: Final = re.compile(r"\b(?P<half>half an|an) (?P<unit>hour|hours)\b(?P<more> and a half)?(?! and \d)")
_ORDINAL: Final = r"\b(?:(?P<digits>\d{1,4})(?:st|nd|rd|th)|(?P<words>" + ANY_ORDINAL + r"))\b"
_HEDGES: Final = (
    (
        "about",
        r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|c\.|ca\.|~|\u2248|an? estimated"
        r"|estimated at|close to|in the region of|just over|just under|well over"
        r"|slightly (?:over|under|more than|less than))",
    ),
    ("least", r"(?:more than|over|at least|exceeding|exceeds|above|upwards of|no fewer than|no less than|>|\u2265)"),
    (
        "most",
        r"(?:less than|fewer than|under|below|up to|at most|no more than|as many as|as much as|not more than|<|\u2264)",
    ),
)
_HEDGE_BEFORE: Final = tuple((name, re.compile(words + r"(?: the| an?)? ?$")) for name, words in _HEDGES)
_HEDGE_AFTER: Final = (
    ("about", re.compile(r" (?:or so|or thereabouts|approximately)\b")),
    ("least", re.compile(r" or more\b| and (?:above|over)\b")),
    ("most", re.compile(r" or (?:less|fewer)\b")),
)
_ROSE_TO: Final = re.compile(r"\b(?:went|goes|go|rose|raised|climbed|grew|put|moved) up to $")
_VULGAR: Final = {"\u00bc": ".25", "\u00bd": ".5", "\u00be": ".75"}
_MIXED: Final = re.compile(r"(?<![\w.,/])(\d+) (1/4|1/2|3/4)(?![\w/])")
_MIXED_PART: Final = {"1/4": ".25", "1/2": ".5", "3/4": ".75"}
_PRONOUN_ONE: Final = re.compile(r" (?:of|another|day|side|hand|time|can|could|may|might|must|should|would)\b")
_NO_ONE: Final = re.compile(r"(?:\bno|\bany|\bevery|\bsome|\beach|\bthis|\bthat|\bthe|\bwhich) ?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number with its unit."""

    amount: Fraction
    """In the base unit."""
    step: Fraction
    """Weight of the last stated digit, in the base unit."""
    unit: str
    """Base unit; '' for a plain count, 'ordinal' for third or 3rd."""
    hedge: str = ""
    """'' exact, 'about', 'least' or 'most'."""
    other: Fraction | None = None
    """The amount under the other reading of its separator (1,234 or 1.234), in the base unit."""
    converted: bool = False
    """Stated in a unit whose conversion is rounded (miles, feet, pounds, Fahrenheit)."""
    worded: bool = False
    """Written in words."""
    start: int
    end: int

    @property
    def key(self) -> str:
        """The canonical value: equal for equal amounts however written."""
        unit = f" {self.unit}" if self.unit else ""
        return f"number:{_plain(self.amount)}{unit}"


def find_quantities(text: str, dates: Sequence[Date] = ()) -> tuple[Quantity, ...]:
    """Return the quantities of an NFKC text, in order, outside the given dates.

    >>> [quantity.key for quantity in find_quantities("1,234 km2, US$3 million, seven dogs, 50 percent, -5")]
    ['number:1234000000 m2', 'number:3000000 usd', 'number:7', 'number:50 %', 'number:-5']
    """
    masked = lower(_mask(text, [(date.start, date.end) for date in dates]))
    feet = [_read_feet(match) for match in _FEET.finditer(masked)]
    masked = _mask(masked, [(quantity.start, quantity.end) for quantity in feet])
    hours = [_read_hours(match) for match in _HOURS.finditer(masked)]
    masked = _mask(masked, [(quantity.start, quantity.end) for quantity in hours])
    ordinals = [
        _read_ordinal(match) for match in compiled(_ORDINAL).finditer(masked) if not _is_fraction(masked, match)
    ]
    masked = _mask(masked, [(quantity.start, quantity.end) for quantity in ordinals])
    plain = [quantity for match in compiled(_QUANTITY).finditer(masked) if (quantity := _read(match, text)) is not None]
    return tuple(sorted((*_joined(plain, masked), *feet, *hours, *ordinals), key=lambda quantity: quantity.start))


def _mask(text: str, stretches: Sequence[tuple[int, int]]) -> str:
    """Blank out stretches with a letter-like mark that no pattern takes for a border of its own."""
    for start, end in stretches:
        text = text[:start] + "\x00" * (end - start) + text[end:]
    return text


def _is_fraction(text: str, match: re.Match[str]) -> bool:
    return bool(re.match(r"s?(?= of\b)", text[match.end() :])) and bool(
        re.search(r"\b(?:a|one|two|three|four)[ -]$", text[: match.start()])
    )


def _read(match: re.Match[str], text: str) -> Quantity | None:
    """Read one match; None when it is no number (the pronoun 'one', part of a name such as 3D)."""
    if match["words"] == "one" and _is_pronoun(match):
        return None
    numeral = read_digits(match["digits"]) if match["digits"] else read_words(match["fraction"] or match["words"])
    unit_written = match["unit"] or ""
    short = match["short"] or ""
    if (
        len(unit_written) == 1
        and unit_written.isalpha()
        and text[match.start("unit")].isupper()
        and unit_written in "mgtshl"
    ):
        return None
    if short and not match["currency"]:
        if short == "m" and text[match.start("short")].islower():
            unit_written, short = "m", ""
        elif short != "k" and len(short) == 1:
            return None
    if (
        not short
        and not unit_written
        and not match["scale"]
        and not match["cjk"]
        and match["digits"]
        and _runs_on(match)
    ):
        return None
    return _scaled(match, numeral, unit_written, short)


def _runs_on(match: re.Match[str]) -> bool:
    """Tell whether a letter follows the digits at once: 3D, 5G, 7x."""
    following = match.string[match.end("digits") : match.end("digits") + 1]
    return following.isalpha() and not is_unspaced(following)


def _is_pronoun(match: re.Match[str]) -> bool:
    after, before = match.string[match.end() :], match.string[: match.start()]
    return bool(_PRONOUN_ONE.match(after)) or bool(_NO_ONE.search(before)) or not after.strip(" .")


def _scaled(match: re.Match[str], numeral: Numeral, unit_written: str, short: str) -> Quantity:
    """Return the quantity in its base unit."""
    written = match["scale"] or match["cjk"] or ""
    scale = Fraction(SCALES.get(written, 0) or SHORT_SCALES.get(short, 1))
    unit, factor = read_unit(unit_written)
    if match["fraction"] and not unit_written:
        unit, factor = "%", Fraction(100)
    elif match["currency"]:
        unit, factor = CURRENCY_SIGNS[match["currency"]], Fraction(1)
    elif unit_written in ("pound", "pounds") and max(scale, numeral.amount) >= 10**6:
        unit, factor = "gbp", Fraction(1)
    sign = -1 if match["sign"] else 1
    whole = scale * factor
    amount, step = sign * numeral.amount * whole, numeral.step * whole
    other = None if numeral.other is None else sign * numeral.other * whole
    if unit in ("f", "kelvin"):
        amount, step, unit = _celsius(amount, unit), step * (Fraction(5, 9) if unit == "f" else 1), "c"
    return Quantity(
        amount=amount,
        step=step,
        unit=unit,
        hedge="least" if match["plus"] else _hedge(match.string, match.start(), match.end()),
        other=other,
        converted=is_imperial(unit_written) or "\u00b0f" in unit_written,
        worded=not match["digits"],
        start=match.start(),
        end=match.end(),
    )


def _celsius(amount: Fraction, unit: str) -> Fraction:
    return (amount - 32) * Fraction(5, 9) if unit == "f" else amount - Fraction(27315, 100)


def _hedge(text: str, start: int, end: int) -> str:
    """Return how exactly the number between `start` and `end` is meant."""
    before, after = text[max(0, start - 32) : start], text[end : end + 40]
    if _ROSE_TO.search(before):
        return ""
    for name, pattern in _HEDGE_BEFORE:
        if pattern.search(before):
            return name
    after_noun = re.sub(r"^(?: [a-z]+){0,2}?(?= or | and )", "", after)
    return next((name for name, pattern in _HEDGE_AFTER if pattern.match(after_noun)), "")


def _read_feet(match: re.Match[str]) -> Quantity:
    inches = 12 * int(match["feet"]) + int(match["inches"])
    factor = Fraction(127, 5000)
    hedge = _hedge(match.string, match.start(), match.end())
    return Quantity(
        amount=inches * factor, step=factor, unit="m", hedge=hedge, converted=True, start=match.start(), end=match.end()
    )


def _read_hours(match: re.Match[str]) -> Quantity:
    """Read 'an hour', 'half an hour', 'an hour and a half'."""
    hours = Fraction(1, 2) if match["half"] == "half an" else Fraction(3, 2) if match["more"] else Fraction(1)
    return Quantity(
        amount=3600 * hours, step=Fraction(1800), unit="s", worded=True, start=match.start(), end=match.end()
    )


def _read_ordinal(match: re.Match[str]) -> Quantity:
    amount = int(match["digits"]) if match["digits"] else ORDINAL_WORDS[match["words"]]
    return Quantity(
        amount=Fraction(amount),
        step=Fraction(1),
        unit="ordinal",
        worded=bool(match["words"]),
        start=match.start(),
        end=match.end(),
    )


def _joined(found: Sequence[Quantity], text: str) -> Iterator[Quantity]:
    """Yield the quantities with compounds added up: 2 hours 15 minutes is one duration."""
    pending: Quantity | None = None
    for quantity in found:
        if pending is not None and _continues(pending, quantity, text):
            pending = replace(pending, amount=pending.amount + quantity.amount, step=quantity.step, end=quantity.end)
            continue
        if pending is not None:
            yield pending
        pending = quantity
    if pending is not None:
        yield pending


def _continues(first: Quantity, second: Quantity, text: str) -> bool:
    """Tell whether a smaller part of the same measure follows at once."""
    between = text[first.end : second.start]
    measures = first.unit == second.unit and first.unit in ("s", "month", "m", "kg") and first.step > second.step
    return measures and second.amount < first.step and bool(re.fullmatch(r",? ?(?:and )?", between))


def _plain(amount: Fraction) -> str:
    """Return a fraction as a plain decimal, or as a ratio when it has none."""
    if amount.denominator == 1:
        return str(amount.numerator)
    places = next((count for count in range(1, 16) if 10**count % amount.denominator == 0), 0)
    if not places:
        return f"{amount.numerator}/{amount.denominator}"
    sign, digits = "-" if amount < 0 else "", str(abs(amount.numerator) * 10**places // amount.denominator)
    digits = digits.rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def nfkc(text: str) -> str:
    """Return the NFKC form that dates, quantities and names are read from.

    >>> nfkc("1\\u00a0234\\u00a0km\\u00b2, 2\\u00bd, 1 1/2 miles")
    '1 234 km2, 2.5, 1.5 miles'
    """
    decimal = re.sub(r"(\d?)([\u00bc\u00bd\u00be])", lambda m: (m[1] or "0") + _VULGAR[m[2]], text)
    decimal = _MIXED.sub(lambda m: m[1] + _MIXED_PART[m[2]], decimal)
    return unicodedata.normalize("NFKC", decimal)
