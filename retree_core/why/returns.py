"""Facts that were given up and came back: the same statement again, under another id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from retree_core import events as ev
from retree_core.state import State
from retree_core.text import LONGEST_READ, comparable
from retree_core.text.one_format import in_one_format

MOST_READ = 3000
"""In runs of more facts, only texts that differ in case and spacing at most are the same; values are not read."""

How = Literal["pruned", "refuted", "set aside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """What a fact that came back had been."""

    id: str
    revision: int
    """The revision that said the same."""
    how: How
    """Why it was no longer in force."""
    moment: int
    """Since when."""


def returns(events: Sequence[ev.Event], last: State) -> Mapping[str, Former]:
    """Facts that restate one given up before they were read, with what it was; `last` is the run's final state.

    Of several such statements the one given up last counts. A fact that comes back by a repair, under the id it
    had, is none of these.
    """
    notes = _Notes(read_values=len(last.evidence) <= MOST_READ)
    for id_, one in last.evidence.items():
        if one.pruned_at is not None:
            notes.pruned.setdefault(one.pruned_at, []).append(id_)
    for moment, event in enumerate(events, 1):
        notes.add(moment, event)
    return notes.found


@dataclass(slots=True)
class _Notes:
    """What one pass over the events collects."""

    read_values: bool
    found: dict[str, Former] = field(default_factory=dict)
    pruned: dict[int, list[str]] = field(default_factory=dict)
    """Moment to the facts pruned then."""
    gone: dict[object, Former] = field(default_factory=dict)
    """Normal form of a given-up statement to where it was."""
    texts: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Fact to its revision and text in force."""

    def add(self, moment: int, event: ev.Event) -> None:
        match event:
            case ev.FactsExtracted():
                for one in event.facts:
                    self._come(one.id, one.text)
            case ev.EvidenceRepaired():
                self._give_up(event.evidence, "refuted", moment)
                self.texts[event.evidence] = event.revision, event.new_text
            case ev.NodesPruned():
                for id_ in self.pruned.get(moment, ()):
                    self._give_up(id_, "pruned", moment)
            case ev.FactsSetAside():
                for id_ in event.facts:
                    self._give_up(id_, "set aside", moment)

    def _come(self, id_: str, text: str) -> None:
        self.texts[id_] = 1, text
        former = next((self.gone[form] for form in self._forms(text) if form in self.gone), None)
        if former is not None and former.id != id_:
            self.found[id_] = former

    def _give_up(self, id_: str, how: How, moment: int) -> None:
        revision, text = self.texts.get(id_, (1, ""))
        former = Former(id=id_, revision=revision, how=how, moment=moment)
        self.gone.update(dict.fromkeys(self._forms(text), former))

    def _forms(self, text: str) -> Iterator[object]:
        plain = comparable(text)
        if plain:
            yield plain
            if self.read_values and len(text) <= LONGEST_READ:
                yield in_one_format(text)
