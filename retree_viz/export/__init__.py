"""A run at a moment as one file that others can open. No Streamlit in here, and nothing that needs a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from retree_core.errors import UsageError
from retree_core.notes import Notes
from retree_core.trace.reader import ending_of
from retree_viz.palette import Theme
from retree_viz.run import Run
from retree_viz.runs import GRAPH_ENDING
from retree_viz.tree.chronicle import Moment
from retree_viz.tree.index import TreeIndex
from retree_viz.words import plain, sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One way of writing a run down."""

    ending: str
    """Of its file's name."""
    mime: str
    about: str
    """What it is for, in one line."""


FORMATS: Final[Mapping[str, Format]] = {
    "html": Format(ending=".html", mime="text/html", about="one page: tree, answer, facts and reasons; opens offline"),
    "svg": Format(ending=".svg", mime="image/svg+xml", about="the tree as a drawing that stays sharp"),
    "png": Format(ending=".png", mime="image/png", about="the tree as a picture"),
    "json": Format(ending=GRAPH_ENDING, mime="application/json", about="node-link graph, the whole state, your notes"),
    "graphml": Format(ending=".graphml", mime="application/xml", about="the graph for networkx, Gephi, yEd"),
    "dot": Format(ending=".dot", mime="text/vnd.graphviz", about="the graph for Graphviz"),
    "otel": Format(ending=".otlp.json", mime="application/json", about="OpenTelemetry spans for Phoenix and others"),
}
"""By the name that `retree export --to` takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export is made of."""

    run: Run
    index: TreeIndex
    moment: Moment
    notes: Notes
    theme: Theme = "light"
    """Of pictures; a page follows the theme of whoever opens it."""

    @property
    def happened(self) -> str:
        """The event that led to the moment, in words."""
        event = self.run.event(self.moment)
        return plain(sentence(event, self.run.at(self.moment))) if event else "Before the first event"


Writer = Callable[[Exported], bytes]


def missing(to: str) -> str:
    """What this machine lacks to write a format, in one line; empty where nothing is missing.

    >>> missing("svg")
    ''
    """
    if to != "png":
        return ""
    if find_spec("resvg_py") is None:
        return "PNG needs the package resvg-py; install it with: pip install 'retree[png]' (SVG needs nothing)"
    if not _draws_words():
        return "PNG needs a font, and this machine has none; install one (such as Liberation), or export SVG"
    return ""


@cache
def _draws_words() -> bool:
    """Whether there is a font: without one, the library leaves out all text and says nothing."""
    import resvg_py

    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">{}</text></svg>'
    drawn = {bytes(resvg_py.svg_to_bytes(svg_string=svg.format(text))) for text in ("", "W")}
    return len(drawn) == 2


def export(what: Exported, to: str) -> bytes:
    """The file's content. Raises UsageError where the format needs what is not installed."""
    if missing(to):
        raise UsageError(missing(to))
    module, name = _WRITERS[to]
    writer: Writer = getattr(import_module(f"retree_viz.export.{module}"), name)
    return writer(what)


_WRITERS = {
    "html": ("page", "html"),
    "svg": ("picture", "svg"),
    "png": ("picture", "png"),
    "json": ("graphs", "node_link"),
    "graphml": ("graphs", "graphml"),
    "dot": ("graphs", "dot"),
    "otel": ("otel", "otlp"),
}
"""Format to the module and the function that write it; each is imported when it is asked for."""


def file_name(trace_name: str, moment: Moment, to: str) -> str:
    """A safe name for the file: letters, digits, dots, hyphens and underscores of the trace's own.

    >>> file_name("../my run?.jsonl", 12, "dot")
    'my_run-at12.dot'
    """
    stem = trace_name.removesuffix(ending_of(trace_name))
    kept = "".join(one if one.isascii() and (one.isalnum() or one in "-_.") else "_" for one in stem)
    return f"{kept.strip('._')[:80] or 'run'}-at{moment}{FORMATS[to].ending}"
