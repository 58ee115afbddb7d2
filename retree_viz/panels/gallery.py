"""The gallery: one card a run, and what to do where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from retree_core.text import count
from retree_core.trace.records import ForkOrigin
from retree_viz.html import Child, Html, tag, visible
from retree_viz.panels.bar import agent_name, answered_by, brand
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, empty, flag
from retree_viz.runs import Card

PAGE = 60
"""Cards shown of a shelf at once."""


def top(*, uploading: bool = False) -> Html:
    """The bar above the gallery; `uploading`: the place to drop a trace on is shown."""
    ask = tag("button", icon("live"), "New run", type="button", cls="btn primary", data_do="ask:")
    upload = tag(
        "button",
        icon("upload"),
        "Open a file",
        type="button",
        cls="btn",
        data_do="upload:",
        aria_expanded="true" if uploading else "false",
    )
    return tag(
        "div",
        brand(),
        tag("span", cls="vr"),
        tag("span", "Evidence trees, step by step", cls="sub"),
        tag("span", cls="sp"),
        upload,
        ask,
        cls="topbar",
    )


def shelf(
    title: str,
    where: str,
    cards: Sequence[Card],
    advice: str,
    *,
    total: int | None = None,
    page: int = 0,
    names: Mapping[str, str] | None = None,
    mark: str = "folder",
    noted: Mapping[str, int] | None = None,
) -> Html:
    """One group of runs, forks after their parents; `names` gives the file of a run by its id, `noted` how many notes
    and labels there are on the run at an address."""
    total = len(cards) if total is None else total
    head = tag(
        "h2", title, tag("span", count(total, "run"), cls="mut"), tag("span", icon(mark, "s"), where, cls="where")
    )
    if not cards:
        return tag("section", head, empty("No runs here yet.", advice), cls="shelf")
    whole = _forks_last(one for one in cards if not one.trouble)
    broken = [one for one in cards if one.trouble]
    return tag(
        "section",
        head,
        tag("div", *(run_card(one, names or {}, (noted or {}).get(one.address, 0)) for one in whole), cls="cards"),
        _broken(broken),
        _pager(title, len(cards), total, page),
        cls="shelf",
    )


def _pager(title: str, shown: int, total: int, page: int) -> Html | None:
    if total <= PAGE:
        return None
    first = page * PAGE + 1
    words = tag("span", f"{first:,} to {first + shown - 1:,} of {total:,}")
    back = tag("button", "Newer", type="button", cls="btn", data_do=f"page:{page - 1}", disabled=page == 0)
    on = tag("button", "Older", type="button", cls="btn", data_do=f"page:{page + 1}", disabled=first + shown > total)
    return tag("nav", back, words, on, cls="pager", aria_label=f"pages of {title}")


def _forks_last(cards: Iterable[Card]) -> list[Card]:
    """The cards in their order, but forks right after the run they were made from, and forks of forks after those."""
    every = list(cards)
    known = {one.run_id for one in every if one.run_id}
    found: list[Card] = []
    waiting = [one for one in reversed(every) if one.fork is None or one.fork.run_id not in known - {one.run_id}]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.append(one)
            waiting += [each for each in reversed(every) if each.fork and each.fork.run_id == one.run_id]
    return [*found, *(one for one in every if one not in found)]


def run_card(one: Card, names: Mapping[str, str], notes: int = 0) -> Html:
    """A run as a card that opens it."""
    return tag(
        "button",
        tag("span", cut(one.question or "(no question)", 300), cls="question"),
        tag("span", tag("span", "Answer ", cls="mut"), cut(one.answer, 140), cls="answer") if one.answer else None,
        _fork(one.fork, names) if one.fork else None,
        tag("span", *_tags(one), cls="tags"),
        tag("span", *_figures(one), _notes(notes), cls="figures"),
        tag("span", tag("span", one.address.partition("/")[2], cls="mono"), tag("span", size(one.size)), cls="file"),
        type="button",
        cls="card",
        data_do=f"open:{one.address}",
    )


def _fork(fork: ForkOrigin, names: Mapping[str, str]) -> Html:
    """Which run a fork was made from, and how it differs."""
    parent = names.get(fork.run_id) or f"run {visible(fork.run_id)[:16]}"
    words = tag("span", "Fork of ", tag("b", cut(parent, 120)), f" after event {fork.moment}: ", cut(fork.edit, 160))
    return tag("span", icon("fork", "s"), words, cls="forked")


_STANDING = {
    "answered": ("check", "ok"),
    "budget_exhausted": ("clock", "bad"),
    "": ("dash", "bad"),
    "running": ("live", "live"),
    "paused": ("pause", "live"),
}
"""Icon and colour of how a run stands."""


def _tags(one: Card) -> list[Child]:
    mark, cls = _STANDING.get(one.status, ("warning", "bad"))
    status = one.status.replace("_", " ") or "unfinished"
    return [
        tag("span", icon(mark, "s"), status, cls=f"tag {cls}"),
        tag("span", agent_name(one.agent), cls="tag") if one.agent else None,
        tag("span", tag("span", answered_by(one.recorded_with)), cls="tag by", title=visible(one.recorded_with)[:300])
        if one.recorded_with
        else None,
        flag("warning", count(one.damaged, "damaged record")) if one.damaged else None,
    ]


def _figures(one: Card) -> list[Child]:
    return [
        tag("span", icon("search", "s"), count(one.searches, "search", "searches"))
        if one.events and one.agent != "imported"
        else None,
        tag("span", icon("repair", "s"), count(one.repairs, "repair"), cls="repair") if one.repairs else None,
        tag("span", icon("cut", "s"), f"{one.pruned} pruned") if one.pruned else None,
        tag("span", icon("conflict", "s"), f"{one.rejected} rejected", cls="refuse") if one.rejected else None,
        tag("span", icon("stop", "s"), f"{one.refused} refused", cls="refuse") if one.refused else None,
    ]


def _notes(number: int) -> Html | None:
    return tag("span", icon("pen", "s"), count(number, "note"), cls="focus") if number else None


def _broken(broken: Sequence[Card]) -> Html | None:
    if not broken:
        return None
    lines = (
        tag("li", tag("span", one.address.partition("/")[2], cls="mono"), tag("span", one.trouble)) for one in broken
    )
    return tag(
        "div",
        tag("h3", icon("warning", "s"), f"{count(len(broken), 'file')} that cannot be shown"),
        tag("ul", *lines),
        cls="broken",
    )


def size(bytes_: int) -> str:
    """
    >>> size(900), size(48_500), size(3_200_000)
    ('900 B', '48 kB', '3.2 MB')
    """
    if bytes_ < 1000:
        return f"{bytes_} B"
    return f"{bytes_ // 1000} kB" if bytes_ < 1_000_000 else f"{bytes_ / 1_000_000:.1f} MB"


def trouble(message: str) -> Html:
    """Why the page that was asked for cannot be shown."""
    return tag("div", icon("warning"), tag("span", message), cls="notice alone", role="alert")
