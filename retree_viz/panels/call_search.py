"""One search call: the query, what was found, and which passage each hit became."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.calls import CallFailed, SearchCall, SearchReply
from retree_core.text import count
from retree_core.why.calls import CallLine
from retree_core.why.hits import HitFate, hit_fates
from retree_viz.html import Child, Html, join, joined, link, tag
from retree_viz.panels.call_one import as_file, led_to, seconds, tries
from retree_viz.panels.call_text import as_json, folded
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, flag, rows
from retree_viz.panels.ways import to_moment
from retree_viz.run import Run
from retree_viz.words import ref

MOST_HITS = 50
"""Hits that are shown one by one."""
HIT = 600
"""Characters shown of a hit."""


def search_call(run: Run, line: CallLine) -> Html:
    """All of one search call."""
    call, reply = line.record.call, line.record.reply
    assert isinstance(call, SearchCall)
    asked = rows(
        [
            ("Query", tag("b", cut(call.query, 2000))),
            ("Wanted", f"at most {count(call.limit, 'passage')}"),
            ("Seconds", seconds(line)),
            ("Sent at", line.record.at or None),
            ("Led to", led_to(run, line)),
            ("Served again", _served_again(run, line)),
        ]
    )
    if isinstance(reply, CallFailed):
        failure = flag("cross", reply.failure.replace("_", " "), "conflict")
        return join(tries(line), asked, tag("h4", "No reply"), failure, tag("pre", cut(reply.message)))
    assert isinstance(reply, SearchReply)
    raw = folded("Response body", as_json(reply.raw), line.number) if reply.raw is not None else None
    return join(tries(line), asked, _hits(run, line, reply), raw, tag("div", as_file(line.number), cls="acts"))


def _hits(run: Run, line: CallLine, reply: SearchReply) -> Html:
    event = run.event(line.moment) if line.moment else None
    found = event if isinstance(event, ev.PassagesRetrieved) else None
    fates = hit_fates(reply, found, run.at((line.moment or 1) - 1).passages)
    taken = sum(bool(one.passage) and not one.left_out for one in fates)
    more = len(fates) - MOST_HITS
    return tag(
        "div",
        tag("h4", count(len(fates), "hit"), tag("span", f"{taken} of them became passages", cls="aside")),
        tag("ol", *map(_hit, fates[:MOST_HITS]), cls="hits") if fates else tag("p", "Nothing was found.", cls="mut"),
        tag("p", f"{more:,} more are in the JSON.", cls="mut") if more > 0 else None,
        cls="part",
    )


def _hit(fate: HitFate) -> Html:
    hit = fate.hit
    address = link(hit.url) if hit.url else tag("span", "no address", cls="none")
    return tag(
        "li",
        tag("div", tag("b", cut(hit.title or "(no title)", 300)), _became(fate), cls="hit-head"),
        tag(
            "div", address, tag("span", cut(hit.published, 60) if hit.published else "no date", cls="num"), cls="origin"
        ),
        tag("p", cut(hit.text, HIT)),
        cls="left-out" if fate.left_out else "",
    )


def _became(fate: HitFate) -> Html:
    if fate.left_out:
        repeats = join(f"{fate.left_out}, ", ref(fate.passage)) if fate.passage else fate.left_out
        return tag("span", icon("dash", "s"), "left out: ", repeats, cls="became mut")
    known = " again" if fate.known else ""
    return tag("span", "became " if not known else "is ", ref(fate.passage), known, cls="became")


def _served_again(run: Run, line: CallLine) -> Child:
    """Later searches of the same query, which made no call of their own."""
    search = search_of(run, line)
    later = [
        to_moment(moment, f"search {event.search}")
        for moment, event in enumerate(run.events, 1)
        if isinstance(event, ev.PassagesRetrieved) and search is not None and event.repeat_of == search
    ]
    return join("in ", joined(", ", later)) if later else None


def search_of(run: Run, line: CallLine) -> int | None:
    """Number of the search that a search call was made for."""
    event = run.event(line.moment) if line.moment else None
    return event.search if isinstance(event, ev.PassagesRetrieved | ev.SearchFailed) else None


def call_of_search(run: Run, search: int) -> int | None:
    """Number of the call that a search made; None for one served from the record."""
    return next((one.number for one in run.call_lines if one.role == "search" and search_of(run, one) == search), None)
