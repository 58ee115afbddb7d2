"""What a shelf's folder holds, by name: only what lies in it, after links are resolved, can be named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from retree_viz.html import visible

MOST_PARTS = 8
"""Folders in folders that a name leads through."""


def inside(root: Path, name: str) -> Path | None:
    """The file or folder of that name, such as `a` or `a/b`, links resolved; None where it would lie outside."""
    parts = name.split("/")
    if len(parts) > MOST_PARTS or not all(map(_is_plain, parts)):
        return None
    try:
        root = root.resolve()
        path = root.joinpath(*parts).resolve()
    except (OSError, RuntimeError, ValueError):
        return None
    return path if path.is_relative_to(root) else None


def _is_plain(part: str) -> bool:
    return bool(part) and part == os.path.basename(part) and part not in (".", "..") and not set(part) & set("\\\x00")


def spelled(root: Path, name: str) -> str:
    """The name as it is on disk, of a name as pages and the address bar write it; empty where nothing is called so."""
    found: list[str] = []
    for part in name.split("/")[:MOST_PARTS]:
        known = next((one for one in names_in(root.joinpath(*found)) if visible(one) == part), None)
        if known is None:
            return ""
        found.append(known)
    return "/".join(found)


def names_in(folder: Path) -> list[str]:
    """What lies in a folder, by name; nothing where it cannot be looked into."""
    try:
        return sorted(one.name for one in os.scandir(folder))
    except (OSError, ValueError):
        return []


def folders_in(folder: Path) -> Iterator[str]:
    """The folders in a folder, by name; links that lead out of it are left out."""
    for name in names_in(folder):
        path = inside(folder, name)
        if path is not None and os.path.isdir(path):
            yield name
