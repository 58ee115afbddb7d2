"""The parts of a conflict: what the model said of each, and what plain code found (README: how it is decided).

The engine's side is read from the guards recorded with the decision. Where no guard of the record speaks about a
part, or the texts gave it nothing to compare, that is said; nothing is judged anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from retree_core.text import normalise
from retree_core.text.answers import stated, times_besides
from retree_core.verdicts import GuardResult, Part, Parts

NAMES: Final = ("entity", "attribute", "scope", "time", "value")

GUARDS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "entity": ("other_entity", "unrelated"),
    "attribute": ("other_attribute", "many_valued"),
    "scope": ("contrast", "one_sided_cue"),
    "time": ("other_time", "one_sided_cue"),
    "value": ("values_equal", "refinement", "said_by_both", "value_not_in_passage", "not_only"),
}
"""Part to the guards that speak about it; the first one decides how it stands."""

_TIMES: Final = ("past", "present", "planned", "when")
"""Kinds of one-sided cues that are about time; the others are about scope."""

Finding = Literal["fits", "objects", "unknown", "unchecked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPart:
    """One part of both facts."""

    name: str
    said: Part | None
    """As the model stated it; None where no confirmation was asked for it."""
    finding: Finding
    """`unknown`: there was nothing to compare, which passes; `unchecked`: no guard of the record speaks about it."""
    words: str
    """The finding in a few words."""
    guards: tuple[str, ...]
    """Those of the record that speak about it."""


def checked_parts(parts: Parts | None, guards: tuple[GuardResult, ...], old: str, new: str) -> tuple[CheckedPart, ...]:
    """Every part of a decided pair of facts; empty where neither the model nor a guard looked at the pair."""
    if parts is None and not guards:
        return ()
    timed = _timed(old, parts.value.old if parts else "") and _timed(new, parts.value.new if parts else "")
    return tuple(_checked(name, getattr(parts, name) if parts else None, guards, timed) for name in NAMES)


def _timed(fact: str, answer: str) -> bool:
    """Whether a fact states a time besides what it answers."""
    return bool(times_besides(fact, answer))


def answered(value: Part) -> bool:
    """Whether the model has both facts state a value."""
    return stated(value.old) and stated(value.new)


def part_of(guard: GuardResult) -> str:
    """The part that a guard's result is about; empty for a guard this version does not know."""
    if guard.name == "one_sided_cue":
        return "time" if _cue(guard) in _TIMES else "scope"
    return next((name for name, guards in GUARDS_OF.items() if guard.name in guards), "")


def _cue(guard: GuardResult) -> str:
    """The kind of cue in `Only the new fact says 'now' (present).`"""
    found = re.search(r"\((\w+)\)\.?$", guard.detail)
    return found[1] if found and not guard.passed else ""


def _checked(name: str, said: Part | None, guards: tuple[GuardResult, ...], timed: bool) -> CheckedPart:
    about = tuple(one for one in guards if one.name in GUARDS_OF[name])
    objection = next((one for one in about if not one.passed and part_of(one) == name), None)
    passed = {one.name for one in about if one.passed}
    names = tuple(dict.fromkeys(one.name for one in about))
    if objection:
        return CheckedPart(name=name, said=said, finding="objects", words=f"{objection.name} objects", guards=names)
    finding, words = _passed(name, said, passed, timed)
    return CheckedPart(name=name, said=said, finding=finding, words=words, guards=names)


def _passed(name: str, said: Part | None, passed: set[str], timed: bool) -> tuple[Finding, str]:
    """How a part stands that no guard objected to."""
    if not passed:
        return "unchecked", "not checked"
    if name == "value":
        return _value(said, passed)
    if (name == "time" and not timed) or (name == "scope" and said and not (said.old or said.new)):
        return "unknown", "unknown, passes"
    if said and said.old and normalise(said.old) == normalise(said.new):
        return "fits", "same words"
    return "fits", _FITS[name] if GUARDS_OF[name][0] in passed else _FITS_BY_TEXT[name]


_FITS: Final = {"entity": "no sign of two", "attribute": "no other one", "scope": "no contrast", "time": "no clash"}
_FITS_BY_TEXT: Final = {
    "entity": "words in common",
    "attribute": "one value",
    "scope": "no one-sided word",
    "time": "no one-sided word",
}
"""Where only the later guards of a part spoke."""


def _value(said: Part | None, passed: set[str]) -> tuple[Finding, str]:
    """A value that the model could not state is none; what the guards then compared is the rest of the fact's words."""
    if said and not answered(said):
        return "unknown", "unknown, passes"
    words = ["differs"] if "values_equal" in passed else []
    words += ["in its passage"] if "value_not_in_passage" in passed else []
    return ("fits", ", ".join(words)) if words else ("unknown", "unknown, passes")
