"""Export: the moment on the screen as a file, made when its button is clicked."""

from __future__ import annotations

from functools import partial

import streamlit as st

from retree_core.errors import InputError
from retree_core.notes import Notes, notes_path, read_notes, written
from retree_core.text import count
from retree_viz.dialogs.closing import close
from retree_viz.export import FORMATS, Exported, export, file_name, missing
from retree_viz.html import Html, join, tag
from retree_viz.notes import place_of
from retree_viz.opened import Opened
from retree_viz.palette import Theme
from retree_viz.panels.gallery import trouble
from retree_viz.panels.surface import surface
from retree_viz.place import Place
from retree_viz.wishes import do


@st.dialog("Export", width="medium", on_dismiss=close)
def show(found: Opened, place: Place) -> None:
    """A download for each format."""
    moment = place.at(found.run.total)
    notes, problem = _notes(place.run, found.run.trace.header.run_id)
    surface(_about(found, moment, notes), key="export_about", on_do=do)
    if problem:
        surface(trouble(problem), key="export_trouble", on_do=do)
    what = Exported(run=found.run, index=found.index, moment=moment, notes=notes, theme=_theme())
    for name, one in FORMATS.items():
        button, about = st.columns([1, 3], vertical_alignment="center")
        lacks = missing(name)
        button.download_button(
            _LABELS.get(name, name.upper()),
            partial(export, what, name),
            file_name(found.run.trace.name, moment, name),
            one.mime,
            key=f"export_{name}",
            on_click="ignore",
            disabled=bool(lacks),
            width="stretch",
        )
        with about:
            surface(tag("p", lacks or one.about, cls="mut"), key=f"export_{name}_about", on_do=do)
    _notes_alone(place, notes)


_LABELS = {"otel": "Spans", "graphml": "GraphML"}


def _notes_alone(place: Place, notes: Notes) -> None:
    """The file of notes by itself, as it is kept beside the trace."""
    button, about = st.columns([1, 3], vertical_alignment="center")
    button.download_button(
        "Notes",
        partial(written, notes),
        notes_path(place.run.rpartition("/")[2]).name,
        "application/json",
        key="export_notes",
        on_click="ignore",
        disabled=not notes.notes,
        width="stretch",
    )
    said = f"your {count(len(notes.notes), 'note')}, labels and re-runs, as kept beside the trace"
    with about:
        surface(
            tag("p", said if notes.notes else "there are no notes on this run; key n writes one", cls="mut"),
            key="export_notes_about",
            on_do=do,
        )


def _notes(address: str, run_id: str) -> tuple[Notes, str]:
    """The notes on the run, and why they cannot be read."""
    try:
        return read_notes(place_of(address, run_id)), ""
    except InputError as error:
        return Notes(), str(error)


def _theme() -> Theme:
    """The theme that is on the screen."""
    return "dark" if st.context.theme.type == "dark" else "light"


def _about(found: Opened, moment: int, notes: Notes) -> Html:
    written = f" Page and JSON hold your {count(len(notes.notes), 'note')} too." if notes.notes else ""
    name = tag("span", found.run.trace.name, cls="mono")
    return tag(
        "p",
        join("The run at moment ", tag("b", f"{moment:,}"), f" of {found.run.total:,}. "),
        f"Every file holds what is known by then and does not step; pictures are in your theme.{written} ",
        join("To pass on every moment, send the trace ", name, ", which opens here with Open a file."),
    )
