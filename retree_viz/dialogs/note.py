"""Notes: what is noted on the run, and a field for a note on the moment."""

from __future__ import annotations

from functools import partial

import streamlit as st

from retree_core.errors import ReTreeError
from retree_viz.dialogs.closing import close
from retree_viz.html import join, tag
from retree_viz.notes import forget, note_down, noted
from retree_viz.opened import Opened
from retree_viz.panels.gallery import trouble
from retree_viz.panels.noted import notes_list
from retree_viz.panels.surface import surface
from retree_viz.place import Place
from retree_viz.run import Run
from retree_viz.wishes import do

LONGEST_NOTE = 10_000
"""Characters of one note."""
_LEAVING, _PROBLEM, _WRITTEN = "notes_leaving", "notes_problem", "notes_written"


@st.dialog("Notes", width="large", on_dismiss=close)
def show(found: Opened, place: Place) -> None:
    """A field for a note on the moment, and all notes with ways to their moments.

    The page below is redrawn when the dialog closes, and not before: a run of the page while it is being dismissed
    would open it again.
    """
    if st.session_state.pop(_LEAVING, False):
        st.rerun()
    run = found.run
    moment = st.session_state["place"].at(run.total)  # a dialog is drawn again with what it was first called with
    run_id = run.trace.header.run_id
    _field(place.run, run_id, moment)
    now, problem = noted(place.run, run_id), st.session_state.pop(_PROBLEM, "")
    if problem or now.problem:
        surface(trouble(problem or now.problem), key="notes_trouble", on_do=do)
    surface(notes_list(now, moment), key="notes", on_do=partial(_do, address=place.run, run=run))


def _field(address: str, run_id: str, moment: int) -> None:
    about = join("On moment ", tag("b", f"{moment:,}"), ". Notes are kept beside the trace, never in it.")
    surface(tag("p", about, cls="mut"), key="notes_about", on_do=do)
    written = st.session_state.get(_WRITTEN, 0)  # each note has a field of its own, so that the next one is empty
    key = f"note_text {address} {written}"
    with st.form("note_form", border=False):
        st.text_area("Note", key=key, max_chars=LONGEST_NOTE, height=96)
        saving = partial(_save, address, run_id, moment, key)
        st.form_submit_button("Save", type="primary", key="note_save", on_click=saving)


def _save(address: str, run_id: str, moment: int, key: str) -> None:
    text = str(st.session_state.get(key, "")).strip()
    if not text:
        return
    try:
        note_down(address, run_id, moment, text)
        st.session_state[_WRITTEN] = st.session_state.get(_WRITTEN, 0) + 1
    except ReTreeError as error:
        st.session_state[_PROBLEM] = str(error)


def _do(wish: str, address: str, run: Run) -> None:
    verb, _, what = wish.partition(":")
    if verb == "forget":
        try:
            forget(address, run.trace.header.run_id, what)
        except ReTreeError as error:
            st.session_state[_PROBLEM] = str(error)
    else:
        do(wish, run.total)
        close()
        st.session_state[_LEAVING] = True
