"""The evidence tree at a moment as a networkx graph: every card with its status, its words and its edges."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import networkx as nx

from retree_core.state import Citation, State, citations, path
from retree_viz.tree.chronicle import Card, Conflict, Moment
from retree_viz.tree.faces import Face
from retree_viz.tree.folding import LIMIT, Shown, folded
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.touches import touched

PASSAGES_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeOptions:
    """What a person chose to see."""

    show_pruned: bool = True
    show_later: bool = True
    show_passages: bool = False
    """In runs of more than `PASSAGES_SHOWN`, only those of the current, changed and selected cards."""
    claim: int | None = None
    """Number of the claim whose path is lit, from 1."""
    selected: str | None = None
    """A node, fact, passage or `answer`, by its id in the trace."""
    opened: tuple[str, ...] = ()
    """Stubs that were opened (`TreeClick.id` of kind `more`)."""
    whole: bool = False
    """All cards and passages, however many there are."""

    @classmethod
    def showing(cls, kinds: Collection[str], **others: Any) -> TreeOptions:
        """With the toggles named in `kinds` on: pruned, later, passages."""
        pruned, later, passages = (one in kinds for one in ("pruned", "later", "passages"))
        return cls(show_pruned=pruned, show_later=later, show_passages=passages, **others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lit:
    """What a claim rests on."""

    cards: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    passages: frozenset[str] = frozenset()


def tree_graph(index: TreeIndex, moment: Moment, options: TreeOptions | None = None) -> nx.DiGraph[str]:
    """The union of all moments, each card with its status at one of them.

    Nodes have `kind` (node, search, answer, step, missing, passage, more), `key` (the id in the trace), `status`
    (current, active, live, pruned, later, pending, search, answer, missing), `at` (the event that says so),
    `changed`, `lit` and, but for passages and stubs, `face`. Edges have `kind` child, passage or conflict.
    Graph attributes: `moment`, `state`, `changed_facts`, `lit`, `selected`, `shown`.
    """
    options = options or TreeOptions()
    moment = max(0, min(moment, len(index.run.events)))
    state = index.run.at(moment)
    event = index.run.events[moment - 1] if moment else None
    changed, changed_facts = touched(event, state, index.story) if event else (frozenset[str](), frozenset[str]())
    selected = selected_card(index, options.selected)
    shown = _shown(index, state, (*changed, *filter(None, [selected])), options)
    lit = claim_path(index, options.claim)
    graph: nx.DiGraph[str] = nx.DiGraph(
        moment=moment, state=state, changed_facts=changed_facts, lit=lit, selected=selected, shown=shown
    )
    active = {f"node:{one}" for one in live_path(state)}
    newest = last_step(index, moment)
    marks = index.marks(moment)
    for id_ in shown.parents:
        card = index.story.cards.get(id_)
        if card is None:
            graph.add_node(id_, kind="more", key=id_.removeprefix("more:"), status="more", count=shown.hidden[id_])
            continue
        status, at = card_status(card, state, active, newest)
        if (status == "later" and not options.show_later) or (status == "pruned" and not options.show_pruned):
            continue
        graph.add_node(
            id_,
            kind=card.kind,
            key=card.key,
            status=status,
            at=at,
            changed=id_ in changed,
            lit=id_ in lit.cards,
            face=index.face(card, state, marks),
        )
    _add_edges(graph, index, shown)
    if options.show_passages:
        _add_passages(graph, index, state, options)
    return graph


def live_path(state: State) -> tuple[str, ...]:
    """Nodes from the root to the current one; between a pruning and the resumption, to the repaired one."""
    return tuple(one for one in path(state) if state.nodes[one].pruned_at is None)


def last_step(index: TreeIndex, moment: Moment) -> str | None:
    """The card of the last step up to a moment, in an imported record."""
    return next((id_ for id_ in reversed(index.story.steps) if index.story.cards[id_].starts <= moment), None)


def card_status(card: Card, state: State, active: set[str], newest: str | None = None) -> tuple[str, Moment]:
    """A card's status at the state's moment, and the number of the event that made it so."""
    moment = state.moment
    if moment < card.starts:
        return "later", card.arrives
    if card.kind == "step":
        return ("current" if card.id == newest else "active"), card.arrives
    if card.kind != "node":
        return card.kind, card.starts
    if moment < card.arrives:
        return "pending", card.starts
    if card.gone is not None and card.gone <= moment:
        return "pruned", card.gone
    if card.key == state.current and newest is None:
        return "current", card.arrives
    return ("active" if card.id in active else "live"), card.arrives


def _shown(index: TreeIndex, state: State, wanted: Iterable[str], options: TreeOptions) -> Shown:
    cards = index.story.cards
    if options.whole or len(cards) <= LIMIT:
        return index.whole
    return folded(
        cards,
        index.order,
        index.children,
        current=last_step(index, state.moment) or f"node:{state.current}",
        wanted=wanted,
        opened=options.opened,
    )


def selected_card(index: TreeIndex, selected: str | None) -> str | None:
    """The card on which a selected id is."""
    if not selected:
        return None
    if selected == "answer" and "answer:1" in index.story.cards:
        return "answer:1"
    if selected in index.story.card_of_evidence:
        return index.story.card_of_evidence[selected]
    if selected in index.story.first_passages:
        return index.story.first_passages[selected][0]
    return next((one for one in (f"node:{selected}", selected) if one in index.story.cards), None)


def claim_path(index: TreeIndex, claim: int | None) -> Lit:
    """The facts a claim of the answer cites, their passages, and the cards from them up to the root."""
    answer = index.last.answer
    if claim is None or answer is None or not 1 <= claim <= len(answer.claims):
        return Lit()
    cards: set[str] = set()
    facts: set[str] = set()
    passages: set[str] = set()
    for one in citations(index.last, answer.claims[claim - 1]):
        facts.update(filter(None, [one.evidence]))
        passages.update(source.passage for source in one.sources)
        step = _card_of(index, one)
        while step is not None and step not in cards:
            cards.add(step)
            step = index.story.cards[step].parent
    return Lit(cards=frozenset(cards), facts=frozenset(facts), passages=frozenset(passages))


def _card_of(index: TreeIndex, cited: Citation) -> str | None:
    """The card with the cited fact, or with the passage that an agent without facts cites."""
    if cited.evidence is not None:
        return index.story.card_of_evidence.get(cited.evidence)
    found = (index.story.first_passages.get(source.passage) for source in cited.sources)
    return next((one[0] for one in found if one), None)


def _add_edges(graph: nx.DiGraph[str], index: TreeIndex, shown: Shown) -> None:
    lit = graph.graph["lit"]
    for id_, parent in shown.parents.items():
        if parent is not None and id_ in graph and parent in graph:
            status = graph.nodes[id_]["status"]
            both = id_ in lit.cards and parent in lit.cards
            graph.add_edge(parent, id_, kind="child", status=status, lit=both)
    moment = graph.graph["moment"]
    for conflict in index.story.conflicts:
        if conflict.proposed > moment:
            continue
        new = index.story.card_of_evidence.get(conflict.new, "")
        old = index.story.card_of_evidence.get(conflict.old, "")
        if new in graph and old in graph and new != old:
            stands = _conflict(conflict, moment)
            drawn = graph.edges[new, old] if graph.has_edge(new, old) else {}
            if _STRENGTH[stands["verdict"]] >= _STRENGTH.get(drawn.get("verdict", ""), 0):
                graph.add_edge(new, old, kind="conflict", **stands)


_STRENGTH = {"rejected": 1, "proposed": 2, "confirmed": 3}
"""Of several conflicts between two cards the strongest is drawn, and of equal ones the later."""


def _conflict(conflict: Conflict, moment: Moment) -> dict[str, Any]:
    """A conflict as it stands at a moment."""
    decided = conflict.decided is not None and conflict.decided <= moment
    verdict = conflict.verdict if decided else "proposed"
    return {
        "old": conflict.old,
        "new": conflict.new,
        "revision": conflict.revision,
        "verdict": verdict,
        "at": conflict.decided if decided else conflict.proposed,
        "past": conflict.until is not None and conflict.until <= moment,
    }


def _add_passages(graph: nx.DiGraph[str], index: TreeIndex, state: State, options: TreeOptions) -> None:
    """Each passage under the card of the search that found it first; searches that found it again point to it."""
    all_of_them = options.whole or index.total["passages"] <= PASSAGES_SHOWN
    nodes = graph.nodes(data=True)
    near = {id_ for id_, node in nodes if node["status"] in ("current", "pending") or node.get("changed")}
    near.add(graph.graph["selected"])
    for id_, (card, found) in index.story.first_passages.items():
        status = "later" if state.moment < found else "passage"
        hidden = status == "later" and not options.show_later
        if card in graph and (all_of_them or card in near) and not hidden:
            graph.add_node(
                f"passage:{id_}",
                kind="passage",
                key=id_,
                status=status,
                at=found,
                changed=found == state.moment,
                lit=id_ in graph.graph["lit"].passages,
                title=index.passage_title(id_),
            )
            graph.add_edge(card, f"passage:{id_}", kind="passage", status=status, lit=False)
    for search in state.searches:
        again = index.story.card_of_search.get(search.number, "")
        for id_ in search.passages:
            target = f"passage:{id_}"
            if again in graph and target in graph and not graph.has_edge(again, target):
                graph.add_edge(again, target, kind="passage", status="again", lit=False)


_STATUS_WORDS = {
    "current": "current",
    "active": "on the active path",
    "live": "in the tree, not on the active path",
    "pruned": "pruned at event {}",
    "later": "later, event {}",
    "pending": "search under way",
    "search": "search without a node, event {}",
    "answer": "answer, event {}",
    "missing": "placeholder",
    "passage": "passage",
}


def said(face: Face, node: dict[str, Any]) -> str:
    """The card in one sentence, for a screen reader and for exports."""
    facts = [*(change.chip for change in face.changes), *face.chips]
    named = [" ".join(filter(None, (one.label, one.badge, one.mark, "came back" if one.back else ""))) for one in facts]
    parts = [
        face.name or (face.meta[0] if face.meta else node["kind"]),
        _STATUS_WORDS[node["status"]].format(node["at"]),
        "changed in this event" if node["changed"] else "",
        "on the claim's path" if node["lit"] else "",
        face.title,
        f"facts {', '.join(named)}" if named else "",
        face.foot,
    ]
    return "; ".join(filter(None, parts))
