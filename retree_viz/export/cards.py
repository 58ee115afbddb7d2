"""Cards as SVG: what the tree's painter in the browser does, without pointer and selection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from retree_viz.export.drawing import Svg, Value, element, glyph, long, rectangle, runs, words
from retree_viz.tree.cards import HEAD

Card = Mapping[str, Any]
Ink = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """How a card of a status is drawn; colours by name."""

    icon: str = ""
    edge: str = "line-2"
    width: float = 1.0
    dash: str | None = None
    fill: str = "panel"
    head: str = ""
    rule: str = "line"
    name: str = "ink"
    meta: str = "ink-3"
    every: str = ""
    """One colour for all the words."""


_LOOKS = {
    "current": _Look(
        icon="here", edge="focus", width=2, head="focus-bg", rule="focus-line", name="focus", meta="focus"
    ),
    "pruned": _Look(
        icon="cut", edge="ghost", dash="4 3", fill="bg", every="ghost", name="ghost", meta="ghost", rule="line-2"
    ),
    "pending": _Look(icon="find", edge="focus-line", width=1.5, meta="ink-2"),
    "search": _Look(meta="ink-2"),
    "answer": _Look(icon="flag", edge="claim", width=1.5, head="claim-bg", rule="claim-line", name="claim"),
    "missing": _Look(icon="stale", edge="refuse", width=1.5, dash="4 3", fill="bg", name="refuse", meta="refuse"),
}
_OUTCOMES = {"failed": "stop", "empty": "minus", "under way": "find"}
_MARKS = {
    "proposed": ("open", "conflict"),
    "confirmed": ("filled", "conflict"),
    "rejected": ("barred", "refuse"),
    "contested": ("barred", "refuse"),
}
_FATES = {"duplicate": "twice", "absorbed": "neq", "set_aside": "aside"}


def card_svg(card: Card, changed: set[str], ink: Ink) -> Svg:
    """One card at its place; `changed` are the facts that this event changed."""
    parts = _stub(card, ink) if card["kind"] == "more" else _card(card, changed, ink)
    return element("g", *parts, transform=f"translate({card['x']:g} {card['y']:g})")


def _card(card: Card, changed: set[str], ink: Ink) -> Iterator[Svg]:
    outcome = card.get("outcome", "")
    look = _LOOKS.get("pending" if outcome == "under way" else card["status"], _Look())
    w, h = card["w"], card["h"]
    yield rectangle(0, 0, w, h, 6, fill=ink[look.fill])
    if look.head:
        yield element("path", d=f"M0 {HEAD:g}V6a6 6 0 0 1 6-6H{w - 6:g}a6 6 0 0 1 6 6V{HEAD:g}z", fill=ink[look.head])
    yield rectangle(0, 0, w, h, 6, stroke=ink[look.edge], stroke_width=look.width, stroke_dasharray=look.dash)
    if outcome == "repairing":
        yield rectangle(-0.5, 4, 1.5, h - 8, 0, fill=ink["conflict"])
        yield rectangle(2.5, 4, 1.5, h - 8, 0, fill=ink["conflict"])
    yield from _head(card, look, ink)
    for x, y, style, text in card["lines"]:
        yield from _line(card, look, x, y, style, text, ink)
    for row in card["rows"]:
        yield from _row(row, card["status"] == "pruned", ink)
        yield from _corner(row, changed, ink)
    for chip in card["chips"]:
        yield from _chip(chip, card["status"] == "pruned", ink)
        yield from _corner(chip, changed, ink)
    if card.get("changed"):
        yield _changed(w, 0, 12, ink)


def _head(card: Card, look: _Look, ink: Ink) -> Iterator[Svg]:
    x, strong = 8.0, card["status"] == "current"
    sign = look.icon or _OUTCOMES.get(card.get("outcome", ""), "")
    if sign:
        yield glyph(sign, x, 5.5, 12, ink["refuse" if card.get("outcome") == "failed" else look.name])
        x += 17
    if card["name"]:
        yield words(card["name"], x, 15.5, size=11, weight=700, mono=True, colour=ink[look.name])
        x += long(card["name"], 11, mono=True, bold=True) + 5
    if card["meta"]:
        yield words(card["meta"], x, 15.5, size=11, colour=ink[look.meta])
    if card.get("right"):
        right = card["w"] - 8 - (4 if card.get("changed") else 0)
        yield words(card["right"], right, 15.5, size=11, weight=700 if strong else 400, colour=ink[look.meta], end=True)
    yield element(
        "path", d=f"M0.5 {HEAD + 0.5:g}H{card['w'] - 0.5:g}", stroke=ink[look.rule], stroke_dasharray=look.dash
    )


def _line(card: Card, look: _Look, x: float, y: float, style: str, text: str, ink: Ink) -> Iterator[Svg]:
    colour = ink[look.every] if look.every else ""
    if style == "title":
        size = 12.5 if card["kind"] == "answer" else 11.5
        yield words(text, x, y, size=size, weight=600, colour=colour or ink["ink"])
    elif style == "plain":
        yield words(text, x, y, size=11.5, weight=500, colour=colour or ink["ink"])
    elif style.startswith("note:"):
        yield glyph(style.removeprefix("note:"), x, y - 9.5, 11, colour or ink["ink-3"])
        yield words(text, x + 15, y, size=10.5, colour=colour or ink["ink-3"])
    else:
        foot = style == "foot"
        yield words(text, x, y, size=10.5 if foot else 11, colour=colour or ink["ink-3" if foot else "ink-2"])


def _row(row: Card, gone: bool, ink: Ink) -> Iterator[Svg]:
    """A repaired fact with its old and new words."""
    tone = ink["ghost" if gone else "repair"]
    x, y = row["x"], row["y"]
    yield rectangle(
        x,
        y,
        row["w"],
        row["h"],
        4,
        fill=ink["bg" if gone else "repair-bg"],
        stroke=tone,
        stroke_width=1.5,
        stroke_dasharray="3 2" if gone else None,
    )
    yield words(row["label"], x + 7, y + 16, size=11, weight=700, mono=True, colour=tone)
    if row.get("badge"):
        yield from _badge(row["badge"], x + 10 + long(row["label"], 11, mono=True, bold=True), y + 6, tone, ink)
    if row.get("mark"):
        name, colour = _MARKS[row["mark"]]
        yield glyph(name, x + 7, y + 22, 11, ink["ghost" if gone else colour])
    for left, base, pieces in row["lines"]:
        styled = [(text, _style(style, tone, ink["ghost" if gone else "ink"], ink)) for text, style in pieces]
        yield runs(styled, x + left, y + base, 11)


def _style(style: str, tone: str, plain: str, ink: Ink) -> dict[str, Value]:
    """Of a piece of a repaired fact: what is old is struck through, what is new is bold."""
    match style:
        case "old":
            return {"fill": ink["ink-3"], "text_decoration": "line-through"}
        case "new":
            return {"fill": tone, "font_weight": 600}
        case "meta":
            return {"fill": ink["ink-3"]}
        case _:
            return {"fill": plain}


def _badge(text: str, x: float, y: float, tone: str, ink: Ink) -> Iterator[Svg]:
    yield rectangle(x, y, long(text, 10, mono=True, bold=True) + 8, 13, 3, fill=tone)
    yield words(text, x + 4, y + 10, size=10, weight=700, mono=True, colour=ink["on-strong"])


def _chip(chip: Card, gone: bool, ink: Ink) -> Iterator[Svg]:
    look, x, y = chip["look"], chip["x"], chip["y"]
    gone = gone or look == "pruned"
    edge, colour, dash, wide = "line-2", "ink", None, 1.0
    if gone:
        edge, colour, dash = "ghost", "ghost", "3 2"
    elif chip.get("badge"):
        edge, colour, wide = "repair", "repair", 1.5
    elif look in ("absorbed", "new", "missing"):
        edge = colour = {"absorbed": "conflict", "new": "focus", "missing": "refuse"}[look]
        dash = "2 2" if look == "missing" else None
    elif look in ("duplicate", "set_aside", "more"):
        colour = "ink-3"
    if chip.get("mark") and not gone and chip["mark"] != "contested":
        edge = _MARKS[chip["mark"]][1]
    if look != "more":
        yield rectangle(
            x + 0.5,
            y + 0.5,
            chip["w"] - 1,
            chip["h"] - 1,
            3,
            fill=ink["bg" if gone else "panel"],
            stroke=ink[edge],
            stroke_width=wide,
            stroke_dasharray=dash,
        )
    yield from _chip_words(chip, x + 6, y, gone, ink[colour], ink)


def _chip_words(chip: Card, at: float, y: float, gone: bool, colour: str, ink: Ink) -> Iterator[Svg]:
    signs = [(_FATES[chip["look"]], colour)] if chip["look"] in _FATES else []
    if chip.get("mark"):
        name, tone = _MARKS[chip["mark"]]
        signs.append((name, ink["ghost" if gone else tone]))
    if chip.get("back"):
        signs.append(("back", colour if gone else ink["refuse"]))
    for name, tone in signs:
        yield glyph(name, at - 1, y + 4, 10, tone)
        at += 12
    count = f" ×{chip['sources']}" if chip.get("sources", 1) > 1 else ""
    yield words(chip["label"], at, y + 12.5, size=10.5, weight=500, mono=True, colour=colour)
    at += long(chip["label"], 10.5, mono=True)
    if chip.get("badge"):
        yield from _badge(chip["badge"], at + 3, y + 2.5, ink["ghost" if gone else "repair"], ink)
        at += long(chip["badge"], 10, mono=True, bold=True) + 14
    if count:
        yield words(count.strip(), at + 4, y + 12.5, size=10.5, weight=500, mono=True, colour=colour)


def _corner(chip: Card, changed: set[str], ink: Ink) -> Iterator[Svg]:
    if chip["id"] in changed:
        yield _changed(chip["x"] + chip["w"], chip["y"], 6, ink)


def _changed(right: float, top: float, size: float, ink: Ink) -> Svg:
    """The black corner of what this event changed."""
    return element("path", d=f"M{right - size:g} {top:g}H{right:g}V{top + size:g}z", fill=ink["ink"])


def _stub(card: Card, ink: Ink) -> Iterator[Svg]:
    for step in (4, 0):
        yield rectangle(
            step, step, card["w"] - 4, card["h"] - 4, 4, fill=ink["panel"], stroke=ink["line-2"], stroke_width=1.0
        )
    yield words(card["label"], 8, 14, size=11, weight=700, mono=True, colour=ink["ink"])
    at = 13 + long(card["label"], 11, mono=True, bold=True)
    yield words("cards", at, 14, size=11, colour=ink["ink-2"])
