"""The memories of two runs: their facts by text, their nodes by query."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from retree_core.compare.pairs import How, pairs
from retree_core.memory import Evidence, Node
from retree_core.state import State
from retree_core.text import comparable

LIKE = 0.6
"""Facts as like as this state the same thing with another value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPair:
    """A fact that both runs have, the same fact with another value, or one that only one of them has."""

    how: How
    a: Evidence | None
    b: Evidence | None

    @property
    def apart(self) -> bool:
        """One run keeps it in force and the other does not."""
        kept = [one is not None and one.fate == "active" for one in (self.a, self.b)]
        return kept[0] != kept[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePair:
    """Nodes of the same query in both runs, or of one run alone."""

    how: How
    a: Node | None
    b: Node | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """How two memories differ."""

    facts: tuple[FactPair, ...]
    nodes: tuple[NodePair, ...]


_FOLDED = ("duplicate", "absorbed")
"""Fates of facts whose text another one holds."""


def trees(a: State, b: State, shared: Collection[str]) -> Trees:
    """The memories of two runs; evidence ids in `shared` name the same fact in both, all others are told by text."""
    return Trees(facts=tuple(_facts(a, b, shared)), nodes=tuple(_nodes(a, b)))


def _facts(a: State, b: State, shared: Collection[str]) -> Iterator[FactPair]:
    ours, theirs = ({id_: one for id_, one in state.evidence.items() if one.fate not in _FOLDED} for state in (a, b))
    both = [id_ for id_ in ours if id_ in shared and id_ in theirs]
    for id_ in both:
        one, other = ours[id_], theirs[id_]
        same = comparable(one.text) == comparable(other.text)
        yield FactPair(how="same" if same else "changed", a=one, b=other)
    left = [one for id_, one in ours.items() if id_ not in both]
    right = [one for id_, one in theirs.items() if id_ not in both]
    yield from (FactPair(how=how, a=one, b=other) for how, one, other in pairs(left, right, LIKE))


@dataclass(frozen=True, slots=True)
class _Query:
    """A node by its query."""

    node: Node

    @property
    def text(self) -> str:
        return self.node.query


def _nodes(a: State, b: State) -> Iterator[NodePair]:
    found = pairs([_Query(one) for one in a.nodes.values()], [_Query(one) for one in b.nodes.values()], 2)
    for how, one, other in found:
        yield NodePair(how=how, a=one.node if one else None, b=other.node if other else None)
