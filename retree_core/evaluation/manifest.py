"""What a results folder was made with; a later start with anything else is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retree_core import prompts
from retree_core.drivers.replay import difference
from retree_core.errors import InputError, UsageError
from retree_core.evaluation.questions import Question
from retree_core.files import put
from retree_core.llm import strict_json
from retree_core.secrets import redact
from retree_core.settings import settings_of

if TYPE_CHECKING:  # a folder is read without what fills it
    from retree_core.evaluation.batch import Plan

NAME = "eval.json"
FORMAT = "retree-eval"
VERSION = 1
JUDGING = ("judge", "entail")
"""Prompts that grade runs and change none."""


def manifest(plan: Plan, dataset: str, search: Mapping[str, object]) -> dict[str, Any]:
    """All that decides what the runs of a plan do, but for the agents, of which more can be added later."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "dataset": dataset,
        "questions": [_question(one) for one in plan.questions],
        "settings": {name: value for name, value in asdict(plan.settings).items() if name != "agent"},
        "search": {"spec": redact(plan.search_spec), "content_hash": search.get("content_hash", "")},
        "prompts": {name: sha for name, sha in prompts.hashes().items() if name not in JUDGING},
        "recorded_with": plan.recorded_with,
    }


def _question(one: Question) -> dict[str, Any]:
    """A question without its passages, of which a hash is kept."""
    sha256 = hashlib.sha256(repr(one.passages).encode()).hexdigest() if one.passages else ""
    return {
        "id": one.id,
        "question": one.text,
        "answers": list(one.answers),
        "wrong_answers": list(one.wrong_answers),
        "type": one.type,
        "passages": sha256,
    }


def settle(folder: Path, wanted: Mapping[str, Any]) -> None:
    """Writes the manifest, or checks that the folder's own says the same. Raises UsageError, InputError."""
    path = folder / NAME
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        put(path, (json.dumps(wanted, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace"))
        return
    known, now = _complete(read(folder)), json.loads(json.dumps(wanted))
    if known != now:
        raise UsageError(
            f"{folder}: holds results made with something else ({_apart(known, now)}); "
            "name another --out, or repeat the first command"
        )


def _apart(known: dict[str, Any], now: dict[str, Any]) -> str:
    """The first difference in words."""
    before, here = known.get("questions"), now["questions"]
    if isinstance(before, list) and len(before) != len(here):
        return f"{len(here)} questions; recorded {len(before)}"
    return difference(known, now)


def _complete(known: dict[str, Any]) -> dict[str, Any]:
    """The manifest with settings that came later at the defaults they had, which is how its runs were made."""
    settings = known.get("settings")
    if not isinstance(settings, dict):
        return known
    whole = settings_of(VERSION, settings)
    return {**known, "settings": {name: value for name, value in whole.items() if name != "agent"}}


def read(folder: Path) -> dict[str, Any]:
    """The manifest of a results folder. Raises InputError."""
    path = folder / NAME
    try:
        found = strict_json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); expected a folder that retree eval made") from None
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error})") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(f"{path}: not a ReTree results folder")
    if found.get("version", VERSION) != VERSION:
        raise InputError(
            f"{path}: version {redact(str(found['version']))[:20]!r}, expected {VERSION}; use the retree that wrote it"
        )
    return found
