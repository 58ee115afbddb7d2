"""What is noted on a run, by moment and by decision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from retree_core.calls import JsonObject
from retree_core.labels import Label, label_of, labels_in
from retree_core.notes import Notes, moment_of
from retree_core.why import Conflict
from retree_viz.html import visible

LONGEST_TITLE = 200
"""Characters of a note in a title that shows on hovering."""


@dataclass(frozen=True, kw_only=True)
class Noted:
    """The notes on a run as they were last read."""

    notes: Notes = field(default_factory=Notes)
    problem: str = ""
    """Why they cannot be read, in one line."""

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        return labels_in(self.notes)

    def label(self, conflict: Conflict | None) -> Label | None:
        """What a person said of a decision."""
        return label_of(self.labels, conflict) if conflict else None

    def at(self, moment: int) -> tuple[JsonObject, ...]:
        """The notes and labels of a moment; calls made again are told elsewhere."""
        return self._by_moment.get(moment, ())

    @cached_property
    def marks(self) -> list[tuple[int, str, str]]:
        """Moment, sign (`note`, `right`, `wrong`) and words of all that is marked on the timeline."""
        return [(moment, _sign(notes), _title(notes)) for moment, notes in sorted(self._by_moment.items()) if moment]

    @cached_property
    def _by_moment(self) -> dict[int, tuple[JsonObject, ...]]:
        counting = {one.id for one in self.labels}
        found: dict[int, tuple[JsonObject, ...]] = {}
        for one in self.notes.notes:
            if one.get("kind") == "note" or (one.get("kind") == "label" and str(one.get("id", "")) in counting):
                found[moment_of(one)] = (*found.get(moment_of(one), ()), one)
        return found


UNNOTED = Noted()
"""Of a run without notes."""


def _sign(notes: Iterable[JsonObject]) -> str:
    verdicts = [str(one["verdict"]) for one in notes if one.get("kind") == "label"]
    return verdicts[-1] if verdicts else "note"


def _title(notes: Iterable[JsonObject]) -> str:
    return "; ".join(visible(one.get("text", ""))[:LONGEST_TITLE] for one in notes)
