"""Runs read once and kept while their files stay the same; shared by all sessions of the app."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import streamlit as st

from retree_core.trace import read_trace
from retree_core.trace.reader import parse_trace
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


def growing(file: RunFile, before: Growing | None) -> Growing:
    """The run in a JSON Lines file that is still being written; `before` where nothing was added since."""
    if before is not None and before.file == file:
        return before
    data = file.path.read_bytes()
    trace = parse_trace(data[: data.rfind(b"\n") + 1] or data, file.path.name)  # a record being written is held back
    if (
        before is not None
        and before.file.path == file.path
        and len(before.opened.run.trace.records) == len(trace.records)
    ):
        return Growing(file, before.opened)
    return Growing(file, Opened(Run(trace)))


@st.cache_data(max_entries=2000, show_spinner=False)
def _card(address: bytes, path: bytes, size: int, mtime_ns: int) -> Card:
    """Names as the bytes they are on disk: not every one is text."""
    where = Path(os.fsdecode(path))
    return card(RunFile(address=os.fsdecode(address), path=where, size=size, mtime_ns=mtime_ns))


def cards_of(files: Iterable[RunFile]) -> list[Card]:
    """What the gallery says about each file."""
    return [_card(os.fsencode(one.address), os.fsencode(one.path), one.size, one.mtime_ns) for one in files]
