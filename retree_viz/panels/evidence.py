"""Evidence: a fact with its revisions, sources and challenges; or a passage; or what a claim cites."""

from __future__ import annotations

from retree_core.memory import Claim, Evidence, Passage, Revision
from retree_core.state import Citation, State, citations
from retree_core.why.ledger import quoted
from retree_viz import dossier
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.pieces import (
    LONG,
    chip,
    cut,
    empty,
    fate_words,
    flag,
    heading,
    history_list,
    passage_body,
    rows,
    section,
    source_block,
)
from retree_viz.run import Run
from retree_viz.words import listed, markup, ref


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
    claim = _claim(run, selected)
    return _cited(run, claim) if claim else _every(state)


def _fact(run: Run, state: State, one: Evidence, moment: int) -> Html:
    return join(
        section(None, tag("p", cut(one.text, 3000), cls="lead"), rows(_about(run, one))),
        *(_revision(state, one, number) for number in reversed(one.revisions)),
        section("History", history_list(run.changes(one.id), moment)),
    )


def _about(run: Run, one: Evidence) -> list[tuple[str, Child]]:
    claims = dossier.claims_on(run.last, one.id)
    return [
        ("Fate", tag("span", _fate(one), cls=f"fate {one.fate}")),
        (
            "Introduced",
            join(ref(one.node), f", search {one.search}") if one.node else f"never put on a node; search {one.search}",
        ),
        ("Contested by", markup(listed(one.contested_by)) if one.contested_by else None),
        ("Claims on it", markup(listed(claims)) if claims else tag("span", "none", cls="mut")),
    ]


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


def passage(run: Run, state: State, one: Passage, *, full: bool = False) -> Html:
    """A passage with every span that a fact quotes from it, and the facts and claims that rest on it."""
    resting = facts_on(state, one.id)
    marks = [
        (source.start, source.end)
        for fact in resting
        for revision in fact.revisions
        for source in revision.sources
        if source.passage == one.id and source.start is not None and source.end is not None
    ]
    whole = f"show all {len(one.text):,} characters"
    more = None if full or len(one.text) <= LONG else tag("button", whole, type="button", cls="go", data_do="full:")
    lines = (tag("li", chip(fact), tag("span", cut(fact.text, 400))) for fact in resting)
    claims = tuple(dict.fromkeys(claim for fact in resting for claim in dossier.claims_on(run.last, fact.id)))
    return join(
        section(
            None,
            tag("div", *heading(one), passage_body(one, marks, len(one.text) if full else LONG), more, cls="pp whole"),
        ),
        section(
            "Facts read from it", tag("ul", *lines, cls="facts") if resting else tag("p", "None so far.", cls="mut")
        ),
        section("Claims that rest on it", tag("p", markup(listed(claims)))) if claims else None,
    )


def facts_on(state: State, passage_id: str) -> tuple[Evidence, ...]:
    """Every fact one of whose revisions names the passage."""
    return tuple(
        fact
        for fact in state.evidence.values()
        if any(source.passage == passage_id for revision in fact.revisions for source in revision.sources)
    )


def _claim(run: Run, selected: str) -> Claim | None:
    claims = run.last.answer.claims if run.last.answer else ()
    return next((one for number, one in enumerate(claims, 1) if selected == f"c{number}"), None)


def _cited(run: Run, claim: Claim) -> Html:
    """What a claim rests on, as the run ends: each cited fact with its passages."""
    cited = citations(run.last, claim)
    nothing = flag("warning", "cites nothing", "conflict") if not cited else None
    return join(
        section(None, tag("p", cut(claim.text, 3000), cls="lead"), nothing),
        *(_citation(run.last, one) for one in cited),
    )


def _citation(state: State, cited: Citation) -> Html:
    fact = state.evidence.get(cited.evidence or "")
    if fact is None:
        return section(cited.id, flag("warning", "no such evidence", "conflict"))
    revision = f"{fact.id} r{fact.current.number}" if fact.current.number > 1 else fact.id
    return section(
        join(ref(fact.id, revision), f" {fate_words(fact)}", f", cited as {cited.id}" if cited.id != fact.id else None),
        tag("div", cut(fact.text, 2000), cls="ft now"),
        *(source_block(found) for found in quoted(state, fact.current)),
        cls="revision",
    )


def _every(state: State) -> Html:
    facts = [one for one in state.evidence.values() if one.fate == "active"]
    if not facts:
        return empty("No evidence is in force yet.", "Step forward, or click a fact in the tree.")
    lines = (tag("li", chip(one), tag("span", cut(one.text, 300))) for one in facts[:200])
    rest = (
        tag("p", f"200 of {len(facts):,} shown; click a node for the others.", cls="mut") if len(facts) > 200 else None
    )
    return section("In force at this moment", tag("ul", *lines, cls="facts"), rest, aside=str(len(facts)))


def title(run: Run, state: State, selected: str) -> tuple[Html, str]:
    """Heading of the panel and the line below it."""
    one = state.evidence.get(selected) or run.last.evidence.get(selected)
    if one:
        return tag("span", f"Evidence {one.id}"), fate_words(one)
    if selected in run.last.passages:
        return tag("span", f"Passage {selected}"), ""
    if _claim(run, selected):
        return tag("span", f"Claim {selected}"), "what it cites, as the run ends"
    return tag("span", "Evidence"), "click a fact in the tree or on a card"
