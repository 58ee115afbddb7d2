"""Does a passage state the values of a fact that is said to come from it?"""

import re
from fractions import Fraction
from typing import Final

from retree_core.text.dates import Date, could_be_equal
from retree_core.text.dates import contains as date_contains
from retree_core.text.names import Name
from retree_core.text.normal import fold_plural, tokens, without_accents
from retree_core.text.quantities import Quantity
from retree_core.text.values import Values, read_values

PROSE_OVERLAP: Final = 0.5
"""Least share of content tokens of a fact without values that its passage must hold."""
_STEM: Final = 5
_GOES_ON_BEFORE: Final = re.compile(r"[\w.,/+~<>$€£¥\u2010-\u2015\u2212-]")
_GOES_ON_AFTER: Final = re.compile(r"[\w/%+\u2010-\u2015\u2212-]|[.,:]\d")


def unsupported_values(fact: str, passage: str) -> tuple[str, ...]:
    """Return the values the fact states that the passage does not, as the fact writes them; empty means supported.

    Formats do not matter, nor does a name given in part. A fact without values, or in lower case (its names cannot be
    seen), is compared by content tokens; then the missing tokens are returned.

    >>> unsupported_values("Harrow has 1,200 residents.", "Harrow (pop. 1200) lies in Kent.")
    ()
    >>> unsupported_values("Edmund Harcastle built it in 1931.", "It was built by Harcastle in 1934.")
    ('1931',)
    """
    stated = read_values(fact)
    by_value = bool(stated.in_order) and fact != fact.lower()
    if by_value and _quotes(stated, passage):
        return ()
    present = frozenset(tokens(passage))
    missing = _missing_values(stated, read_values(passage), present)
    return missing if missing or by_value else _missing_tokens(fact, present)


def _quotes(stated: Values, passage: str) -> bool:
    """Whether every value stands in the passage as the fact writes it, so that the passage need not be read."""
    bare = any(quantity.unit in ("", "ordinal") for quantity in stated.quantities)
    return not bare and all(_stands_in(passage, stated.text[one.start : one.end].strip()) for one in stated.in_order)


def _stands_in(text: str, written: str) -> bool:
    """Whether `written` stands in the text and is not part of a longer number, word or range there."""
    start = text.find(written)
    while start >= 0:
        end = start + len(written)
        if not _GOES_ON_BEFORE.match(text[max(0, start - 1) : start]) and not _GOES_ON_AFTER.match(text[end : end + 2]):
            return True
        start = text.find(written, end)
    return False


def _missing_values(stated: Values, there: Values, present: frozenset[str]) -> tuple[str, ...]:
    missing = [date.written for date in stated.dates if not _has_date(date, there)]
    missing += [stated.text[q.start : q.end].strip() for q in stated.quantities if not _has_quantity(q, there)]
    missing += [name.written for name in stated.names if not _has_name(name, there, present)]
    return tuple(dict.fromkeys(missing))


def _has_date(date: Date, there: Values) -> bool:
    if any(could_be_equal(date, other) or date_contains(date, other) for other in there.dates):
        return True
    if date.grain == "year" and date.year is not None:
        return any(quantity.amount == date.year for quantity in there.quantities)
    same_year = any(other.year == date.year for other in there.dates)
    same_day = any(other.month == date.month and other.day == date.day for other in there.dates if other.month)
    return date.grain in ("day", "month") and same_year and same_day


def _has_quantity(wanted: Quantity, there: Values) -> bool:
    if wanted.worded and wanted.amount == 1:
        return True
    if any(_states(wanted, other) for other in there.quantities):
        return True
    return wanted.unit == "" and any(date.year == wanted.amount for date in there.dates)


def _states(wanted: Quantity, other: Quantity) -> bool:
    """Tell whether the passage's quantity is the fact's: equal, converted or rounded."""
    if wanted.unit != other.unit and "" not in (wanted.unit, other.unit):
        return False
    if wanted.amount == other.amount or other.amount in (wanted.other,) or wanted.amount in (other.other,):
        return True
    if wanted.hedge == "least" and other.amount >= wanted.amount and wanted.unit == other.unit:
        return other.amount <= 2 * wanted.amount
    loose = Fraction(1, 10) if wanted.hedge == "about" or other.hedge == "about" else Fraction(1, 50)
    gap = abs(wanted.amount - other.amount)
    coarse = wanted.step >= 1 or wanted.converted or other.converted
    return (
        coarse
        and wanted.unit != "ordinal"
        and gap * 2 <= max(wanted.step, other.step)
        and gap <= loose * abs(other.amount)
    )


def _has_name(name: Name, there: Values, present: frozenset[str]) -> bool:
    if any(same_name(name, other) for other in there.names):
        return True
    if not name.words or _has_words(name, present):
        return True
    return not name.sure and _has_stem(fold_plural(name.words[0]), present)


def _has_words(name: Name, present: frozenset[str]) -> bool:
    return all(fold_plural(word) in present for word in name.words)


def same_name(a: Name, b: Name) -> bool:
    """Tell whether two names can stand for one bearer: equal, one part of the other, initials, or an acronym.

    >>> from retree_core.text.names import find_names
    >>> one, two, three = find_names("met J. Smith, then John Smith, then Mary Smith")
    >>> same_name(one, two), same_name(two, three)
    (True, False)
    """
    if a.key == b.key or _is_acronym_of(a, b) or _is_acronym_of(b, a):
        return True
    short, long = sorted((a.words, b.words), key=len)
    if not short:
        return False
    if len(short) == len(long):
        return short[-1] == long[-1] and all(_abbreviates(x, y) for x, y in zip(short, long, strict=True))
    rest = list(long)
    for word in short:
        match = next((other for other in rest if _abbreviates(word, other)), None)
        if match is None:
            return False
        rest.remove(match)
    return len(short) > 1 or len(short[0]) > 1


def _abbreviates(a: str, b: str) -> bool:
    return a == b or (min(len(a), len(b)) == 1 and a[0] == b[0])


def _is_acronym_of(short: Name, long: Name) -> bool:
    letters = "".join(word[0] for word in long.words)
    return len(short.words) == 1 and len(long.words) > 1 and short.written.isupper() and short.words[0] == letters


def _missing_tokens(fact: str, present: frozenset[str]) -> tuple[str, ...]:
    """Return the fact's content tokens the passage lacks, when they are too many to call the fact supported."""
    wanted = tuple(dict.fromkeys(tokens(fact)))
    missing = tuple(token for token in wanted if token not in present and not _has_stem(token, present))
    return missing if len(missing) > (1 - PROSE_OVERLAP) * len(wanted) else ()


def _has_stem(word: str, present: frozenset[str]) -> bool:
    """Tell whether a word of the same beginning is there: 'scientists' for 'scientific'."""
    plain = without_accents(word)
    return len(plain) >= _STEM and any(token[:_STEM] == plain[:_STEM] for token in present if len(token) >= _STEM)
