"""Dialogs: each a module with `show(found, place)`, opened by the wish `dialog:NAME` and closed by `dialog:`.

A module is imported when its dialog is first asked for. It draws with Streamlit's own widgets inside `st.dialog`.
"""

from __future__ import annotations

from importlib import import_module

from retree_viz.opened import Opened
from retree_viz.place import Place

DIALOGS: tuple[str, ...] = ("again", "breakpoints", "call_json", "export", "fork", "compare", "note")
"""Names that `dialog:NAME` may take."""


def show(found: Opened, place: Place) -> None:
    """Draw the dialog that the place names, if any."""
    if place.dialog in DIALOGS:
        import_module(f"retree_viz.dialogs.{place.dialog}").show(found, place)
