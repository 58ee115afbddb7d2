"""Data sets by name and file, as their authors publish them. Nothing is downloaded (paper, section 5.1)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from retree_core.errors import InputError, UsageError
from retree_core.evaluation.datasets import (
    bamboogle,
    conflictqa,
    frames,
    hotpotqa,
    neutral,
    ramdocs,
    two_wiki,
    wikicontradict,
)
from retree_core.evaluation.questions import Question
from retree_core.secrets import redact

FORMATS: dict[str, Callable[[Path], tuple[Question, ...]]] = {
    "hotpotqa": hotpotqa.read,
    "2wiki": two_wiki.read,
    "bamboogle": bamboogle.read,
    "frames": frames.read,
    "ramdocs": ramdocs.read,
    "wikicontradict": wikicontradict.read,
    "conflictqa": conflictqa.read,
    "jsonl": neutral.read,
}
"""Name of a file format to what reads it."""

PAPER_SIZES = {"hotpotqa": 600, "2wiki": 600}
"""Questions of a fixed subset in section 5.1; of all others the paper takes every question."""


def load(spec: str) -> tuple[Question, ...]:
    """The questions of `FORMAT:PATH`. Raises UsageError for an unknown format, InputError for a bad file."""
    name, colon, path = spec.partition(":")
    if not colon or name not in FORMATS or not path:
        shown = redact(spec)[:100]
        raise UsageError(f"--dataset {shown!r}: expected FORMAT:PATH with FORMAT one of {', '.join(FORMATS)}")
    questions = FORMATS[name](Path(os.path.expanduser(path)))
    if not questions:
        raise InputError(f"{path}: holds no question")
    return questions
