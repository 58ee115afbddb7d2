"""Evidence: a fact with its revisions, sources and history; passages and claims have panels of their own."""

from __future__ import annotations

from retree_core.memory import Evidence, Revision
from retree_core.state import State
from retree_core.why.ledger import quoted
from retree_core.why.standing import fate_words
from retree_viz import dossier
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.claim import claim
from retree_viz.panels.icons import icon
from retree_viz.panels.passage import passage
from retree_viz.panels.pieces import (
    chip,
    cut,
    empty,
    flag,
    history_list,
    rows,
    section,
    source_block,
)
from retree_viz.panels.why_claim import claim_of
from retree_viz.run import Run
from retree_viz.words import listed, markup, ref, was

MOST_DEPENDENTS = 40


def evidence(run: Run, moment: int, selected: str = "", *, full: bool = False) -> Html:
    """The Evidence panel: the selected fact, passage (in full length if asked) or claim, else all facts in force."""
    state = run.at(moment)
    if selected in state.evidence:
        return _fact(run, state, state.evidence[selected], moment)
    if selected in run.last.evidence:
        one = run.last.evidence[selected]
        note = f"{selected} arrives at event {run.born.get(selected, '?')}; shown as it ends up"
        return join(section(None, flag("clock", note, "mut")), _fact(run, run.last, one, moment))
    passages = {**run.last.passages, **state.passages}
    if selected in passages:
        return passage(run, state, passages[selected], full=full)
    number = claim_of(run, selected)
    return claim(run, number) if number else _every(state)


def _fact(run: Run, state: State, one: Evidence, moment: int) -> Html:
    return join(
        section(None, tag("p", cut(one.text, 3000), cls="lead"), rows(_about(run, one))),
        *(_revision(state, one, number) for number in reversed(one.revisions)),
        _dependents(run, one),
        section("History", history_list(run.changes(one.id), moment)),
    )


def _about(run: Run, one: Evidence) -> list[tuple[str, Child]]:
    claims = dossier.claims_on(run.last, one.id)
    former, again = run.returns.get(one.id), run.came_back.get(one.id)
    return [
        ("Fate", tag("span", _fate(one), cls=f"fate {one.fate}")),
        ("Came back", tag("span", icon("returned", "s"), " ", markup(was(former)), cls="refuse") if former else None),
        ("Comes back", join("as ", ref(again), f", event {run.born.get(again, '?')}") if again else None),
        (
            "Introduced",
            _introduced(run, one),
        ),
        ("Contested by", markup(listed(one.contested_by)) if one.contested_by else None),
        ("Claims that rest on it", markup(listed(claims)) if claims else tag("span", "none", cls="mut")),
    ]


def _introduced(run: Run, one: Evidence) -> Child:
    if one.node is None:
        return f"never {'put on a node' if run.has_tree else 'joined the list'}; search {one.search}"
    return join(ref(one.node), f", search {one.search}") if run.has_tree else f"search {one.search}"


def _dependents(run: Run, one: Evidence) -> Html | None:
    """All of the run that came of searches with this fact in view, and what went on from there."""
    found = run.dependence.of(one.id)
    nodes = [ref(node, cls="" if node in found.direct else "quiet") for node in found.nodes]
    facts = [
        chip(run.last.evidence[fact], "" if fact in found.direct else "through")
        for fact in found.facts
        if fact in run.last.evidence
    ]
    claims = [ref(f"c{number}", cls="" if f"c{number}" in found.direct else "quiet") for number in found.claims]
    kinds = [("Nodes", nodes), ("Facts", facts), ("Claims on those", claims)]
    if not any(each for _, each in kinds):
        return None
    told = tag(
        "p",
        "The policy saw it when it chose the searches that brought these, so they may have come of it. "
        "Dotted or pale: only through another fact. A claim rests on a fact only where it cites it.",
        cls="how",
    )
    return section(
        "Found while it was shown",
        rows([(name, _some(each) if each else None) for name, each in kinds]),
        told,
        aside=f"{sum(len(each) for _, each in kinds):,}",
    )


def _some(every: list[Html]) -> Html:
    more = (
        tag("span", f" and {len(every) - MOST_DEPENDENTS:,} more", cls="mut") if len(every) > MOST_DEPENDENTS else None
    )
    return tag("span", *every[:MOST_DEPENDENTS], more, cls="many")


def _fate(one: Evidence) -> Child:
    return join(fate_words(one).removesuffix(one.other), ref(one.other)) if one.other else fate_words(one)


def _standing(one: Evidence) -> str:
    return {"active": "in force", "new": "just read"}.get(one.fate, "as it stood")


def _revision(state: State, one: Evidence, revision: Revision) -> Html:
    current = revision.number == one.current.number
    mark = tag("b", f"r{revision.number}", cls="rev" if revision.number > 1 else "rev first")
    how = join("by ", ref(revision.by), ": ", cut(revision.reason, 500)) if revision.by else None
    sources = quoted(state, revision)
    return section(
        join(mark, _standing(one) if current else "given up"),
        tag("div", cut(revision.text, 2000), cls=f"ft {'now' if current else 'gone'}"),
        tag("p", how, cls="how") if how else None,
        *(source_block(found) for found in sources),
        flag("warning", "no source in the record") if not sources else None,
        aside=f"{len(sources)} sources" if len(sources) > 1 else None,
        cls="revision" if current else "revision past",
    )


def _every(state: State) -> Html:
    facts = [one for one in state.evidence.values() if one.fate == "active"]
    if not facts:
        return empty("No evidence is in force yet.", "Step forward to the first search that brings some.")
    lines = (tag("li", chip(one), tag("span", cut(one.text, 300))) for one in facts[:200])
    rest = (
        tag("p", f"200 of {len(facts):,} shown; click a card or a search for the others.", cls="mut")
        if len(facts) > 200
        else None
    )
    return section("In force at this moment", tag("ul", *lines, cls="facts"), rest, aside=str(len(facts)))


def title(run: Run, state: State, selected: str) -> tuple[Html, str]:
    """Heading of the panel and the line below it."""
    one = state.evidence.get(selected) or run.last.evidence.get(selected)
    if one:
        return tag("span", f"Evidence {one.id}"), fate_words(one)
    if selected in run.last.passages:
        return tag("span", f"Passage {selected}"), ""
    if claim_of(run, selected):
        return tag("span", f"Claim {selected}"), "what it cites, as the run ends"
    return tag("span", "Evidence"), "click a fact, a passage or a claim"
