"""Two texts compared word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MOST_WORDS = 1500
"""Longer texts are compared by their common beginning and end alone: matching takes quadratic time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of words; all pieces but the added ones make the former text, all but the removed ones the new one."""

    change: Literal["same", "removed", "added"]
    text: str


def word_diff(former: str, text: str) -> tuple[Piece, ...]:
    """How `former` became `text`.

    >>> [(one.change, one.text) for one in word_diff("Built by Ann.", "Built by Bo.")]
    [('same', 'Built by '), ('removed', 'Ann'), ('added', 'Bo'), ('same', '.')]
    """
    old, new = _words(former), _words(text)
    pieces: list[Piece] = []
    for a, b, c, d, same in _stretches(old, new):
        if same:
            pieces.append(Piece(change="same", text="".join(old[a:b])))
            continue
        removed, added = "".join(old[a:b]), "".join(new[c:d])
        pieces += [Piece(change="removed", text=removed)] if removed else []
        pieces += [Piece(change="added", text=added)] if added else []
    return tuple(pieces)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+|\s+|[^\w\s]", text)


def _stretches(old: list[str], new: list[str]) -> list[tuple[int, int, int, int, bool]]:
    """Ranges of both in order, and whether they are the same."""
    if max(len(old), len(new)) <= MOST_WORDS:
        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        return [(a, b, c, d, code == "equal") for code, a, b, c, d in codes]
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    ends = (len(old) - tail, len(new) - tail)
    return [
        (0, head, 0, head, True),
        (head, ends[0], head, ends[1], False),
        (ends[0], len(old), ends[1], len(new), True),
    ]
