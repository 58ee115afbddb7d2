"""Drivers: everything around an agent. Live, replay, fork, stepping; each sends the agent its replies."""

from retree_core.drivers.background import LiveRun
from retree_core.drivers.edits import Edit
from retree_core.drivers.fork import fork
from retree_core.drivers.live import Backends, live
from retree_core.drivers.replay import follow, replay
from retree_core.drivers.session import Job, resume_run, start_run

__all__ = [
    "Backends",
    "Edit",
    "Job",
    "LiveRun",
    "follow",
    "fork",
    "live",
    "replay",
    "resume_run",
    "start_run",
]
