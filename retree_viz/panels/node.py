"""Node: one search state with its summary, evidence and repairs."""

from __future__ import annotations

from retree_core.memory import Node, Search
from retree_core.state import State
from retree_core.text import count
from retree_core.why.standing import fate_words
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import chip, cut, empty, flag, rows, section
from retree_viz.panels.ways import to_moment
from retree_viz.run import Run
from retree_viz.words import markup, ref


def node_of(state: State, selected: str) -> str:
    """The node a selection belongs to; the current one where it belongs to none."""
    if selected in state.nodes:
        return selected
    fact = state.evidence.get(selected)
    if fact and fact.node in state.nodes:
        return fact.node or state.current
    return state.current


def node(run: Run, moment: int, selected: str = "") -> Html:
    """The Node panel."""
    state = run.at(moment)
    search = search_of(run.last, selected)
    if search is None and not run.has_tree:
        search = state.searches[-1] if state.searches else None
    if search is not None:
        return _search(run.last, search)
    if not run.has_tree:
        return empty("No search has been made yet.", "Step forward to the first one.")
    if is_later(run, state, selected):
        return join(_later(run.last.nodes[selected], moment), _body(run.last, run.last.nodes[selected]))
    found = state.nodes.get(node_of(state, selected))
    if found is None:
        return empty("There is no node yet.", "Step forward to the first event.")
    return _body(state, found)


def is_later(run: Run, state: State, selected: str) -> bool:
    """The selection is a node or search that this moment does not know yet."""
    return (selected in run.last.nodes and selected not in state.nodes) or search_of(run.last, selected) is not None


def _later(one: Node, moment: int) -> Html:
    ahead = count(one.added_at - moment, "event")
    return section(None, flag("clock", f"{one.id} comes {ahead} later; shown as it ends up", "mut"))


def _body(state: State, one: Node) -> Html:
    return join(
        section(None, tag("p", cut(one.query, 2000), cls="lead"), rows(_facts_about(state, one))),
        section(
            "Summary",
            tag("p", cut(one.summary, 3000), cls="summary") if one.summary else tag("p", "None yet.", cls="mut"),
            aside=count(len(one.summary.split()), "word") if one.summary else None,
        ),
        section("Evidence", _evidence(state, one), aside=count(len(one.evidence), "fact")),
        _repairs(state, one),
    )


def _facts_about(state: State, one: Node) -> list[tuple[str, Child]]:
    children = [id_ for id_, other in state.nodes.items() if other.parent == one.id]
    pruned = None
    if one.pruned_at:
        pruned = join(
            icon("cut", "s"),
            f" at event {one.pruned_at}",
            join(", for ", ref(one.pruned_for)) if one.pruned_for else None,
        )
    return [
        (
            "Node",
            join(
                ref(one.id),
                tag("span", icon("here", "s"), "current", cls="flag focus") if one.id == state.current else None,
            ),
        ),
        ("Search", str(one.search) if one.search else "the question itself"),
        ("Added", to_moment(one.added_at, f"event {one.added_at}")),
        ("Parent", ref(one.parent) if one.parent else None),
        ("Children", join(*(join(ref(id_), " ") for id_ in children)) if children else None),
        ("Pruned", pruned),
    ]


def _evidence(state: State, one: Node) -> Html:
    if not one.evidence:
        return tag(
            "p",
            "The question holds no evidence." if one.parent is None else "This search brought no new fact.",
            cls="mut",
        )
    lines = (
        tag("li", chip(state.evidence[id_]), tag("span", cut(state.evidence[id_].text, 500)))
        if id_ in state.evidence
        else tag("li", tag("span", cut(id_, 80), cls="id missing"), tag("span", "not in the record", cls="mut"))
        for id_ in one.evidence
    )
    return tag("ul", *lines, cls="facts")


def _repairs(state: State, one: Node) -> Html | None:
    if not one.repairs:
        return None
    return section(
        "Repairs at this node", tag("ul", *(_repair(state, id_, number) for id_, number in one.repairs), cls="facts")
    )


def _repair(state: State, id_: str, number: int) -> Html:
    fact = state.evidence.get(id_)
    values = {one.number: one.text for one in fact.revisions} if fact else {}
    change = tag(
        "span", tag("del", cut(values.get(number - 1, "?"), 300)), " ", tag("ins", cut(values.get(number, "?"), 300))
    )
    return tag("li", ref(id_), tag("b", f"r{number}", cls="rev"), change)


def search_of(state: State, selected: str) -> Search | None:
    """The search that `s6` names."""
    return next((one for one in state.searches if selected == f"s{one.number}"), None)


def _search(state: State, one: Search) -> Html:
    """A search that need not have made a node."""
    facts = [fact for fact in state.evidence.values() if fact.search == one.number]
    found = (
        tag("li", ref(id_), tag("span", cut(state.passages[id_].title, 200)))
        for id_ in one.passages
        if id_ in state.passages
    )
    repeat = f"the same query as search {one.repeat_of}; its passages were served again" if one.repeat_of else None
    became = (
        tag("li", chip(fact), tag("span", cut(fact.text, 400), tag("span", f" {fate_words(fact)}", cls="mut")))
        for fact in facts
    )
    return join(
        section(
            None,
            tag("p", cut(one.query, 2000), cls="lead"),
            rows(
                [
                    ("Chosen by", "force, the question itself" if one.origin == "forced" else "the policy"),
                    ("Repeat", repeat),
                    ("Failed", one.failure),
                ]
            ),
        ),
        section(
            "Facts read, and what became of them",
            tag("ul", *became, cls="facts") if facts else tag("p", "None.", cls="mut"),
        )
        if state.agent not in ("react", "report")
        else None,
        section(
            "Passages",
            tag("ul", *found, cls="facts") if one.passages else tag("p", "None.", cls="mut"),
            aside=str(len(one.passages)),
        ),
    )


def title(state: State, selected: str) -> tuple[Html, str]:
    """Heading of the panel and the line below it."""
    search = search_of(state, selected)
    if search is not None:
        return tag("span", f"Search {search.number}"), "whatever came of it"
    if not state.has_tree:
        made = len(state.searches)
        return tag("span", f"Search {made}" if made else "No search"), "the last one up to this moment"
    one = state.nodes.get(node_of(state, selected))
    if one is None:
        return tag("span", "No node"), ""
    standing = "pruned" if one.pruned_at else "current" if one.id == state.current else "in the tree"
    return markup(("Node ", one.id)), f"{'the question' if one.parent is None else f'search {one.search}'} · {standing}"
