"""Colours can be read: 4.5:1 for every text colour on every surface it is used on."""

from __future__ import annotations

import pytest

from retree_viz.palette import PALETTE, Theme, colours

SURFACES = ("bg", "panel")
TINTED = ("focus", "repair", "conflict", "refuse", "claim")


def luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "ink-2", "ink-3", "ghost", *TINTED])
def test_text_on_surfaces(theme: Theme, name: str) -> None:
    now = colours(theme)
    tints = (f"{name}-bg",) if name in TINTED else ()
    assert min(contrast(now[name], now[surface]) for surface in (*SURFACES, *tints)) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_badges(theme: Theme) -> None:
    now = colours(theme)
    assert contrast(now["on-strong"], now["repair"]) >= 4.5


def test_every_colour_has_both_sides() -> None:
    assert all(one.light and one.dark for one in PALETTE.values())
