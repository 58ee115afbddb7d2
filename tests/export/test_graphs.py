"""GraphML, DOT and node-link JSON: the same nodes and edges, whatever the texts."""

import io
import json

import networkx as nx
import pydot
import pytest
from export.runs import HOSTILE, SAMPLES, hostile, moments, of_trace, sample

from retree_core.notes import Notes
from retree_core.settings import Settings
from retree_viz.export import export, file_name
from retree_viz.tree.graph import TreeOptions, tree_graph

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pydot")


def counts(what):
    """Nodes and edges of a moment: as drawn in the app, and in each format, as somebody else reads it."""
    tree = tree_graph(what.index, what.moment, TreeOptions(show_later=False, show_passages=True, whole=True))
    xml = nx.read_graphml(io.BytesIO(export(what, "graphml")))
    link = nx.node_link_graph(json.loads(export(what, "json")), edges="edges")
    lines = export(what, "dot").decode().splitlines()[4:-1]
    edges = sum('" -> "' in one for one in lines)
    return {(len(one.nodes), len(one.edges)) for one in (tree, xml, link)} | {(len(lines) - edges, edges)}


def dot_counts(what):
    (drawn,) = pydot.graph_from_dot_data(export(what, "dot").decode())
    nodes = [one for one in drawn.get_nodes() if one.get_name() not in ("node", "edge")]
    return len(nodes), len(drawn.get_edges())


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_format_has_the_same_nodes_and_edges_at_every_moment(path):
    for moment in moments(path):
        assert len(counts(sample(path, moment))) == 1


def test_a_dot_reader_finds_them_too():
    for what in (sample(SAMPLES[0]), of_trace(hostile())):
        assert {dot_counts(what)} == counts(what)


def test_at_a_moment_nothing_later_is_in_the_graph():
    path = next(one for one in SAMPLES if "north-pole" in one.stem)
    graph = nx.node_link_graph(json.loads(export(sample(path, 8), "json")), edges="edges")
    statuses = nx.get_node_attributes(graph, "status")
    nodes = {one: status for one, status in statuses.items() if one.startswith("node")}
    assert nodes == {"node:root": "active", "node:n1": "current"}
    assert "later" not in statuses.values()


def test_hostile_texts_change_no_count_and_end_no_string():
    what = of_trace(hostile())
    assert len(counts(what)) == 1
    assert b"\x00" not in export(what, "graphml")


def test_graphml_has_typed_attributes():
    graph = nx.read_graphml(io.BytesIO(export(sample(SAMPLES[-1]), "graphml")))
    root = graph.nodes["node:root"]
    assert (type(root["event"]), type(root["changed"]), type(root["title"])) == (int, bool, str)
    assert graph.graph["moment"] == sample(SAMPLES[-1]).run.total


def test_json_holds_run_state_event_and_notes():
    what = of_trace(hostile(), 6, Notes(trace="x", notes=({"id": "1", "kind": "note", "moment": 6, "text": "mine"},)))
    about = json.loads(export(what, "json"))["graph"]
    assert (about["format"], about["version"], about["moment"], about["events"]) == ("retree-graph", 1, 6, 15)
    assert (about["event"]["kind"], about["state"]["moment"]) == ("node_added", 6)
    assert about["notes"] == [{"id": "1", "kind": "note", "moment": 6, "text": "mine"}]
    assert about["run"]["settings"]["agent"] == Settings().agent


def test_names_of_files_are_safe():
    assert file_name(f"../..{HOSTILE}.jsonl.gz", 3, "otel").endswith("-at3.otlp.json")
    assert set(file_name(HOSTILE, 3, "svg")) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
    assert file_name("...", 3, "svg") == "run-at3.svg"
