"""Two facts in the same words but for their answers and one more place: that place says what each is about."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

from retree_core.text.stopwords import STOPWORDS

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019.,-][^\W_]+)*|\x00")
_ARTICLES: Final = ("a", "an", "the")
_PLACING: Final = frozenset({"of", "in", "at", "on", "near", "for", "from"})
_TIMING: Final = frozenset({"before", "after", "during"})
_LONGEST: Final = 2
"""Words that one side of the difference may have; longer ones are other sentences."""


def other_subject(old: str, new: str, a: str, b: str) -> tuple[str, str] | None:
    """What the openings of two otherwise equal facts differ in: another name, qualifier or time; None if nothing does.

    `a` and `b` are their answers, and do not count. A verb in other words, or a number, is no other subject.

    >>> other_subject("The inn in Bath has 40 rooms.", "The inn in York has 75 rooms.", "40", "75")
    ('Bath', 'York')
    >>> other_subject("The inn in Bath has 40 rooms.", "The inn in Bath offers 75 rooms.", "40", "75")
    """
    left, right = _words(old, a), _words(new, b)
    if not left or not right:
        return None
    matched = SequenceMatcher(None, _plain(left), _plain(right), autojunk=False)
    changes = [one for one in matched.get_opcodes() if one[0] != "equal"]
    if len(changes) != 1 or changes[0][0] != "replace":
        return None
    _, start, end, other_start, other_end = changes[0]
    mine, theirs = left[start:end], right[other_start:other_end]
    if not (_is_opening(left[:start]) and _are_apart(mine, theirs, left, right)):
        return None
    following = left[end] if end < len(left) else ""
    tells = all(_tells(side, left[:start], following) for side in (mine, theirs))
    return (" ".join(mine), " ".join(theirs)) if tells else None


def _words(fact: str, answer: str) -> list[str]:
    """The fact's words, one mark in place of its answer; none where the answer does not stand in it."""
    at = fact.casefold().find(answer.casefold()) if answer else -1
    if at < 0 or len(fact) != len(fact.casefold()):
        return []
    return _WORD.findall(f"{fact[:at]}\x00{fact[at + len(answer) :]}")


def _plain(words: list[str]) -> list[str]:
    return ["the" if one.casefold() in _ARTICLES else one.casefold() for one in words]


def _is_opening(before: list[str]) -> bool:
    """Whether no verb can have come yet: names, articles with one noun each, and words that place things."""
    after_article = False
    for place, word in enumerate(before):
        plain = word.casefold()
        named = word[0].isupper() or plain in _ARTICLES or plain in _PLACING
        if word == "\x00" or not (named or after_article or place == 0):
            return False
        after_article = plain in _ARTICLES
    return True


def _are_apart(mine: list[str], theirs: list[str], left: list[str], right: list[str]) -> bool:
    """Whether each side is short, free of numbers, and said nowhere in the other fact, not even in part."""
    sides = [*_plain(mine), *_plain(theirs)]
    plain = all(one != "\x00" and not any(map(str.isdigit, one)) for one in sides)
    beginnings = {one[:4] for one in _plain(mine)} & {one[:4] for one in _plain(right)}
    beginnings |= {one[:4] for one in _plain(theirs)} & {one[:4] for one in _plain(left)}
    return plain and max(len(mine), len(theirs)) <= _LONGEST and not beginnings


def _tells(side: list[str], before: list[str], following: str) -> bool:
    """Whether a differing stretch tells things apart: a name, what stands before a noun, or before and after."""
    if not before and side[0].casefold() in _TIMING:
        return True
    named = all(one[0].isupper() for one in side) and (bool(before) or len(side) > 1 or following[:1].isupper())
    leads = not before or before[-1].casefold() in (*_ARTICLES, *_PLACING)
    modifies = following.islower() and following not in STOPWORDS and leads
    return named or modifies
