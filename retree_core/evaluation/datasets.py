"""Data sets by name and file. Nothing is downloaded (paper, section 5.1)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from retree_core.errors import UsageError
from retree_core.evaluation.questions import Question, neutral

FORMATS: dict[str, Callable[[Path], tuple[Question, ...]]] = {"jsonl": neutral}
"""Name of a file format to what reads it."""


def load(spec: str) -> tuple[Question, ...]:
    """The questions of `FORMAT:PATH`. Raises UsageError for an unknown format, InputError for a bad file."""
    name, colon, path = spec.partition(":")
    if not colon or name not in FORMATS or not path:
        raise UsageError(f"--dataset {spec[:100]!r}: expected FORMAT:PATH with FORMAT one of {', '.join(FORMATS)}")
    return FORMATS[name](Path(path).expanduser())
