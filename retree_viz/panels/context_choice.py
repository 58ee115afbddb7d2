"""Why these facts are in a policy context and the others are not: their scores as recorded (section 4.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from retree_core import events as ev
from retree_core.memory import KEEPS_FACTS, Evidence
from retree_core.secrets import redact
from retree_core.state import active_path
from retree_core.text import count, tokens
from retree_core.trace.recorded import Ranking, context_ranking
from retree_core.why.checks import Place, placed
from retree_viz.html import Html, join, joined, spans, tag
from retree_viz.panels.pieces import chip, cut, said, section
from retree_viz.run import Run
from retree_viz.words import ref

LONGEST_FACT = 2000
"""Characters of a fact whose matching words are looked for; our own agents store 240."""
MOST_HIDDEN = 60
"""Facts not shown, or passages, that are named one by one."""


def chosen_evidence(run: Run, at: int, event: ev.ContextBuilt) -> Html:
    """The evidence of a context with each item's score, and what of the active path was left out."""
    state, settings = run.at(at), run.trace.header.settings
    if settings.agent not in KEEPS_FACTS:
        return _passages(event)
    path = active_path(state)
    if not event.evidence and not path:
        return section("Evidence shown", tag("p", "None: nothing had been found yet.", cls="mut"))
    ranking = context_ranking(run.trace, at)
    ids = frozenset(event.evidence)
    places = {one.id: one for one in placed(ranking, path, ids)}
    wanted = frozenset(token for text in (ranking.sought if ranking else ()) for token in tokens(text))
    shown = [state.evidence[one] for one in event.evidence if one in state.evidence]
    lost = [one for one in event.evidence if one not in state.evidence]
    return join(
        section(
            "Evidence shown",
            _sought(ranking),
            tag("ol", *(_shown(one, places.get(one.id), wanted) for one in shown), cls="ranked"),
            tag("p", "Not in the record: ", cut(", ".join(lost), 300), cls="mut") if lost else None,
            aside=f"{len(shown)} of {len(path)}, at most {settings.shown_evidence}",
        ),
        _hidden([one for one in path if one.id not in ids], places, tree=run.has_tree),
    )


def _passages(event: ev.ContextBuilt) -> Html:
    """What an agent without facts may name as support."""
    more = len(event.evidence) - MOST_HIDDEN
    named = joined(", ", map(ref, event.evidence[:MOST_HIDDEN])) if event.evidence else "none yet"
    return section(
        "Passages it can name",
        tag("p", named, f" and {more:,} more" if more > 0 else None),
        tag("p", "This agent keeps no facts: nothing is chosen, all that it keeps is shown.", cls="how"),
        aside=count(len(event.evidence), "passage"),
    )


def _sought(ranking: Ranking | None) -> Html:
    if ranking is None:
        return said("warning", "The scores were not recorded.", tone="refuse")
    _, *missing = ranking.sought
    named = tag("span", joined("; ", (cut(one, 160) for one in missing))) if missing else "nothing yet"
    return tag("p", "Scored by words shared with the question and with what was missing: ", named, ".", cls="how")


def _shown(one: Evidence, place: Place | None, wanted: frozenset[str]) -> Html:
    text = redact(one.text)[:LONGEST_FACT]
    if place is None or place.overlap is None:
        return tag("li", tag("b", "–", cls="score num"), chip(one), tag("span", text))
    by = ", ".join(sorted(wanted.intersection(tokens(text)))) or "no word in common"
    return tag(
        "li",
        tag("b", str(place.overlap), cls="score num", title=f"{count(place.overlap, 'word')} in common"),
        chip(one),
        tag("span", spans(text, _matches(text, wanted)), tag("span", cut(by, 300), cls="by")),
    )


def _matches(text: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    """Where words stand that count."""
    return [found.span() for found in re.finditer(r"\w[\w'’.,-]*\w|\w", text) if wanted.intersection(tokens(found[0]))]


def _hidden(rest: Sequence[Evidence], places: Mapping[str, Place], *, tree: bool) -> Html:
    """The rest of the active path, or list."""
    whole = "the active path" if tree else "the list"
    if not rest:
        return section("Not shown", tag("p", f"All of {whole} was shown.", cls="mut"))
    ordered = sorted(rest, key=lambda one: -(places[one.id].overlap or 0))
    chips = (
        tag("span", chip(one), tag("span", _why_hidden(places[one.id], places), cls="mut num"), cls="g")
        for one in ordered[:MOST_HIDDEN]
    )
    more = len(rest) - MOST_HIDDEN
    scored = any(places[one.id].overlap is not None for one in rest)
    return section(
        "Not shown",
        tag("div", *chips, cls="bl"),
        tag("p", f"and {count(more, 'more fact')}.", cls="mut") if more > 0 else None,
        aside=f"{count(len(rest), 'fact')} of {whole}{', words in common' if scored else ''}",
    )


def _why_hidden(one: Place, places: Mapping[str, Place]) -> str:
    if one.same_as is not None and places[one.same_as].shown:
        return "same text"
    return "" if one.overlap is None else str(one.overlap)
