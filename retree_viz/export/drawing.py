"""SVG elements as values that cannot hold markup from outside, and the small drawings of the tree."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from retree_viz.export.graphs import xml_text
from retree_viz.palette import MONO, SANS
from retree_viz.tree.text import fitted, shown, width


class Svg(str):
    """Markup made by this module."""

    __slots__ = ()


Value = str | float | None


def literal(text: str) -> Svg:
    """The text escaped, without what XML cannot hold."""
    return Svg(escape(xml_text(text), quote=False))


def element(name: str, *children: Svg, **attributes: Value) -> Svg:
    """One element; attributes that are None are left out, `stroke_width=2` is written `stroke-width`.

    >>> element("text", literal("a<b"), x=1, font_size=11)
    '<text x="1" font-size="11">a&lt;b</text>'
    """
    known = {name: value for name, value in attributes.items() if value is not None}
    written = "".join(f" {name.replace('_', '-')}={_attribute(value)}" for name, value in known.items())
    body = "".join(children)
    return Svg(f"<{name}{written}>{body}</{name}>" if body else f"<{name}{written}/>")


def _attribute(value: str | float) -> str:
    text = xml_text(value) if isinstance(value, str) else f"{round(value, 2):g}"
    return f'"{escape(text)}"'


def rectangle(x: float, y: float, w: float, h: float, r: float, *, fill: str = "none", **stroke: Value) -> Svg:
    return element("rect", x=x, y=y, width=w, height=h, rx=r, fill=fill, **stroke)


def line_through(points: Sequence[tuple[float, float]], **stroke: Value) -> Svg:
    """A line through points, its corners rounded."""
    (x, y), *_ = points
    path = [f"M{x:g} {y:g}"]
    for (ax, ay), (bx, by), (cx, cy) in zip(points, points[1:], points[2:], strict=False):
        before, after = abs(bx - ax) + abs(by - ay), abs(cx - bx) + abs(cy - by)
        radius = min(8.0, before / 2, after / 2)
        if not radius:
            continue
        sx, sy = bx - (bx - ax) / before * radius, by - (by - ay) / before * radius
        ex, ey = bx + (cx - bx) / after * radius, by + (cy - by) / after * radius
        path.append(f"L{sx:g} {sy:g}Q{bx:g} {by:g} {ex:g} {ey:g}")
    path.append(f"L{points[-1][0]:g} {points[-1][1]:g}")
    return element("path", d="".join(path), fill="none", **stroke)


def words(
    text: str,
    x: float,
    y: float,
    room: float = 0.0,
    *,
    size: float = 11,
    weight: int = 400,
    colour: str,
    mono: bool = False,
    end: bool = False,
) -> Svg:
    """Text on one line, cut to its room where one is given; `end` puts its end at x."""
    line = fitted(text, room, size) if room else shown(text)
    return element(
        "text",
        literal(line),
        x=x,
        y=y,
        fill=colour,
        font_family=MONO.replace('"', "'") if mono else SANS.replace('"', "'"),
        font_size=size,
        font_weight=weight,
        text_anchor="end" if end else None,
    )


def runs(pieces: Sequence[tuple[str, Mapping[str, Value]]], x: float, y: float, size: float) -> Svg:
    """Pieces of text one after another, each in its own style."""
    spans = (element("tspan", literal(text), **style) for text, style in pieces)
    family = SANS.replace('"', "'")
    return element("text", *spans, x=x, y=y, font_family=family, font_size=size, **{"xml:space": "preserve"})


def long(text: str, size: float, *, mono: bool = False, bold: bool = False) -> float:
    """Width of a text in pixels."""
    return width(text, size, mono=mono, bold=bold)


@cache
def _glyphs() -> Mapping[str, tuple[str, bool]]:
    """Name to path and whether it is filled, out of the file that the browser draws with."""
    source = files("retree_viz.tree").joinpath("assets/glyphs.js").read_text(encoding="utf-8")
    found = re.findall(r"^  (\w+): \{ d: '([^']+)'(, fill: true)? \},$", source, re.MULTILINE)
    return {name: (path, bool(fill)) for name, path, fill in found}


def glyph(name: str, x: float, y: float, size: float, colour: str) -> Svg:
    """A small drawing with its top left corner at (x, y); nothing where there is none of that name."""
    if name not in _glyphs():
        return Svg("")
    path, fill = _glyphs()[name]
    return element(
        "path",
        d=path,
        transform=f"translate({x:g} {y:g}) scale({size / 16:g})",
        fill=colour if fill else "none",
        stroke=colour,
        stroke_width=1.6,
        stroke_linecap="round",
        stroke_linejoin="round",
    )
