"""A trace brought in through the browser: checked, then kept among the user's own runs."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import streamlit as st

from retree_core.errors import InputError, ReTreeError
from retree_core.run_folders import CORPUS
from retree_core.trace.lines import takes_lines
from retree_core.trace.packed import GZIP
from retree_core.trace.reader import ending_of, parse_trace
from retree_viz import lives
from retree_viz.html import visible
from retree_viz.place import Place

MOST_MB = 200
"""Of a file, as it comes and unpacked."""
_LONGEST = 80
"""Characters of a file name, ending excepted."""


def upload_box() -> None:
    """A place to drop a trace on; opens it once it is kept, or says why it is not."""
    with st.container(key="upload"):
        given = st.file_uploader(
            "A trace of ReTree, OpenTelemetry spans or a list of chat messages; it is copied to your runs",
            type=["jsonl", "json", "gz"],
            max_upload_size=MOST_MB,
            key=f"upload_{st.session_state.get('uploads', 0)}",
        )
    if given is None:
        return
    st.session_state["uploads"] = st.session_state.get("uploads", 0) + 1  # the next box is an empty one
    try:
        shelf = lives.shelf_to_write()
        name = keep(given.getvalue(), given.name, shelf.path)
        st.session_state["place"] = Place(run=f"{shelf.name}/{name}")
        st.session_state["uploading"] = False
    except ReTreeError as error:
        st.session_state["trouble"] = str(error)
    st.rerun()


def keep(data: bytes, name: str, folder: Path) -> str:
    """Writes a trace to a new file in the folder; returns the file's name. Raises InputError where it cannot be."""
    shown = visible(name)[:_LONGEST]
    if len(data) > MOST_MB << 20:
        raise InputError(f"{shown}: larger than {MOST_MB} MB; put the file into the folder of your runs instead")
    parse_trace(data, shown, MOST_MB << 20)
    stem, ending = plain_name(name, data)
    for number in range(1, 1000):
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{ending}"
        if path.name == CORPUS:
            continue
        made = False
        try:
            with open(path, "xb") as file:
                made = True
                file.write(data)
        except FileExistsError:
            continue
        except OSError as error:
            if made:
                with suppress(OSError):
                    path.unlink()
            raise InputError(f"{path} cannot be written ({error.strerror})") from None
        return path.name
    raise InputError(f"{shown}: there are a thousand files of this name already; give it another one")


def plain_name(name: str, data: bytes) -> tuple[str, str]:
    """A file name of plain characters, and its ending; one that fits the content where the name has none.

    >>> plain_name("../My run (2).jsonl", b"")
    ('My-run-2', '.jsonl')
    """
    ending = ending_of(name).lower()
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", name[: len(name) - len(ending)]).strip("-")[:_LONGEST]
    if not ending:
        ending = (".jsonl" if takes_lines(data) else ".json") + (".gz" if data.startswith(GZIP) else "")
    return stem or "trace", ending
