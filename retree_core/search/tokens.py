"""Words for the full-text index: what is stored of a passage, and what is looked for of a query."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

MOST_TOKENS = 48
"""Tokens of a query that count; the rest is dropped."""
_LONGEST_TOKEN = 80

_UNSPACED = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u3005-\u3007\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # iteration mark, kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7a3"  # Hangul
    "]+"
)
_STOP_WORDS_TEXT = (
    "a an and are as at be been but by can did do does for from had has have he her his how i if in into is it its me "
    "my no not of on or our she so such that the their them then there these they this to was we were what when where "
    "which who whom whose why will with would you your"
)
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())


def index_text(text: str) -> str:
    """Return `text` as it goes into the index: normalised, scripts without spaces cut into pairs.

    >>> index_text("東京タワー is tall")
    '東京 京タ タワ ワー ー is tall'
    """
    if text.isascii():
        return text
    return " ".join(_UNSPACED.sub(_spaced_pairs, unicodedata.normalize("NFKC", text)).split())


def query_tokens(query: str) -> list[str]:
    """Return the tokens of a query that count, whatever it contains; none if no word is in it.

    >>> query_tokens('the "height" of NEAR(x*)')
    ['height', 'NEAR', 'x']
    """
    found = {token.lower(): token for token in _query_tokens(unicodedata.normalize("NFKC", query[:20_000]))}
    telling = [token for word, token in found.items() if word not in _STOP_WORDS] or list(found.values())
    return telling[:MOST_TOKENS]


def expression(tokens: Iterable[str]) -> str:
    """Return tokens as an FTS5 expression: quoted and joined with OR, so that nothing in a query is an operator.

    >>> expression(["height", "NEAR", "x"])
    '"height" OR "NEAR" OR "x"'
    """
    return " OR ".join(f'"{token}"*' if is_prefix(token) else f'"{token}"' for token in tokens)


def _query_tokens(text: str) -> Iterator[str]:
    for word in _words(text):
        position = 0
        for run in _UNSPACED.finditer(word):
            yield from _sized(word[position : run.start()])
            yield from _pairs(run.group())
            position = run.end()
        yield from _sized(word[position:])


def _sized(token: str) -> Iterator[str]:
    if token and len(token) <= _LONGEST_TOKEN and any(character.isalnum() for character in token):
        yield token


def _words(text: str) -> list[str]:
    return "".join(each if unicodedata.category(each)[0] in "LNM" else " " for each in text).split()


def _pairs(run: str) -> list[str]:
    """Neighbouring letters in pairs; a single letter stays single and matches as a prefix."""
    letters = _letters(run)
    return [letters[i : i + 2] for i in range(len(letters) - 1)] or list(letters)


def _spaced_pairs(run: re.Match[str]) -> str:
    letters = _letters(run.group())
    return f" {' '.join([*_pairs(letters), *letters[-1:]] if len(letters) > 1 else letters)} "


def _letters(run: str) -> str:
    return "".join(each for each in run if unicodedata.category(each)[0] in "LN")


def is_prefix(token: str) -> bool:
    """Tell whether a token matches all that begins with it: a single letter of a script without spaces."""
    return len(token) == 1 and bool(_UNSPACED.match(token))
