"""The blast radius of an edit: figures, chips, and what follows from the record alone."""

from __future__ import annotations

from itertools import islice

from retree_core.secrets import redact
from retree_core.state import apply
from retree_core.text import count
from retree_core.why.blast import Blast, Reach
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.pieces import cut
from retree_viz.run import Run
from retree_viz.words import plain, sentence

MOST_CHIPS = 40
MOST_EVENTS = 6


def blast(run: Run, one: Blast) -> Html:
    """What falls, what comes back, and how far the record answers."""
    refused = (
        tag("p", icon("warning", "s"), " The engine will not take this fact: ", cut(each, 300), cls="refused")
        for each in one.refused
    )
    repair = _group("Pruned by the repair", f"at {one.introducer}", run, one.pruned, on="rests on what it changes")
    back = _group("Comes back", "the repair that pruned it is not made", run, one.back, "fresh")
    after = f"everything after event {one.shared_events}"
    return tag(
        "div",
        *refused,
        repair if one.introducer else None,
        back if one.back != Reach() else None,
        _group("Falls and is made again", after, run, one.falls, rests=one.depends),
        _alone(run, one),
        cls="radius",
    )


def _group(
    title: str, why: str, run: Run, reach: Reach, cls: str = "ghost", *, on: str = "", rests: Reach | None = None
) -> Html:
    """Figures and chips of one reach; `on` says what its claims do; what is not in `rests` is dotted."""
    figures = tag(
        "div",
        _figure(len(reach.nodes), "node"),
        _figure(len(reach.facts), "fact"),
        _figure(len(reach.claims), "claim", on) if reach.claims or cls == "ghost" else None,
        cls="blast",
    )
    head = tag("h4", title, tag("span", why, cls="aside"))
    chips = _chips(run, reach, cls, rests)
    return tag("div", head, figures, chips, _resting(reach, rests), _texts(run, reach.facts), cls="reach")


def _figure(number: int, name: str, more: str = "") -> Html:
    words = f"{name} {more}" if number == 1 else f"{name}s {more.replace('rests', 'rest', 1)}"
    return tag("span", tag("b", f"{number:,}", cls="num"), words.rstrip())


def _chips(run: Run, reach: Reach, cls: str, rests: Reach | None) -> Html | None:
    named = [*reach.nodes, *reach.facts, *(f"c{number}" for number in reach.claims)]
    resting = {*rests.nodes, *rests.facts, *(f"c{number}" for number in rests.claims)} if rests else set(named)
    chips = (
        tag("span", one, cls=f"chip {cls if one in resting else 'aside'}", title=_text(run, one))
        for one in named[:MOST_CHIPS]
    )
    rest = tag("span", f"and {len(named) - MOST_CHIPS:,} more", cls="mut") if len(named) > MOST_CHIPS else None
    return tag("div", *chips, rest, cls="bl") if named else None


def _texts(run: Run, facts: tuple[str, ...]) -> Html | None:
    """What the facts of a reach say, to be opened."""
    if not facts:
        return None
    head = tag("summary", "What the facts say" if len(facts) > 1 else "What the fact says")
    lines = (
        tag("li", tag("span", one, cls="chip"), tag("span", cut(_text(run, one), 300))) for one in facts[:MOST_CHIPS]
    )
    return tag("details", head, tag("ul", *lines, cls="facts"), cls="more")


def _text(run: Run, id_: str) -> str:
    if (fact := run.last.evidence.get(id_)) is not None:
        return redact(fact.text)[:300]
    node = run.last.nodes.get(id_)
    return redact(node.query)[:300] if node else ""


def _resting(reach: Reach, rests: Reach | None) -> Html | None:
    """What the dotted chips are, where there are some."""
    if rests is None or rests == reach:
        return None
    return tag("p", "Dotted: does not rest on what is edited, and may come out alike.", cls="mut")


def _alone(run: Run, one: Blast) -> Html:
    """The fork's first events, which are certain, and what it then needs."""
    state, lines = run.at(one.shared_events), []
    for number, event in enumerate(islice(one.made, MOST_EVENTS), one.shared_events + 1):
        state = apply(state, event)
        words = cut(plain(sentence(event, state)), 200)
        mark = tag("span", icon(of_event(event.kind), "s"), cls=tone(event.kind))
        lines.append(tag("li", tag("span", str(number), cls="at"), mark, tag("span", words)))
    more = len(one.made) - len(lines)
    shared = f"{count(one.shared_events, 'event')} and {count(one.shared_calls, 'call')} are shared"
    return tag(
        "div",
        tag("h4", "Certain from the record", tag("span", shared, cls="aside")),
        tag("ol", *lines, cls="hist") if lines else None,
        tag("p", f"and {count(more, 'event')} more", cls="mut") if more else None,
        tag("p", *_needs(one), cls="needs"),
        cls="reach",
    )


def _needs(one: Blast) -> tuple[Child, ...]:
    if not one.needs:
        return icon("check", "s"), " The record answers to the end of the fork; no model is needed."
    call = "a search" if one.needs == "search" else f"a model ({one.needs})"
    at = one.shared_events + len(one.made)
    return icon("live", "s"), join(" The record answers up to event ", tag("b", str(at)), f"; then {call} is needed.")
