"""Results read once and kept while nothing in their folder changes; shared by all sessions of the app."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from retree_core.errors import InputError
from retree_viz import runs
from retree_viz.html import visible
from retree_viz.results import folders
from retree_viz.results.cards import FolderCard, card
from retree_viz.results.data import Loaded, load
from retree_viz.results.folders import Folder

HELD = "results"
"""Name in the session of the results that were shown last."""


def results(folder: Folder, stamp: str) -> Loaded:
    """What a folder holds; `stamp` says when it changed."""
    found = st.session_state[HELD] = _loaded(os.fsencode(folder.address), os.fsencode(folder.path), stamp)
    return found


@st.cache_resource(max_entries=4, show_spinner="Reading the results …")
def _loaded(address: bytes, path: bytes, stamp: str) -> Loaded:
    return load(_folder(address, path))


def _folder(address: bytes, path: bytes) -> Folder:
    """Names as the bytes they are on disk: not every one is text."""
    return Folder(address=os.fsdecode(address), path=Path(os.fsdecode(path)))


def results_at(address: str) -> Loaded | None:
    """The results at an address as this session saw them last, or as they are now; None where there are none."""
    known: Loaded | None = st.session_state.get(HELD)
    if known is not None and visible(known.address) == visible(address):
        return known
    try:
        folder = folders.find(address, runs.shelves())
    except InputError:
        return None
    return results(folder, folders.stamp(folder))


def card_of(folder: Folder) -> FolderCard:
    """What the gallery says about a folder."""
    return _card(os.fsencode(folder.address), os.fsencode(folder.path), folders.stamp(folder))


@st.cache_data(max_entries=500, show_spinner=False)
def _card(address: bytes, path: bytes, stamp: str) -> FolderCard:
    return card(_folder(address, path))
