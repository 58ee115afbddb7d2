"""Runs read once and kept while their files stay the same; shared by all sessions of the app."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import streamlit as st

from retree_core.trace import read_trace
from retree_core.trace.following import Following
from retree_viz.charts.data import Charts, charts
from retree_viz.run import Run
from retree_viz.runs import Card, RunFile, card
from retree_viz.tree.index import TreeIndex


@dataclass
class Opened:
    """A run with what drawing its tree needs."""

    run: Run

    @cached_property
    def index(self) -> TreeIndex:
        return TreeIndex(self.run)

    @cached_property
    def charts(self) -> Charts:
        return charts(self.run)


@st.cache_resource(max_entries=8, show_spinner="Reading the run …")
def _opened(path: bytes, size: int, mtime_ns: int) -> Opened:
    return Opened(Run(read_trace(os.fsdecode(path))))


def opened(file: RunFile) -> Opened:
    """The run in a file. Raises InputError where the file is no run."""
    return _opened(os.fsencode(file.path), file.size, file.mtime_ns)


@dataclass(frozen=True)
class Growing:
    """A run that is being written, as it stood when its file was last read."""

    file: RunFile
    opened: Opened
    following: Following


def growing(file: RunFile, before: Growing | None) -> Growing:
    """The run in a file that is still being written; `before` where nothing was added since. Of `before` only what was
    added is read. Raises InputError or OSError where there is no run."""
    if before is not None and before.file == file:
        return before
    known = before if before is not None and before.file.path == file.path else None
    following = known.following if known else Following(file.path)
    trace = following.look()
    if known and known.opened.run.trace is trace:
        return Growing(file, known.opened, following)
    return Growing(file, Opened(Run(trace)), following)


@st.cache_data(max_entries=2000, show_spinner=False)
def _card(address: bytes, path: bytes, size: int, mtime_ns: int) -> Card:
    """Names as the bytes they are on disk: not every one is text."""
    where = Path(os.fsdecode(path))
    return card(RunFile(address=os.fsdecode(address), path=where, size=size, mtime_ns=mtime_ns))


def cards_of(files: Iterable[RunFile]) -> list[Card]:
    """What the gallery says about each file."""
    return [_card(os.fsencode(one.address), os.fsencode(one.path), one.size, one.mtime_ns) for one in files]
