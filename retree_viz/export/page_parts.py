"""The parts of an exported page that are words: question, answer, facts with what they were read in, notes."""

from __future__ import annotations

from retree_core.memory import Evidence, Revision, Source
from retree_core.notes import moment_of
from retree_core.state import Citation, State, citations
from retree_core.text import count
from retree_core.trace.answered import answered_by
from retree_core.why.standing import fate_words
from retree_viz.export import Exported
from retree_viz.html import Child, Html, join, link, tag
from retree_viz.panels.bar import agent_name
from retree_viz.panels.pieces import LONG, SHORT, cut, passage_body

_IN_FORCE = ("active", "new")


def header(what: Exported) -> Html:
    """The question, how it was asked, and the moment."""
    run, start = what.run, what.run.trace.header
    state = run.at(what.moment)
    about: list[tuple[str, str]] = [
        ("Agent", agent_name(start.settings.agent)),
        ("Recorded with", answered_by(run.trace) or "not said"),
        ("Run", start.run_id),
        ("Started", start.created_at[:19].replace("T", " ") or "not said"),
        ("Moment", f"{what.moment:,} of {run.total:,}{_later(what, state)}"),
        ("Searches", str(len(state.searches))),
        ("Ended", _ended(state) or ("not yet" if run.last.ended else "not in this record")),
    ]
    pairs = (tag("div", tag("dt", name), tag("dd", cut(value, 200))) for name, value in about)
    said = tag("p", cut(what.happened, 600), cls="event")
    return tag("header", tag("h1", cut(start.question, 2000)), tag("dl", *pairs), said)


def _later(what: Exported, state: State) -> str:
    """How the run ended after the moment; empty where it had ended by then, or never did."""
    last = _ended(what.run.last)
    return f"; the run later ended {last}" if last and not state.ended else ""


def _ended(state: State) -> str:
    return state.ended.status.replace("_", " ") if state.ended else ""


def answer(what: Exported) -> Html:
    """The answer at the moment with its claims, each with what it cites."""
    state = what.run.at(what.moment)
    if state.answer is None:
        return section("Answer", tag("p", "Not answered at this moment.", cls="mut"))
    claims = (_claim(state, number) for number in range(1, len(state.answer.claims) + 1))
    return section("Answer", tag("div", cut(state.answer.text), cls="card answer", id="at-answer"), *claims)


def _claim(state: State, number: int) -> Html:
    assert state.answer is not None
    claim = state.answer.claims[number - 1]
    cited = citations(state, claim)
    nothing = tag("span", "cites nothing", cls="fault") if not cited else None
    body = join(tag("span", f"c{number}", cls="id"), cut(claim.text, 3000), " ")
    marks = tag("span", *(_citation(one) for one in cited), nothing, cls="cites")
    return tag("div", body, marks, cls="card", id=f"at-c{number}", data_light=f"c{number}", tabindex="0")


_FAULTS = {"stale": "stale: not in force", "missing": "no such evidence"}


def _citation(one: Citation) -> Html:
    revision = f" r{one.revision}" if one.revision > 1 else ""
    fault = tag("span", _FAULTS[one.standing], cls="fault") if one.standing in _FAULTS else None
    return join(tag("span", f"[{one.evidence or one.id}{revision}]", cls="id"), fault)


def facts(what: Exported) -> Html:
    """Every fact up to the moment, those in force first, with the passages they were read in."""
    state = what.run.at(what.moment)
    every = sorted(state.evidence.values(), key=lambda one: one.fate not in _IN_FORCE)
    if not every:
        return section("Facts", tag("p", "None so far.", cls="mut")) if not state.steps else Html("")
    force = sum(one.fate in _IN_FORCE for one in every)
    return section("Facts", *(_fact(state, one) for one in every), aside=f"{force} of {len(every)} in force")


def _fact(state: State, one: Evidence) -> Html:
    now = one.current
    node = f", at {one.node}" if one.node else ""
    contested = f", contested by {', '.join(one.contested_by)}" if one.contested_by else ""
    head = join(
        tag("span", one.id, tag("span", f"r{now.number}", cls="rev") if now.number > 1 else None, cls="id"),
        cut(now.text, 3000),
        tag("span", f"{fate_words(one)}{node}{contested}", cls="fate"),
    )
    former = (_former(one) for one in reversed(one.revisions[:-1]))
    cls = "card" if one.fate in _IN_FORCE else "card gone"
    sources = (source(state, each) for each in now.sources)
    return tag("article", head, *sources, *former, cls=cls, id=f"at-{one.id}", data_light=one.id)


def _former(one: Revision) -> Html:
    passages = ", ".join(dict.fromkeys(source.passage for source in one.sources))
    text = tag("del", cut(one.text, 3000))
    return tag("p", tag("span", f"r{one.number}", cls="id"), text, f" ({passages})", cls="mut")


def source(state: State, one: Source) -> Html:
    """What a fact was read in, with the quoted words marked."""
    passage = state.passages.get(one.passage)
    if passage is None:
        return tag("div", f"passage {one.passage} is not in the record", cls="source")
    marks = [(one.start, one.end)] if one.start is not None and one.end is not None else []
    lost = None if marks else tag("span", "the quoted words were not found in it", cls="fault")
    head = tag(
        "p",
        tag("b", passage.title or "(no title)"),
        tag("span", passage.id, cls="id"),
        link(passage.url) if passage.url else None,
        lost,
    )
    return tag("div", head, passage_body(passage, marks, SHORT), cls="source")


def passages(what: Exported) -> Html:
    """Every passage up to the moment, word for word, with all that was quoted from it."""
    state = what.run.at(what.moment)
    if not state.passages:
        return Html("")
    marks: dict[str, list[tuple[int, int]]] = {}
    for source in (source for one in state.evidence.values() for turn in one.revisions for source in turn.sources):
        if source.start is not None and source.end is not None:
            marks.setdefault(source.passage, []).append((source.start, source.end))
    shown = (
        tag(
            "article",
            tag("span", one.id, cls="id"),
            tag("b", one.title or "(no title)"),
            tag("span", one.published, cls="fate") if one.published else None,
            tag("p", link(one.url)) if one.url else None,
            tag("p", passage_body(one, marks.get(one.id, ()), LONG), cls="said"),
            cls="card",
            id=f"at-{one.id}",
        )
        for one in state.passages.values()
    )
    title = tag("summary", tag("b", f"All {count(len(state.passages), 'passage')} that were found"))
    return section("Passages", tag("details", title, *shown))


def steps(what: Exported) -> Html:
    """The steps of an imported record."""
    state = what.run.at(what.moment)
    if not state.steps:
        return Html("")
    shown = (
        tag(
            "article",
            tag("span", str(one.number), cls="id"),
            tag("b", cut(one.name, 300)),
            tag("p", cut(one.text), cls="said"),
            cls="card",
        )
        for one in state.steps
    )
    return section("Steps", *shown)


def notes(what: Exported) -> Html:
    """What people wrote beside the trace, by moment."""
    if not what.notes.notes:
        return Html("")
    shown = (
        tag(
            "article",
            tag("span", f"event {one.get('moment', '?')}", cls="id"),
            tag("span", str(one.get("label") or one.get("kind") or "note"), cls="fate"),
            tag("p", cut(str(one.get("text", ""))), cls="said"),
            cls="card",
        )
        for one in sorted(what.notes.notes, key=moment_of)
    )
    return section("Notes", *shown)


def section(title: str, *body: Child, aside: str = "") -> Html:
    """A titled part of the page."""
    return tag("section", tag("h2", title, tag("span", aside) if aside else None), *body)
