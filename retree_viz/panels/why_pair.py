"""Why no backtrack fired between two facts; and, with one fact selected, the others to ask about."""

from __future__ import annotations

from retree_core.memory import Evidence
from retree_core.state import State
from retree_core.text import LONGEST_READ, count, tokens
from retree_core.text.cut import cut_label
from retree_core.why import Absence
from retree_core.why.checks import Check, Place
from retree_core.why.meetings import Meeting, Sight
from retree_core.why.standing import fate_words
from retree_viz import dossier
from retree_viz.html import Html, join, joined, tag, visible
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, section, table
from retree_viz.panels.ways import act, at, to_moment
from retree_viz.panels.why_pieces import call_links, fact_card, name, told, word_for_word
from retree_viz.run import Run

CLOSEST = 4
"""Facts to ask about that are shown with their text."""
MOST_ASKED = 60
MOST_COMPARED = 1000
"""Facts, those read around the selected one, of which the closest in words are found."""

HEADLINES = {
    "same_fact": "one fact",
    "repaired": "one did refute the other",
    "rejected": "proposed and rejected",
    "confirmed": "confirmed, not repaired",
    "skipped": "confirmed, nothing to change",
    "open": "proposed, not decided",
    "restated": "one restates the other",
    "same_search": "found together",
    "not_new": "the later one was not compared",
    "out_of_force": "the earlier one was not in force",
    "no_check": "no check was made",
    "not_shown": "never shown together",
    "no_valid_reply": "the judge gave no valid reply",
    "passed_over": "named, but past what is read",
    "not_recorded": "what was compared is not recorded",
    "compatible": "judged compatible",
}
"""Reason to a few words for the heading."""


def pair_of(run: Run, selected: str, pair: str) -> Absence | None:
    """The answer for the two facts that are chosen; None where it takes two different facts of this run."""
    facts = run.last.evidence
    if selected == pair or selected not in facts or pair not in facts:
        return None
    return run.absence(*sorted((selected, pair)))


def absence_dossier(run: Run, found: Absence) -> Html:
    """What became of the question whether two facts contradict each other; how it was judged is not in it."""
    return join(
        section(None, tag("p", told(run, found.words), cls="lead"), _next(run, found)),
        _facts(run, found),
        _check(run, found, found.check) if found.check else None,
        _meetings(run, found) if found.meetings else None,
    )


def _next(run: Run, found: Absence) -> Html:
    """What to do from here: ask about the pair that it comes down to, see the decision, or close."""
    ask = None
    if found.instead:
        old, new = found.instead
        ask = tag("button", f"Ask about {old} and {new}", type="button", cls="btn", data_do=f"pair:{old} {new}")
    decided = found.conflict and (found.conflict.decided or found.conflict.proposed)
    go = join("Decided at ", at(decided)) if decided else None
    close = act("cross", "Close the question", "pair:")
    return tag("div", ask, go, tag("span", cls="sp"), close, cls="asking")


def _facts(run: Run, found: Absence) -> Html:
    gone, came = dossier.pointed(found.old.text[:2000], found.new.text[:2000])
    last = run.last.evidence
    labels = (
        f"{one.id}{f' r{one.revision}' if one.revision > 1 else ''}, search {last[one.id].search}"
        for one in (found.old, found.new)
    )
    left, right = labels
    cards = (
        fact_card(run, found.old, left, "fact", "plain", gone),
        fact_card(run, found.new, right, "fact", "plain", came),
    )
    return section(None, tag("div", *cards, cls="pair"))


def _check(run: Run, found: Absence, check: Check) -> Html:
    """What the judge was shown in the search that brought the later fact."""
    source = None if check.recorded else ". The record does not say what they were compared with."
    news = tag("p", "New: ", joined(", ", (name(run, one) for one in check.new)), source, cls="how")
    named = [join(name(run, new), " against ", name(run, old)) for old, new in found.named]
    proposals = tag("p", "It named ", joined(", ", named), ".", cls="how") if named else None
    state = run.at(check.moment)
    rows = (_place(run, state, number, one, found) for number, one in enumerate(found.places[:MOST_ASKED], 1))
    scored = any(one.overlap is not None for one in found.places)
    names = ("", f"Stored facts in force{', closest in words first' if scored else ''}", "Words", "Judge")
    ranking = table(names, rows, "parts ranking") if found.places else None
    calls = check.calls
    return section(
        f"The conflict check of search {check.search}",
        news,
        ranking,
        proposals,
        word_for_word(run, calls),
        aside=call_links(run, calls) or join("after ", at(check.moment)),
    )


def _place(run: Run, state: State, number: int, one: Place, found: Absence) -> Html:
    words = "shown" if one.shown else f"{one.same_as} stood for it" if one.same_as else "not shown"
    fact = state.evidence.get(one.id)
    return tag(
        "tr",
        tag("td", str(number), cls="num"),
        tag("td", name(run, one.id), " ", tag("span", cut_label(fact.text, 80), cls="mut") if fact else None),
        tag("td", "" if one.overlap is None else str(one.overlap), cls="num"),
        tag("td", tag("span", icon("eye" if one.shown else "dash", "s"), words, cls="v y" if one.shown else "v")),
        cls="on" if one.id == found.old.id else "",
    )


def _meetings(run: Run, found: Absence) -> Html:
    """Where both stood, search by search."""
    names = ("Search", cut(found.old.id, 40), cut(found.new.id, 40))
    rows = (_meeting(one, found) for one in found.meetings)
    left_out = len(run.ledger.search_starts) - found.meetings[0].search + 1 - len(found.meetings)
    aside = f"the closest {len(found.meetings)}" if left_out > 0 else None
    return section("Search by search", table(names, rows, "parts meetings"), aside=aside)


def _meeting(one: Meeting, found: Absence) -> Html:
    number = to_moment(one.moment, str(one.search))
    query = tag("span", cut_label(one.query, 60), cls="mut")
    cls = "on" if found.check and found.check.search == one.search else ""
    return tag(
        "tr",
        tag("th", number, " ", query, scope="row"),
        *(tag("td", _sight(each)) for each in (one.old, one.new)),
        cls=cls,
    )


_STANDING = {
    "active": ("fact", "in force"),
    "pruned": ("cut", "pruned"),
    "new": ("fact", "just read"),
    "absorbed": ("repair", "now a revision"),
    "duplicate": ("pair", "a restatement"),
    "set_aside": ("aside", "set aside"),
}
"""Fate to icon and words."""


def _sight(one: Sight) -> Html:
    if not one.standing:
        return tag("span", "not yet read", cls="mut")
    mark, words = _STANDING.get(one.standing, ("dash", one.standing))
    seen = [
        tag("span", icon("eye", "s"), "policy", cls="v") if one.policy else None,
        tag("span", icon("conflict", "s"), f"judge, as {one.check}", cls="v conflict") if one.check else None,
    ]
    return tag("span", tag("span", icon(mark, "s"), words, cls="v"), *seen, cls="sight")


def pair_choices(run: Run, selected: str) -> Html | None:
    """With a fact selected: the other facts, closest in words first, each a question about the pair; else how to."""
    one = run.last.evidence.get(selected)
    turn = "backtrack" if run.has_tree else "replacement"
    if len(run.last.evidence) < 2:
        return None
    if one is None:
        hint = f"Select a fact to ask why there was no {turn} between it and another one."
        return section(None, tag("p", hint, cls="mut hint"))
    others = _closest(run, one)
    close = (
        tag(
            "li",
            _ask(each.id, each.text),
            tag("span", cut_label(each.text, 110), " ", tag("span", fate_words(each), cls="mut")),
        )
        for each in others[:CLOSEST]
    )
    rest = [_ask(each.id, each.text) for each in others[CLOSEST:MOST_ASKED]]
    more = len(run.last.evidence) - 1 - MOST_ASKED
    return section(
        join(f"Why was there no {turn} between ", name(run, selected), " and …"),
        tag("ul", *close, cls="facts"),
        tag("div", *rest, tag("span", f"{more:,} more", cls="mut") if more > 0 else None, cls="chips")
        if rest
        else None,
        aside=count(len(run.last.evidence) - 1, "other fact"),
        cls="choices",
    )


def _closest(run: Run, one: Evidence) -> list[Evidence]:
    """The other facts, those first that share the most words with this one and came with another search."""
    every = [*run.last.evidence.values()]
    start = max(0, every.index(one) - MOST_COMPARED // 2)
    wanted = {*tokens(one.text[:LONGEST_READ])}
    others = [each for each in every[start : start + MOST_COMPARED] if each.id != one.id]
    return sorted(
        others,
        key=lambda each: (-len(wanted.intersection(tokens(each.text[:LONGEST_READ]))), each.search == one.search),
    )


def _ask(id_: str, text: str) -> Html:
    return tag(
        "button",
        id_,
        type="button",
        cls="chip ask",
        data_do=f"pair:{id_}",
        title=f"ask about the pair: {visible(text)[:200]}",
    )
