"""Closing a dialog: what every dialog does when it is dismissed."""

from __future__ import annotations

import streamlit as st

from retree_viz.place import moved


def close() -> None:
    """No dialog is open any more."""
    st.session_state["place"] = moved(st.session_state["place"], "dialog:")
