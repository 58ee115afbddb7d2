"""Tell a reply that went round in circles."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Any

_LEAST_BYTES = 400
_RATIO = 10.0
"""Prose packs 2 to 4 times, lists of like sentences up to 6, a sentence said twenty times 13 and more."""
_BLANK_RUN = re.compile(r"\s{200,}")


def goes_in_circles(text: str) -> bool:
    """Return whether `text` is mostly one repeated passage, or holds a run of 200 blanks.

    >>> goes_in_circles("Let me check that again. " * 200)
    True
    """
    if _BLANK_RUN.search(text):
        return True
    data = text.encode("utf-8", "replace")
    return len(data) >= _LEAST_BYTES and len(data) / len(zlib.compress(data, 6)) >= _RATIO


def strings_of(value: Any) -> Iterator[str]:
    """Yield every string value inside parsed JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for child in value.values() if isinstance(value, dict) else value:
            yield from strings_of(child)
