"""What a decision about two facts rests on: what the model stated of their parts, and what each guard said."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of both facts, as the model stated it when confirming."""

    old: str
    """In the stored fact; '' when it states none."""
    new: str
    """In the new fact; '' when it states none."""
    same: bool
    """Whether the model calls the two the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the model stated in a confirmation (paper, section 4.3: same entity, attribute, scope and time)."""

    entity: Part
    attribute: Part
    scope: Part
    time: Part
    value: Part


def parts_of(reply: Mapping[str, Any]) -> Parts:
    """The parts that a confirmation states, as JSON."""
    named = {one.name: reply[one.name] for one in fields(Parts)}
    return Parts(**{name: Part(old=one["old"], new=one["new"], same=one["same"]) for name, one in named.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardResult:
    """What one guard says about a proposed repair."""

    name: str
    """The guard; a key of `GUARDS`."""
    passed: bool
    """False vetoes the repair."""
    detail: str
    """One short sentence for researchers, naming the words that decided."""
