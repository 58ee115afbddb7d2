"""Text for a terminal: nothing from outside may move the cursor, change colours, or reorder what is read."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable
from typing import Any, TextIO

from retree_core.secrets import redact

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters that act on a terminal, show nothing, or hide and reorder what is around them."""

_MARKS = {"\n": "↵", "\r": "␍", "\t": "⇥", "\x1b": "␛"}


def printable(value: object) -> str:
    """The text on one line, with every control, bidi and invisible character written out.

    >>> printable("red\\x1b[31m, abc\\u202edef")
    'red␛[31m, abc⟨U+202E⟩def'
    """
    return _HIDDEN.sub(_mark, str(value))


def _mark(found: re.Match[str]) -> str:
    return _MARKS.get(found[0]) or f"⟨U+{ord(found[0]):04X}⟩"


def short(value: object, width: int = 90) -> str:
    """The text without keys, made printable and cut to `width` characters."""
    from retree_core.text import cut_label

    return printable(cut_label(redact(str(value)), width))


def json_text(value: Any) -> str:
    """JSON that may go to a terminal: readable letters, every hidden character escaped.

    >>> json_text(["é\\u202e"])
    '[\\n  "é\\\\u202e"\\n]'
    """
    return _escape_hidden(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))


def _escape_hidden(text: str) -> str:
    """JSON text is ASCII between strings, and the line breaks of an indent are its only control characters."""
    return _HIDDEN.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text)


def columns() -> int:
    """Width to write to, 60 to 120."""
    return max(60, min(120, shutil.get_terminal_size((100, 24)).columns))


def wrapped(text: str, indent: str = "") -> str:
    """The text (outside text: made printable) in lines that fit, each indented."""
    lines = textwrap.wrap(printable(text), columns(), initial_indent=indent, subsequent_indent=indent)
    return "\n".join(lines) or indent.rstrip()


class Lines:
    """Progress lines with the seconds since the start; the text must be printable already.

    On a terminal, `wait` keeps a last line that counts the seconds and that the next line replaces.
    """

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._start = clock()
        self._waiting = False

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    def say(self, text: str) -> None:
        self.clear()
        self._put(f"[{self.seconds:6.1f}s] {text}\n")

    def wait(self) -> None:
        """Shows that time passes; nothing where the stream is no terminal."""
        if self._stream.isatty():
            self._put(f"\r[{self.seconds:6.1f}s] ...")
            self._waiting = True

    def clear(self) -> None:
        """Takes the waiting line away."""
        if self._waiting:
            self._put("\r\x1b[K")
            self._waiting = False

    def _put(self, text: str) -> None:
        """A reader that went away (`2>&1 | head`) ends no run: the record is what counts."""
        with contextlib.suppress(OSError):
            self._stream.write(text)
            self._stream.flush()
