"""Which run a fork was made from: found by its id among the runs of the shelves."""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

import streamlit as st

from retree_core.trace.packed import GZIP
from retree_viz.html import visible
from retree_viz.run import Run
from retree_viz.runs import RunFile, Shelf, listed

HEAD = 1 << 16
"""Bytes of a file in which its run's id is looked for; it stands near the start of the header."""
KNOWN_S = 30
"""For so long the answer is taken for true, so that a step of the debugger reads no folder."""
_RUN_ID = re.compile(rb'"run_id"\s*:\s*"([^"\\]{1,200})"')


def parent_address(run: Run, among: tuple[Shelf, ...]) -> str:
    """The address of the run that a run was forked from; empty where it is no fork, or its parent is not there."""
    fork = run.trace.header.fork
    if fork is None:
        return ""
    return _address_of(visible(fork.run_id), tuple((one.name, os.fsencode(one.path)) for one in among))


@st.cache_data(max_entries=500, ttl=KNOWN_S, show_spinner=False)
def _address_of(wanted: str, among: tuple[tuple[str, bytes], ...]) -> str:
    """Of the run with an id in these shelves, names and paths."""
    shelves = (Shelf(name=name, path=Path(os.fsdecode(path))) for name, path in among)
    files = (file for shelf in shelves for file in listed(shelf))
    return next((visible(one.address) for one in files if run_id(one) == wanted), "")


def run_id(file: RunFile) -> str:
    """The id of the run in a file; empty where there is none."""
    return _run_id(os.fsencode(file.path), file.mtime_ns)


@st.cache_data(max_entries=5000, show_spinner=False)
def _run_id(path: bytes, mtime_ns: int) -> str:
    try:
        with Path(os.fsdecode(path)).open("rb") as file:
            head = file.read(HEAD)
        if head.startswith(GZIP):
            head = zlib.decompressobj(31).decompress(head, HEAD)
    except (OSError, zlib.error):
        return ""
    found = _RUN_ID.search(head)
    return found[1].decode("utf-8", "replace") if found else ""
