"""The tree at a moment as plain JSON data for the browser, by way of a pyvis network. No Streamlit here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
from pyvis.network import Network  # type: ignore[import-untyped]

from retree_core.state import State, active_path
from retree_core.text import count
from retree_core.text.cut import cut_label
from retree_viz.tree.cards import Drawn
from retree_viz.tree.chronicle import Moment
from retree_viz.tree.faces import Face
from retree_viz.tree.graph import TreeOptions, live_path, said, tree_graph
from retree_viz.tree.index import PASSAGE_HEIGHT, PASSAGE_STEP, STUB_HEIGHT, STUB_WIDTH, Placed, TreeIndex
from retree_viz.tree.layout import Spot
from retree_viz.tree.text import ELLIPSIS, fitted, shown, width

_PASSAGE_WIDTH = 128.0


def tree_view(index: TreeIndex, moment: Moment, options: TreeOptions | None = None) -> dict[str, Any]:
    """All that the browser needs to draw the tree after `moment` events; JSON types only.

    What `options` hides is sent as well and hidden there, so that showing it needs no rerun. Raises nothing for
    odd traces: what is missing, doubled or going round in circles is drawn and marked.
    """
    options = options or TreeOptions()
    sent = replace(options, show_pruned=True, show_later=True, show_passages=True)
    graph = tree_graph(index, moment, sent)
    state: State = graph.graph["state"]
    network = to_network(graph, index)
    return {
        "run": shown(index.name),
        "moment": state.moment,
        "moments": len(index.run.events),
        "empty": _empty(index, state),
        "nodes": network.nodes,
        "edges": network.edges,
        "captions": _captions(graph, index, state),
        "total": index.total,
        "kinds": index.kinds,
        "show": {"pruned": options.show_pruned, "later": options.show_later, "passages": options.show_passages},
        "facts": {"changed": sorted(graph.graph["changed_facts"])},
        "selected": {"id": options.selected or "", "card": graph.graph["selected"] or ""},
        "claim": options.claim or 0,
        "label": _label(index, state),
    }


def to_network(graph: nx.DiGraph[str], index: TreeIndex) -> Network:
    """The graph as a pyvis network: boxes at fixed places, each with its card as `card`.

    Labels are drawn on a canvas as they are. Nothing has a `title`: pyvis would take it for HTML.
    """
    spots = index.spots(graph.graph["shown"], passages=False)
    roomy = index.spots(graph.graph["shown"], passages=True) if _has_passages(graph) else spots
    network = Network(directed=True, cdn_resources="in_line")
    network.toggle_physics(False)
    stacks: dict[str, int] = {}
    for id_, node in graph.nodes(data=True):
        if node["kind"] == "passage":
            card = _passage(graph, index, node, spots, roomy, stacks)
        else:
            card = _card(index, id_, node, spots[id_], roomy[id_])
        network.add_node(
            id_,
            label=card.said,
            shape="box",
            x=round(card.data["x"] + card.data["w"] / 2),
            y=round(card.data["y"] + card.data["h"] / 2),
            card=card.data,
            hash=card.hash,
        )
    for start, end, edge in graph.edges(data=True):
        if edge["kind"] == "conflict":
            edge = {**edge, "label": _conflict_words(edge)}
        elif end in spots:
            edge = {**edge, "hangs": spots[end].hangs}
        network.add_edge(start, end, id=f"{start}>{end}", **_present(**edge))
    return network


def _has_passages(graph: nx.DiGraph[str]) -> bool:
    return any(node["kind"] == "passage" for _, node in graph.nodes(data=True))


def _card(index: TreeIndex, id_: str, node: dict[str, Any], spot: Spot, roomy: Spot) -> Placed:
    """One card as the browser gets it; the same object for as long as nothing about it changes."""
    common = {"kind": node["kind"], "key": node["key"], "status": node["status"]}
    if node["kind"] == "more":
        words = f"+{node['count']}"
        place = {"x": spot.x, "y": spot.y, "roomy": roomy.y, "w": STUB_WIDTH, "h": STUB_HEIGHT}
        return Placed({**common, **place, "label": words}, f"{words} more cards")
    face: Face = node["face"]
    right = _right(node, id_, face)
    signed = node["status"] not in ("active", "live", "search") or bool(face.outcome)
    made = index.draw(index.story.cards[id_], face, right, signed=signed)
    known = index.placed.get(id_)
    asked = (made, node["status"], node["at"], node["changed"], node["lit"], spot, roomy)
    if known and known[0][0] is made and known[0][1:] == asked[1:]:
        return known[1]
    data = {
        **common,
        "x": spot.x,
        "y": spot.y,
        "roomy": roomy.y,
        "w": made.width,
        "h": made.height,
        **(_brief(made.content) if index.large and node["status"] in ("later", "pruned") else made.content),
        **_full(face, made),
        **_present(right=right, outcome=face.outcome, changed=node["changed"], lit=node["lit"]),
    }
    card = Placed(data, said(face, node))
    index.placed[id_] = (asked, card)
    return card


def _present(**values: Any) -> dict[str, Any]:
    """The values that say something."""
    return {name: value for name, value in values.items() if value}


def _brief(content: dict[str, Any]) -> dict[str, Any]:
    """A card's content without the hover texts of its facts, which are most of its size."""
    chips = [{name: value for name, value in chip.items() if name != "tip"} for chip in content["chips"]]
    return {**content, "chips": chips}


def _full(face: Face, made: Drawn) -> dict[str, str]:
    """The card's whole title and summary for the hover, where the card had to cut them."""
    if not any(text.endswith(ELLIPSIS) for _, _, style, text in made.content["lines"] if style in _CUT_STYLES):
        return {}
    return {"full": "\n".join(filter(None, [cut_label(face.title, 600), cut_label(face.summary, 1200)]))}


_CUT_STYLES = ("title", "plain", "body")


def _right(node: dict[str, Any], id_: str, face: Face) -> str:
    """What the header says at its end: the status in a word, or the event."""
    status, at = node["status"], node["at"]
    match status:
        case "later":
            return f"later, ev {at}"
        case "current" | "missing":
            return str(status)
        case "pending":
            return "under way"
        case _ if face.outcome == "under way":
            return "under way"
        case _:
            return f"ev {at}" if id_ != "node:root" else ""


def _passage(
    graph: nx.DiGraph[str],
    index: TreeIndex,
    node: dict[str, Any],
    spots: Any,
    roomy: Any,
    stacks: dict[str, int],
) -> Placed:
    """A passage in the stack below its card."""
    holder = index.story.first_passages[node["key"]][0]
    place = stacks[holder] = stacks.get(holder, -1) + 1
    below = index.heights[holder] + 10 + PASSAGE_STEP * place
    name = shown(node["key"])
    room = _PASSAGE_WIDTH - 18 - width(name, 10.5, mono=True)
    data = {
        "kind": "passage",
        "key": node["key"],
        "status": node["status"],
        "x": spots[holder].x + 24,
        "y": spots[holder].y + below,
        "roomy": roomy[holder].y + below,
        "w": _PASSAGE_WIDTH,
        "h": PASSAGE_HEIGHT,
        "name": name,
        "label": fitted(node["title"], room, 10.5),
        "lit": node["lit"],
        "holder": holder,
        "holder_status": graph.nodes[holder]["status"],
    }
    return Placed(data, f"passage {name}; {node['title'][:120]}")


def _conflict_words(edge: dict[str, Any]) -> str:
    """What the conflict's line says: `contradicts e3 r1 · confirmed, event 37`."""
    return f"contradicts {shown(edge['old'])} r{edge['revision']} · {edge['verdict']}, event {edge['at']}"


def _captions(graph: nx.DiGraph[str], index: TreeIndex, state: State) -> list[dict[str, Any]]:
    """What stands above the active path and above each row that a repair pruned."""
    captions: list[dict[str, Any]] = []
    if "node:root" in graph and graph.nodes["node:root"]["status"] != "later":
        nodes, facts = len(live_path(state)), len(active_path(state))
        text = f"{count(nodes, 'node')} · {count(facts, 'fact')} in force"
        strong = "Active path"
        if state.steps:
            strong, text = "Imported", count(len(state.steps), "step")
        captions.append({"card": "node:root", "kind": "active", "strong": strong, "text": text})
    for id_, node in graph.nodes(data=True):
        if node["status"] == "pruned" and id_ in index.below:
            nodes, facts = index.pruned.get(node["at"], (0, 0))
            text = f"{count(nodes, 'node')} · {count(facts, 'fact')}"
            strong = f"Pruned at event {node['at']}"
            captions.append({"card": id_, "kind": "pruned", "strong": strong, "text": text})
    return captions


def _empty(index: TreeIndex, state: State) -> str:
    """Why there is nothing to draw, or nothing."""
    if index.story.cards:
        return ""
    if not index.run.events:
        return "This trace holds no events, so there is no tree to draw."
    ended = f" It ended as {state.ended.status}: {shown(state.ended.detail)}." if state.ended else ""
    return f"None of this trace's events put anything in the tree.{ended}"


def _label(index: TreeIndex, state: State) -> str:
    nodes = count(len(live_path(state)), "node")
    return f"Evidence tree at moment {state.moment} of {len(index.run.events)}: {nodes} on the active path"
