"""A place in the address bar: read out of a query, and written as one."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import replace
from typing import Any

from retree_viz.place import (
    KINDS,
    LANES,
    LONGEST,
    MOST_BREAKPOINTS,
    NOWHERE,
    SPEEDS,
    SYNCS,
    TABS,
    UNITS,
    VIEWS,
    Place,
    kinds,
    number,
    one_of,
)
from retree_viz.results import choice as choices
from retree_viz.results.choice import EVERYTHING

WISHED, WRITTEN = "wished", "written"
"""Names in the session: whether a wish was carried out since the page was drawn, and the query in the address bar."""


def read(session: MutableMapping[Any, Any], query: Mapping[str, str], first: Place = NOWHERE) -> Place:
    """The session's place; a new session takes it from the address bar, or begins at `first` where that names none.

    The address bar counts again when it holds something else than the app wrote there, and no wish was carried out
    since then: the user went back or on in the browser.
    """
    wished, known = session.pop(WISHED, False), session.get(WRITTEN)
    if "place" not in session:
        named = from_query(query)
        session["place"] = first if named == NOWHERE else named
    elif known is not None and not wished and dict(query) != known:
        session["place"] = _returned(session["place"], from_query(query))
    found: Place = session["place"]
    return found


def _returned(before: Place, named: Place) -> Place:
    """A place gone back to; in the list that a run was opened from, that run is still the chosen row."""
    row = before.choice.row
    if not row or named.results != before.results or named.choice.row:
        return named
    return replace(named, choice=replace(named.choice, row=row, picked=before.choice.picked))


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
        call=number(query.get("call", "")),
        calls=query.get("calls", "")[:LONGEST],
        shown=_shown(query.get("hide", ""), query.get("show", "")),
        asking=query.get("page") == "ask",
        view=one_of(VIEWS, query.get("view", "")),
        unit=one_of(UNITS, query.get("unit", "")),
        speed=one_of(SPEEDS, query.get("speed", "")),
        lanes=one_of(LANES, query.get("lanes", "")),
        breakpoints=tuple(filter(None, query.get("break", "")[: 10 * LONGEST].split("|")))[:MOST_BREAKPOINTS],
        watch=query.get("watch", "")[:LONGEST],
        pair=query.get("pair", "")[:LONGEST],
        base=number(query.get("base", "")),
        against=query.get("against", "")[:LONGEST],
        against_moment=number(query.get("against_moment", "")),
        sync=one_of(SYNCS, query.get("sync", "")),
        results=query.get("results", "")[:LONGEST],
        choice=choices.from_query(query) if query.get("results") else EVERYTHING,
    )


def _shown(hide: str, show: str) -> tuple[str, ...]:
    hidden = kinds(hide)
    return tuple(one for one in KINDS if one in kinds(show) or (one in KINDS[:2] and one not in hidden))


def to_query(place: Place) -> dict[str, str]:
    """The query that leads back to a place."""
    if not place.run:
        return {"page": "ask"} if place.asking else _results_query(place)
    query = {"run": place.run}
    if place.moment is not None:
        query["moment"] = str(place.moment)
    if place.selected:
        query["sel"] = place.selected
    others: dict[str, str | int | None] = {
        "tab": _unusual(TABS, place.tab),
        "call": place.call,
        "calls": place.calls,
        "view": _unusual(VIEWS, place.view),
        "unit": _unusual(UNITS, place.unit),
        "speed": _unusual(SPEEDS, place.speed),
        "lanes": _unusual(LANES, place.lanes),
        "break": "|".join(place.breakpoints),
        "hide": ",".join(one for one in KINDS[:2] if one not in place.shown),
        "show": ",".join(one for one in KINDS[2:] if one in place.shown),
        "watch": place.watch,
        "pair": place.pair,
        "base": place.base,
        "against": place.against,
        "against_moment": place.against_moment if place.against else None,
        "sync": _unusual(SYNCS, place.sync) if place.against else "",
    }
    told = {name: str(value) for name, value in others.items() if value not in ("", None)}
    return query | told | _results_query(place)


def _results_query(place: Place) -> dict[str, str]:
    return {"results": place.results, **choices.to_query(place.choice)} if place.results else {}


def _unusual(names: tuple[str, ...], chosen: str) -> str:
    """The choice, or nothing where it is the first, which no address has to say."""
    return chosen if chosen != names[0] else ""
