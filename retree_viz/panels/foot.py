"""The bar below the inspector: what a person can do about the moment."""

from __future__ import annotations

from retree_viz import edits
from retree_viz.html import Html, tag
from retree_viz.panels.icons import icon
from retree_viz.place import Place
from retree_viz.run import Run


def foot(run: Run, place: Place) -> Html:
    """Flip or edit and fork; right or wrong, where something was decided; and a note."""
    flips = bool(run.total) and edits.decided_here(run, place.at(run.total)) is not None
    fork = tag(
        "button",
        icon("fork"),
        "Flip this decision and fork" if flips else "Edit and fork …",
        type="button",
        cls="btn primary",
        data_do="dialog:fork",
        data_key="t",
        title="what if this had been decided differently (t)" if flips else "what if this had been different (t)",
        disabled=not run.total,
    )
    note = tag(
        "button",
        icon("pen"),
        tag("span", "Note", cls="name"),
        type="button",
        aria_label="Note",
        cls="btn",
        data_do="dialog:note",
        data_key="n",
        title="write a note on this moment (n)",
    )
    imported = run.trace.header.settings.agent == "imported"
    return tag("div", None if imported else fork, tag("span", cls="sp"), _labels() if flips else None, note, cls="foot")


def _labels() -> Html:
    """Whether the decision was right, as a person sees it."""
    right = tag("button", icon("check", "s"), "Right", type="button", data_do="label:right")
    wrong = tag("button", icon("cross", "s"), "Wrong", type="button", data_do="label:wrong")
    return tag("span", right, wrong, cls="labels", role="group", aria_label="this decision was")
