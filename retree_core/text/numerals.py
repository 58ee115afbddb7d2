"""Numbers as written: digits with separators of either habit, and number words."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from retree_core.text.wordlists import in_order

ONES: Final = {
    word: value
    for value, word in enumerate(
        in_order(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
TENS: Final = {
    word: 10 * value
    for value, word in enumerate(in_order("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
SCALES: Final = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "lakh": 10**5,
    "crore": 10**7,
    "dozen": 12,
    "\u4e07": 10**4,
    "\u842c": 10**4,
    "\u5104": 10**8,
    "\u4ebf": 10**8,
}
SHORT_SCALES: Final = {"k": 10**3, "m": 10**6, "mn": 10**6, "mln": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12}
_FIRST: Final = {
    word: value
    for value, word in enumerate(
        in_order(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth"
        ),
        start=1,
    )
}
_TENTHS: Final = {
    word: 10 * value
    for value, word in enumerate(
        in_order("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"), start=2
    )
}
_COMPOUND: Final = {f"{ten}-{word}": TENS[ten] + value for ten in TENS for word, value in _FIRST.items() if value < 10}
ORDINAL_WORDS: Final = {**_FIRST, **_TENTHS, **_COMPOUND}
"""Ordinal in words -> its number."""
ANY_ORDINAL: Final = "|".join(sorted(ORDINAL_WORDS, key=lambda word: (-len(word), word)))
"""Any ordinal in words, longest first, as a regular expression."""
_ADVERBS: Final = {"single": 1, "twice": 2, "thrice": 3}
_FRACTIONS: Final = {
    "half": Fraction(1, 2),
    "third": Fraction(1, 3),
    "quarter": Fraction(1, 4),
    "fifth": Fraction(1, 5),
}

DIGITS: Final = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?"
    r"|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:[ '\u2019]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\d])"
)
"""Digits with group and decimal marks, as a regular expression."""
_PLAIN_WORDS: Final = "|".join((*ONES, *TENS))
_SCALE_WORDS: Final = "|".join(word for word in SCALES if word.isascii())
_ANY_WORD: Final = rf"(?:{_PLAIN_WORDS}|{_SCALE_WORDS})"
_COUNT: Final = rf"(?:(?:a|half a)[ ](?:{_SCALE_WORDS})|{_ANY_WORD})s?(?:(?:[ -]|[ ]and[ ]){_ANY_WORD}s?)*"
NUMBER_WORDS: Final = rf"(?:twice|thrice|a single(?! out)|{_COUNT}(?:[ ]and[ ]a[ ]half)?)\b"
"""Number words, as a regular expression for casefolded text."""
FRACTION_WORDS: Final = (
    r"(?:(?:(?:a|one|two|three|four)[ -])?(?:half|thirds?|quarters?|fifths)(?=[ ]of\b)"
    r"|(?:two[ -]thirds|three[ -]quarters|(?:two|three|four)[ -]fifths)\b)"
)
"""Fractions such as 'half of' or 'two thirds', as a regular expression for casefolded text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeral:
    """One written number."""

    amount: Fraction
    """Its value, read the English way."""
    step: Fraction
    """The weight of its last stated digit: 3.5 has 1/10, 1200 has 100 (trailing zeros may be rounding)."""
    other: Fraction | None = None
    """The value with the other reading of its separator, where one is possible: 1,234 or 1.234."""


def read_digits(text: str) -> Numeral:
    """Return the number written in `text` with digits.

    >>> str(read_digits("1,234.5").amount), str(read_digits("1.234.567").amount)
    ('2469/2', '1234567')
    >>> str(read_digits("1.234").amount), str(read_digits("1.234").other)
    ('617/500', '1234')
    """
    compact = re.sub(r"[ '\u2019]", "", text)
    marks = re.findall(r"[.,]", compact)
    if not marks:
        return _numeral(compact)
    if len(marks) == 1:
        return _one_mark(compact, marks[0])
    decimal = marks[-1] if marks[-1] != marks[0] else ""
    whole = "".join("." if mark == decimal and mark else "" if mark in ".," else mark for mark in compact)
    return _numeral(whole)


def _one_mark(compact: str, mark: str) -> Numeral:
    """Read a number with a single comma or full stop, which three digits after it leave open."""
    head, tail = compact.split(mark)
    could_group = len(tail) == 3 and 1 <= len(head) <= 3 and head != "0"
    grouped, decimal = _numeral(head + tail), _numeral(f"{head}.{tail}")
    if mark == "," and could_group:
        return Numeral(amount=grouped.amount, step=grouped.step, other=decimal.amount)
    other = grouped.amount if could_group else None
    return Numeral(amount=decimal.amount, step=decimal.step, other=other)


def _numeral(plain: str) -> Numeral:
    """Read digits with at most one decimal point and no groups."""
    _, point, decimals = plain.partition(".")
    if point:
        return Numeral(amount=Fraction(plain), step=Fraction(1, 10 ** len(decimals)))
    zeros = len(plain) - len(plain.rstrip("0")) if plain.strip("0") else 0
    return Numeral(amount=Fraction(plain), step=Fraction(10**zeros))


def read_words(text: str) -> Numeral:
    """Return the number written in `text` with words.

    >>> [str(read_words(t).amount) for t in ("seven", "twenty-one", "two hundred and five", "half a million")]
    ['7', '21', '205', '500000']
    >>> str(read_words("two thirds").amount)
    '2/3'
    """
    words = re.findall(r"[a-z]+", text)
    if words[-1] in _ADVERBS:
        return Numeral(amount=Fraction(_ADVERBS[words[-1]]), step=Fraction(1))
    fraction = _read_fraction(words)
    if fraction is not None:
        return Numeral(amount=fraction, step=Fraction(1, 100))
    total = _add_up(words)
    return Numeral(amount=total, step=_numeral(str(int(total))).step if total.denominator == 1 else Fraction(1, 10))


def _read_fraction(words: list[str]) -> Fraction | None:
    part = _FRACTIONS.get(words[-1].removesuffix("s")) if words else None
    if part is None or "and" in words:
        return None
    return part * (ONES.get(words[0], 1) if len(words) > 1 else 1)


def _add_up(words: list[str]) -> Fraction:
    total, current = Fraction(0), Fraction(0)
    for word in words:
        singular = word.removesuffix("s") if word.removesuffix("s") in SCALES else word
        if singular == "half":
            current += Fraction(1, 2)
        elif singular in SCALES and SCALES[singular] in (100, 12):
            current = (current or Fraction(1)) * SCALES[singular]
        elif singular in SCALES:
            total, current = total + (current or Fraction(1)) * SCALES[singular], Fraction(0)
        else:
            current += ONES.get(singular, 0) + TENS.get(singular, 0)
    return total + current
