"""Results folders of `retree eval` among the shelves: found, named in addresses, and what tells that one changed.

A folder is named `SHELF` or `SHELF/FOLDER`, where it is one itself or holds one for each data set. Only what lies in
the shelf, after links are resolved, is read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retree_core.errors import InputError
from retree_core.evaluation import judged, manifest
from retree_core.evaluation.results import NAME as RESULTS
from retree_core.evaluation.results import results_folders
from retree_core.notes import ENDING as NOTES_ENDING
from retree_core.settings import AGENTS
from retree_core.trace.reader import LINES
from retree_viz.html import visible
from retree_viz.runs import Shelf
from retree_viz.within import folders_in, inside, spelled

MOST = 300
"""Folders of a shelf looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A results folder, or one that holds several."""

    address: str
    path: Path

    @property
    def name(self) -> str:
        return self.path.name or str(self.path)

    @property
    def parts(self) -> tuple[tuple[str, Path], ...]:
        """Itself or the results folders in it, address and path of each; links that lead out of it are left out."""
        if _is_results(self.path):
            return ((self.address, self.path),)
        found = (one for one in results_folders(self.path) if one != self.path and inside(self.path, one.name))
        return tuple((f"{self.address}/{one.name}", one) for one in found)


def listed(shelf: Shelf) -> tuple[Folder, ...]:
    """The shelf itself where it is a results folder, or else the folders in it that are or hold some, newest first;
    before them all data sets of one evaluation together."""
    whole = Folder(address=shelf.name, path=shelf.path)
    if shelf.path.is_file() or _is_results(shelf.path):
        return () if shelf.path.is_file() else (whole,)
    names = (name for name, _ in zip(folders_in(shelf.path), range(MOST), strict=False))
    every = [Folder(address=f"{shelf.name}/{name}", path=shelf.path / name) for name in names]
    found = sorted((one for one in every if one.parts), key=_newest_first)
    return (whole, *found) if _belong_together([one.path for one in found if _is_results(one.path)]) else tuple(found)


def _belong_together(paths: list[Path]) -> bool:
    """Whether several results folders were made in the same way of questions that no two of them share."""
    try:
        made = [manifest.read(one) for one in paths]
    except InputError:
        return False
    asked = [str(question) for one in made for question in _questions(one)]
    alike = all(one.get(name) == made[0].get(name) for one in made for name in ("settings", "prompts"))
    return len(made) > 1 and alike and len(set(asked)) == len(asked)


def _questions(known: Mapping[str, Any]) -> list[Any]:
    found = known.get("questions")
    return found if isinstance(found, list) else []


def _is_results(path: Path) -> bool:
    return os.path.isfile(path / manifest.NAME)


def _newest_first(one: Folder) -> float:
    try:
        return -max(path.joinpath(manifest.NAME).stat().st_mtime for _, path in one.parts)
    except OSError:
        return 0.0


def find(address: str, among: tuple[Shelf, ...]) -> Folder:
    """The results folder at an address. Raises InputError where there is none, or something in it leads out of it."""
    name, _, rest = address.partition("/")
    for shelf in among:
        if shelf.name == name and (found := _found(shelf, rest)) and found.parts:
            _check(found, shelf.path.resolve())
            return found
    raise InputError(f"there are no results {visible(address)[:120]!r}; choose one of the folders listed here")


def folder_of(run: str) -> str:
    """Address of the results folder that a run of this address would lie in; empty of any other run.

    >>> folder_of("runs/grid/frames/runs/react/q1.jsonl"), folder_of("samples/real-laika.jsonl")
    ('runs/grid/frames', '')
    """
    folder, _, rest = run.rpartition("/runs/")
    agent, _, name = rest.partition("/")
    return folder if agent in AGENTS and name and "/" not in name else ""


def _found(shelf: Shelf, name: str) -> Folder | None:
    if not name:
        return Folder(address=shelf.name, path=shelf.path)
    known = name if (path := inside(shelf.path, name)) and os.path.isdir(path) else spelled(shelf.path, name)
    lies_within = known and inside(shelf.path, known) is not None
    return Folder(address=f"{shelf.name}/{known}", path=shelf.path / known) if lies_within else None


def _check(found: Folder, root: Path) -> None:
    """Raises InputError where a file that would be read lies elsewhere."""
    for _, part in found.parts:
        for path in (part, part / manifest.NAME, *(part / one for one in (judged.NAME, judged.REPLIES)), *_links(part)):
            try:
                lies_within = path.resolve().is_relative_to(root)
            except (OSError, RuntimeError, ValueError):
                lies_within = False
            if not lies_within:
                raise InputError(f"results {visible(found.address)[:120]!r} hold a link that leads out of their folder")


def _links(part: Path) -> Iterator[Path]:
    for agent in AGENTS:
        folder = part / "runs" / agent
        yield folder
        yield from (Path(one.path) for one in _entries(folder) if one.is_symlink())


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(folder))
    except OSError:
        return []


def traces(folder: Folder) -> int:
    """How many runs were begun."""
    runs = (one for _, part in folder.parts for agent in AGENTS for one in _entries(_of(part, agent)))
    return sum(one.name.endswith(LINES) for one in runs)


def _of(part: Path, agent: str) -> Path:
    return part / "runs" / agent


def stamp(folder: Folder) -> str:
    """Another one says that something was added or changed: a digest of sizes and times."""
    digest = hashlib.sha256()
    for _, part in folder.parts:
        for name in (manifest.NAME, RESULTS, judged.NAME, judged.REPLIES):
            digest.update(_about(part / name))
        for agent in AGENTS:
            for one in sorted(_entries(_of(part, agent)), key=lambda each: each.name):
                if one.name.endswith((*LINES, NOTES_ENDING)):
                    digest.update(os.fsencode(one.path) + _about(one))
    return digest.hexdigest()


def _about(one: Path | os.DirEntry[str]) -> bytes:
    try:
        found = one.stat()
    except OSError:
        return b"-"
    return f"{found.st_size} {found.st_mtime_ns};".encode()
