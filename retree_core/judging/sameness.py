"""Do two answers say the same, in whatever format, spelling or order?"""

import re
from typing import Final

from retree_core.judging.duplicates import is_duplicate
from retree_core.judging.lexicon import OFTEN, said
from retree_core.text import tokens
from retree_core.text.aliases import SHORT_WORDS, TITLES
from retree_core.text.support import same_name, unsupported_values
from retree_core.text.values import Values, read_values, values_in

_ROMAN: Final = re.compile(r"[IVXL]+")
_ROMAN_DIGITS: Final = {"I": 1, "V": 5, "X": 10, "L": 50}


def verdict(answer: str) -> str:
    """`yes` or `no` where the answer begins so."""
    found = re.match(r"\W*(yes|no)\b", answer, re.IGNORECASE)
    return found[1].casefold() if found else ""


def say_the_same(a: str, b: str) -> bool:
    """Whether two answers mean one value, as far as their texts can tell.

    >>> say_the_same("1.2 km", "1,200 m"), say_the_same("J. P. Tarlow", "Jonas Peter Tarlow")
    (True, True)
    >>> say_the_same("the Brask lighthouse", "the Brask pier"), say_the_same("Orm beat Ule", "Ule beat Orm")
    (False, False)
    """
    if in_other_roles(a, b):
        return False
    if is_duplicate(a, b) or (stems(a) and stems(a) == stems(b)):
        return True
    if said(OFTEN, a) & said(OFTEN, b) or _one_count(a, b) or _one_name(a, b):
        return True
    left, right = read_values(a), read_values(b)
    if left.quantities and right.quantities and not (left.names or right.names):
        if _is_one(left) != _is_one(right):
            return False
        return not (unsupported_values(f"It is {a}", b) and unsupported_values(f"It is {b}", a))
    beside = (stems(a) - stems(b) - TITLES, stems(b) - stems(a) - TITLES)
    named = bool(values_in(a)) and values_in(a) == values_in(b) and not (left.quantities or right.quantities)
    return named and not all(beside)


def _is_one(values: Values) -> bool:
    """Whether the only number is a one, which passages need not spell out, but answers do."""
    return all(one.amount == 1 for one in values.quantities)


def in_other_roles(a: str, b: str) -> bool:
    """Whether names change places around a word: X defeated Y, Y defeated X (but X and Y are Y and X)."""
    first, second = ([one.key for one in read_values(text).names] for text in (a, b))
    between = stems(a) - stems(" ".join(first))
    return first != second and sorted(first) == sorted(second) and bool(between)


def _one_name(a: str, b: str) -> bool:
    """Whether both answers are names and nothing else, of one bearer: in full, with initials, as an acronym."""
    names = [read_values(text).names for text in (a, b)]
    whole = all(len(one) == 1 and stems(one[0].written) == stems(text) for one, text in zip(names, (a, b), strict=True))
    return whole and same_name(names[0][0], names[1][0])


def _one_count(a: str, b: str) -> bool:
    """Whether one answer is a number written the Roman way, and the other says the same number."""
    romans, others = ([one for one in (a, b) if bool(_ROMAN.fullmatch(one)) is roman] for roman in (True, False))
    if not romans or not others:
        return False
    digits = [_ROMAN_DIGITS[one] for one in romans[0]]
    number = sum(-one if one < after else one for one, after in zip(digits, [*digits[1:], 0], strict=True))
    return [one.amount for one in read_values(others[0]).quantities] == [number]


def stem(word: str) -> str:
    """What inflected forms of a word share."""
    return word[:6] if len(word) > 6 and word.isalpha() else word


def stems(text: str) -> set[str]:
    """Content words without their endings, shortened ones in full."""
    return {stem(SHORT_WORDS.get(one, one)) for one in tokens(text)}
