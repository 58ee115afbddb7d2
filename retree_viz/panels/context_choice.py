"""Why these facts are in a policy context and the others are not: the top-k of section 4.2, done again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from retree_core.agents.memory import relevant

from retree_core import events as ev
from retree_core.memory import KEEPS_FACTS, Evidence
from retree_core.secrets import redact
from retree_core.state import State, active_path
from retree_core.text import LONGEST_READ, comparable, count, tokens
from retree_viz.html import Html, join, joined, spans, tag
from retree_viz.panels.pieces import chip, cut, said, section
from retree_viz.panels.seen import Seen
from retree_viz.run import Run
from retree_viz.words import ref

LONGEST_FACT = 2000
"""Characters of a fact whose matching words are looked for; our own agents store 240."""
MOST_HIDDEN = 60
"""Facts not shown, or passages, that are named one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The words that evidence is chosen by."""

    question: frozenset[str]
    missing: frozenset[str]

    @property
    def every(self) -> frozenset[str]:
        return self.question | self.missing

    def score(self, text: str) -> int:
        """How many wanted words a text has, as `retree_core.text.top_k` counts them."""
        return len(self.words_in(text))

    def words_in(self, text: str) -> frozenset[str]:
        """The wanted words that a text has."""
        return self.every.intersection(tokens(text[:LONGEST_READ]))


def chosen_evidence(run: Run, at: int, event: ev.ContextBuilt, seen: Seen) -> Html:
    """The evidence of a context with each item's score, and what of the active path was left out."""
    state, settings = run.at(at), run.trace.header.settings
    if settings.agent not in KEEPS_FACTS:
        return _passages(event)
    path = active_path(state)
    if not event.evidence and not path:
        return section("Evidence shown", tag("p", "None: nothing had been found yet.", cls="mut"))
    wanted = Wanted(question=_tokens([state.question]), missing=_tokens(seen.missing))
    shown = [state.evidence[one] for one in event.evidence if one in state.evidence]
    lost = [one for one in event.evidence if one not in state.evidence]
    k = settings.shown_evidence
    return join(
        section(
            "Evidence shown",
            _wanted(seen),
            tag("ol", *(_shown(one, wanted) for one in shown), cls="ranked"),
            tag("p", "Not in the record: ", cut(", ".join(lost), 300), cls="mut") if lost else None,
            _check(state, event, seen, k),
            aside=f"{len(shown)} of {len(path)}, at most {k}",
        ),
        _hidden(path, shown, wanted, tree=run.has_tree),
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


def _tokens(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(token for text in texts for token in tokens(text))


def _wanted(seen: Seen) -> Html:
    missing = tag("span", joined("; ", (cut(one, 160) for one in seen.missing))) if seen.missing else "nothing yet"
    return tag("p", "Scored by words shared with the question and with what was missing: ", missing, ".", cls="how")


def _shown(one: Evidence, wanted: Wanted) -> Html:
    score = wanted.score(one.text)
    found = sorted(wanted.words_in(one.text))
    by = "no word in common" if not found else ", ".join(found)
    mark = tag("b", str(score), cls="score num", title=f"{count(score, 'word')} in common")
    text = redact(one.text)[:LONGEST_FACT]
    return tag(
        "li",
        mark,
        chip(one),
        tag("span", spans(text, _matches(text, wanted.every)), tag("span", cut(by, 300), cls="by")),
    )


def _matches(text: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    """Where words stand that count."""
    return [found.span() for found in re.finditer(r"\w[\w'’.,-]*\w|\w", text) if wanted.intersection(tokens(found[0]))]


def _check(state: State, event: ev.ContextBuilt, seen: Seen, k: int) -> Html:
    """Whether the choice, done again now, gives what the record says."""
    if any(len(one.text) > LONGEST_READ for one in active_path(state)):
        return said(
            "warning", f"Not chosen again: only {LONGEST_READ:,} characters of a fact are read here.", tone="refuse"
        )
    again = tuple(one.id for one in relevant(state, [state.question, *seen.missing], k))
    if again == event.evidence:
        return said("check", "Chosen again from the record: the same, in the same order.", tone="repair")
    instead = redact(", ".join(again))[:300] or "nothing"
    return said("warning", f"Chosen again from the record it would be {instead}.", tone="refuse")


def _hidden(path: Iterable[Evidence], shown: list[Evidence], wanted: Wanted, *, tree: bool) -> Html | None:
    """The rest of the active path, or list."""
    whole = "the active path" if tree else "the list"
    ids = {one.id for one in shown}
    texts = {comparable(one.text) for one in shown}
    rest = [one for one in path if one.id not in ids]
    if not rest:
        return section("Not shown", tag("p", f"All of {whole} was shown.", cls="mut"))
    rest.sort(key=lambda one: -wanted.score(one.text))
    chips = (
        tag("span", chip(one), tag("span", _why_hidden(one, wanted, texts), cls="mut num"), cls="g")
        for one in rest[:MOST_HIDDEN]
    )
    more = len(rest) - MOST_HIDDEN
    return section(
        "Not shown",
        tag("div", *chips, cls="bl"),
        tag("p", f"and {count(more, 'more fact')}.", cls="mut") if more > 0 else None,
        aside=f"{count(len(rest), 'fact')} of {whole}, words in common",
    )


def _why_hidden(one: Evidence, wanted: Wanted, texts: set[str]) -> str:
    return "same text" if comparable(one.text) in texts else str(wanted.score(one.text))
