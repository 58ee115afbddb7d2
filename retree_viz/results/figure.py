"""Figure 3 as a Streamlit component: mean policy context by completed retrievals, a line for each agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from retree_viz.component import mount
from retree_viz.panels.bar import agent_name
from retree_viz.results.data import Scored

_MARKS = Path(__file__).parent.parent / "timeline" / "marks.js"
_PLOT = Path(__file__).parent.parent / "charts" / "plot.js"
_SCRIPTS = (_MARKS, _PLOT, Path(__file__).with_name("figure.js"))


def show_figure(one: Scored, *, key: str) -> None:
    """Draw the figure of a data set."""
    mount("retree_results_figure", _SCRIPTS, data=figure_data(one), key=key, on_do=lambda _: None)


def figure_data(one: Scored) -> dict[str, Any]:
    """For each agent its points: retrievals, mean characters, runs; with the first agent's bound."""
    lines = [
        {
            "agent": name,
            "name": agent_name(name),
            "points": [
                [place, round(rate.value), rate.of]
                for place, rate in enumerate(score.contexts)
                if rate.value is not None
            ],
        }
        for name, score in one.scores.items()
    ]
    return {"lines": lines, **_bound(one)}


def _bound(one: Scored) -> dict[str, Any]:
    """The bound that is drawn, and whose it is."""
    agent, bound = next(iter(one.bounds.items()), ("", None))
    return {"bound": bound, "bound_of": agent_name(agent)}
