"""What two texts have in common, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from retree_core.text.graphemes import clusters
from retree_core.text.normal import is_unspaced

MOST_WORDS = 3000
"""Past so many words between the common start and the common end, all of them count as changed."""

MOST_CHARACTERS = 50_000
"""Past so many characters in both texts together, unequal ones count as changed from end to end."""

_PIECES = re.compile(r"\s+|\w+(?:['’.,:/-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A run of characters of one or both texts."""

    kind: Literal["same", "gone", "new"]
    """In both, in the old one alone, in the new one alone."""
    text: str


def word_difference(old: str, new: str) -> tuple[Stretch, ...]:
    """Both texts as stretches in order; `same` and `gone` make up the old one, `same` and `new` the new one.

    >>> [(one.kind, one.text) for one in word_difference("Designed by Ann Lee.", "Designed by Bo Lee.")]
    [('same', 'Designed by '), ('gone', 'Ann'), ('new', 'Bo'), ('same', ' Lee.')]
    """
    if len(old) + len(new) > MOST_CHARACTERS:
        return tuple(_stretches([(old, new)]))
    before, after = _pieces(old), _pieces(new)
    head, tail = common_ends(before, after)
    middle = _matched(before[head : len(before) - tail], after[head : len(after) - tail])
    first, last = "".join(before[:head]), "".join(before[len(before) - tail :])
    return tuple(_stretches([(first, first), *middle, (last, last)]))


def common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many items both begin with, and how many of the others both end with.

    >>> common_ends(["a", "b", "c"], ["a", "x", "y", "c"])
    (1, 1)
    """
    head = _common(one, other)
    return head, _common(one[head:][::-1], other[head:][::-1])


def _pieces(text: str) -> list[str]:
    """Words, marks and white space; scripts without spaces letter by letter."""
    return [piece for found in _PIECES.findall(text) for piece in _letters(found)]


def _letters(word: str) -> Iterable[str]:
    return (word,) if word.isascii() or not any(map(is_unspaced, word)) else clusters(word)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many pieces both begin with."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _matched(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """Pairs of equal stretches, and of what stands on either side between them."""
    if len(old) + len(new) > MOST_WORDS:
        yield "".join(old), "".join(new)
        return
    for _, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield "".join(old[first:last]), "".join(new[start:end])


def _stretches(pairs: Iterable[tuple[str, str]]) -> Iterator[Stretch]:
    """The pairs as stretches; white space and single marks between two changes go with them."""
    gone, new = "", ""
    every = [one for one in pairs if one != ("", "")]
    for at, (before, after) in enumerate(every):
        inside = 0 < at < len(every) - 1
        if before == after and not (inside and (gone or new) and len(before.strip()) <= 1):
            yield from _change(gone, new)
            gone, new = "", ""
            yield Stretch(kind="same", text=before)
        else:
            gone, new = gone + before, new + after
    yield from _change(gone, new)


def _change(gone: str, new: str) -> Iterator[Stretch]:
    if gone:
        yield Stretch(kind="gone", text=gone)
    if new:
        yield Stretch(kind="new", text=new)
