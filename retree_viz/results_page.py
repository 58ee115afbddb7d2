"""The results page: the tables of a results folder, its figure, and every run of it; it follows a folder that grows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from retree_core import events as ev
from retree_core.errors import InputError
from retree_viz import runs
from retree_viz.opened import opened
from retree_viz.panels.surface import surface
from retree_viz.place import Place
from retree_viz.results import bar, folders
from retree_viz.results.aside import aside, figure_head
from retree_viz.results.data import Loaded
from retree_viz.results.figure import show_figure
from retree_viz.results.folders import Folder
from retree_viz.results.held import results
from retree_viz.results.runs_list import show_list
from retree_viz.results.tables import shown_set, tables
from retree_viz.wishes import do, leaves_page, write_address

TICK_S, SLOW_TICK_S = 3.0, 20.0
"""How often a folder with runs to come is looked at, and one in which all have ended."""
PATIENCE = 5
"""Following a folder takes at most one part in so many of the time."""


def results_page(address: str) -> None:
    """The page on the results at an address, or the gallery with the reason why not."""
    try:
        folder = folders.find(address, runs.shelves())
    except InputError as error:
        st.session_state["trouble"], st.session_state["place"] = str(error), Place()
        st.rerun()
    stamp = folders.stamp(folder)
    loaded = results(folder, stamp)
    _page(loaded, str(st.session_state.pop("trouble", "")))
    tick = TICK_S if loaded.pending or not loaded.lines else SLOW_TICK_S
    st.fragment(_watch, run_every=max(tick, PATIENCE * loaded.took_s))(folder, stamp)


def _watch(folder: Folder, stamp: str) -> None:
    """Draws the page again when something was added."""
    if folders.stamp(folder) != stamp:
        st.rerun()


@st.fragment
def _page(loaded: Loaded, message: str) -> None:
    place: Place = st.session_state["place"]
    if place.run or not place.results or st.session_state.pop("leaving", False):
        st.rerun()
    write_address()
    wish = partial(_do, loaded=loaded)
    with st.container(key="results", gap=None):
        with st.container(key="results_top", gap=None):
            surface(bar.top_bar(loaded), key="results_bar", on_do=wish)
            surface(bar.notices(loaded, message), key="results_notices", on_do=wish)
        with st.container(key="results_left", gap=None):
            surface(tables(loaded, place.choice), key="results_tables", on_do=wish)
            show_list(loaded, place.choice, key="results_list", on_do=wish)
        with st.container(key="scroll_results_side", gap=None):
            _side(loaded, place, wish)


def _side(loaded: Loaded, place: Place, wish: Callable[[str], None]) -> None:
    if not loaded.lines:
        return
    surface(figure_head(loaded, place.choice), key="results_figure_head", on_do=wish)
    show_figure(shown_set(loaded, place.choice), key="results_figure")
    surface(aside(loaded, place.choice), key="results_aside", on_do=wish)


def _do(wish: str, loaded: Loaded) -> None:
    """Carry out a wish; a run opens at its first repair, or at its end where it has none."""
    before: Place = st.session_state["place"]
    verb, _, what = wish.partition(":")
    if verb == "results_compare":
        _compare(before, what)
    else:
        do(wish)
    place: Place = st.session_state["place"]
    if verb == "result":
        st.session_state["place"] = replace(place, moment=_first_repair(place.run))
    if leaves_page(before, st.session_state["place"]):
        st.session_state["leaving"] = True


def _first_repair(address: str) -> int | None:
    try:
        events = opened(runs.find(address, runs.shelves())).run.events
    except InputError:  # said by the page that is opened next
        return None
    repairs = (moment for moment, one in enumerate(events, 1) if isinstance(one, ev.EvidenceRepaired))
    return next(repairs, None)


def _compare(place: Place, row: str) -> None:
    """The two runs that were picked side by side, or the one with the run that is chosen in the list."""
    picked = place.choice.picked
    both = picked if len(picked) == 2 else (*picked, row)
    if len(both) == 2 and both[0] != both[1] and all(both):
        do(f"result:{both[0]}")
        do(f"compare:{both[1]}")
