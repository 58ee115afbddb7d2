"""The common timeline of two runs and the chart of their policy contexts, as Streamlit components."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from retree_viz.charts.data import context_sizes
from retree_viz.comparing.pair import Pair
from retree_viz.component import mount

_MARKS = Path(__file__).parent.parent / "timeline" / "marks.js"
_BRANCHES = (_MARKS, Path(__file__).with_name("branches.js"))
_PLOT = Path(__file__).parent.parent / "charts" / "plot.js"
_CHART = (_MARKS, _PLOT, Path(__file__).with_name("chart.js"))


def show_branches(data: dict[str, Any], *, key: str, on_do: Callable[[str], None]) -> None:
    """Draw the common timeline; `on_do` gets `both:A,B` when the user moves."""
    mount("retree_branches", _BRANCHES, data=data, key=key, on_do=on_do)


def show_sizes(pair: Pair, *, key: str) -> None:
    """Draw the characters of every policy context of both runs by the number of retrievals before it."""
    data = {
        "sides": [[(each.retrievals, each.characters) for each in context_sizes(one)] for one in pair.runs],
        "bound": next((one for one in pair.bounds if one), None),
    }
    mount("retree_sizes", _CHART, data=data, key=key, on_do=lambda _: None)
