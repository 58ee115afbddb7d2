"""The graph of a moment in formats of other programs: node-link JSON, GraphML, DOT.

All hold the same nodes and edges: those of `tree_graph` without what comes later, with passages, nothing folded.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable
from typing import Any

import networkx as nx

from retree_core.secrets import redact, redact_json
from retree_core.state_json import state_json
from retree_core.trace.records import event_json, header_json
from retree_viz.export import Exported
from retree_viz.tree.faces import Face
from retree_viz.tree.graph import TreeOptions, said, tree_graph

Value = str | int | bool

_WHOLE = TreeOptions(show_later=False, show_passages=True, whole=True)


def plain_graph(what: Exported) -> nx.DiGraph[str]:
    """The tree at the moment with values that every format can hold.

    Nodes have `kind`, `ref` (its id in the trace), `status`, `event` (that made it so), `changed`, `title`, `summary`,
    `facts` (their ids, separated by spaces), `url` (of a passage) and `label`. Edges have `kind` (child, passage,
    conflict) and `status`; conflicts `verdict`, `event`, `old`, `new` and `revision` too.
    """
    tree = tree_graph(what.index, what.moment, _WHOLE)
    graph: nx.DiGraph[str] = nx.DiGraph()
    for id_, node in tree.nodes(data=True):
        graph.add_node(id_, **_node(what, node))
    for start, end, edge in tree.edges(data=True):
        graph.add_edge(start, end, **_edge(edge))
    return graph


def _node(what: Exported, node: dict[str, Any]) -> dict[str, Value]:
    common: dict[str, Value] = {
        "kind": node["kind"],
        "ref": redact(node["key"]),
        "status": node["status"],
        "event": node["at"],
        "changed": node["changed"],
    }
    if node["kind"] == "passage":
        passage = what.run.last.passages.get(node["key"])
        about = {"title": redact(node["title"]), "url": redact((passage.url if passage else None) or "")}
        return {**common, **about, "label": redact(f"passage {node['key']}: {node['title']}")}
    face: Face = node["face"]
    facts = " ".join(one.id for one in (*(change.chip for change in face.changes), *face.chips) if one.id)
    texts = {"title": face.title, "summary": face.summary, "facts": facts, "label": said(face, node)}
    return {**common, **{name: redact(text) for name, text in texts.items()}}


def _edge(edge: dict[str, Any]) -> dict[str, Value]:
    if edge["kind"] != "conflict":
        return {"kind": edge["kind"], "status": edge["status"]}
    about = {name: redact(edge[name]) for name in ("old", "new")}
    status = "past" if edge["past"] else "open"
    return {
        "kind": "conflict",
        "status": status,
        "verdict": edge["verdict"],
        "event": edge["at"],
        "revision": edge["revision"],
        **about,
    }


def node_link(what: Exported) -> bytes:
    """Node-link JSON, as `networkx.node_link_graph(data, edges="edges")` reads it.

    `graph` holds `run` (the trace's header), `moment`, `events` (their number), `event` (the one that led here),
    `state` (as `retree show --json`) and `notes`.
    """
    graph, run, moment = plain_graph(what), what.run, what.moment
    event = run.event(moment)
    about = {
        "format": "retree-graph",
        "version": 1,
        "run": {name: one for name, one in header_json(run.trace.header).items() if name not in ("record", "format")},
        "moment": moment,
        "events": run.total,
        "event": event_json(event) if event else None,
        "state": state_json(run.at(moment)),
        "notes": [dict(one) for one in what.notes.notes],
    }
    whole = {
        "directed": True,
        "multigraph": False,
        "graph": redact_json(about),
        "nodes": [{"id": id_, **node} for id_, node in graph.nodes(data=True)],
        "edges": [{"source": start, "target": end, **edge} for start, end, edge in graph.edges(data=True)],
    }
    return _utf8(json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def graphml(what: Exported) -> bytes:
    """GraphML with typed attributes; characters that XML cannot hold are replaced."""
    graph = plain_graph(what)
    names = _unique(graph.nodes)
    clean: nx.DiGraph[str] = nx.DiGraph(run=xml_text(what.run.trace.header.run_id), moment=what.moment)
    for id_, node in graph.nodes(data=True):
        clean.add_node(names[id_], **_clean(node))
    for start, end, edge in graph.edges(data=True):
        clean.add_edge(names[start], names[end], **_clean(edge))
    file = io.BytesIO()
    nx.write_graphml_xml(clean, file, named_key_ids=True)
    return file.getvalue() + b"\n"


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text with U+FFFD for each character that XML 1.0 does not allow.

    >>> xml_text("a\\x00b")
    'a\\ufffdb'
    """
    return _NOT_XML.sub("\ufffd", text)


def _clean(values: dict[str, Value]) -> dict[str, Value]:
    return {name: xml_text(value) if isinstance(value, str) else value for name, value in values.items()}


def _unique(ids: Iterable[str]) -> dict[str, str]:
    """Each id as XML can hold it, no two the same."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for id_ in ids:
        name, number = xml_text(id_), 2
        while name in taken:
            name, number = f"{xml_text(id_)}~{number}", number + 1
        taken.add(name)
        names[id_] = name
    return names


_SHAPES = {"passage": "note", "answer": "house", "search": "box", "missing": "octagon"}
_STYLES = {"pruned": "dashed", "missing": "dotted", "pending": "dotted", "current": "bold"}


def dot(what: Exported) -> bytes:
    """DOT with every id and text in quotes; the attributes of the other formats stay with the nodes."""
    graph = plain_graph(what)
    lines = [
        f"digraph {_quoted(what.run.trace.header.run_id or 'run')} {{",
        "  rankdir=LR;",
        '  node [shape=box, fontname="Helvetica", fontsize=10];',
        '  edge [fontname="Helvetica", fontsize=9];',
    ]
    for id_, node in graph.nodes(data=True):
        look = {"shape": _SHAPES.get(node["kind"], "box"), "style": _STYLES.get(node["status"], "solid")}
        lines.append(f"  {_quoted(id_)} [{_attributes({**node, **look, 'label': _words(node)})}];")
    for start, end, edge in graph.edges(data=True):
        more = {"style": "dashed", "constraint": False, "label": edge["verdict"]} if edge["kind"] == "conflict" else {}
        lines.append(f"  {_quoted(start)} -> {_quoted(end)} [{_attributes({**edge, **more})}];")
    return _utf8("\n".join([*lines, "}", ""]))


def _words(node: dict[str, Value]) -> str:
    """What stands in a node: its id, its title in short lines, its facts."""
    title = re.sub(r"(.{1,34})(?:\s+|$)", r"\1\n", str(node["title"])[:140]).strip()
    return "\n".join(filter(None, [str(node["ref"]), title, str(node.get("facts", ""))]))


def _attributes(values: dict[str, Value]) -> str:
    return ", ".join(f"{name}={_quoted(value)}" for name, value in values.items() if value != "")


def _quoted(value: Value) -> str:
    """A quoted DOT string: backslashes doubled, so that no escape of Graphviz is read into it."""
    text = str(value).lower() if isinstance(value, bool) else xml_text(str(value))
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "").replace("\n", "\\n")
    return f'"{escaped}"'


def _utf8(text: str) -> bytes:
    """The text as UTF-8; half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", errors="replace")
