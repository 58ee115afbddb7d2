"""What changes between the moments around one, so that the browser draws a step before the server answers it.

Moments come in blocks. The one that holds the moment and the nearer neighbour of that are known to the browser: so
many blocks as there are moments are worked out once each, and sent once each.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from retree_viz.packed import packed
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.view import tree_view

BLOCK = 8
"""Moments in a block."""
_MOST_KEPT = 32
"""Blocks that are kept of a run; sessions share them."""
_CHANGING = ("moment", "captions", "facts", "selected", "label")
"""Parts of a view, beside its nodes and edges, that another moment changes."""

Key = tuple[TreeOptions, int]


def facet(index: TreeIndex, options: TreeOptions) -> str:
    """Tells which views belong together: the same run, with the same things selected and opened."""
    return f"{index.serial} {options.claim} {options.selected} {options.opened}"


def around(index: TreeIndex, moment: int, options: TreeOptions) -> dict[int, bytes]:
    """The blocks around a moment, each as JSON by its place, even or odd: its own first, then the nearer neighbour."""
    number, place = divmod(moment, BLOCK)
    beside = number - 1 if place < BLOCK // 2 else number + 1
    near = (one for one in (number, beside) if 0 <= one * BLOCK < len(index.run.events))
    return {one % 2: _block(index, one, options) for one in near}


def _block(index: TreeIndex, number: int, options: TreeOptions) -> bytes:
    key = (replace(options, show_pruned=True, show_later=True, show_passages=True), number)
    kept = index.blocks  # what is forgotten is left to whoever still reads it
    if key not in kept:
        if len(kept) >= _MOST_KEPT:
            index.blocks = kept = {}
        kept[key] = packed(_changes(index, number, options))
    return kept[key]


def _changes(index: TreeIndex, number: int, options: TreeOptions) -> dict[str, Any]:
    """From each moment of a block on to the next, and back."""
    first, last = number * BLOCK, min((number + 1) * BLOCK, len(index.run.events))
    views = [tree_view(index, moment, options) for moment in range(first, last + 1)]
    return {
        "of": facet(index, options),
        "place": number % 2,
        "first": first,
        "on": [difference(a, b) for a, b in pairwise(views)],
        "back": [difference(b, a) for a, b in pairwise(views)],
    }


def difference(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """What makes the view `b` of the view `a`."""
    cards = {one["id"]: one["hash"] for one in a["nodes"]}
    lines = {one["id"]: one for one in a["edges"]}
    return {
        **{name: b[name] for name in _CHANGING},
        "nodes": [one for one in b["nodes"] if cards.pop(one["id"], "") != one["hash"]],
        "edges": [one for one in b["edges"] if lines.pop(one["id"], None) != one],
        "gone": [*cards, *lines],
    }
