"""Node: one search state with its summary, evidence and repairs."""

from __future__ import annotations

from retree_core.memory import Node
from retree_core.state import State
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import chip, cut, empty, flag, rows, section
from retree_viz.run import Run
from retree_viz.words import count, markup, ref


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
    if selected not in state.nodes and selected in run.last.nodes:
        return join(_later(run.last.nodes[selected], moment), _body(run, run.last, run.last.nodes[selected]))
    found = state.nodes.get(node_of(state, selected))
    if found is None:
        return empty("There is no node yet.", "Step forward to the first event.")
    return _body(run, state, found)


def _later(one: Node, moment: int) -> Html:
    ahead = count(one.added_at - moment, "event")
    return section(None, flag("clock", f"{one.id} comes {ahead} later; shown as it ends up", "mut"))


def _body(run: Run, state: State, one: Node) -> Html:
    return join(
        section(None, tag("p", cut(one.query, 2000), cls="lead"), rows(_facts_about(run, state, one))),
        section(
            "Summary",
            tag("p", cut(one.summary, 3000), cls="summary") if one.summary else tag("p", "None yet.", cls="mut"),
            aside=count(len(one.summary.split()), "word") if one.summary else None,
        ),
        section("Evidence", _evidence(state, one), aside=count(len(one.evidence), "fact")),
        _repairs(state, one),
    )


def _facts_about(run: Run, state: State, one: Node) -> list[tuple[str, Child]]:
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
        ("Added", tag("button", f"event {one.added_at}", type="button", cls="go", data_do=f"go:{one.added_at}")),
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
        tag("li", chip(fact), tag("span", cut(fact.text, 500)))
        for fact in (state.evidence[id_] for id_ in one.evidence if id_ in state.evidence)
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


def title(state: State, selected: str) -> tuple[Html, str]:
    """Heading of the panel and the line below it."""
    one = state.nodes.get(node_of(state, selected))
    if one is None:
        return tag("span", "No node"), ""
    standing = "pruned" if one.pruned_at else "current" if one.id == state.current else "in the tree"
    return markup(("Node ", one.id)), f"{'the question' if one.parent is None else f'search {one.search}'} · {standing}"
