"""Where runs are found: the samples that ship with the package, and one folder (or file) of the user's own.

A run is named `SHELF/FILE` in addresses, one of an evaluation `SHELF/.../runs/AGENT/FILE`. Only files that lie in a
shelf, after links are resolved, can be named.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from retree_core import events as ev
from retree_core.errors import InputError, fault
from retree_core.evaluation import manifest
from retree_core.notes import ENDING as NOTES_ENDING
from retree_core.run_folders import CORPUS, new_runs, own_runs, samples_folder
from retree_core.settings import AGENTS
from retree_core.trace import Trace, read_trace
from retree_core.trace.answered import answered_by
from retree_core.trace.packed import TooLarge
from retree_core.trace.reader import ENDINGS
from retree_core.trace.records import ForkOrigin
from retree_viz.html import visible
from retree_viz.within import inside, names_in, spelled

GRAPH_ENDING = ".graph.json"
"""Of the name of an exported graph, which is no run."""
LARGE = 16 << 20
"""Bytes, unpacked; a larger trace is read when it is opened, not for its card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A place with runs."""

    name: str
    """First part of a run's address."""
    path: Path
    """A folder, or one file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFile:
    """A file that may hold a run, with what tells whether it has changed."""

    address: str
    path: Path
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What the gallery says about a run."""

    address: str
    size: int
    question: str = ""
    agent: str = ""
    recorded_with: str = ""
    judge: str = ""
    status: str = ""
    """How it ended; empty while it has not."""
    answer: str = ""
    searches: int = 0
    repairs: int = 0
    rejected: int = 0
    refused: int = 0
    pruned: int = 0
    events: int = 0
    damaged: int = 0
    run_id: str = ""
    fork: ForkOrigin | None = None
    trouble: str = ""
    """Why it cannot be shown, in one line."""


def shelves(environ: Mapping[str, str] = os.environ) -> tuple[Shelf, ...]:
    """The samples, the user's own, and last the folder that new runs go to (the same, unless that is one file)."""
    samples, own = Shelf(name="samples", path=samples_folder()), Shelf(name="runs", path=own_runs(environ))
    return (samples, own, Shelf(name="new", path=new_runs(environ))) if own.path.is_file() else (samples, own)


def opened_first(environ: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """Addresses of the run and of the results folder that the app was started on; empty where it is neither."""
    own = own_runs(environ)
    return (f"runs/{own.name}" if own.is_file() else "", "runs" if (own / manifest.NAME).is_file() else "")


def listed(shelf: Shelf) -> tuple[RunFile, ...]:
    """The files of a shelf that may be runs: samples by name, the user's own newest first."""
    if (shelf.path / manifest.NAME).is_file():
        return ()  # what lies beside it is what `retree eval` and `retree report` wrote
    one_file = shelf.path.is_file()
    names = [shelf.path.name] if one_file else [name for name in names_in(shelf.path) if _may_be_run(name)]
    files = [one for name in names if (one := _run_file(shelf, name))]
    return tuple(files if shelf.name == "samples" else sorted(files, key=lambda one: -one.mtime_ns))


def _may_be_run(name: str) -> bool:
    lower = name.lower()
    return lower.endswith(ENDINGS) and not lower.endswith((NOTES_ENDING, GRAPH_ENDING)) and name != CORPUS


def _run_file(shelf: Shelf, name: str) -> RunFile | None:
    try:
        path = _path(shelf, name)
        if path is None or not path.is_file():
            return None
        about = path.stat()
    except OSError:
        return None
    return RunFile(address=f"{shelf.name}/{name}", path=path, size=about.st_size, mtime_ns=about.st_mtime_ns)


def _path(shelf: Shelf, name: str) -> Path | None:
    """The file of that name in the shelf, links resolved; None where it would lie outside, or deep in other folders."""
    *folders, _ = name.split("/")
    if shelf.path.is_file():
        return shelf.path.resolve() if name == shelf.path.name else None
    is_of_agent = folders[-2:-1] == ["runs"] and folders[-1] in AGENTS
    return inside(shelf.path, name) if not folders or is_of_agent else None


def of_evaluation(file: RunFile) -> bool:
    """Whether a run is one of a results folder: `retree eval` takes it up again, nobody else."""
    return file.path.parent.parent.name == "runs" and (file.path.parents[2] / manifest.NAME).is_file()


def find(address: str, among: tuple[Shelf, ...]) -> RunFile:
    """The run at an address. Raises InputError where there is none, or it lies outside of its shelf.

    A name with hidden characters is found by its visible form too: that is how pages and the address bar write it.
    """
    shelf_name, _, name = address.partition("/")
    for shelf in among:
        if shelf.name == shelf_name:
            found = _run_file(shelf, name) or _run_file(shelf, _spelled(shelf, name))
            if found is not None:
                return found
    raise InputError(f"there is no run {visible(address)[:120]!r}; choose one of the runs listed here")


def _spelled(shelf: Shelf, name: str) -> str:
    return shelf.path.name if shelf.path.is_file() and visible(shelf.path.name) == name else spelled(shelf.path, name)


def card(file: RunFile) -> Card:
    """What the gallery says about a file; a file that is no run says why, and none can stop the gallery."""
    try:
        return _card_of(read_trace(file.path, most=LARGE), file)
    except TooLarge:
        return Card(address=file.address, size=file.size, question=file.path.name, status="large: read when opened")
    except InputError as error:
        return _in_trouble(file, str(error).removeprefix(f"{file.path}: ").removeprefix(f"{file.path.name}: "))
    except Exception as error:  # noqa: BLE001  (no file of any content may stop the gallery)
        return _in_trouble(file, f"cannot be read, {fault(error)}")


def _in_trouble(file: RunFile, why: str) -> Card:
    return Card(address=file.address, size=file.size, trouble=visible(why)[:200])


def _card_of(trace: Trace, file: RunFile) -> Card:
    kinds = [one.kind for one in trace.events]
    answer = next((one.text for one in reversed(trace.events) if isinstance(one, ev.Answered)), "")
    status = next((one.status for one in reversed(trace.events) if isinstance(one, ev.RunEnded)), "")
    return Card(
        address=file.address,
        size=file.size,
        question=trace.header.question,
        agent=trace.header.settings.agent,
        recorded_with=answered_by(trace),
        judge=trace.header.settings.judge,
        status=status,
        answer=answer,
        searches=kinds.count("search_chosen"),
        repairs=kinds.count("evidence_repaired"),
        rejected=kinds.count("conflict_rejected"),
        refused=kinds.count("stop_refused"),
        pruned=sum(len(one.nodes) for one in trace.events if isinstance(one, ev.NodesPruned)),
        events=len(kinds),
        damaged=len(trace.damage),
        run_id=trace.header.run_id,
        fork=trace.header.fork,
    )
