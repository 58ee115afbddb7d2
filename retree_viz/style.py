"""The app's one style block: our variables in both themes, then the rules of `styles/*.css`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from retree_viz.html import Html
from retree_viz.palette import MONO, PALETTE, SANS


@cache
def style_block() -> Html:
    """Variables and rules as a style element. Streamlit sets `color-scheme`, which picks the side of `light-dark()`."""
    variables = "".join(f"--{name}:light-dark({one.light},{one.dark});" for name, one in PALETTE.items())
    sheets = sorted(Path(__file__).with_name("styles").glob("*.css"))
    rules = "\n".join(one.read_text(encoding="utf-8") for one in sheets)
    return Html(f"<style>:root{{{variables}--sans:{SANS};--mono:{MONO}}}\n{rules}</style>")
