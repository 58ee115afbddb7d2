"""Where the user is: which run, which moment, what is selected; and where a wish leads from there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from retree_viz.results import choice as choices
from retree_viz.results.choice import EVERYTHING, Choice

TABS = ("why", "node", "evidence", "calls", "context", "changes")
VIEWS = ("tree", "charts")
KINDS = ("pruned", "later", "passages")
"""What the tree can show or hide; the first two are shown unless the address says otherwise."""
SYNCS = ("search", "event", "claim")
UNITS = ("event", "search", "call")
SPEEDS = ("1", "0.5", "2", "5")
LANES = ("few", "all", "none")
MOST_BREAKPOINTS = 20
LONGEST = 1000
"""Characters of an address or id taken from the address bar; a file name has up to 255, a run lies in a few folders."""


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
    calls: str = ""
    """What the Calls tab lists: `all`, `marked` or a role, with a page as in `policy.2`; empty: those of the moment."""
    stubs: tuple[str, ...] = ()
    """Folded parts of the tree that were opened; not in the address."""
    shown: tuple[str, ...] = KINDS[:2]
    """What the tree's toggles show besides what is in force."""
    full: bool = False
    """Show the selected passage in full length; not in the address."""
    asking: bool = False
    """On the page that starts a run."""
    view: str = "tree"
    """What stands between timeline and answer."""
    unit: str = "event"
    """What one step of playing is."""
    speed: str = "1"
    """How many times faster than usual it plays."""
    lanes: str = "few"
    """Which facts have a lane on the timeline."""
    breakpoints: tuple[str, ...] = ()
    """Conditions to stop at, as `retree_core.breakpoints` reads them."""
    watch: str = ""
    """Id of the fact, node or claim whose changes are watched."""
    pair: str = ""
    """A second fact beside the selected one: why was there no backtrack between the two?"""
    base: int | None = None
    """The moment that the Changes tab compares with; None: the one before."""
    dialog: str = ""
    """The dialog that is open; not in the address."""
    against: str = ""
    """Address of a second run: the two side by side."""
    against_moment: int | None = None
    sync: str = "search"
    """How the two are kept in step."""
    results: str = ""
    """Address of a results folder: open itself, or where the open run was chosen."""
    choice: Choice = EVERYTHING
    """What the list of its runs shows."""

    def at(self, total: int) -> int:
        """The moment, within a run of `total` events."""
        return total if self.moment is None else max(min(1, total), min(self.moment, total))


NOWHERE = Place()
"""The gallery, where nothing is open."""


def number(text: str) -> int | None:
    """A whole number as the app writes it: ASCII digits, not many.

    >>> number("12"), number("²"), number("9" * 5000)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def one_of(names: tuple[str, ...], asked: str) -> str:
    """What was asked for, or the first of the names where it is none of them."""
    return asked if asked in names else names[0]


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
        case "shown":
            return replace(place, shown=kinds(what))
        case "full":
            return replace(place, full=True)
        case "unfold":
            return replace(place, stubs=(*place.stubs, what))
        case "call":
            return replace(place, tab="calls", call=number(what))
        case "calls":
            return replace(place, tab="calls", call=None, calls=what)
        case "again" | "call_json":
            return replace(place, tab="calls", call=number(what), dialog=verb)
        case "view":
            return replace(place, view=one_of(VIEWS, what))
        case "unit" if what in UNITS:
            return replace(place, unit=what)
        case "speed" if what in SPEEDS:
            return replace(place, speed=what)
        case "lanes" if what in LANES:
            return replace(place, lanes=what)
        case "dialog":
            return replace(place, dialog=what)
        case "break":
            return replace(place, breakpoints=_toggled(place.breakpoints, what.replace("|", " ").strip()))
        case "watch":
            return replace(place, watch="" if what == place.watch else what)
        case "pair":
            return _asking(place, what)
        case "base":
            return replace(place, base=number(what), tab="changes")
        case "compare":
            return replace(place, against=what, against_moment=None, dialog="")
        case "sync":
            return replace(place, sync=one_of(SYNCS, what))
        case "against":
            return replace(place, against_moment=number(what))
        case "both":
            ours, _, theirs = what.partition(",")
            return replace(place, moment=number(ours), against_moment=number(theirs))
        case "swap" if place.against:
            return replace(_across(place), run=place.against, against=place.run)
        case "open":
            return _elsewhere(place, run=what)
        case "results":
            return _elsewhere(place, results=what or place.results, choice=EVERYTHING if what else place.choice)
        case "list":
            return replace(place, choice=choices.changed(place.choice, what))
        case "result":
            return _elsewhere(place, run=what, results=place.results, choice=replace(place.choice, row=what))
        case "ask":
            return _elsewhere(place, asking=True)
        case "gallery":
            return _elsewhere(place)
        case _:
            return place


def _elsewhere(before: Place, **there: Any) -> Place:
    """Another place, in which the user moves as before."""
    return Place(unit=before.unit, speed=before.speed, lanes=before.lanes, **there)


def _asking(place: Place, what: str) -> Place:
    """A question about the selected fact and another one; `e1 e7` chooses both, the same one again ends it."""
    first, _, second = what.rpartition(" ")
    same = second == place.pair and not first
    return replace(place, selected=first or place.selected, pair="" if same else second, tab="why")


def _across(place: Place) -> Place:
    """The moments of two runs, and what is selected, changed over."""
    side, dot, id_ = place.selected.partition(".")
    selected = {"a": f"b.{id_}", "b": f"a.{id_}"}.get(side, "") if dot else ""
    return replace(place, moment=place.against_moment, against_moment=place.moment, selected=selected, stubs=())


def kinds(text: str) -> tuple[str, ...]:
    """The kinds in a list such as `pruned,later`, in their order."""
    named = text.split(",")
    return tuple(one for one in KINDS if one in named)


def _toggled(known: tuple[str, ...], one: str) -> tuple[str, ...]:
    """The breakpoints without `one`, or with it where it was not there; at most MOST_BREAKPOINTS."""
    if not one or one in known:
        return tuple(each for each in known if each != one)
    return (*known, one)[-MOST_BREAKPOINTS:]


_TAB_OF = {"n": "node", "r": "node", "s": "node", "e": "evidence", "p": "evidence"}
"""First letter of an id to the tab that shows it; claims leave the tab as it is."""


def _selecting(place: Place, what: str) -> Place:
    if not what:
        return replace(place, selected="", pair="", call=None)
    if what == place.selected and what.startswith("c"):
        return replace(place, selected="", pair="")
    pair = place.pair if what == place.selected else ""
    return replace(place, selected=what, pair=pair, full=False, tab=_TAB_OF.get(what[:1], place.tab), call=None)
