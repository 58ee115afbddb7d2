"""One normal form for 'is this the same text?', and content tokens for lexical overlap.

What is stored is never changed: these forms are only compared.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Final

from retree_core.text.graphemes import clusters
from retree_core.text.stopwords import STOPWORDS

_KEPT_PUNCTUATION: Final = frozenset("%&#@+")
_APOSTROPHES: Final = frozenset("'\u2019\u2018\u02bc`\u00b4")
_DASHES: Final = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212")
_INSIDE_NUMBERS: Final = frozenset(".,:/")
_VARIATION_SELECTORS: Final = frozenset("\ufe0e\ufe0f")
_UNSPACED: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),  # Han, extension A
    (0x4E00, 0x9FFF),  # Han
    (0xAC00, 0xD7AF),  # Hangul: spaced, but its endings hide whole-word overlap
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)
LONGEST_READ: Final = 20_000
"""Characters of one text that are read for words where a run is looked at; our own agents store far shorter ones."""
_ASCII_SPACE: Final = re.compile(
    r"""(?:[\x00-\x20\x7f!"()*;?\[\\\]_{}]"""
    r"""|(?<=[a-z0-9])-|-(?![0-9])|(?<![0-9])[.,:/]|[.,:/](?![0-9])|(?<![a-z0-9])['`]|['`](?![a-z0-9]))+"""
)
"""What ASCII punctuation and white space stand as a space, by what is around them."""
_GROUPED_NUMBER: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


@lru_cache(maxsize=8192)
def normalise(text: str) -> str:
    """Return the form two texts share when they differ only in case, spacing or punctuation.

    NFKC, casefolded, invisible characters dropped, punctuation and white space folded to one space. Signs and
    separators that carry a value stay: a leading minus, and the marks inside a number, date or time.

    >>> normalise("The  Bridge opened in 1934.")
    'the bridge opened in 1934'
    >>> normalise("-5 \\u00b0C"), normalise("5 \\u00b0C"), normalise("1,234") == normalise("1.234")
    ('-5 \\xb0c', '5 \\xb0c', False)
    """
    return _normal_ascii(text) if text.isascii() else normalise_with_origins(text)[0]


def comparable(text: str) -> str:
    """The form in which texts of a run are told apart: the normal one, or of a text past LONGEST_READ itself.

    >>> comparable("The  Bridge.")
    'the bridge'
    """
    return normalise(text) if len(text) <= LONGEST_READ else text


def _normal_ascii(text: str) -> str:
    """The same as `normalise_with_origins(text)[0]`, many times faster."""
    lower = text.lower()
    kept = _ASCII_SPACE.sub(" ", lower).strip(" ").replace("'", "").replace("`", "")
    return kept or "".join(lower.split())


@lru_cache(maxsize=2048)
def normalise_with_origins(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the normal form and, for each of its characters, the index in `text` it came from.

    >>> normalise_with_origins("A  b!")
    ('a b', (0, 1, 3))
    """
    folded: list[tuple[str, int]] = []
    at = 0
    for cluster in clusters(text):
        folded.extend((character, at) for character in unicodedata.normalize("NFKC", cluster).casefold())
        at += len(cluster)
    kept = _fold_punctuation(folded) or [pair for pair in folded if not pair[0].isspace()]
    return "".join(character for character, _ in kept), tuple(origin for _, origin in kept)


def _fold_punctuation(folded: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the characters that count, with one space wherever others stood."""
    kept: list[tuple[str, int]] = []
    for index, (character, origin) in enumerate(folded):
        before = folded[index - 1][0] if index else " "
        after = folded[index + 1][0] if index + 1 < len(folded) else " "
        form = _folded_character(before, character, after)
        if form == " " and (not kept or kept[-1][0] == " "):
            continue
        if form:
            kept.append((form, origin))
    if kept and kept[-1][0] == " ":
        kept.pop()
    return kept


def _folded_character(before: str, character: str, after: str) -> str:
    """Return what one character becomes: itself, a space, or nothing."""
    if character.isalnum() or character in _KEPT_PUNCTUATION:
        return character
    if character in _DASHES:
        return "-" if after.isdigit() and not before.isalnum() else " "
    if character in _INSIDE_NUMBERS and before.isdigit() and after.isdigit():
        return character
    if character in _APOSTROPHES:
        return "" if before.isalnum() and after.isalnum() else " "
    category = unicodedata.category(character)
    if category == "Cf" or character in _VARIATION_SELECTORS:
        return ""
    return " " if category[0] in "PZC" else character


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[str, ...]:
    """Return the content tokens of `text`, in order, repeats kept.

    English stop words are dropped (unless nothing else is there), plurals and possessives folded lightly, accents
    dropped. Scripts written without spaces give character bigrams.

    >>> tokens("The bridge's towers are 1,400 m high")
    ('bridge', 'tower', '1400', 'm', 'high')
    >>> tokens("\\u6771\\u4eac\\u306e\\u4eba\\u53e3")
    ('\\u6771\\u4eac', '\\u4eac\\u306e', '\\u306e\\u4eba', '\\u4eba\\u53e3')
    """
    words = [token for word in _words(text) for token in _split_scripts(word)]
    content = tuple(fold_plural(word) for word in words if word not in STOPWORDS)
    return content or tuple(words)


def _words(text: str) -> list[str]:
    """Return the words of the normal form, without possessive endings and accents."""
    plain = re.sub(r"(?<=\w)['\u2019\u02bc]s\b", "", text)
    joined = _GROUPED_NUMBER.sub("", normalise(plain))
    return [word for word in (without_accents(word) for word in joined.split(" ")) if _has_content(word)]


def without_accents(word: str) -> str:
    """Return the word without the accents of its letters, where letters and accents are separate things.

    >>> without_accents("s\\u00e3o")
    'sao'
    """
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    bare = "".join(part for part in parts if not (unicodedata.category(part) == "Mn" and _is_accent(part)))
    return unicodedata.normalize("NFC", bare)


def _is_accent(mark: str) -> bool:
    """Tell whether a mark is a Latin, Greek, Cyrillic, Hebrew or Arabic accent (not an Indic or Thai vowel)."""
    return 0x0300 <= ord(mark) <= 0x036F or 0x0591 <= ord(mark) <= 0x05C7 or 0x064B <= ord(mark) <= 0x0670


def _has_content(word: str) -> bool:
    return word.isalnum() or any(character.isalnum() or unicodedata.category(character) == "So" for character in word)


def _split_scripts(word: str) -> list[str]:
    """Return a spaced word as it is, and each unspaced stretch of it as bigrams."""
    if word.isascii():
        return [word]
    pieces: list[str] = []
    for piece in re.split(r"(\s+)", _mark_borders(word)):
        if piece and not piece.isspace():
            pieces.extend(_bigrams(piece) if is_unspaced(piece[0]) else [piece])
    return pieces


def _mark_borders(word: str) -> str:
    marked = ""
    for character in word:
        if marked and is_unspaced(marked[-1]) != is_unspaced(character):
            marked += " "
        marked += character
    return marked


def is_unspaced(character: str) -> bool:
    """Tell whether a character belongs to a script whose words are not reliably set apart by spaces."""
    code = ord(character)
    return code >= _UNSPACED[0][0] and any(low <= code <= high for low, high in _UNSPACED)


def _bigrams(piece: str) -> list[str]:
    units = clusters(piece)
    return [units[0]] if len(units) == 1 else [a + b for a, b in pairwise(units)]


def fold_plural(word: str) -> str:
    """Return an English word without a plain plural ending.

    >>> fold_plural("cities"), fold_plural("towers"), fold_plural("paris"), fold_plural("glass")
    ('city', 'tower', 'paris', 'glass')
    """
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
