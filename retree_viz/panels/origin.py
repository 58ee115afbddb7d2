"""Where a fork comes from, and what it still needs."""

from __future__ import annotations

from retree_viz.html import Html, join, tag, visible
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut
from retree_viz.panels.ways import act, way
from retree_viz.run import Run


def origin(run: Run, parent: str = "", *, answerer: str = "") -> Html:
    """Of a fork: its parent and edit, and that a model is needed; nothing for other runs.

    `parent` is the parent's address, where it is known; `answerer` the model that can go on, where one may be asked.
    """
    fork = run.trace.header.fork
    if fork is None:
        return join()
    name = cut(parent.partition("/")[2], 120) if parent else join("run ", cut(fork.run_id, 40))
    leads = way(name, f"open:{parent}") if parent else tag("b", name)
    compare = (
        act("compare", "Compare with parent", f"compare:{parent}")
        if parent
        else tag("span", "its parent is not among these runs", cls="mut")
    )
    words = tag(
        "span", "Fork of ", leads, f" after event {fork.moment}: ", tag("b", cut(fork.edit, 160)), cls="words-of"
    )
    line = tag("div", icon("fork", "s"), words, tag("span", cls="sp"), compare, cls="origin-bar", role="note")
    return join(line, _needs(run, answerer) if needs_model(run) else None)


def needs_model(run: Run) -> bool:
    """A fork that was made offline and stopped where the record has no answer."""
    return run.trace.header.fork is not None and run.trace.stopped.startswith("needs ")


def _needs(run: Run, answerer: str) -> Html:
    what = "a search" if "needs a search" in run.trace.stopped else "a model"
    words = tag("span", "The record answers up to event ", tag("b", str(run.total)), f"; from here {what} is needed.")
    on = (
        tag(
            "button",
            icon("live", "s"),
            "Continue live",
            type="button",
            cls="btn primary",
            data_do="resume:",
            title=f"go on with {visible(answerer)[:200]}",
        )
        if answerer
        else None
    )
    return tag("div", icon("clock", "s"), words, tag("span", cls="sp"), on, cls="origin-bar needs", role="note")
