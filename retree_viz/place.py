"""Where the user is: which run, which moment, what is selected. The same in the session and in the address bar."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

TABS = ("why", "node", "evidence", "calls")
LONGEST = 300
"""Characters of an address or id taken from the address bar; a file name has up to 255."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A spot in the app; the default is the gallery."""

    run: str = ""
    """Address of the open run (`SHELF/FILE`); empty in the gallery."""
    moment: int | None = None
    """None: the last one, and stay there while the run grows."""
    selected: str = ""
    """Id of a node, fact, passage or claim; `s6` is search 6, `answer` the answer."""
    tab: str = "why"
    call: int | None = None
    """A call to show alone on the Calls tab."""
    stubs: tuple[str, ...] = ()
    """Folded parts of the tree that were opened; not in the address."""
    full: bool = False
    """Show the selected passage in full length; not in the address."""
    asking: bool = False
    """On the page that starts a run."""

    def at(self, total: int) -> int:
        """The moment, within a run of `total` events."""
        return total if self.moment is None else max(min(1, total), min(self.moment, total))


def number(text: str) -> int | None:
    """A whole number as the app writes it: ASCII digits, not many.

    >>> number("12"), number("²"), number("9" * 5000)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def from_query(query: Mapping[str, str]) -> Place:
    """The place that an address names; whatever makes no sense in it is left out.

    >>> from_query({"run": "samples/a.jsonl", "moment": "7", "sel": "e3"}).moment
    7
    """
    moment = query.get("moment", "")
    tab = query.get("tab", "")
    return Place(
        run=query.get("run", "")[:LONGEST],
        moment=number(moment),
        selected=query.get("sel", "")[:LONGEST],
        tab=tab if tab in TABS else "why",
        asking=query.get("page") == "ask",
    )


def to_query(place: Place) -> dict[str, str]:
    """The query that leads back to a place."""
    if not place.run:
        return {"page": "ask"} if place.asking else {}
    query = {"run": place.run}
    if place.moment is not None:
        query["moment"] = str(place.moment)
    if place.selected:
        query["sel"] = place.selected
    if place.tab != "why":
        query["tab"] = place.tab
    return query


def moved(place: Place, wish: str, total: int = 0) -> Place:
    """The place after the user asked for `VERB:WHAT`; unknown wishes change nothing.

    >>> moved(Place(run="samples/a"), "select:n2").tab
    'node'
    """
    verb, _, what = wish.partition(":")
    what = what[:LONGEST]
    match verb:
        case "go":
            asked = number(what)
            moment = place.moment if asked is None else asked
            return replace(
                place, moment=None if total and moment is not None and moment >= total else moment, call=None
            )
        case "select":
            return _selecting(place, what)
        case "tab":
            return replace(place, tab=what if what in TABS else place.tab, call=None)
        case "full":
            return replace(place, full=True)
        case "unfold":
            return replace(place, stubs=(*place.stubs, what))
        case "call":
            return replace(place, tab="calls", call=number(what))
        case "open":
            return Place(run=what)
        case "ask":
            return Place(asking=True)
        case "gallery":
            return Place()
        case _:
            return place


_TAB_OF = {"n": "node", "r": "node", "s": "node", "e": "evidence", "p": "evidence"}
"""First letter of an id to the tab that shows it; claims leave the tab as it is."""


def _selecting(place: Place, what: str) -> Place:
    if not what:
        return replace(place, selected="", call=None)
    if what == place.selected and what.startswith("c"):
        return replace(place, selected="")
    return replace(place, selected=what, full=False, tab=_TAB_OF.get(what[:1], place.tab), call=None)


def read(session: MutableMapping[Any, Any], query: Mapping[str, str]) -> Place:
    """The session's place; a new session takes it from the address bar."""
    if "place" not in session:
        session["place"] = from_query(query)
    found: Place = session["place"]
    return found
