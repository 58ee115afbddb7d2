"""Grapheme clusters: the units a reader sees as one character.

A small version of Unicode's UAX 29, enough never to cut inside an emoji family, a flag, a combining accent, a
Hangul syllable or an Indic cluster. The standard library has no such function.
"""

import unicodedata
from functools import lru_cache
from typing import Final

ZERO_WIDTH_JOINER: Final = "\u200d"
_SPACING_VOWELS: Final = frozenset("\u0e33\u0eb3")
_VIRAMA_CLASS: Final = 9


def clusters(text: str) -> tuple[str, ...]:
    """Return the grapheme clusters of `text`, in order; joined, they are `text` again.

    >>> clusters("ae\\u0301")
    ('a', 'e\\u0301')
    >>> len(clusters("\\U0001f1eb\\U0001f1f7\\U0001f1e9\\U0001f1ea"))
    2
    """
    if text.isascii() and "\r" not in text:
        return tuple(text)
    found: list[str] = []
    flags = 0
    for character in text:
        previous = found[-1] if found else ""
        joins_flag = _is_regional(character) and flags % 2 == 1
        if previous and (joins_flag or _continues(previous, character)):
            found[-1] = previous + character
        else:
            found.append(character)
        flags = flags + 1 if _is_regional(character) else 0
    return tuple(found)


def _continues(cluster: str, character: str) -> bool:
    """Tell whether `character` belongs to the cluster before it."""
    last = cluster[-1]
    if character == "\n":
        return cluster == "\r"
    if _is_control(last):
        return False
    return (
        _extends(character)
        or (last == ZERO_WIDTH_JOINER and len(cluster) > 1)
        or (unicodedata.combining(last) == _VIRAMA_CLASS and character.isalpha())
        or _joins_hangul(last, character)
    )


@lru_cache(maxsize=4096)
def _extends(character: str) -> bool:
    code = ord(character)
    return (
        unicodedata.category(character) in ("Mn", "Mc", "Me")
        or character in (ZERO_WIDTH_JOINER, "\u200c")
        or 0x1F3FB <= code <= 0x1F3FF
        or 0xE0020 <= code <= 0xE007F
        or character in _SPACING_VOWELS
    )


def _is_regional(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Zl", "Zp")


def _joins_hangul(last: str, character: str) -> bool:
    """Tell whether two Hangul letters stand in one syllable (lead, vowel, tail)."""
    before, after = ord(last), ord(character)
    lead = 0x1100 <= before <= 0x115F
    vowel_next, tail_next = 0x1160 <= after <= 0x11A7, 0x11A8 <= after <= 0x11FF
    syllable = 0xAC00 <= before <= 0xD7A3
    open_syllable = syllable and (before - 0xAC00) % 28 == 0
    vowel, tail = 0x1160 <= before <= 0x11A7, 0x11A8 <= before <= 0x11FF
    if lead:
        return 0x1100 <= after <= 0x115F or vowel_next or 0xAC00 <= after <= 0xD7A3
    return (vowel_next and (open_syllable or vowel)) or (tail_next and (syllable or vowel or tail))
