"""One of the two runs at its moment: heading, summary, and the list of facts or pages where there is no tree."""

from __future__ import annotations

from collections.abc import Collection

from retree_core import events as ev
from retree_core.compare import given_up_premises
from retree_core.memory import Evidence, Passage
from retree_core.state import State
from retree_viz.comparing.pieces import badge, side_of
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.bar import agent_name
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.pieces import cut, empty, fate_words, flag
from retree_viz.run import Run
from retree_viz.words import count, markup, ref, sentence

MOST = 300
"""Facts or pages listed; the rest is counted."""


def has_tree(run: Run) -> bool:
    """Whether the run grew a tree, or is a chain of imported steps; else its memory is one list."""
    return len(run.last.nodes) > 1 or bool(run.last.steps)


def head(run: Run, side: str, moment: int, agent: str) -> Html:
    """Whose pane it is, the moment, and what happened there in words."""
    event = run.event(moment)
    said = markup(sentence(event, run.at(moment))) if event else tag("span", "Nothing has happened yet.")
    mark = tag("span", icon(of_event(event.kind), "s"), cls=tone(event.kind)) if event else None
    return tag(
        "div",
        badge(side),
        tag("b", agent_name(agent)),
        tag("span", run.trace.name, cls="mono mut file", title=run.trace.name),
        tag("span", "moment ", tag("b", f"{moment:,}"), f" of {run.total:,}", cls="moment"),
        tag("span", mark, tag("span", said), cls="happened", role="status"),
        tag("button", "Open", type="button", cls="go", data_do=f"alone:{side}", title="open this run at this moment"),
        cls="ph",
    )


def question(run: Run) -> Html:
    """The run's own question, where the two differ."""
    return tag("div", cut(run.trace.header.question, 400), cls="own-question")


def summary(run: Run, moment: int, other: str, side: str) -> Html | None:
    """The summary in force, with the words marked that the other run's summary has not; None for an agent without."""
    state = run.at(moment)
    own = state.summary
    if not own:
        yet = tag("div", tag("span", "No summary yet.", cls="mut"), cls="sumb")
        return yet if run.last.summary else None
    said = side_of(own, other, "gone") if side == "a" else side_of(other, own, "new")
    return tag(
        "div",
        tag("span", "Summary of ", ref(state.current), _origin(run, moment, state.current), " ", cls="mut"),
        tag("span", said),
        cls="sumb",
    )


def _origin(run: Run, moment: int, node: str) -> str:
    """How it came to be, where a model did not just write it."""
    for at in range(moment, 0, -1):
        event = run.event(at)
        if isinstance(event, ev.SummaryWritten) and event.node == node:
            how = {"regenerated": "regenerated", "kept": "the parent's", "facts": "made of the facts"}.get(event.origin)
            return f", {how} at event {at}" if how else f", event {at}"
    return ""


def selection(state: State, id_: str, side: str) -> Html | None:
    """What is selected, as this run knows it."""
    fact, node, passage = state.evidence.get(id_), state.nodes.get(id_), state.passages.get(id_)
    if fact:
        said: Child = join(tag("b", _named(fact)), f" {fate_words(fact)}: ", cut(fact.text, 600))
    elif node:
        said = join(tag("b", node.id), f" {count(len(node.evidence), 'fact')}: ", cut(node.query, 400))
    elif passage:
        said = join(tag("b", passage.id), " ", cut(passage.title or passage.text, 300))
    else:
        return None
    close = tag("button", "×", type="button", cls="go", data_do="select:", aria_label="clear the selection")
    return tag("div", badge(side), tag("span", said), close, cls="chosen")


def _named(fact: Evidence) -> str:
    return f"{fact.id} r{fact.current.number}" if fact.current.number > 1 else fact.id


def flat(run: Run, moment: int, chosen: str) -> Html:
    """The memory of an agent without a tree, as the list that it is."""
    state = run.at(moment)
    if state.evidence:
        return _facts(run, state, moment, chosen)
    if state.passages:
        return _pages(state, chosen)
    return empty("Nothing has been found yet.", "Step forward to the first search.")


def _facts(run: Run, state: State, moment: int, chosen: str) -> Html:
    shown = _shown_next(run, moment)
    premises = given_up_premises(run.events[:moment], state)
    every = [one for one in state.evidence.values() if one.fate not in ("duplicate", "absorbed")]
    lines = [_fact(one, shown, premises.get(one.id, ""), chosen) for one in every[:MOST]]
    head = tag(
        "tr",
        *(tag("th", name, scope="col") for name in ("id", "", "fact, in one flat list", "shown next", "premise")),
    )
    return tag("div", tag("table", tag("thead", head), tag("tbody", *lines)), _rest(len(every)), cls="flat")


def _rest(total: int) -> Html | None:
    return tag("p", f"{MOST} of {total:,} shown", cls="mut") if total > MOST else None


def _shown_next(run: Run, moment: int) -> Collection[str]:
    """The ids in the next policy context, or in the last one where none follows."""
    later = next((one for one in run.events[moment:] if isinstance(one, ev.ContextBuilt)), None)
    return (later or run.at(moment).context or ev.ContextBuilt(node="", evidence=(), characters=0)).evidence


def _fact(one: Evidence, shown: Collection[str], premise: str, chosen: str) -> Html:
    replaced = one.current.number > 1
    standing: Child = None
    if premise:
        standing = flag("warning", f"found while {premise} was another value")
    elif replaced:
        standing = flag("repair", f"replaced, now r{one.current.number}", "repair")
    elif one.fate != "active":
        standing = tag("span", fate_words(one), cls="mut")
    elif one.contested_by:
        standing = flag("conflict", f"contested by {', '.join(one.contested_by[:3])}")
    return tag(
        "tr",
        tag("td", ref(one.id)),
        tag("td", tag("b", f"r{one.current.number}", cls="rev") if replaced else None),
        tag("td", tag("b", cut(one.text, 400)) if replaced else cut(one.text, 400)),
        tag("td", tag("span", icon("eye"), tag("span", "shown", cls="unseen")) if one.id in shown else None),
        tag("td", standing),
        cls=" ".join(filter(None, ["stale" if premise else "", "on" if one.id == chosen else ""])),
    )


def _pages(state: State, chosen: str) -> Html:
    """The pages an agent without facts has read, by the search that found each first."""
    found: dict[str, int] = {}
    for search in state.searches:
        for id_ in search.passages:
            found.setdefault(id_, search.number)
    pages = list(state.passages.values())
    head = tag("tr", *(tag("th", name, scope="col") for name in ("id", "page, in the order it was read", "search")))
    lines = [_page(one, found.get(one.id), chosen) for one in pages[:MOST]]
    return tag("div", tag("table", tag("thead", head), tag("tbody", *lines)), _rest(len(pages)), cls="flat pages")


def _page(one: Passage, search: int | None, chosen: str) -> Html:
    return tag(
        "tr",
        tag("td", ref(one.id)),
        tag("td", cut(one.title or one.text[:120], 300)),
        tag("td", str(search) if search else None),
        cls="on" if one.id == chosen else "",
    )
