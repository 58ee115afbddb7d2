"""The app: the gallery, a page that starts a run, and the debugger on one run."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from retree_core.secrets import know_environment
from retree_viz import address_bar
from retree_viz.ask_page import ask_page
from retree_viz.compare_page import compare_page
from retree_viz.debugger_page import debugger_page
from retree_viz.gallery_page import gallery_page
from retree_viz.place import Place
from retree_viz.results_page import results_page
from retree_viz.runs import opened_first
from retree_viz.style import style_block
from retree_viz.wishes import write_address


def main() -> None:
    """Draw the page that the address names."""
    know_environment(os.environ)
    st.set_page_config(
        page_title="ReTree",
        page_icon=str(Path(__file__).with_name("icon.svg")),
        layout="wide",
        initial_sidebar_state="collapsed",
    )
    st.html(style_block())
    run, results = opened_first()
    place = address_bar.read(st.session_state, st.query_params, Place(run=run, results=results))
    with st.container(key="page", gap=None):
        if place.run and place.against:
            compare_page(place.run, place.against)
        elif place.run:
            debugger_page(place.run)
        elif place.asking:
            ask_page()
        elif place.results:
            results_page(place.results)
        else:
            gallery_page()
    write_address()
