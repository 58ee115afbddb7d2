"""The gallery: one card a run, and what to do where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from retree_viz.html import Child, Html, tag
from retree_viz.panels.bar import agent_name, brand
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, empty, flag
from retree_viz.runs import Card
from retree_viz.words import count

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
    title: str, where: str, cards: Sequence[Card], advice: str, *, total: int | None = None, page: int = 0
) -> Html:
    """One group of runs."""
    total = len(cards) if total is None else total
    head = tag(
        "h2", title, tag("span", count(total, "run"), cls="mut"), tag("span", icon("folder", "s"), where, cls="where")
    )
    if not cards:
        return tag("section", head, empty("No runs here yet.", advice), cls="shelf")
    whole = [one for one in cards if not one.trouble]
    broken = [one for one in cards if one.trouble]
    return tag(
        "section",
        head,
        tag("div", *(run_card(one) for one in whole), cls="cards"),
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


def run_card(one: Card) -> Html:
    """A run as a card that opens it."""
    return tag(
        "button",
        tag("span", cut(one.question or "(no question)", 300), cls="question"),
        tag("span", tag("span", "Answer ", cls="mut"), cut(one.answer, 140), cls="answer") if one.answer else None,
        tag("span", *_tags(one), cls="tags"),
        tag("span", *_figures(one), cls="figures"),
        tag("span", tag("span", one.address.partition("/")[2], cls="mono"), tag("span", size(one.size)), cls="file"),
        type="button",
        cls="card",
        data_do=f"open:{one.address}",
    )


def _tags(one: Card) -> list[Child]:
    good = one.status == "answered"
    mark = "check" if good else "clock" if one.status == "budget_exhausted" else "dash" if not one.status else "warning"
    status = one.status.replace("_", " ") or "not ended"
    scripted = one.recorded_with.strip().lower().startswith("scripted")
    return [
        tag("span", icon(mark, "s"), status, cls="tag ok" if good else "tag bad"),
        tag("span", agent_name(one.agent), cls="tag") if one.agent else None,
        tag("span", "scripted" if scripted else cut(one.recorded_with, 60), cls="tag", title=one.recorded_with[:300])
        if one.recorded_with
        else None,
        tag("span", "fork", cls="tag") if one.forked else None,
        flag("warning", count(one.damaged, "damaged record")) if one.damaged else None,
    ]


def _figures(one: Card) -> list[Child]:
    return [
        tag("span", icon("search", "s"), count(one.searches, "search", "searches")) if one.events else None,
        tag("span", icon("repair", "s"), count(one.repairs, "repair"), cls="repair") if one.repairs else None,
        tag("span", icon("cut", "s"), f"{one.pruned} pruned") if one.pruned else None,
        tag("span", icon("conflict", "s"), f"{one.rejected} rejected", cls="refuse") if one.rejected else None,
        tag("span", icon("stop", "s"), f"{one.refused} refused", cls="refuse") if one.refused else None,
    ]


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
