"""A passage with every span that was quoted from it, and all facts and claims of the run that rest on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from retree_core.memory import Evidence, Passage
from retree_core.state import State
from retree_core.why.standing import fate_words
from retree_viz import dossier
from retree_viz.html import Html, join, tag, text
from retree_viz.panels.pieces import LONG, chip, cut, cut_note, excerpt, flag, heading, section
from retree_viz.panels.ways import way
from retree_viz.run import Run
from retree_viz.words import ref

MOST_FACTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A span that a revision of a fact quotes from the passage."""

    fact: Evidence
    revision: int
    in_force: bool
    """The revision is the current one."""
    start: int | None
    end: int | None


def passage(run: Run, state: State, one: Passage, *, full: bool = False) -> Html:
    """The panel of a passage: the whole run's facts, as they read in `state` where it has them."""
    quotes = quotes_from(run, state, one.id)
    holding = [each.fact.id for each in quotes if _holds(run.last, each)]
    claims = dict.fromkeys(claim for fact in holding for claim in dossier.claims_on(run.last, fact))
    claims |= dict.fromkeys(f"c{number}" for number in run.dependence.citing.get(one.id, ()))
    whole = f"show all {len(one.text):,} characters"
    more = None if full or len(one.text) <= LONG else way(whole, "full:")
    body = _body(one, quotes, len(one.text) if full else LONG)
    count = len({each.fact.id for each in quotes})
    return join(
        section(None, tag("div", *heading(one), body, more, cls="pp whole")),
        section("Facts read from it", _facts(state, quotes), aside=str(count) if count else None),
        section("Claims that rest on it", _claims(run, claims), aside=str(len(claims)) if claims else None),
    )


def _holds(last: State, one: Quote) -> bool:
    """The revision that quotes the passage is the one that the run ends with."""
    return one.revision == last.evidence[one.fact.id].current.number


def quotes_from(run: Run, state: State, id_: str) -> tuple[Quote, ...]:
    """Every quote from a passage in the whole run, in order of the facts."""
    facts = (state.evidence.get(one, last) for one, last in run.last.evidence.items())
    return tuple(
        Quote(
            fact=fact,
            revision=revision.number,
            in_force=revision.number == fact.current.number,
            start=source.start,
            end=source.end,
        )
        for fact in facts
        for revision in fact.revisions
        for source in revision.sources
        if source.passage == id_
    )


def _body(one: Passage, quotes: Iterable[Quote], limit: int) -> Html:
    """The text with its quoted spans marked, each followed by the facts that quote it."""
    found = [each for each in quotes if each.start is not None and each.end is not None]
    window = excerpt(one.text, sorted((each.start or 0, each.end or 0) for each in found), limit)
    borders = sorted({0, len(window.text), *(border for mark in window.marks for border in mark)})
    parts = (
        _stretch(window.text[start:end], start + window.before, end + window.before, found)
        for start, end in pairwise(borders)
    )
    note = cut_note(len(window.text), len(one.text))
    return join("… " if window.before else None, *parts, " …" if window.after else None, note)


def _stretch(words: str, start: int, end: int, quotes: Iterable[Quote]) -> Html:
    """A piece of the passage that lies wholly in or out of each quote."""
    over = [each for each in quotes if (each.start or 0) <= start and end <= (each.end or 0)]
    if not over:
        return text(words)
    ending = dict.fromkeys(each.fact.id for each in over if each.end == end)
    gone = not any(each.in_force for each in over)
    mark = tag("mark", words, cls="gone" if gone else "", data_do=f"select:{over[0].fact.id}")
    return join(mark, *(tag("small", ref(one), cls="by") for one in ending))


def _facts(state: State, quotes: tuple[Quote, ...]) -> Html:
    if not quotes:
        return tag("p", "None: this passage was found, and no fact was taken from it.", cls="mut")
    by_fact = {each.fact.id: [one for one in quotes if one.fact.id == each.fact.id] for each in quotes[:MOST_FACTS]}
    more = tag("li", tag("span"), tag("span", f"{len(quotes) - MOST_FACTS:,} more quotes", cls="mut"))
    lines = (_fact(state, every) for every in by_fact.values())
    return tag("ul", *lines, more if len(quotes) > MOST_FACTS else None, cls="facts")


def _fact(state: State, quotes: list[Quote]) -> Html:
    fact = quotes[0].fact
    past = [f"r{one.revision}" for one in quotes if not one.in_force]
    given_up = tag("span", f"; {', '.join(past)}, given up since, quoted it", cls="mut") if past else None
    standing = "not yet read at this moment" if fact.id not in state.evidence else fate_words(fact)
    unlocated = flag("warning", "span not located") if any(one.start is None for one in quotes) else None
    said = tag("span", cut(fact.text, 400), tag("span", f" {standing}", cls="mut"), given_up, unlocated)
    return tag("li", chip(fact), said)


def _claims(run: Run, ids: Iterable[str]) -> Html:
    claims = run.last.answer.claims if run.last.answer else ()
    lines = [tag("li", ref(one), tag("span", cut(claims[int(one[1:]) - 1].text, 400))) for one in ids]
    return tag("ul", *lines, cls="facts") if lines else tag("p", "None.", cls="mut")
