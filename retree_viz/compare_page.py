"""The compare page: two runs side by side, kept in step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from retree_core.compare import Stop
from retree_core.errors import InputError
from retree_viz import dialogs, lives, memory, runs
from retree_viz.comparing import outcome, pane
from retree_viz.comparing.bar import choice_bar, top_bar
from retree_viz.comparing.component import show_branches, show_sizes
from retree_viz.comparing.graded import graded_pair, results_of
from retree_viz.comparing.pair import Pair, opened_pair, timeline_data
from retree_viz.comparing.pane import SIDES
from retree_viz.html import Html, join
from retree_viz.making import is_written
from retree_viz.opened import Opened, opened
from retree_viz.panels.surface import surface
from retree_viz.place import NOWHERE, Place
from retree_viz.run import Run
from retree_viz.runs import RunFile
from retree_viz.tree.component import show_tree
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.view import tree_view
from retree_viz.wishes import do, leaves_page, write_address

TICK_S = 1.0
"""How often the files of runs that are being made are looked at."""


def compare_page(address: str, against: str) -> None:
    """Both runs, or the page before with the reason why not."""
    place: Place = st.session_state["place"]
    try:
        a = runs.find(address, runs.shelves())
        opened(a)
    except InputError as error:
        _back(str(error), replace(NOWHERE, results=place.results, choice=place.choice))
    try:
        b = runs.find(against, runs.shelves())
        opened(b)
    except InputError as error:
        _back(f"cannot compare: {error}", replace(place, against="", against_moment=None))
    pair = opened_pair(a, b)
    _side_by_side(pair)
    if any(_grows(file, run) for file, run in zip((a, b), pair.runs, strict=True)):
        _watch(a, b)


def _back(trouble: str, place: Place) -> None:
    st.session_state["trouble"], st.session_state["place"] = trouble, place
    st.rerun()


def _grows(file: RunFile, run: Run) -> bool:
    alive = lives.live(file.address)
    return is_written(file, run) or (alive is not None and not alive.finished)


@st.fragment(run_every=TICK_S)
def _watch(*files: RunFile) -> None:
    """Draws the page again when one of the runs has grown."""
    try:
        same = all(runs.find(one.address, runs.shelves()) == one for one in files)
    except InputError:
        same = False
    if not same:
        st.rerun()


@st.fragment
def _side_by_side(pair: Pair) -> None:
    place: Place = st.session_state["place"]
    if not place.against or st.session_state.pop("leaving", False):
        st.rerun()
    now = pair.moments(place)
    write_address()
    wish = partial(_do, pair=pair)
    with st.container(key="compare", gap=None):
        with st.container(key="compare_top", gap=None):
            bars = top_bar(pair, place.results), graded_pair(pair, place, results_of(place)), choice_bar(pair, place)
            surface(join(*bars), key="compare_bar", on_do=wish)
            show_branches(timeline_data(pair, now, place), key="branches", on_do=wish)
        for side, one in zip(SIDES, (pair.a, pair.b), strict=True):
            with st.container(key=f"pane_{side}", gap=None):
                _pane(pair, one, side, now, place, partial(_do, pair=pair, side=side))
        with st.container(key="compare_bottom", gap=None):
            _outcome(pair, wish)
    dialogs.show(pair.a, place)


def _outcome(pair: Pair, wish: Callable[[str], None]) -> None:
    with st.container(key="scroll_outcome", gap=None):
        surface(outcome.outcome(pair), key="outcome", on_do=wish)
    with st.container(key="scroll_numbers", gap=None):
        surface(outcome.numbers(pair), key="numbers", on_do=wish)
    with st.container(key="scroll_sizes", gap=None):
        surface(outcome.sizes_head(pair), key="sizes_head", on_do=wish)
        show_sizes(pair, key="sizes_chart")


def _pane(pair: Pair, one: Opened, side: str, now: Stop, place: Place, wish: Callable[[str], None]) -> None:
    run, other = pair.runs if side == "a" else pair.runs[::-1]
    here, there = now if side == "a" else now[::-1]
    chosen = pair.chosen(place.selected, side)
    surface(_words(pair, run, other, side, (here, there), chosen), key=f"pane_words_{side}", on_do=wish)
    with st.container(key=f"scroll_memory_{side}", gap=None):
        if run.has_tree:
            options = TreeOptions.showing(place.shown, selected=chosen or None, opened=place.stubs)
            view = tree_view(one.index, here, options)
            show_tree(view, one.index.links, key=f"tree_{side}", height=None, on_click=lambda click: wish(click.wish))
        else:
            surface(memory.kept(run, here, chosen), key=f"flat_{side}", on_do=wish)


def _words(pair: Pair, run: Run, other: Run, side: str, at: Stop, chosen: str) -> Html:
    agent = pair.found.agents[SIDES.index(side)]
    return join(
        pane.head(run, side, at[0], agent),
        None if pair.found.one_question else pane.question(run),
        pane.selection(run.last if chosen not in _known(run, at[0]) else run.at(at[0]), chosen, side)
        if chosen
        else None,
        pane.summary(run, at[0], other.at(at[1]).summary, side),
    )


def _known(run: Run, moment: int) -> set[str]:
    state = run.at(moment)
    return {*state.evidence, *state.nodes, *state.passages}


def _do(wish: str, pair: Pair, side: str = "") -> None:
    """Carry out a wish; in a pane it is meant for that pane's run."""
    before: Place = st.session_state["place"]
    verb, _, what = wish.partition(":")
    match verb, side or what:
        case "alone", "a":
            wish = "compare:"
        case "alone", _:
            _hold(pair)
            do("swap:")
            wish = "compare:"
        case "select", ("a" | "b") if side and what:
            wish = f"select:{side}.{what}"
        case "go", "b":
            wish = f"against:{what}"
        case "swap", _:
            _hold(pair)
    do(wish)
    after: Place = st.session_state["place"]
    if (after.moment, after.against_moment) == pair.ends:  # the ends, and stay there while the runs grow
        after = st.session_state["place"] = replace(after, moment=None, against_moment=None)
    if not after.against:
        st.session_state["place"] = replace(after, selected=_own(before.selected))
    if leaves_page(before, after):
        st.session_state["leaving"] = True


def _hold(pair: Pair) -> None:
    """The moments of both as they are, whether or not the sides are in step."""
    ours, theirs = pair.moments(st.session_state["place"])
    st.session_state["place"] = replace(st.session_state["place"], moment=ours, against_moment=theirs)


def _own(selected: str) -> str:
    """A selection of run A as the debugger on that run names it."""
    return "" if selected.startswith("b.") else selected.removeprefix("a.")
