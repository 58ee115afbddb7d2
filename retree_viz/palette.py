"""Every colour and font of the debugger, in one table.

A colour never stands alone: each meaning has a shape as well (the tree's legend names them). Text contrast
is 4.5:1 or more on `bg`, `panel` and the colour's own tint; hues follow Okabe-Ito.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Theme = Literal["light", "dark"]


class Colour(NamedTuple):
    """One colour in both themes."""

    light: str
    dark: str


PALETTE: Final[Mapping[str, Colour]] = {
    # surfaces
    "bg": Colour("#f4f5f6", "#0e1113"),
    "panel": Colour("#ffffff", "#14181b"),
    "panel-2": Colour("#f8f9fa", "#191e22"),
    "sunk": Colour("#eef0f2", "#1e2428"),
    "shade": Colour("rgba(20,24,28,.045)", "rgba(255,255,255,.035)"),
    # rules and control borders; line-3 also means: later in the run, edges
    "line": Colour("#e2e5e8", "#272e33"),
    "line-2": Colour("#c9cfd5", "#3b454c"),
    "line-3": Colour("#868f98", "#66717a"),
    # text: main, second, meta
    "ink": Colour("#15181c", "#e9ecee"),
    "ink-2": Colour("#454d56", "#b4bcc3"),
    "ink-3": Colour("#656e78", "#8e98a1"),
    "on-strong": Colour("#ffffff", "#0e1113"),
    # current node, selection, links, facts in force
    "focus": Colour("#0b62a8", "#62b4f0"),
    "focus-bg": Colour("#e7f0f8", "#11283a"),
    "focus-line": Colour("#a9cbe6", "#2c5878"),
    # repaired, passed, confirmed as right
    "repair": Colour("#00735a", "#43c7a5"),
    "repair-bg": Colour("#e1f2ed", "#0e2c26"),
    "repair-line": Colour("#8ccab9", "#1f6455"),
    # refuted, contradicts, failed, breakpoint
    "conflict": Colour("#b34700", "#f39056"),
    "conflict-bg": Colour("#fbeadf", "#33200f"),
    "conflict-line": Colour("#e6ae89", "#7c4a26"),
    # refused stop, rejected conflict, stale premise
    "refuse": Colour("#7f5a00", "#e1b354"),
    "refuse-bg": Colour("#faf0d7", "#2e260f"),
    "refuse-line": Colour("#d9bd77", "#6f5a22"),
    # answer, claim and its lit path
    "claim": Colour("#88397a", "#e09acf"),
    "claim-bg": Colour("#f6e8f2", "#331e2f"),
    "claim-line": Colour("#d5a3ca", "#74456a"),
    # pruned
    "ghost": Colour("#666f78", "#7b858e"),
}
"""Name to colour, as CSS writes it."""

SANS: Final = '"Inter","SF Pro Text","Segoe UI","Liberation Sans",Arial,system-ui,sans-serif'
MONO: Final = '"JetBrains Mono","SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace'
"""For ids, revisions, roles and guard names only."""


def colours(theme: Theme) -> dict[str, str]:
    """Name to colour for one theme.

    >>> colours("dark")["repair"]
    '#43c7a5'
    """
    return {name: getattr(colour, theme) for name, colour in PALETTE.items()}
