"""Where the cards go: a tidy tree from left to right, laid out once over the union of all moments.

What goes on is on its parent's line. What a repair pruned hangs below the repaired card, each repair in a row
of its own, so that it can stay where it is for ever. Plain loops: a tree may be thousands of cards deep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

GAP: Final = 30.0
"""Between a card and what goes on from it."""
INDENT: Final = 26.0
"""Of a row below its card."""
ROW_GAP: Final = 70.0
"""Above a row: room for its caption and a conflict's line."""
SIBLING_GAP: Final = 26.0
_STRIP: Final = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """What the layout knows of a card."""

    id: str
    parent: str | None
    width: float
    height: float
    below: bool = False
    """Starts a row below its parent: pruned by a repair at it."""
    room: float = GAP
    """Free space after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A card's place: its top left corner, and how it hangs from its parent."""

    x: float
    y: float
    hangs: str = "after"
    """`after` its parent on one line, `beside` (after, but lower), `below` (a row of its own), or `top`."""


def layout(boxes: Sequence[Box]) -> dict[str, Spot]:
    """A spot for every box. Boxes whose parent is not among them are at the top, one under the other.

    >>> spots = layout([Box(id="a", parent=None, width=100, height=50), Box(id="b", parent="a", width=100, height=50)])
    >>> spots["b"].x, spots["b"].y
    (130.0, 0.0)
    """
    known = {box.id: box for box in boxes}
    below: dict[str, list[Box]] = {}
    after: dict[str, list[Box]] = {}
    tops = []
    for box in boxes:
        if box.parent is None or box.parent not in known:
            tops.append(box)
        else:
            (below if box.below else after).setdefault(box.parent, []).append(box)
    ground = _Ground()
    spots: dict[str, Spot] = {}
    waiting = [(box, 0.0, "top") for box in reversed(tops)]
    while waiting:
        head, x, hangs = waiting.pop()
        line = _line(head, x, after)
        gap = {"top": 2 * SIBLING_GAP if spots else 0.0, "below": ROW_GAP}.get(hangs, SIBLING_GAP)
        y = ground.under(line, gap, clear=2 * GAP if hangs == "below" else 0.0)
        for box, at in line:
            spots[box.id] = Spot(x=at, y=y, hangs="after")
            ground.cover(at, box.width, y + box.height)
        spots[head.id] = replace(spots[head.id], hangs=hangs)
        # last pushed, first placed: what hangs from the rightmost card comes right below the line
        for box, at in line:
            waiting += [(one, at + INDENT, "below") for one in reversed(below.get(box.id, []))]
            rest = after.get(box.id, [])[1:]
            waiting += [(one, at + box.width + box.room, "beside") for one in reversed(rest)]
    return spots


def _line(head: Box, x: float, after: Mapping[str, list[Box]]) -> list[tuple[Box, float]]:
    """The card and what goes on from it, first children only, with the x of each."""
    line = [(head, x)]
    while rest := after.get(line[-1][0].id):
        box, at = line[-1]
        line.append((rest[0], at + box.width + box.room))
    return line


class _Ground:
    """How far down each vertical strip is taken."""

    def __init__(self) -> None:
        self._depth: dict[int, float] = {}

    def under(self, line: Sequence[tuple[Box, float]], gap: float, *, clear: float) -> float:
        """The least y at which the whole line, and `clear` after it, is `gap` below everything."""
        taken = [self._depth[one] for box, x in line for one in _strips(x, box.width + clear) if one in self._depth]
        return max(taken) + gap if taken else 0.0

    def cover(self, x: float, width: float, bottom: float) -> None:
        for one in _strips(x, width):
            self._depth[one] = max(bottom, self._depth.get(one, bottom))


def _strips(x: float, width: float) -> range:
    return range(int((x - _STRIP) // _STRIP), int((x + width + _STRIP) // _STRIP) + 1)
