"""What the tables and the list of the results page share: agents with their marks, and how a run came out."""

from __future__ import annotations

from retree_core.memory import DONE
from retree_viz.html import Html, join, tag, visible
from retree_viz.results.data import Line

_MARKS = {
    "retree": '<path class="stroke" d="M0 5h26"/><circle class="fill" cx="13" cy="5" r="4.2"/>',
    "flat": '<path class="stroke" d="M0 5h26"/><rect class="open" x="9" y="1" width="8" height="8"/>',
    "report": '<path class="stroke" d="M0 5h26"/><path class="open" d="M13 0l5 5-5 5-5-5z"/>',
    "react": '<path class="stroke" d="M0 5h26"/><path class="open" d="M13 0.500l5 8.500h-10z"/>',
}
"""The line and the mark of each agent in the figure."""


def agent(one: str, name: str) -> Html:
    """An agent's name after its mark."""
    svg = Html(f'<svg class="key of-{one}" viewBox="0 0 26 10" aria-hidden="true">{_MARKS[one]}</svg>')
    return join(svg, name)


Sign = tuple[str, str, str]
"""Icon, colour class and word."""

_STATUS: dict[str, Sign] = {
    "answered": ("check", "repair", "answered"),
    "budget_exhausted": ("clock", "refuse", "budget exhausted"),
    "": ("live", "focus", "unfinished"),
}
_OUTCOMES: dict[str, Sign] = {
    "right": ("check", "repair", "right"),
    "wrong": ("cross", "conflict", "wrong"),
    "error": ("warning", "refuse", "error"),
    "unended": ("dash", "mut", ""),
}


def status_of(one: Line) -> Sign:
    """How a run ended."""
    known = _STATUS.get(one.status)
    return known or ("warning", "mut" if one.status in DONE else "conflict", visible(one.status.replace("_", " "))[:40])


def outcome_of(one: Line) -> Sign:
    """How its answer was graded."""
    return _OUTCOMES[one.outcome]


def grader_of(one: Line) -> str:
    """Who graded it; nobody grades an error."""
    return "" if one.right is None else "judge" if one.by_judge else "EM"


def switch(choices: list[tuple[str, str]], chosen: str, wish: str, label: str) -> Html:
    """Buttons of which one is pressed; each asks for the wish with its value."""
    buttons = (
        tag(
            "button",
            name,
            type="button",
            data_do=f"{wish}{value}",
            aria_pressed="true" if value == chosen else "false",
        )
        for value, name in choices
    )
    return tag("span", *buttons, cls="seg", role="group", aria_label=label)
