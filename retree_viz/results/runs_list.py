"""The list of runs with its filters, as a Streamlit component: one page of it at a time goes to the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from retree_core.memory import KEEPS_FACTS
from retree_viz.component import mount
from retree_viz.html import visible
from retree_viz.panels.bar import agent_name
from retree_viz.results.choice import PAGE, Choice
from retree_viz.results.chosen import Key, by_question, chosen, key_of, versus
from retree_viz.results.data import Line, Loaded
from retree_viz.results.pieces import grader_of, outcome_of, status_of

_MARKS = Path(__file__).parent.parent / "timeline" / "marks.js"
_SCRIPTS = (_MARKS, *(Path(__file__).with_name(name) for name in ("rows.js", "list.js")))
_RIGHT = {"1": "right", "0": "not right"}


def show_list(loaded: Loaded, choice: Choice, *, key: str, on_do: Callable[[str], None]) -> None:
    """Draw the list; `on_do` gets `list:WHAT=VALUE`, `result:ADDRESS` and `results_compare:ADDRESS`."""
    mount("retree_results_list", _SCRIPTS, data=list_data(loaded, choice), key=key, on_do=on_do)


def list_data(loaded: Loaded, choice: Choice) -> dict[str, Any]:
    """A page of the list for the browser: all texts are plain."""
    lines = chosen(loaded, choice)
    page = min(choice.page, max(0, (len(lines) - 1) // PAGE))
    shown = lines[page * PAGE : (page + 1) * PAGE]
    largest = max((one.context or 0 for one in loaded.lines), default=0) or 1
    questions = by_question(loaded.lines)
    sets = list(dict.fromkeys(one.data_set for one in loaded.lines))
    return {
        "rows": [_row(one, questions, largest) for one in shown],
        "first": page * PAGE,
        "size": PAGE,
        "total": len(lines),
        "all": len(loaded.lines),
        "sets": sets,
        "agents": [[one, agent_name(one)] for one in loaded.agents],
        "choice": {
            "find": visible(choice.text),
            "set": visible(choice.data_set),
            "agent": visible(choice.agent),
            "outcome": choice.outcome,
            "only": choice.only,
            "sort": choice.sort,
            "down": choice.down,
            "row": visible(choice.row),
            "picked": [visible(one) for one in choice.picked],
            "cell": _cell(loaded, choice),
            "filters": choice.filters,
        },
    }


def _cell(loaded: Loaded, choice: Choice) -> str:
    """The cell that is chosen, in words."""
    agents = versus(loaded, choice)
    if not choice.cell or agents is None:
        return ""
    return ", ".join(f"{agent_name(one)} {_RIGHT[said]}" for one, said in zip(agents, choice.cell, strict=True))


def _row(one: Line, questions: Mapping[Key, Sequence[Line]], largest: int) -> dict[str, Any]:
    return {
        "address": visible(one.address),
        "question": one.question,
        "set": one.data_set,
        "agent": agent_name(one.agent),
        "answer": one.answer,
        "golds": one.golds,
        "status": [*status_of(one), one.detail],
        "graded": [*outcome_of(one), grader_of(one), one.reason],
        "searches": one.searches if one.status else None,
        "repairs": one.repairs if one.agent in KEEPS_FACTS and one.status else None,
        "keeps_facts": one.agent in KEEPS_FACTS,
        "pruned": _pruned(one),
        "context": one.context,
        "share": round((one.context or 0) / largest, 3),
        "tokens": one.tokens,
        "stale": one.stale,
        "others": [
            [agent_name(other.agent), *outcome_of(other), visible(other.address), visible(other.answer)[:120]]
            for other in questions[key_of(one)]
            if other is not one
        ],
    }


def _pruned(one: Line) -> str:
    if one.agent == "flat" and one.repairs:
        return "in place"
    return f"{one.pruned:,} {'node' if one.pruned == 1 else 'nodes'}" if one.pruned else ""
