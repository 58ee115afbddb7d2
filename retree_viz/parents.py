"""Which run a fork was made from: found by its id among the runs of the shelves."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterable
from pathlib import Path

import streamlit as st

from retree_viz.html import visible
from retree_viz.run import Run
from retree_viz.runs import RunFile, Shelf, listed, shelves

HEAD = 1 << 16
"""Bytes of a file in which its run's id is looked for; it stands near the start of the header."""
_RUN_ID = re.compile(rb'"run_id"\s*:\s*"([^"\\]{1,200})"')


def parent_address(run: Run) -> str:
    """The address of the run that a run was forked from, looked for once a session; empty where it is not there."""
    fork = run.trace.header.fork
    if fork is None:
        return ""
    known: dict[str, str] = st.session_state.setdefault("parents", {})
    if not known.get(fork.run_id):
        found = parent_of(run, shelves())
        known[fork.run_id] = visible(found.address) if found else ""
    return known[fork.run_id]


def parent_of(run: Run, among: Iterable[Shelf]) -> RunFile | None:
    """The file of the run that a run was forked from; None where it is no fork, or its parent is not there."""
    fork = run.trace.header.fork
    if fork is None:
        return None
    files = (file for shelf in among for file in listed(shelf))
    return next((one for one in files if run_id(one) == fork.run_id), None)


def run_id(file: RunFile) -> str:
    """The id of the run in a file; empty where there is none."""
    return _run_id(os.fsencode(file.path), file.mtime_ns)


@st.cache_data(max_entries=5000, show_spinner=False)
def _run_id(path: bytes, mtime_ns: int) -> str:
    try:
        with Path(os.fsdecode(path)).open("rb") as file:
            head = file.read(HEAD)
        if head.startswith(b"\x1f\x8b"):
            head = zlib.decompressobj(31).decompress(head, HEAD)
    except (OSError, zlib.error):
        return ""
    found = _RUN_ID.search(head)
    return found[1].decode("utf-8", "replace") if found else ""
