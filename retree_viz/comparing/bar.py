"""The bars above two runs: what is compared, how far they are in step, and how they are kept so."""

from __future__ import annotations

from retree_viz.comparing.outcome import parting_words, settings
from retree_viz.comparing.pair import Pair
from retree_viz.html import Html, tag, visible
from retree_viz.panels.bar import brand, button, copy_link
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut
from retree_viz.place import SYNCS, Place

_TITLES = {
    "search": "after they part: searches of the same number side by side",
    "event": "after they part: event by event",
    "claim": "after they part: from claim to claim, where its evidence is complete",
}


def top_bar(pair: Pair, results: str = "") -> Html:
    """The question (or that there are two), what differs in the settings, and the ways out; from runs of `results`
    the way back is in the strip below."""
    found = pair.found
    header = found.a.header
    return tag(
        "div",
        brand(),
        tag("span", cls="vr"),
        tag("span", "Compare", cls="sub"),
        tag("span", cut(header.question, 400), cls="q", title=visible(header.question)[:1000])
        if found.one_question
        else tag("span", icon("warning", "s"), "Two different questions", cls="tag bad", role="alert"),
        settings(found),
        tag("span", cls="sp"),
        button("pair", "Swap A and B", do="swap:", key="S", title="swap A and B (S)"),
        button("compare", "Another B …", do="dialog:compare", key="v", title="another B (v)"),
        None if results else button("back", "Back to A", do="compare:", key="Backspace", title="back to A (Backspace)"),
        copy_link(),
        cls="topbar",
    )


def choice_bar(pair: Pair, place: Place) -> Html:
    """How far the two are in step; how to go on after it."""
    found = pair.found
    parts = not found.parting.equal
    where = max(1, found.parting.events)
    ends = tuple(min(where + parts, max(1, one.total)) for one in pair.runs)
    go = tag(
        "button",
        icon("fork", "s"),
        "Go to where they part",
        type="button",
        cls="btn",
        data_do=f"both:{ends[0]},{ends[1]}",
        data_key="d",
        title="the first event that differs (d)",
        disabled=not parts,
    )
    return tag(
        "div",
        parting_words(found),
        tag("span", "Synchronise by", cls="mut"),
        tag(
            "span",
            *(_sync(one, place.sync, number) for number, one in enumerate(SYNCS, 1)),
            cls="seg",
            role="group",
            aria_label="synchronise by",
        ),
        go,
        cls="sbar",
    )


def _sync(one: str, chosen: str, number: int) -> Html:
    return tag(
        "button",
        one.capitalize(),
        type="button",
        data_do=f"sync:{one}",
        data_key=str(number),
        aria_pressed="true" if one == chosen else "false",
        title=f"{_TITLES[one]} ({number})",
    )
