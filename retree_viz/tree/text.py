"""Text for a canvas: what is invisible made visible, measured, and wrapped once here instead of in the browser.

Widths are those of Arial and its metric twins; the browser squeezes a line that another font makes wider.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from retree_core.secrets import redact
from retree_core.text.graphemes import clusters
from retree_viz.html import visible

ELLIPSIS: Final = "…"
LONGEST_SHOWN: Final = 4000
"""Characters of one text that ever reach the browser."""

_ARIAL: Final = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 "
    "584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 "
    "667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 "
    "278 556 500 722 500 500 500 334 260 334 584"
)
_WIDTHS: Final = {chr(32 + place): int(width) / 1000 for place, width in enumerate(_ARIAL.split())}
_BOLD: Final = 1.07
_MONO: Final = 0.602
_VARIATION: Final = range(0xFE00, 0xFE10)


def shown(text: str) -> str:
    """Return `text` as it is drawn: on one line, with controls and other invisible characters as marks, without keys.

    >>> shown("abc \\u202edef")
    'abc ⟨U+202E⟩def'
    >>> shown("two\\n\\tlines")
    'two lines'
    """
    text = redact(text)
    if len(text) > LONGEST_SHOWN:
        text = "".join(clusters(text[:LONGEST_SHOWN])[:-1]) + ELLIPSIS
    if not (text.isascii() and text.isprintable()):
        text = visible("".join(" " if one.isspace() else one for one in text))
    return " ".join(text.split())


@lru_cache(maxsize=8192)
def _em(cluster: str) -> float:
    """Width of one grapheme cluster in em."""
    first = cluster[0]
    if first in _WIDTHS:
        return _WIDTHS[first]
    if unicodedata.combining(first) or ord(first) in _VARIATION:
        return 0.0
    if unicodedata.east_asian_width(first) in "WF":
        return 1.3 if ord(first) >= 0x1F000 else 1.0
    return 0.72 if first.isupper() else 0.58


def width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """Return the width of `text` in pixels at a font size of `size` pixels."""
    if mono:
        return sum(2.0 if _em(one) >= 1 else 1.0 for one in clusters(text)) * _MONO * size
    total = sum(map(_em, text if text.isascii() else clusters(text)))
    return total * size * (_BOLD if bold else 1.0)


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style."""

    text: str
    style: str = ""
    """A name that the painter knows: "", "strong", "old", "new", "meta"."""


Line = tuple[Run, ...]
_BOLD_STYLES: Final = frozenset({"strong", "new"})


@lru_cache(maxsize=16384)
def wrap(text: str, room: float, size: float, most: int, *, bold: bool = False) -> tuple[str, ...]:
    """Return `text` in at most `most` lines of `room` pixels; the last one ends in an ellipsis if text is left.

    >>> wrap("An observatory on the hill", 80, 11, 2)
    ('An observatory', 'on the hill')
    >>> wrap("An observatory on the hill", 80, 11, 1)
    ('An observator…',)
    """
    lines = wrap_runs((Run(shown(text), "strong" if bold else ""),), room, size, most)
    return tuple("".join(run.text for run in line) for line in lines)


@lru_cache(maxsize=4096)
def wrap_runs(runs: tuple[Run, ...], room: float, size: float, most: int) -> tuple[Line, ...]:
    """Return styled text in at most `most` lines; a run of "\\n" forces a break. Texts should be `shown` already."""
    lines: list[list[Run]] = [[]]
    used = 0.0
    for word in _words(runs, room, size):
        if word.text == "\n" or (lines[-1] and used + _run_width(word, size, bare=True) > room):
            lines.append([])
            used = 0.0
        if len(lines) > most:
            return (*_joined(lines[: most - 1]), *_joined([_cut(lines[most - 1], room, size)]))
        if word.text != "\n" and (lines[-1] or word.text.strip()):
            lines[-1].append(word)
            used += _run_width(word, size)
    return _joined(one for one in lines if one)


def _words(runs: Iterable[Run], room: float, size: float) -> Iterable[Run]:
    """Words with the space after them; a word wider than a line is broken between characters."""
    for run in runs:
        if run.text == "\n":
            yield run
            continue
        parts = run.text.split(" ")
        for place, part in enumerate(parts):
            space = " " if place < len(parts) - 1 else ""
            if not part and not space:
                continue
            if _run_width(Run(part, run.style), size) <= room:
                yield Run(part + space, run.style)
            else:
                yield from (Run(one, run.style) for one in clusters(part))
                if space:
                    yield Run(space, run.style)


def _run_width(run: Run, size: float, *, bare: bool = False) -> float:
    return width(run.text.rstrip() if bare else run.text, size, bold=run.style in _BOLD_STYLES)


def _cut(line: list[Run], room: float, size: float) -> list[Run]:
    """The line with an ellipsis, shortened until that fits."""
    line = [Run("".join(one.text for one in line[:0]), "")] if not line else list(line)
    line[-1] = Run(line[-1].text.rstrip(), line[-1].style)
    while sum(_run_width(one, size) for one in line) + size > room and (len(line) > 1 or line[-1].text):
        shorter = "".join(clusters(line[-1].text)[:-1])
        line = [*line[:-1], Run(shorter, line[-1].style)] if shorter else line[:-1] or [Run("", line[-1].style)]
    return [*line[:-1], Run(line[-1].text.rstrip() + ELLIPSIS, line[-1].style)]


def _joined(lines: Iterable[list[Run]]) -> tuple[Line, ...]:
    """Neighbouring runs of one style as one; no space at a line's end."""
    out: list[Line] = []
    for line in lines:
        joined: list[Run] = []
        for one in line:
            if joined and joined[-1].style == one.style:
                joined[-1] = Run(joined[-1].text + one.text, one.style)
            else:
                joined.append(one)
        if joined:
            joined[-1] = Run(joined[-1].text.rstrip(), joined[-1].style)
        out.append(tuple(joined))
    return tuple(out)


@lru_cache(maxsize=8192)
def fitted(text: str, room: float, size: float) -> str:
    """Return `text` on one line of at most `room` pixels."""
    lines = wrap(text, room, size, 1)
    return lines[0] if lines else ""
