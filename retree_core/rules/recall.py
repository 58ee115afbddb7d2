"""What rules find in a memory without looking through all of it: indexes that are kept up with each event.

They hold nothing that is not in the state, and can be made from it at any moment (`of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from retree_core.events import (
    Event,
    EvidenceRepaired,
    FactsAdded,
    NodeAdded,
    NodesPruned,
    PassagesRetrieved,
    RunStarted,
    SearchResumed,
)
from retree_core.folding import ROOT
from retree_core.judging.duplicates import Restatements
from retree_core.state import State, path
from retree_core.text import normalise
from retree_core.text.overlap_index import OverlapIndex


class ActivePath:
    """A(n), as `active_path` gives it: ids of the facts in force from the root to the current node (section 4.1)."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._places: dict[str, int] = {}
        self._nodes: list[tuple[str, int]] = []
        """From the root: the node, and how many facts are in force before its own."""
        self._depths: dict[str, int] = {}
        self._overlap = OverlapIndex()
        self._restated = Restatements()
        self._repaired: set[int] = set()

    @classmethod
    def of(cls, state: State) -> ActivePath:
        """That of a state."""
        made = cls()
        for node in path(state):
            made._enter(node)
            ids = [
                one for one in state.nodes[node].evidence if (fact := state.evidence.get(one)) and fact.fate == "active"
            ]
            made._add(ids, state)
        made._repaired = {place for place, id_ in enumerate(made._ids) if len(state.evidence[id_].revisions) > 1}
        return made

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._places

    def depth(self, node: str) -> int:
        """Steps from the root to a node of the path."""
        return self._depths[node]

    def ranked(self, queries: Sequence[str], k: int) -> list[tuple[str, int]]:
        """The k facts with the largest lexical overlap with the queries, as `top_k` chooses them (section 4.2), each
        with the content words it shares with them."""
        return [(self._ids[place], score) for place, score in self._overlap.best(queries, k)]

    def restated(self, fact: str) -> str | None:
        """The oldest fact that `fact` is a duplicate of."""
        place = self._restated.first(fact)
        return None if place is None else self._ids[place]

    def repaired(self) -> tuple[str, ...]:
        """Facts that had another value before, in order."""
        return tuple(self._ids[place] for place in sorted(self._repaired))

    def in_order(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Those of `ids` that are in force, oldest first."""
        return tuple(self._ids[place] for place in sorted({self._places[one] for one in ids if one in self._places}))

    def follow(self, event: Event, state: State) -> None:
        """Keeps up with an event; `state` is the memory after it."""
        match event:
            case RunStarted():
                self._enter(ROOT)
            case NodeAdded():
                self._enter(event.node)
                self._add(event.evidence, state)
            case FactsAdded():
                self._add(event.facts, state)
            case EvidenceRepaired():
                self._replace(self._places[event.evidence], event.new_text)
            case NodesPruned():
                self._leave(min((self._depths[one] for one in event.nodes if one in self._depths), default=None))
            case SearchResumed():
                self._leave(self._depths[event.node] + 1)

    def _enter(self, node: str) -> None:
        self._depths[node] = len(self._nodes)
        self._nodes.append((node, len(self._ids)))

    def _add(self, ids: Iterable[str], state: State) -> None:
        for id_ in ids:
            fact = state.evidence[id_]
            place = self._places[id_] = len(self._ids)
            self._ids.append(id_)
            self._overlap.append(fact.text)
            self._restated.add(place, fact.text)

    def _replace(self, place: int, text: str) -> None:
        self._overlap.replace(place, text)
        self._restated.remove(place)
        self._restated.add(place, text)
        self._repaired.add(place)

    def _leave(self, depth: int | None) -> None:
        """The path ends before this depth."""
        left = [] if depth is None else self._nodes[depth:]
        if not left:
            return
        length = left[0][1]
        for node, _ in left:
            del self._depths[node]
        for place in range(length, len(self._ids)):
            del self._places[self._ids[place]]
            self._restated.remove(place)
        self._repaired = {place for place in self._repaired if place < length}
        self._overlap.cut(length)
        del self._nodes[depth:], self._ids[length:]


class Retrieved:
    """What was searched for and found, by its normal form."""

    def __init__(self) -> None:
        self._searches: dict[str, int] = {}
        self._passages: dict[str, str] = {}

    def search(self, query: str) -> int | None:
        """The number of the first search for this query that did not fail."""
        return self._searches.get(normalise(query))

    def passage(self, text: str) -> str | None:
        """The id of the passage of this text."""
        return self._passages.get(normalise(text))

    @classmethod
    def of(cls, state: State) -> Retrieved:
        """That of a state."""
        made = cls()
        for search in state.searches:
            if search.failure is None:
                made._searches.setdefault(normalise(search.query), search.number)
        for one in state.passages.values():
            made._passages.setdefault(normalise(one.text), one.id)
        return made

    def follow(self, event: Event, state: State) -> None:
        """Keeps up with an event; `state` is the memory after it."""
        if isinstance(event, PassagesRetrieved):
            self._searches.setdefault(normalise(state.searches[-1].query), event.search)
            for one in event.passages:
                self._passages.setdefault(normalise(one.text), one.id)
