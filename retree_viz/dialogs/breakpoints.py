"""The breakpoints of the open run: where each hits, and a form for new ones."""

from __future__ import annotations

from functools import partial

import streamlit as st

from retree_core.breakpoints import ROLES, Breakpoint
from retree_core.errors import UsageError
from retree_core.events import EVENT_KINDS
from retree_core.text import count
from retree_viz.dialogs.closing import close
from retree_viz.html import Html, join, joined, tag
from retree_viz.opened import Opened
from retree_viz.panels.gallery import trouble
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, flag
from retree_viz.panels.surface import surface
from retree_viz.place import LONGEST, MOST_BREAKPOINTS, Place
from retree_viz.run import Run
from retree_viz.timeline.points import Point
from retree_viz.wishes import do

SHOWN_HITS = 12
"""Moments that a line names before it counts the rest."""
_CHANGED = "breakpoints_changed"
_ANY = "any event"


@st.dialog("Breakpoints", width="large", on_dismiss=close)
def show(found: Opened, place: Place) -> None:
    """List the breakpoints, with a form and a line of text to add one; a change redraws the page below."""
    if st.session_state.pop(_CHANGED, False):
        st.rerun()
    place = st.session_state["place"]  # a dialog is drawn again with what it was first called with
    wish = partial(_do, total=found.run.total)
    surface(_list(found.run, place.breakpoints), key="breaks", on_do=wish)
    built, typed = _built(), _typed()
    text = typed if built is None else built
    if text is None:
        return
    problem = _problem(text, place.breakpoints)
    if problem:
        surface(trouble(problem), key="breaks_problem", on_do=wish)
    else:
        do(f"break:{text}", found.run.total)
        st.rerun()


def _do(wish: str, total: int) -> None:
    do(wish, total)
    if wish.startswith("go:"):
        close()
    st.session_state[_CHANGED] = True


def _list(run: Run, texts: tuple[str, ...]) -> Html:
    if not texts:
        advice = "Add one below, or press b in the debugger to stop at events of the current one's kind."
        return tag("p", f"No breakpoints yet. {advice}", cls="mut")
    return tag("ul", *(_line(run.point(text)) for text in texts), cls="breaks")


def _line(point: Point) -> Html:
    remove = tag(
        "button",
        icon("cross", "s"),
        type="button",
        cls="btn icon",
        data_do=f"break:{point.text}",
        aria_label=f"Remove {point.text}",
        title="Remove",
    )
    said = flag("warning", point.problem) if point.problem else _hits(point)
    return tag("li", tag("span", cut(point.text, LONGEST), cls="line"), remove, tag("div", said, cls="moments"))


def _hits(point: Point) -> Html:
    moments = point.moments
    if not moments:
        return tag("span", "nowhere in this run", cls="mut")
    ways = [
        tag("button", str(one), type="button", cls="id", data_do=f"go:{one}", title="go there")
        for one in moments[:SHOWN_HITS]
    ]
    rest = f" and {len(moments) - SHOWN_HITS:,} more" if len(moments) > SHOWN_HITS else None
    return join(count(len(moments), "moment"), ": ", joined(", ", ways), rest)


def _problem(text: str, known: tuple[str, ...]) -> str:
    """Why the text cannot be added as a breakpoint; empty where it can."""
    if text in known:
        return "There is such a breakpoint already."
    if len(known) >= MOST_BREAKPOINTS:
        return f"There are {MOST_BREAKPOINTS} breakpoints, which is the most; remove one first."
    try:
        Breakpoint.parse(text)
    except UsageError as error:
        return str(error)
    return ""


def _built() -> str | None:
    """A breakpoint put together in the form; None until its button is pressed."""
    with st.form("break_form", border=False):
        left, right = st.columns([2, 1])
        stops = [_ANY, *(f"event {kind}" for kind in EVENT_KINDS), *(f"before call {role}" for role in ROLES)]
        stop = left.selectbox("Stop at", stops, key="break_stop") or _ANY
        over = right.number_input("Context over", 0, 10**6, None, 100, key="break_over", placeholder="characters")
        columns = st.columns([1, 1, 2])
        fact = columns[0].text_input("Fact", key="break_fact", placeholder="e7", max_chars=60)
        node = columns[1].text_input("Node", key="break_node", placeholder="n3", max_chars=60)
        words = columns[2].text_input("Text contains", key="break_words", max_chars=120)
        if not st.form_submit_button("Add", type="primary", key="break_add"):
            return None
    kind = stop.removeprefix("event ") if stop.startswith("event ") else ""
    role = stop.removeprefix("before call ") if stop.startswith("before call ") else ""
    named = {"kind=": kind, "role=": role, "evidence=": fact, "node=": node, "text=": words}
    parts = [name + _quoted(value.strip()) for name, value in named.items() if value.strip()]
    return " ".join([*parts, *([f"context>{over}"] if over is not None else [])])


def _quoted(value: str) -> str:
    plain = value.replace('"', "").replace("|", " ")
    return f'"{plain}"' if " " in plain else plain


def _typed() -> str | None:
    """A breakpoint written as its line; None until its button is pressed."""
    with st.form("break_line", border=False):
        left, right = st.columns([5, 1], vertical_alignment="bottom")
        example = 'role=confirm evidence=e3, or text="two words"'
        text = left.text_input("Or as a line", key="break_text", placeholder=example, max_chars=LONGEST)
        pressed = right.form_submit_button("Add line", key="break_add_line", width="stretch")
    return " ".join(text.replace("|", " ").split()) if pressed else None
