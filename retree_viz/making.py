"""How a run stands while it is being made, and whether one that stands still can go on."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from retree_core.memory import DONE
from retree_core.run_folders import is_sample
from retree_core.trace.reader import LINES
from retree_viz.run import Run
from retree_viz.runs import RunFile, of_evaluation

if TYPE_CHECKING:  # a run is shown without what makes one
    from retree_core.drivers.background import LiveRun

QUIET_S = 30.0
"""A run that has not ended and was not written to for so long is not waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What the bar says and offers about the making of a run."""

    by: Literal["", "app", "other"] = ""
    """Who makes it: this app, another process, or nobody."""
    paused: str = ""
    """Before which call it waits, and why."""
    pausing: bool = False
    """It will wait before its next call."""
    can_resume: bool = False


def making_of(alive: LiveRun | None) -> Making:
    """Of a run that grows: made by this app, or by another process."""
    if alive is None:
        return Making(by="other")
    return Making(by="app", paused=alive.paused, pausing=alive.pausing)


def is_written(file: RunFile, run: Run) -> bool:
    """Another process seems to be at work on the run."""
    fresh = abs(time.time() - file.mtime_ns / 1e9) < QUIET_S  # a time to come is a clock that is wrong, or a copy
    return fresh and file.path.name.endswith(LINES) and run.last.ended is None and not run.trace.stopped


def can_resume(file: RunFile, run: Run) -> bool:
    """Whether the app may offer to go on: a file of the user's own in JSON Lines that stopped before its end.

    A run that a failed call ended counts; whether the record replays is found out when it is tried.
    """
    unfinished = run.last.ended is None or _failed(run)
    own = not is_sample(file.path) and not of_evaluation(file)
    return own and file.path.name.endswith(LINES) and bool(run.events) and unfinished


def _failed(run: Run) -> bool:
    good = run.last.ended is not None and run.last.ended.status in DONE
    return not good and any(one.failed for one in run.trace.calls)
