"""The gallery page: sample runs, the user's own, and a way to a new one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from retree_viz import lives, runs
from retree_viz.html import visible
from retree_viz.notes import judge_by_labels, noted
from retree_viz.opened import cards_of
from retree_viz.panels import gallery
from retree_viz.panels.noted import judge_section
from retree_viz.panels.surface import surface
from retree_viz.results import folders
from retree_viz.results.cards import results_shelf
from retree_viz.results.held import card_of
from retree_viz.uploads import upload_box
from retree_viz.wishes import do

_SAMPLES = (
    "They come with ReTree as sample_runs/; this installation has none. Reinstall it, or start a run of your own."
)
_OWN = (
    "Start one with New run, bring one in with Open a file, record one with retree run, "
    "or open a folder with retree ui FOLDER (or RETREE_RUNS)."
)


_TITLES = {"samples": ("Sample runs", _SAMPLES), "runs": ("Your runs", _OWN), "new": ("Your runs", _OWN)}


def gallery_page() -> None:
    """Every results folder and every run there is, as cards."""
    surface(gallery.top(uploading=bool(st.session_state.get("uploading"))), key="gallery_top", on_do=do)
    message = st.session_state.pop("trouble", "")
    if message:
        surface(gallery.trouble(message), key="gallery_trouble", on_do=do)
    if st.session_state.get("uploading"):
        upload_box()
    page = int(st.session_state.get("page", 0))
    with_results = set(_results())
    shelves = [(shelf, runs.listed(shelf)) for shelf in reversed(runs.shelves())]
    shelves = [(shelf, files) for shelf, files in shelves if files or shelf not in with_results]
    pages = [(shelf, files, *_page(shelf, files, page)) for shelf, files in sorted(shelves, key=_first)]
    names = {one.run_id: one.address.partition("/")[2] for *_, cards in pages for one in cards}
    by_labels = judge_section(judge_by_labels())
    for shelf, files, start, shown in pages:
        if by_labels and shelf.name == "samples":
            surface(by_labels, key="gallery_labels", on_do=do)
        opened = shelf.path.is_file()
        title, advice = ("The file you opened", "") if opened else _TITLES[shelf.name]
        markup = gallery.shelf(
            title,
            visible(_short(shelf)),
            shown,
            advice,
            total=len(files),
            page=start // gallery.PAGE,
            names=names,
            mark="page" if opened else "folder",
            noted={one.address: len(noted(one.address, one.run_id).notes.notes) for one in shown if not one.trouble},
        )
        surface(markup, key=f"gallery_{shelf.name}", on_do=do)


def _results() -> Iterator[runs.Shelf]:
    """Shows the results folders of each shelf; those that have some."""
    for shelf in reversed(runs.shelves()[1:]):
        if found := folders.listed(shelf):
            surface(results_shelf([card_of(one) for one in found], visible(_short(shelf))), key=_key(shelf), on_do=do)
            yield shelf


def _key(shelf: runs.Shelf) -> str:
    return f"gallery_results_{shelf.name}"


def _first(one: tuple[runs.Shelf, tuple[runs.RunFile, ...]]) -> tuple[bool, bool]:
    """What sorts the file that the app was started on first, and shelves without runs last."""
    shelf, files = one
    return not shelf.path.is_file(), not files


def _page(shelf: runs.Shelf, files: tuple[runs.RunFile, ...], page: int) -> tuple[int, list[runs.Card]]:
    """The cards of a page of a shelf, and the place of the first; samples have but one."""
    start = min(page, max(0, (len(files) - 1) // gallery.PAGE)) * gallery.PAGE if shelf.name != "samples" else 0
    return start, [_now(one) for one in cards_of(files[start : start + gallery.PAGE])]


def _now(card: runs.Card) -> runs.Card:
    """The card of a run that this app is making says so."""
    run = lives.going(card.address)
    return replace(card, status="paused" if run.paused else "running") if run else card


def _short(shelf: runs.Shelf) -> str:
    """The folder as its owner knows it, without the way to it."""
    return "sample_runs" if shelf.name == "samples" else shelf.path.name or str(shelf.path)
