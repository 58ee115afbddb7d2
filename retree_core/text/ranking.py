"""The top-k evidence for a query, by lexical overlap (paper, section 4.2)."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from retree_core.text.normal import normalise, tokens


class Item(Protocol):
    """Something that can be ranked."""

    @property
    def id(self) -> str:
        """A stable id; the last tie-breaker."""

    @property
    def text(self) -> str:
        """The text that is compared with the query."""

    @property
    def order(self) -> int:
        """Age: a larger number is newer."""


ItemT = TypeVar("ItemT", bound=Item)


def top_k(query_texts: Sequence[str], items: Sequence[ItemT], k: int) -> tuple[ItemT, ...]:
    """Return at most `k` items, best first.

    The score is the number of distinct content tokens an item shares with the query texts together. Ties go to the
    newer item, then to the smaller id. Of items with the same normalised text only the best-placed one is kept.
    """
    wanted = {token for text in query_texts for token in tokens(text)}
    ranked = sorted(items, key=lambda item: (-overlap(wanted, item.text), -item.order, item.id))
    chosen: dict[str, ItemT] = {}
    for item in ranked:
        chosen.setdefault(normalise(item.text), item)
    return tuple(chosen.values())[: max(k, 0)]


def overlap(wanted: set[str], text: str) -> int:
    """Return how many of the wanted tokens occur in `text`."""
    return len(wanted.intersection(tokens(text)))
