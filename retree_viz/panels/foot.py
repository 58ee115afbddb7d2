"""The bar below the inspector: what a person can do about the moment."""

from __future__ import annotations

from retree_viz.html import Html, tag
from retree_viz.panels.icons import icon
from retree_viz.place import Place
from retree_viz.run import Run


def foot(run: Run, place: Place) -> Html:
    """Flip or edit and fork, and write a note."""
    fork = tag(
        "button",
        icon("fork"),
        "Edit and fork …",
        type="button",
        cls="btn primary",
        data_do="dialog:fork",
        data_key="t",
        title="what if this had been decided differently (t)",
        disabled=not run.total,
    )
    note = tag(
        "button",
        icon("pen"),
        "Note",
        type="button",
        cls="btn",
        data_do="dialog:note",
        data_key="n",
        title="write a note on this moment (n)",
    )
    return tag("div", fork, tag("span", cls="sp"), note, cls="foot")
