"""What an agent remembers while it runs, and how it is shown to a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from retree_core.agents.recall import ActivePath, Retrieved
from retree_core.events import Event
from retree_core.memory import Evidence, Passage, Source
from retree_core.prompts import quoted
from retree_core.settings import Settings
from retree_core.state import State, active_path, apply
from retree_core.text import top_k

E = TypeVar("E", bound=Event)

FACT_CHARACTERS = 240
"""Longest fact that is stored."""
SUMMARY_CHARACTERS_A_WORD = 8
"""A summary of w words is also bounded to 8 w characters, for texts without spaces."""


class Memory:
    """The state of a run while it is being made: every event passes through `add` on its way out."""

    def __init__(self) -> None:
        self.state = State()
        self.path = ActivePath()
        self.retrieved = Retrieved()
        self.missing: tuple[str, ...] = ()
        """Slots the policy named as missing, for choosing evidence."""

    def add(self, event: E) -> E:
        """Applies the event and hands it back to be yielded."""
        self.state = apply(self.state, event)
        self.path.follow(event, self.state)
        self.retrieved.follow(event, self.state)
        return event

    def relevant(self, queries: Sequence[str], k: int) -> tuple[Evidence, ...]:
        """The k items of A(n) with the largest lexical overlap with `queries` (sections 4.2, 4.3)."""
        return self.evidence(self.path.closest(queries, k))

    def evidence(self, ids: Iterable[str]) -> tuple[Evidence, ...]:
        """The evidence of these ids, in order."""
        return tuple(self.state.evidence[one] for one in ids)

    def passages(self, sources: Iterable[Source]) -> tuple[Passage, ...]:
        """The passages behind `sources`, in order."""
        return tuple(self.state.passages[one.passage] for one in sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Evidence as top_k ranks it."""

    evidence: Evidence
    order: int

    @property
    def id(self) -> str:
        return self.evidence.id

    @property
    def text(self) -> str:
        return self.evidence.text


def relevant(state: State, queries: list[str], k: int) -> tuple[Evidence, ...]:
    """What `Memory.relevant` gives at any moment of a record, from a look at all of A(n)."""
    items = [Ranked(evidence=one, order=place) for place, one in enumerate(active_path(state))]
    return tuple(one.evidence for one in top_k(queries, items, k))


def listed(evidence: Iterable[Evidence]) -> str:
    """Evidence as prompts show it, one item a line."""
    return "\n".join(f"[{one.id}] {quoted(one.text)}" for one in evidence) or "(none yet)"


def rendered(summary: str, evidence: Iterable[Evidence]) -> str:
    """The policy-memory context: summary and shown evidence, as the policy reads it (section 5.2)."""
    return f"Summary: {quoted(summary) or '(nothing yet)'}\nEvidence:\n{listed(evidence)}"


def summary_characters(settings: Settings) -> int:
    """Largest summary, characters."""
    return SUMMARY_CHARACTERS_A_WORD * settings.summary_words


def context_bound(settings: Settings) -> int:
    """No policy context of a bounded memory is longer than this, characters."""
    line = FACT_CHARACTERS + len("[e99999] \n")
    return len(rendered("", ())) + summary_characters(settings) + settings.shown_evidence * line
