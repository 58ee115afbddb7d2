"""Runs that are being made by this app, by address; they outlive the page that started them."""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from retree_core.breakpoints import Breakpoint
from retree_core.drivers.background import LiveRun, Work
from retree_core.drivers.edits import Edit
from retree_core.drivers.fork import fork as fork_run
from retree_core.drivers.session import Job, answering_now, fork_name, new_name, resume_run, start_run
from retree_core.errors import UsageError
from retree_core.run_folders import is_sample, sample_spec
from retree_core.settings import Settings
from retree_core.visitors import search_allowed, search_by_default
from retree_viz.opened import opened
from retree_viz.runs import Shelf, find, of_evaluation, shelves

LAST_S = 2.0
"""So long the app waits at its end for a run to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Life:
    run: LiveRun
    parent: str
    """Address of the run that it is a fork of; else empty."""


@st.cache_resource(show_spinner=False)
def _lives() -> dict[str, _Life]:
    lives: dict[str, _Life] = {}
    atexit.register(_end, lives)
    return lives


def _end(lives: dict[str, _Life]) -> None:
    """With the app its runs end, each with a last record that says so."""
    left = [one.run for one in lives.values() if not one.run.finished]
    for run in left:
        run.stop()
    for run in left:
        run.join(LAST_S)


def live(address: str) -> LiveRun | None:
    """The run at an address, where this app makes it or made it."""
    found = _lives().get(address)
    return found.run if found else None


def going(address: str) -> LiveRun | None:
    """The run at an address, while this app makes it."""
    found = live(address)
    return None if found is None or found.finished else found


def error(address: str) -> str:
    """Why the run that this app made at an address failed to start or to go on; else empty."""
    found = live(address)
    return found.error if found else ""


def parent(address: str) -> str:
    """Address of the run that the one at an address was forked from here; else empty."""
    found = _lives().get(address)
    return found.parent if found else ""


def default_search() -> str:
    """Where a new run searches unless something else is named."""
    return search_by_default(os.environ)


def start(question: str, settings: Settings, search_spec: str, breakpoints: Sequence[str] = ()) -> str:
    """Start a run; returns the address at which it can be watched. Raises UsageError."""
    shelf = shelf_to_write()
    search_spec = search_allowed(search_spec, os.environ)
    out = shelf.path / new_name(question)
    job = Job(question=question, settings=settings, search_spec=search_spec, out=out)
    return _begin(f"{shelf.name}/{out.name}", out, partial(start_run, job), breakpoints)


def fork(address: str, at: int, edits: Sequence[Edit], *, live_model: bool) -> str:
    """Start a fork of a run, beside the user's own; returns its address. Raises UsageError or InputError."""
    file = find(address, shelves())
    shelf = shelf_to_write()
    out = shelf.path / fork_name(file.path.name, at)
    trace = opened(file).run.trace
    search_spec = sample_spec() if is_sample(file.path) else None
    if live_model and search_spec is None:
        search_spec = search_allowed(trace.header.search_spec, os.environ)
    work = partial(
        fork_run,
        trace,
        at,
        tuple(edits),
        out,
        live_model=live_model,
        model=answering_now(trace.header),
        search_spec=search_spec,
    )
    return _begin(f"{shelf.name}/{out.name}", out, work, parent=address)


def resume(address: str, breakpoints: Sequence[str] = ()) -> None:
    """Go on with a run that was stopped, unless it goes on already. Raises UsageError or InputError."""
    file = find(address, shelves())
    if is_sample(file.path):
        raise UsageError("a sample run is not written to; fork it to go on from one of its events")
    if of_evaluation(file):
        raise UsageError("retree eval goes on with the runs of an evaluation; fork it to go on from one of its events")
    if going(address) is None:
        header = opened(file).run.trace.header
        search_spec = search_allowed(header.search_spec, os.environ)
        work = partial(resume_run, file.path, model=answering_now(header), search_spec=search_spec)
        _begin(address, file.path, work, breakpoints)


def _begin(address: str, path: Path, work: Work, breakpoints: Sequence[str] = (), parent: str = "") -> str:
    _lives()[address] = _Life(run=LiveRun(path, work, breakpoints), parent=parent)
    return address


def shelf_to_write() -> Shelf:
    """Where new runs go; its folder exists. Raises UsageError."""
    shelf = shelves()[-1]
    try:
        shelf.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"The folder for new runs cannot be written ({error.strerror}); set RETREE_RUNS to one that can."
        ) from None
    return shelf


def stop(address: str) -> None:
    """End a run after the record being written."""
    if found := going(address):
        found.stop()


def pause(address: str) -> None:
    """Let a run wait before its next call."""
    if found := going(address):
        found.pause()


def go_on(address: str) -> None:
    """Let a run that waits go on."""
    if found := going(address):
        found.go_on()


def step(address: str) -> None:
    """Let a run go on until before the call after the next one."""
    if found := going(address):
        found.step()


def set_breakpoints(address: str, texts: Sequence[str]) -> None:
    """What a run stops at from now on; texts that make no sense (an address may hold any) stop nothing."""
    if found := going(address):
        found.set_breakpoints(readable(texts))


def readable(texts: Sequence[str]) -> tuple[str, ...]:
    """Those that are breakpoints."""
    found = []
    for one in texts:
        with suppress(UsageError):
            found.append(Breakpoint.parse(one).text)
    return tuple(found)
