"""Which cards of a large tree are drawn: the ways to what matters now, and a counted stub for the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from retree_viz.tree.chronicle import Card

LIMIT = 600
"""Trees of up to so many cards are drawn whole."""
_TRAIL = 40
"""Cards of the current path that are kept, counted from its end."""
_CLOSE = 8
"""Cards above anything else that is kept."""
_OPENED = 60
"""Cards that one opened stub shows."""
_TOPS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The cards to draw."""

    parents: Mapping[str, str | None]
    """Card or stub to the card or stub it hangs from, in order; a stub is `more:` and its card's id."""
    hidden: Mapping[str, int]
    """Stub to the number of cards behind it."""
    kept: frozenset[str] | None = None
    """The cards, or None for all."""


def everything(order: Iterable[str], cards: Mapping[str, Card]) -> Shown:
    """All cards."""
    return Shown(parents={id_: cards[id_].parent for id_ in order}, hidden={})


def folded(
    cards: Mapping[str, Card],
    order: Mapping[str, int],
    children: Mapping[str, list[str]],
    *,
    current: str,
    wanted: Iterable[str],
    opened: Iterable[str],
) -> Shown:
    """The top, the way to the current card, and those to `wanted` cards; `opened` ones with what is below them."""
    kept = set(islice((id_ for id_ in order if cards[id_].parent is None), _TOPS))
    kept.update(_line_up(cards, current, _TRAIL))
    for id_ in wanted:
        kept.update(_line_up(cards, id_, _CLOSE))
    for id_ in opened:
        kept.update(_line_up(cards, id_, _CLOSE))
        kept.update(_below(children, id_, kept, _OPENED))
    return _with_stubs(cards, order, frozenset(one for one in kept if one in cards))


def _line_up(cards: Mapping[str, Card], id_: str, most: int) -> list[str]:
    """The card and those above it, at most `most`."""
    line: list[str] = []
    step: str | None = id_
    while step is not None and step in cards and len(line) < most:
        line.append(step)
        step = cards[step].parent
    return line


def _below(children: Mapping[str, list[str]], id_: str, kept: set[str], most: int) -> list[str]:
    """The next `most` cards below one that are not kept yet, nearest first."""
    found: list[str] = []
    level = [id_]
    while level and len(found) < most:
        level = [one for parent in level for one in children.get(parent, ())]
        found += [one for one in level if one not in kept]
    return found[:most]


def _with_stubs(cards: Mapping[str, Card], order: Mapping[str, int], kept: frozenset[str]) -> Shown:
    """Every card left out is counted at the nearest kept card above it; what is kept below it hangs from there."""
    holder: dict[str, str | None] = {}
    for id_ in order:
        trail = []
        step: str | None = id_
        while step is not None and step not in kept and step not in holder:
            trail.append(step)
            step = cards[step].parent
        found = step if step is None or step in kept else holder[step]
        holder.update(dict.fromkeys(trail, found))
    hidden: dict[str, int] = {}
    for id_, above in holder.items():
        if id_ not in kept:
            stub = f"more:{above or ''}"
            hidden[stub] = hidden.get(stub, 0) + 1
    parents: dict[str, str | None] = {}
    for id_ in order:
        if id_ not in kept:
            continue
        parent = cards[id_].parent
        if parent is not None and parent not in kept:
            above = holder[parent]
            parent = f"more:{above or ''}"
            parents.setdefault(parent, above)
        parents[id_] = parent
    for stub in hidden:
        parents.setdefault(stub, stub.removeprefix("more:") or None)
    return Shown(parents=parents, hidden=hidden, kept=kept)
