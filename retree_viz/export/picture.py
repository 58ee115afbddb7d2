"""The tree of a moment as a drawing: SVG in plain Python, from the rectangles that the browser paints too; PNG of it.

Everything written is escaped, and no font is embedded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from retree_core.trace.answered import answered_by
from retree_viz.export import Exported
from retree_viz.export.cards import card_svg
from retree_viz.export.drawing import Svg, element, literal, rectangle, words
from retree_viz.export.wires import captions_svg, conflicts_svg, wires_svg
from retree_viz.palette import colours
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.text import shown
from retree_viz.tree.view import tree_view

_MARGIN = 24.0
_TOP = 66.0
"""Above the tree: the question, and what the picture is of."""
_ZOOM = 2
"""Pixels of a PNG for one of the drawing's."""
_MOST_PIXELS = 16_000
"""Wide or high; a larger picture is drawn smaller."""


def svg(what: Exported) -> bytes:
    """The drawing as an SVG file."""
    return _drawn(what)[0].encode("utf-8", errors="replace")


def png(what: Exported) -> bytes:
    """The drawing as a PNG, with the fonts of this machine."""
    import resvg_py

    text, wide, high = _drawn(what)
    zoom = min(_ZOOM, _MOST_PIXELS / max(wide, high))
    return bytes(resvg_py.svg_to_bytes(svg_string=text, width=round(wide * zoom), height=round(high * zoom)))


def _drawn(what: Exported) -> tuple[str, float, float]:
    """The SVG, its width and its height."""
    view = tree_view(what.index, what.moment, TreeOptions(show_later=False))
    cards = {one["id"]: one["card"] for one in view["nodes"] if _is_seen(one["card"])}
    edges = [one for one in view["edges"] if one["from"] in cards and one["to"] in cards]
    right = max((one["x"] + one["w"] for one in cards.values()), default=0.0)
    bottom = max((one["y"] + one["h"] for one in cards.values()), default=0.0)
    wide, high = max(640.0, right + 2 * _MARGIN), _TOP + 40 + bottom + _MARGIN
    ink = colours(what.theme)
    lines, said = conflicts_svg(edges, cards, {one["card"] for one in view["captions"]}, ink)
    tree = (
        *wires_svg(edges, cards, ink),
        *lines,
        *(card_svg(one, set(view["facts"]["changed"]), ink) for one in cards.values()),
        *captions_svg(view["captions"], cards, ink),
        *said,
    )
    body = (
        element("title", literal(view["label"])),
        rectangle(0, 0, wide, high, 0, fill=ink["bg"]),
        *_heading(what, view, wide, ink),
        element("g", *tree, transform=f"translate({_MARGIN:g} {_TOP + 40:g})"),
    )
    root = element(
        "svg",
        *body,
        xmlns="http://www.w3.org/2000/svg",
        width=f"{wide:g}",
        height=f"{high:g}",
        viewBox=f"0 0 {wide:g} {high:g}",
        role="img",
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n', wide, high


def _is_seen(card: dict[str, Any]) -> bool:
    return bool(card["kind"] != "passage" and card["status"] != "later")


def _heading(what: Exported, view: dict[str, Any], wide: float, ink: dict[str, str]) -> Iterable[Svg]:
    room = wide - 2 * _MARGIN
    header = what.run.trace.header
    about = f"{view['label']} · {header.settings.agent} · recorded with {answered_by(what.run.trace)}"
    yield words(header.question, _MARGIN, 30, room, size=15, weight=600, colour=ink["ink"])
    yield words(about, _MARGIN, 48, room, size=11, colour=ink["ink-3"])
    yield words(shown(what.happened), _MARGIN, 64, room, size=12, colour=ink["ink-2"])
