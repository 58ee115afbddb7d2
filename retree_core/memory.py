"""The values a search memory is made of (paper, sections 4.1 to 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One retrieved passage, kept word for word."""

    id: str
    """`p1`, `p2`, ... in order of first retrieval; the same text keeps its id."""
    title: str
    text: str
    url: str | None = None
    published: str | None = None
    """Date as the source gave it, unparsed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a fact was read: a passage and the quoted span in it."""

    passage: str
    quote: str
    """What the extractor quoted; may differ from the passage where `start` is None."""
    start: int | None = None
    """First character of the span in the passage text; None if the quote could not be located."""
    end: int | None = None

    @property
    def located(self) -> bool:
        return self.start is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One value a piece of evidence has had."""

    number: int
    """From 1."""
    text: str
    sources: tuple[Source, ...]
    by: str | None = None
    """Id of the new fact that brought this value; None for the first."""
    reason: str = ""
    """Why the former value was given up."""


Fate = Literal["new", "active", "duplicate", "absorbed", "set_aside", "pruned"]
"""What became of a fact: extracted just now; in force; a restatement of another; became a revision of
another; came with a repair and was put aside; went with its node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One atomic fact with a stable id and its source; keeps the id through repairs (section 4.1)."""

    id: str
    search: int
    """The search whose passages it came from, from 1."""
    revisions: tuple[Revision, ...]
    fate: Fate = "new"
    node: str | None = None
    """The introducer: the node it was added with; None while new or where it never got one."""
    other: str | None = None
    """The fact it restates or became a revision of."""
    contested_by: tuple[str, ...] = ()
    """Facts whose challenge was rejected."""
    pruned_at: int | None = None
    """Moment of the pruning event."""

    @property
    def current(self) -> Revision:
        return self.revisions[-1]

    @property
    def text(self) -> str:
        return self.current.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One search state (section 4.1)."""

    id: str
    """`root`, then `n1`, `n2`, ... ; never used again after pruning."""
    parent: str | None
    search: int
    """The search that made it; 0 for the root."""
    query: str
    evidence: tuple[str, ...] = ()
    summary: str = ""
    repairs: tuple[tuple[str, int], ...] = ()
    """Revision history H: (evidence id, revision number) in order."""
    added_at: int = 0
    pruned_at: int | None = None
    pruned_for: str | None = None
    """Id of the repaired evidence that took the node with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search of the run, whatever came of it."""

    number: int
    query: str
    origin: str
    reason: str = ""
    """Why the policy chose it, in its words."""
    missing: tuple[str, ...] = ()
    """What the policy then still missed."""
    passages: tuple[str, ...] = ()
    repeat_of: int | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence of the answer with what it cites (section 4.4)."""

    text: str
    cites: tuple[str, ...]
    """Ids the model named, in order, each once; they may not exist."""


RunStatus = Literal[
    "answered",
    "budget_exhausted",
    "no_answer",
    "llm_error",
    "context_overflow",
    "search_error",
    "search_quota",
    "interrupted",
]
"""How a run ended. `budget_exhausted` has an answer too, from what was there."""
DONE: tuple[RunStatus, ...] = ("answered", "budget_exhausted", "no_answer")
"""How a run ended that came to its end; all others were broken off."""
KEEPS_FACTS = ("retree", "flat")
"""Agents whose memory is of facts, which can be in conflict and repaired; the others keep texts (section 5.4)."""
