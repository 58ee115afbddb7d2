"""Edges, conflict lines and captions as SVG, routed as the browser does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from retree_viz.export.cards import Card, Ink
from retree_viz.export.drawing import Svg, element, glyph, line_through, long, rectangle, words

_ANCHOR = 34.0
"""Edges meet cards this far below their top."""
_CONFLICTS = {
    "proposed": ("open", "conflict", "6 4", 1.8),
    "confirmed": ("filled", "conflict", None, 2.0),
    "rejected": ("barred", "refuse", "2 3", 1.6),
}
"""Verdict to sign, colour, dashes and width."""

Edge = Mapping[str, Any]
Cards = Mapping[str, Card]
Points = list[tuple[float, float]]


def wires_svg(edges: Iterable[Edge], cards: Cards, ink: Ink) -> Iterator[Svg]:
    """The lines from cards to what goes on from them; an arrow on the active path."""
    for edge in edges:
        if edge["kind"] != "child":
            continue
        points = _child(edge, cards[edge["from"]], cards[edge["to"]])
        gone = edge["status"] == "pruned"
        arrow = edge["status"] in ("active", "current")
        x, y = points[-1]
        if arrow:
            points[-1] = (x - 6, y)
        colour = ink["ghost" if gone else "line-3"]
        yield line_through(points, stroke=colour, stroke_width=1.5, stroke_dasharray="5 4" if gone else None)
        if arrow:
            yield _head(x, y, 0, colour)


def _anchor(card: Card) -> float:
    at: float = card["y"] + (card["h"] / 2 - 2 if card["kind"] == "more" else _ANCHOR)
    return at


def _child(edge: Edge, start: Card, end: Card) -> Points:
    y, above = _anchor(end), _anchor(start)
    if edge.get("hangs") == "below":
        return [(start["x"] + 14, start["y"] + start["h"] + 1), (start["x"] + 14, y), (end["x"] - 1, y)]
    right = start["x"] + start["w"] + 1
    if abs(y - above) < 1:
        return [(right, y), (end["x"] - 1, y)]
    bend = end["x"] - 18
    return [(right, above), (bend, above), (bend, y), (end["x"] - 1, y)]


def _head(x: float, y: float, turn: int, colour: str, size: float = 8) -> Svg:
    """An arrow head whose tip is at (x, y); turn 0 points right, 1 down, 2 left."""
    path = f"M0 0L{-size:g} {-size / 2:g}V{size / 2:g}z"
    return element("path", d=path, transform=f"translate({x:g} {y:g}) rotate({90 * turn})", fill=colour)


def conflicts_svg(
    edges: Iterable[Edge], cards: Cards, captioned: Collection[str], ink: Ink
) -> tuple[list[Svg], list[Svg]]:
    """The lines from each new fact's card to the fact it challenges, to go under the cards, and their words and signs,
    to go over them. Signs stand above the caption of a card that has one."""
    conflicts = (one for one in edges if one["kind"] == "conflict")
    lines: list[Svg] = []
    said: list[Svg] = []
    taken: dict[str, int] = {}
    for edge in sorted(conflicts, key=lambda one: (one.get("past", False), -one["at"])):
        row = f"{edge['to']} {cards[edge['from']]['y']}"
        place = taken[row] = taken.get(row, -1) + 1
        sign, tone, dash, wide = _CONFLICTS[edge["verdict"]]
        past, colour = edge.get("past", False), ink[tone]
        points, turn, at = _route(edge, cards[edge["from"]], cards[edge["to"]], place)
        look = {"stroke_width": 1.0, "stroke_opacity": 0.55} if past else {"stroke_width": wide}
        (x, y), tip = points[0], points[-1]
        lines += [
            line_through(points, stroke=colour, stroke_dasharray=dash, **look),
            _head(*tip, turn, colour, 7 if past else 9),
            element("circle", cx=x, cy=y, r=2.5 if past else 3.5, fill=colour),
        ]
        over = max(points[1][1], y - 31) if edge["from"] in captioned and points[1][1] < y else y - 11
        said += [glyph(sign, x - 5.5, over - 5.5, 11, colour)] if past else _label(edge["label"], at, sign, colour, ink)
    return lines, said


def _route(edge: Edge, start: Card, end: Card, place: int) -> tuple[Points, int, tuple[float, float]]:
    """Where a conflict's line runs, how its head is turned, and where its words go."""
    top, below = start["y"], end["y"]
    middle, rise = start["x"] + start["w"] / 2, (7.0 if edge.get("past") else 25.0) * place
    if top > below + 40:
        facts, old = (*end.get("rows", ()), *end.get("chips", ())), edge.get("old")  # an empty id is left out
        fact = next((one for one in facts if one.get("id") == old), None)
        side, channel = end["x"] + end["w"] + 24 + 7 * (place % 4), top - 41 - rise
        y = below + (fact["y"] + fact["h"] / 2 if fact else _ANCHOR + 14)
        begin = middle if start["kind"] == "search" or middle > side + 30 else max(middle, start["x"] + 30)
        points = [(begin, top), (begin, channel), (side, channel), (side, y), (end["x"] + end["w"] + 2, y)]
        return points, 2, ((begin + side) / 2, channel)
    if top < below - 40:
        channel, over = below - 41 - rise, end["x"] + end["w"] / 2
        points = [(middle, top + start["h"]), (middle, channel), (over, channel), (over, below - 2)]
        return points, 1, ((middle + over) / 2, channel)
    channel, over = min(top, below) - 18 - rise, end["x"] + end["w"] * 0.7
    return [(middle, top), (middle, channel), (over, channel), (over, below - 2)], 1, ((middle + over) / 2, channel)


def _label(text: str, at: tuple[float, float], sign: str, colour: str, ink: Ink) -> list[Svg]:
    x, y = at
    wide = long(text, 11, bold=True) + 33
    return [
        rectangle(x - wide / 2, y - 11, wide, 22, 11, fill=ink["panel"], stroke=colour, stroke_width=1.5),
        glyph(sign, x - wide / 2 + 9, y - 5.5, 11, colour),
        words(text, x - wide / 2 + 25, y + 4, size=11, weight=600, colour=colour),
    ]


def captions_svg(captions: Iterable[Mapping[str, str]], cards: Cards, ink: Ink) -> Iterator[Svg]:
    """What stands above the active path and above each row that a repair pruned."""
    for one in captions:
        card = cards.get(one["card"])
        if card is None:
            continue
        x, y = card["x"], card["y"] - 12
        wide = long(one["strong"], 11, bold=True) + 5
        pruned = one["kind"] == "pruned"
        yield rectangle(x - 2, y - 10.5, wide + long(one["text"], 11) + (21 if pruned else 4), 14, 0, fill=ink["bg"])
        if pruned:
            yield glyph("cut", x, y - 9.5, 12, ink["ink-3"])
            x += 17
        yield words(one["strong"], x, y, size=11, weight=600, colour=ink["ink-2"])
        yield words(one["text"], x + wide, y, size=11, colour=ink["ink-3"])
