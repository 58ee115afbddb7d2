"""Runs that are being made by this app, by address; they outlive the page that started them."""

from __future__ import annotations

import streamlit as st

from retree_core.drivers import LiveRun, start_in_thread
from retree_core.drivers.session import new_name
from retree_core.settings import Settings
from retree_viz.runs import shelves


@st.cache_resource(show_spinner=False)
def _lives() -> dict[str, LiveRun]:
    return {}


def live(address: str) -> LiveRun | None:
    """The run at an address, where this app started it."""
    return _lives().get(address)


def start(question: str, settings: Settings, search_spec: str) -> str:
    """Start a run; returns the address at which it can be watched."""
    shelf = shelves()[-1]
    shelf.path.mkdir(parents=True, exist_ok=True)
    name = new_name(question)
    address = f"{shelf.name}/{name}"
    _lives()[address] = start_in_thread(question, settings, search_spec=search_spec, out=shelf.path / name)
    return address


def stop(address: str) -> None:
    """End a run after the record being written."""
    found = live(address)
    if found is not None:
        found.stop()
