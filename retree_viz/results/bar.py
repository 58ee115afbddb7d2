"""Above the results page: whose results, what answered the calls, how many runs there are, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from retree_core.text import count
from retree_viz.html import Child, Html, join, tag, visible
from retree_viz.panels.bar import answered_by, brand, button, copy_link
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut
from retree_viz.results.data import Loaded


def top_bar(loaded: Loaded) -> Html:
    """The folder, what made its runs, and how many have ended."""
    return tag(
        "div",
        brand(key=None),
        tag("span", cls="vr"),
        tag("span", "Results", cls="sub"),
        tag("b", cut(loaded.name, 80), cls="q"),
        *_tags(loaded),
        tag("span", cls="sp"),
        button("back", "All runs", do="gallery:", key="Backspace", title="all runs and results (Backspace)"),
        copy_link(),
        cls="topbar",
    )


def _tags(loaded: Loaded) -> Iterator[Child]:
    by = _common(loaded, "answered by")
    yield tag("span", answered_by(by), cls="tag wide", title=f"calls answered by: {visible(by)[:400]}") if by else None
    judge = _common(loaded, "answers judged by")
    yield (
        tag(
            "span",
            visible(f"answer judge: {judge}")[:60],
            cls="tag wider",
            title=f"answers judged by: {visible(judge)[:400]}",
        )
        if judge
        else None
    )
    if loaded.lines:
        yield _counted(loaded)
    if loaded.errors:
        yield tag("span", icon("warning", "s"), count(loaded.errors, "error"), cls="tag bad")


def _counted(loaded: Loaded) -> Html:
    """How many of the runs have ended."""
    mark, cls, title = ("check", "ok", "every run of the agents that have begun has ended")
    if loaded.pending:
        mark, cls, title = ("live", "live", f"{loaded.pending:,} of the agents that have begun are to come")
    told = f"{loaded.ended:,} of {count(loaded.ended + loaded.pending, 'run')}"
    return tag("span", icon(mark, "s"), told, cls=f"tag {cls}", title=title)


def _common(loaded: Loaded, name: str) -> str:
    """What all data sets say; empty where they differ."""
    said = {dict(told).get(name, "") for _, told in loaded.about}
    return said.pop() if len(said) == 1 else ""


def notices(loaded: Loaded, message: str) -> Html:
    """What could not be read, and why something that was asked for was not done."""
    told = [one for one in (message, *loaded.troubles) if one]
    return join(
        *(tag("div", icon("warning", "s"), tag("span", cut(one, 300)), cls="notice", role="alert") for one in told[:6])
    )
