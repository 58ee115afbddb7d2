"""A piece of the page made of our own markup, in which anything with `data-do` can be clicked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from retree_viz.component import mount
from retree_viz.html import Html

_SCRIPT = Path(__file__).with_name("surface.js")


def surface(markup: Html, *, key: str, on_do: Callable[[str], None], scope: str = "") -> None:
    """Show markup. A change of `scope` (what it is about) scrolls back to the top."""
    if not isinstance(markup, Html):
        raise TypeError("only markup made by retree_viz.html may be shown")
    mount("retree_surface", (_SCRIPT,), data={"html": str(markup), "scope": scope}, key=key, on_do=on_do)
