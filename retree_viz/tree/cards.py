"""Where the words of a card go: wrapped lines, rows and chips as rectangles, all relative to its top left corner.

The browser paints exactly this and finds what is under the pointer in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from retree_viz.tree.chronicle import Card
from retree_viz.tree.faces import Change, Chip, Face
from retree_viz.tree.text import Line, fitted, width, wrap, wrap_runs

NARROW, WIDE, ROOT_WIDE, SEARCH_WIDE, ANSWER_WIDE = 156.0, 236.0, 142.0, 140.0, 158.0
HEAD: Final = 23.0
"""Height of a card's header."""
_PAD: Final = 8.0
_LINE: Final = 15.0
_CHIP: Final = 18.0
_GAP: Final = 4.0
TITLE, BODY, META, CODE = 11.5, 11.0, 10.5, 10.5
"""Font sizes, pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A card's size and content, ready for JSON."""

    width: float
    height: float
    content: dict[str, Any]
    """`name`, `meta`, `lines` [x, baseline, style, text], `rows` and `chips` with their rectangles."""


def card_width(card: Card, *, repaired: bool, title: str = "") -> float:
    """The width a card has at every moment; a node that will be repaired has room for the old and the new words."""
    if card.kind == "node":
        return WIDE if repaired else ROOT_WIDE if card.key == "root" else NARROW
    if card.kind == "answer":
        return ANSWER_WIDE if len(title) <= 60 else WIDE
    return SEARCH_WIDE


def drawn(face: Face, card: Card, wide: float, right: str = "", *, signed: bool = True) -> Drawn:
    """A face set out on a card of a width; `right` is what the header says at its end, `signed` if it has a glyph."""
    room = wide - 2 * _PAD
    root = card.kind == "node" and card.key == "root"
    lines: list[list[Any]] = []
    y = HEAD + 6
    y = _text(lines, wrap(face.title, room, TITLE, 6 if root else 4 if card.kind == "answer" else 2, bold=not root), y,
              "plain" if root else "title")  # fmt: skip
    if face.summary:
        y = _text(lines, wrap(face.summary, room, BODY, 3 if wide > NARROW else 2), y + 3, "body")
    if face.note:
        y = _text(lines, (fitted(face.note, room - 14, META),), y + 3, f"note:{_note_icon(face.note)}")
    rows: list[dict[str, Any]] = []
    for change in face.changes:
        row = _row(change, y + 8, wide)
        rows.append(row)
        y = row["y"] + row["h"]
    chips, y = _chips(face.chips, y + 7, room)
    if face.foot:
        y = _text(lines, wrap(face.foot, room, META, 3), y + 4, "foot", 14)
    content = {
        "name": face.name,
        "meta": _fitting_meta(face, room - 17 * signed, right),
        "lines": lines,
        "rows": rows,
        "chips": chips,
    }
    return Drawn(width=wide, height=round(y + _PAD, 1), content=content)


def _text(lines: list[list[Any]], texts: Iterable[str], y: float, style: str, step: float = _LINE) -> float:
    for text in texts:
        lines.append([_PAD, y + step - 4, style, text])
        y += step
    return y


def _note_icon(note: str) -> str:
    return "repair" if "regenerated" in note else "summary"


def _fitting_meta(face: Face, room: float, right: str) -> str:
    """The longest form of the header's middle that leaves room for both ends."""
    free = room - width(face.name, 11, bold=True, mono=True) - width(right, 11) - 10
    return next((one for one in face.meta if width(one, 11) <= free), face.meta[-1] if face.meta else "")


def _row(change: Change, y: float, wide: float) -> dict[str, Any]:
    """A repaired fact: id and revision at the left, old and new words at the right."""
    chip = change.chip
    x, w = _PAD - 2, wide - 2 * _PAD + 4
    id_width = width(chip.label, 11, mono=True, bold=True)
    badge = width(chip.badge, 10, mono=True) + 8 if chip.badge else 0
    left = 7 + id_width + (3 + badge if badge else 0) + 6
    room = w - left - 6
    texts: list[Line] = [*wrap_runs(change.old, room, BODY, 2), *wrap_runs(change.new, room, BODY, 2)]
    left = round(left, 1)
    lines = [[left, 1 + _LINE * at, [[run.text, run.style] for run in line]] for at, line in enumerate(texts, 1)]
    height = 10 + _LINE * len(texts)
    return {**_chip_content(chip), "x": x, "y": y, "w": w, "h": height, "lines": lines}


def _chips(chips: tuple[Chip, ...], y: float, room: float) -> tuple[list[dict[str, Any]], float]:
    """Chips in as many lines as they need, and where the last line ends."""
    if not chips:
        return [], y - 7
    placed: list[dict[str, Any]] = []
    x = _PAD
    for chip in chips:
        wide = min(_chip_width(chip), room)
        if x > _PAD and x + wide > _PAD + room:
            x, y = _PAD, y + _CHIP + _GAP
        placed.append({**_chip_content(chip), "x": round(x, 1), "y": y, "w": round(wide, 1), "h": _CHIP})
        x += wide + _GAP
    return placed, y + _CHIP


def _chip_width(chip: Chip) -> float:
    text = width(chip.label, CODE, mono=True)
    badge = width(chip.badge, 10, mono=True) + 11 if chip.badge else 0
    count = width(f" ×{chip.sources}", CODE, mono=True) if chip.sources > 1 else 0
    glyphs = 12 * ((chip.look in ("duplicate", "absorbed", "set_aside")) + bool(chip.mark) + chip.back)
    return text + badge + count + glyphs + 12


def _chip_content(chip: Chip) -> dict[str, Any]:
    """A chip's JSON; what is at its default is left out."""
    content: dict[str, Any] = {"id": chip.id, "look": chip.look, "label": chip.label, "tip": chip.tip}
    if chip.badge:
        content["badge"] = chip.badge
    if chip.sources > 1:
        content["sources"] = chip.sources
    if chip.mark:
        content["mark"] = chip.mark
    if chip.back:
        content["back"] = True
    return content
