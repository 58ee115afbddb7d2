"""The pages that an agent without facts has read, by the search that found each first."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.memory import Passage
from retree_core.secrets import redact
from retree_viz.html import Html, link, tag
from retree_viz.memory.pieces import classes, marked, rest, window
from retree_viz.panels.pieces import cut, empty, table
from retree_viz.run import Run
from retree_viz.words import ref

COLUMNS = ("id", "page, in the order it was read", "from", "search")


def pages(run: Run, moment: int, chosen: str) -> Html:
    """The visited pages as of a moment; those still to come are dimmed below them."""
    every = list(run.last.passages.values())
    if not every:
        return empty("No page is read in this run.", "Its searches found nothing.")
    event = run.event(moment)
    now = {one.id for one in event.passages} if isinstance(event, ev.PassagesRetrieved) else set()
    found = found_by(run)
    known = run.at(moment).passages
    here = next((place for place, one in enumerate(every) if one.id in now), len(known))
    shown = window(every, here)
    lines = (
        _page(one, found.get(one.id), moment, on=one.id == chosen, later=one.id not in known, now=one.id in now)
        for one in shown
    )
    return tag("div", table(COLUMNS, lines), rest(len(shown), len(every)), cls="flat pages")


def found_by(run: Run) -> dict[str, int]:
    """Passage to the search that found it first."""
    found: dict[str, int] = {}
    for search in run.last.searches:
        for id_ in search.passages:
            found.setdefault(id_, search.number)
    return found


def _page(one: Passage, search: int | None, moment: int, *, on: bool, later: bool, now: bool) -> Html:
    return tag(
        "tr",
        tag("td", marked(now), ref(one.id)),
        tag("td", cut(one.title or redact(one.text)[:120], 300)),
        tag("td", link(one.url) if one.url else tag("span", "no address", cls="mut")),
        tag("td", ref(f"s{search}", str(search)) if search else None),
        cls=classes(on=on, later=later, now=now),
        data_here=f"{moment} {one.id}" if now else None,
    )
