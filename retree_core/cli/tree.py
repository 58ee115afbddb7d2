"""The evidence tree as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from retree_core.memory import Evidence, Node
from retree_core.state import ROOT, State
from retree_core.terminal import printable, short

FORK, LAST, PIPE, GAP = "├─ ", "└─ ", "│  ", "   "


def tree_lines(state: State) -> Iterator[str]:
    """Every node of the state once, pruned ones included; nodes that hang from nothing follow under a mark."""
    children = _children(state)
    shown: set[str] = set()
    if ROOT in state.nodes:
        yield from _below(state, children, ROOT, shown)
    for id_, node in state.nodes.items():
        if id_ not in shown and (node.parent not in state.nodes):
            yield f"(parent {printable(node.parent)} is not in the record)"
            yield from _below(state, children, id_, shown)
    for id_ in state.nodes:
        if id_ not in shown:
            yield "(its parents form a circle)"
            yield from _below(state, children, id_, shown)


def _children(state: State) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    for id_, node in state.nodes.items():
        if node.parent is not None:
            children.setdefault(node.parent, []).append(id_)
    return children


def _below(state: State, children: Mapping[str, list[str]], top: str, shown: set[str]) -> Iterator[str]:
    """Lines of the subtree at `top`, depth first, each node once."""
    stack = [(top, "", "")]
    while stack:
        id_, first, rest = stack.pop()
        if id_ in shown:
            continue
        shown.add(id_)
        below = [one for one in children.get(id_, []) if one not in shown]
        yield first + _head(state, state.nodes[id_])
        lead = rest + (PIPE if below else GAP)
        for one in _facts(state, state.nodes[id_]):
            yield lead + one
        for place, one in enumerate(reversed(below)):
            last = place == 0
            stack.append((one, rest + (LAST if last else FORK), rest + (GAP if last else PIPE)))


def _head(state: State, node: Node) -> str:
    marks = []
    if node.id == state.current and node.pruned_at is None:
        marks.append("◀ current")
    if node.repairs:
        marks.append(f"⟲ repaired {printable(', '.join(dict.fromkeys(id_ for id_, _ in node.repairs)))}")
    if node.pruned_at is not None:
        marks.append(f"✂ pruned at event {node.pruned_at} for {printable(node.pruned_for)}")
    asked = f'"{short(node.query, 60)}"'
    what = asked if node.search == 0 else f"search {node.search} {asked}"
    return "  ".join([f"{'✗' if node.pruned_at else '●'} {printable(node.id)}", what, *marks])


def _facts(state: State, node: Node) -> Iterator[str]:
    for id_ in node.evidence:
        one = state.evidence.get(id_)
        yield _fact(one) if one else f"{printable(id_)} (not in the record)"


def _fact(one: Evidence) -> str:
    marks = []
    if one.current.number > 1:
        marks.append(f"⟲ revision {one.current.number}, was: {short(one.revisions[-2].text, 50)}")
    if one.contested_by:
        marks.append(f"⚡ contested by {printable(', '.join(dict.fromkeys(one.contested_by)))}")
    if one.fate == "pruned":
        marks.append("✂ pruned")
    source = ", ".join(dict.fromkeys(printable(each.passage) for each in one.current.sources))
    return "  ".join([f"{printable(one.id)} [{source or '-'}] {short(one.text)}", *marks])


def loose_lines(state: State) -> Iterator[str]:
    """Facts that are in no node, with what became of them."""
    for one in state.evidence.values():
        if one.node is None:
            other = f" of {printable(one.other)}" if one.other and one.fate == "duplicate" else ""
            other = f" into {printable(one.other)}" if one.other and one.fate == "absorbed" else other
            yield f"{printable(one.id)} {one.fate.replace('_', ' ')}{other}: {short(one.text)}"
