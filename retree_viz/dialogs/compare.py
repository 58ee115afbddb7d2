"""Choose what to compare with: a fork or the parent of this run, another run, or this run at another moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from retree_core.trace import Header
from retree_viz import runs
from retree_viz.dialogs.closing import close
from retree_viz.html import Html, join, tag
from retree_viz.opened import Opened, cards_of
from retree_viz.panels.bar import agent_name
from retree_viz.panels.changes import choices
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, empty
from retree_viz.panels.surface import surface
from retree_viz.place import Place
from retree_viz.runs import Card
from retree_viz.wishes import do

MOST_READ = 400
"""Files of a shelf looked into, newest first."""
MOST_SHOWN = 40
"""Runs of a group shown; the search field finds the others."""


@st.dialog("Compare", width="large", on_dismiss=close)
def show(found: Opened, place: Place) -> None:
    """The runs to choose from, related ones first, and a field that searches them."""
    now: Place = st.session_state["place"]
    if now.dialog != "compare":  # something was chosen
        st.rerun()
    run = found.run
    if not now.against:
        moment = tag(
            "div", tag("h3", "This run at another moment"), choices(run, now.at(run.total), now.base), cls="moments"
        )
        surface(moment, key="compare_moment", on_do=_chosen)
    asked = st.text_input("Find a run", placeholder="question, answer, agent, model or file", key="compare_find")
    header = run.trace.header
    parent = header.fork.run_id if header.fork else ""
    surface(_groups(_related(header, _cards(now), asked), asked, parent), key="compare_runs", on_do=_chosen)


def _chosen(wish: str) -> None:
    do(wish)
    close()


def _cards(place: Place) -> list[Card]:
    """Every other run that can be read."""
    files = [file for shelf in reversed(runs.shelves()) for file in runs.listed(shelf)[:MOST_READ]]
    cards = cards_of(one for one in files if one.address not in (place.run, place.against))
    return [one for one in cards if not one.trouble]


Groups = tuple[tuple[str, list[Card]], ...]


def _related(header: Header, cards: Sequence[Card], asked: str) -> Groups:
    """The runs by how near they are to this one, those alone that the search finds."""
    found = [one for one in cards if _holds(one, asked)]
    parent = header.fork.run_id if header.fork else ""
    kin = sorted((one for one in found if _is_kin(header, one)), key=lambda one: one.run_id != parent)
    same = [one for one in found if one not in kin and one.question.split() == header.question.split()]
    others = [one for one in found if one not in kin and one not in same]
    return (("Its forks and its parent", kin), ("The same question", same), ("Other questions", others))


def _is_kin(header: Header, one: Card) -> bool:
    origin = one.fork.run_id if one.fork else ""
    parent = header.fork.run_id if header.fork else ""
    return origin == header.run_id or (parent != "" and parent in (one.run_id, origin))


def _holds(one: Card, asked: str) -> bool:
    """Whether a run has every word that is searched for."""
    text = " ".join((one.question, one.answer, agent_name(one.agent), one.recorded_with, one.address, one.status))
    return all(word in text.casefold() for word in asked.casefold().split())


def _groups(groups: Groups, asked: str, parent: str = "") -> Html:
    if not any(cards for _, cards in groups):
        title = "No run has these words." if asked.strip() else "There is no other run yet."
        advice = "Search for other words." if asked.strip() else "Fork this one (t), or start another in the gallery."
        return empty(title, advice)
    return tag("div", *(_group(title, cards, parent) for title, cards in groups if cards), cls="choose")


def _group(title: str, cards: list[Card], parent: str) -> Html:
    rest = tag("p", f"{MOST_SHOWN} of {len(cards):,} shown; search for the others.", cls="mut")
    return tag(
        "section",
        tag("h3", title),
        tag("ul", *(tag("li", _pick(one, parent)) for one in cards[:MOST_SHOWN])),
        rest if len(cards) > MOST_SHOWN else None,
    )


def _pick(one: Card, parent: str) -> Html:
    return tag(
        "button",
        tag("span", cut(one.question or "(no question)", 200), cls="question"),
        tag("span", *_said(one), cls="said"),
        tag("span", *_tags(one, parent), cls="tags"),
        type="button",
        cls="pick",
        data_do=f"compare:{one.address}",
    )


def _said(one: Card) -> Iterator[Html]:
    yield join(tag("span", one.address.partition("/")[2], cls="mono"), " ")
    if one.fork:
        yield join(cut(one.fork.edit, 80), ". ")
    yield join("Answer: ", cut(one.answer, 120)) if one.answer else tag("span", "no answer", cls="mut")


def _tags(one: Card, parent: str) -> Iterator[Html]:
    if one.run_id and one.run_id == parent:
        yield tag("span", "parent", cls="tag live")
    if one.fork:
        yield tag("span", icon("fork", "s"), "fork", cls="tag")
    if one.agent:
        yield tag("span", agent_name(one.agent), cls="tag")
    yield tag("span", (one.status or "unfinished").replace("_", " "), cls="tag")
