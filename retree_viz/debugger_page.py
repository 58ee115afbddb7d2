"""The debugger page: one fragment, so that a step redraws nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from retree_core.drivers.session import answering_now
from retree_core.errors import InputError, ReTreeError
from retree_core.labels import is_the_judges
from retree_core.notes import VERDICTS
from retree_viz import dialogs, dossier, lives, notes, runs
from retree_viz import place as places
from retree_viz.charts.component import show_charts
from retree_viz.html import Html, join, visible
from retree_viz.making import Making, can_resume, is_written, making_of
from retree_viz.memory import memory
from retree_viz.opened import Growing, Opened, growing, opened
from retree_viz.panels import bar
from retree_viz.panels.answer import answer
from retree_viz.panels.foot import foot
from retree_viz.panels.inspector import inspector
from retree_viz.panels.origin import origin
from retree_viz.panels.surface import surface
from retree_viz.parents import parent_address
from retree_viz.place import NOWHERE, Place
from retree_viz.results.held import results_at
from retree_viz.results.strip import strip
from retree_viz.run import Run
from retree_viz.timeline.component import show_timeline
from retree_viz.tree.around import around, facet
from retree_viz.tree.component import show_around, show_tree
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.view import tree_view
from retree_viz.wishes import do, leaves_page, write_address

TICK_S = 0.5
"""How often a run that is being made is looked at."""
_GONE = "The file of this run is gone or cannot be read any more; this is what it held when it was last read."
_NOT_KEPT = "label_not_kept"
"""Name in the session of why a label could not be kept, until the next wish."""


def debugger_page(address: str) -> None:
    """The debugger on the run at an address, or the gallery with the reason why not."""
    if lives.going(address) is not None:
        _growing(address)
        return
    message = lives.error(address) or str(st.session_state.pop("trouble", ""))
    try:
        file = runs.find(address, runs.shelves())
        found = opened(file)
    except InputError as error:
        begun_here = lives.live(address) is not None and _held(address) is None  # given up where there is no message
        st.session_state["trouble"] = message or ("" if begun_here else str(error))
        place: Place = st.session_state["place"]
        back = replace(NOWHERE, results=place.results, choice=place.choice)
        if parent := lives.parent(address):  # of a fork that did not begin: where it would have parted
            back = replace(back, run=parent, moment=place.moment)
        st.session_state["place"] = replace(back, asking=begun_here and not parent)
        st.rerun()
    if is_written(file, found.run) and not message:
        _growing(address)
    else:
        _still(found, Making(can_resume=can_resume(file, found.run)), message)


@st.fragment
def _still(found: Opened, making: Making, message: str) -> None:
    _debugger(found, making, message)


@st.fragment(run_every=TICK_S)
def _growing(address: str) -> None:
    """As `_still`, on a run that is being made: looked at again and again until it ends."""
    alive = lives.going(address)
    try:
        file = runs.find(address, runs.shelves())
        found = growing(file, st.session_state.get("growing"))
    except (InputError, OSError):  # nothing is on disk yet, or no longer
        if held := _held(address):
            _debugger(held.opened, making_of(alive) if alive else Making(), _GONE)
            return
        if alive is None:
            st.rerun()
        surface(bar.starting(), key="starting", on_do=do)
        return
    st.session_state["growing"] = found
    if alive is None and (lives.error(address) or not is_written(file, found.opened.run)):
        st.rerun()
    _hand_over_breakpoints(st.session_state["place"])
    _debugger(found.opened, making_of(alive))


def _held(address: str) -> Growing | None:
    """The run at an address as this session last read it, where that is the one it saw grow."""
    known: Growing | None = st.session_state.get("growing")
    return known if known is not None and visible(known.file.address) == visible(address) else None


def _hand_over_breakpoints(place: Place) -> None:
    """The live run gets those of this page when they change here; those of another tab stay until then."""
    now, before = (place.run, place.breakpoints), st.session_state.get("handed_over", ("", ()))
    if now != before:
        st.session_state["handed_over"] = now
        if place.breakpoints or before[0] == place.run:
            lives.set_breakpoints(*now)


def _debugger(found: Opened, making: Making, message: str = "") -> None:
    run = found.run
    place: Place = st.session_state["place"]
    if not place.run:
        st.rerun()
    wish = partial(_do, run=run)
    noted = notes.noted(place.run, run.trace.header.run_id)
    moment = place.at(run.total)
    if st.session_state.pop("leaving", False):
        st.rerun()
    write_address()
    with st.container(key="debugger", gap=None):
        with st.container(key="topbar", gap=None):
            surface(bar.top_bar(run, moment, making, place.view), key="bar", on_do=wish)
        with st.container(key="left", gap=None):
            timeline_place = st.container(key="timeline", gap=None)
            notices_place = st.container(key="notices", gap=None)
            _middle(found, moment, place, wish)  # before what looks at the calls, which of a large run takes a while
            with timeline_place:
                show_timeline(run, place, noted, paused=making.paused, key="time", on_do=wish)
            with notices_place:
                if results := results_at(place.results) if place.results else None:
                    surface(strip(results, place.run), key="of_results", on_do=wish)
                troubles = (message, noted.problem, st.session_state.get(_NOT_KEPT, ""))
                surface(join(_origin(run, making), bar.notices(run, *troubles)), key="notice", on_do=wish)
            with st.container(key="words", gap=None):
                surface(bar.event_line(run, moment, noted), key="line", on_do=wish)
            with st.container(key="scroll_answer", gap=None):
                surface(answer(run, moment, place.selected), key="answer", on_do=wish)
        with st.container(key="side", gap=None):
            with st.container(key="scroll_inspector", gap=None):
                at = moment if place.tab == "why" or (place.tab == "calls" and not place.calls) else ""
                scope = f"{place.tab} {place.selected} {place.pair} {place.call} {place.calls} {at}"
                surface(inspector(run, place, noted), key="inspector", on_do=wish, scope=visible(scope))
            with st.container(key="foot", gap=None):
                surface(foot(run, place, noted), key="foot_bar", on_do=wish)
    dialogs.show(found, place)
    if place.view == "tree" and run.has_tree:  # last, so that nothing on the screen waits for it
        with st.container(key="around"):
            show_around(around(found.index, moment, _options(place)), key="around_tree")


def _origin(run: Run, making: Making) -> Html:
    """Of a fork: its parent, and that it needs a model."""
    answerer = answering_now(run.trace.header) if making.can_resume else ""
    return origin(run, parent_address(run, runs.shelves()), answerer=answerer)


def _do(wish: str, run: Run) -> None:
    """Carry out a wish; one that leads to another page redraws the whole app after this fragment's run."""
    before: Place = st.session_state["place"]
    st.session_state.pop(_NOT_KEPT, None)
    verb, _, what = wish.partition(":")
    if verb == "label":
        _label(run, before, what)
    else:
        do(wish, run.total)
    if leaves_page(before, st.session_state["place"]):
        st.session_state["leaving"] = True


def _label(run: Run, place: Place, verdict: str) -> None:
    """Label the decision of the moment, or take the same label back."""
    conflict = dossier.conflict_at(run, place.at(run.total))
    said = next((one for one in VERDICTS if one == verdict), None)
    if conflict is None or not is_the_judges(conflict) or said is None:
        return
    try:
        notes.label_down(place.run, run.trace.header.run_id, conflict, said)
    except ReTreeError as error:
        st.session_state[_NOT_KEPT] = str(error)


def _claim(selected: str) -> int | None:
    return places.number(selected[1:]) if selected[:1] == "c" else None


def _middle(found: Opened, moment: int, place: Place, wish: Callable[[str], None]) -> None:
    """What stands between timeline and answer: charts, the tree, or what the agent has instead of one."""
    if place.view == "charts":
        with st.container(key="scroll_charts", gap=None):
            show_charts(found, moment, place, key="charts", on_do=wish)
    elif found.run.has_tree:
        with st.container(key="tree", gap=None):
            _tree(found, moment, place, wish)
    else:
        with st.container(key="scroll_memory", gap=None):
            surface(memory(found.run, moment, place.selected), key="memory", on_do=wish)


def _tree(found: Opened, moment: int, place: Place, wish: Callable[[str], None]) -> None:
    index, options = found.index, _options(place)
    show_tree(
        tree_view(index, moment, options),
        index.links,
        key="tree_view",
        of=facet(index, options),
        on_click=lambda click: wish(click.wish),
    )


def _options(place: Place) -> TreeOptions:
    claim = _claim(place.selected)
    selected = None if claim else place.selected or None
    return TreeOptions.showing(place.shown, claim=claim, selected=selected, opened=place.stubs)
