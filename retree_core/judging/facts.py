"""What guards look at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPair:
    """A fact on the active path and a new one that may contradict it."""

    old: str
    """The stored fact."""
    new: str
    """The newly extracted fact."""
    question: str
    """The question the run answers."""
    old_passage: str
    """Title and text of the passage the stored fact came from; '' when unknown."""
    new_passage: str
    """Title and text of the passage the new fact came from; '' when unknown."""
