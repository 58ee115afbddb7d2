"""Where the notes on an opened run are kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from retree_core.notes import notes_path
from retree_viz.runs import RunFile, shelves


def place_of(file: RunFile, environ: Mapping[str, str] = os.environ) -> Path:
    """Beside the trace; for a sample in the folder of the user's own runs, as samples may be read-only."""
    beside = notes_path(file.path)
    return shelves(environ)[-1].path / beside.name if file.address.startswith("samples/") else beside
