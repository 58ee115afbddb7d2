"""The graph at a moment: statuses, chips, conflicts, claims, and traces that are not what they should be."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest
from samples.story import FOLDER
from viz.story import moment, story, story_trace, trace_of

from retree_core import events as ev
from retree_core.events import Event
from retree_core.memory import Passage, Source
from retree_core.trace import read_trace
from retree_viz.run import Run
from retree_viz.tree.graph import TreeOptions, tree_graph
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.scripts import tree_script
from retree_viz.tree.view import to_network, tree_view


def index_of(events: list[Event]) -> TreeIndex:
    return TreeIndex(Run(trace_of(events)))


@pytest.fixture(scope="module")
def story_index() -> TreeIndex:
    return TreeIndex(Run(story_trace()))


def statuses(graph: nx.DiGraph[str]) -> dict[str, str]:
    return {id_: node["status"] for id_, node in graph.nodes(data=True)}


def chips(graph: nx.DiGraph[str], card: str) -> dict[str, tuple[str, str, str]]:
    return {one.label: (one.look, one.badge, one.mark) for one in graph.nodes[card]["face"].chips}


def test_statuses_after_the_repair(story_index: TreeIndex) -> None:
    graph = tree_graph(story_index, moment("search_resumed"))
    assert statuses(graph) == {
        "node:root": "active",
        "node:n1": "active",
        "node:n2": "current",
        "node:n3": "pruned",
        "node:n4": "pruned",
        "node:n5": "pruned",
        "node:n6": "later",
        "search:6": "search",
        "answer:1": "later",
    }
    assert graph.nodes["node:n3"]["at"] == moment("nodes_pruned")
    assert [id_ for id_, node in graph.nodes(data=True) if node["changed"]] == ["node:n2"]


def test_a_node_is_under_way_from_its_query_on(story_index: TreeIndex) -> None:
    graph = tree_graph(story_index, moment("conflict_proposed"))
    assert statuses(graph)["node:n5"] == "pending"
    assert chips(graph, "node:n5") == {"e11": ("new", "", ""), "e12": ("new", "", "proposed")}
    assert statuses(graph)["node:n4"] == "current"


@pytest.mark.parametrize(
    ("kind", "nth", "verdict", "past"),
    [
        ("conflict_proposed", 1, "proposed", False),
        ("conflict_rejected", 1, "rejected", False),
        ("search_chosen", 6, "rejected", True),
    ],
)
def test_a_rejected_conflict(story_index: TreeIndex, kind: str, nth: int, verdict: str, past: bool) -> None:
    edge = tree_graph(story_index, moment(kind, nth)).edges["node:n5", "node:n2"]
    assert (edge["kind"], edge["old"], edge["new"], edge["verdict"], edge["past"]) == (
        "conflict",
        "e3",
        "e12",
        verdict,
        past,
    )


def test_of_several_challenges_by_one_search_the_strongest_is_drawn() -> None:
    index = TreeIndex(Run(read_trace(FOLDER / "scripted-repair-north-pole.jsonl")))
    drawn = [tree_graph(index, now).edges["search:4", "node:n1"] for now in (29, 30, 31, 33, 37, 47)]
    assert [(one["new"], one["verdict"], one["at"]) for one in drawn] == [
        ("e8", "proposed", 29),
        ("e9", "proposed", 30),
        *[("e8", "confirmed", 31)] * 4,
    ]
    view = tree_view(index, 47)
    words = next(one["label"] for one in view["edges"] if one["id"] == "search:4>node:n1")
    assert words == "contradicts e1 r1 · confirmed, event 31"


def test_a_confirmed_conflict_comes_from_the_search_that_repaired(story_index: TreeIndex) -> None:
    edge = tree_graph(story_index, moment("conflict_confirmed")).edges["search:6", "node:n2"]
    assert (edge["verdict"], edge["revision"]) == ("confirmed", 1)
    assert ("search:6", "node:n2") not in tree_graph(story_index, moment("conflict_proposed", 2) - 1).edges


def test_what_a_repair_writes_on_the_cards(story_index: TreeIndex) -> None:
    graph = tree_graph(story_index, moment("facts_set_aside"))
    face = graph.nodes["node:n2"]["face"]
    (change,) = face.changes
    assert [run.text for run in change.old] == ["…designed by ", "Edmund Harcastle"]
    assert [run.text for run in change.new] == ["Ines Falkenrath", " p24, was p7"]
    assert (change.chip.badge, change.chip.mark) == ("r2", "contested")
    assert face.note == f"summary regenerated, event {moment('summary_written', 6)}"
    assert chips(graph, "search:6") == {
        "e13": ("absorbed", "", ""),
        "e14": ("set_aside", "", ""),
        "e15": ("set_aside", "", ""),
    }
    assert graph.nodes["search:6"]["face"].foot == "became e3 r2; 2 others set aside"


def test_a_duplicate_counts_its_sources(story_index: TreeIndex) -> None:
    graph = tree_graph(story_index, moment("duplicate_found"))
    known = next(one for one in graph.nodes["node:n1"]["face"].chips if one.id == "e2")
    assert known.sources == 2
    assert chips(graph, "node:n3")["e8"] == ("duplicate", "", "")


def test_a_later_card_does_not_tell_of_its_repair(story_index: TreeIndex) -> None:
    face = tree_graph(story_index, 1).nodes["node:n2"]["face"]
    assert face.changes == ()
    assert "Harcastle" in face.summary


def test_a_claim_lights_its_path(story_index: TreeIndex) -> None:
    graph = tree_graph(story_index, 1, TreeOptions(claim=2, show_passages=True))
    lit = {id_ for id_, node in graph.nodes(data=True) if node.get("lit")}
    assert lit == {"node:root", "node:n1", "node:n2", "node:n6", "passage:p28"}
    assert graph.edges["node:n2", "node:n6"]["lit"]
    assert tree_graph(story_index, 1, TreeOptions(claim=99)).graph["lit"].cards == frozenset()


def test_options_leave_cards_out(story_index: TreeIndex) -> None:
    now = moment("search_resumed")
    without = tree_graph(story_index, now, TreeOptions(show_pruned=False, show_later=False))
    assert set(without) == {"node:root", "node:n1", "node:n2", "search:6"}


def test_passages_hang_from_the_search_that_found_them_first(story_index: TreeIndex) -> None:
    graph = tree_graph(story_index, len(story()), TreeOptions(show_passages=True))
    assert graph.edges["node:n3", "passage:p15"]["status"] == "passage"
    assert graph.edges["node:n4", "passage:p15"]["status"] == "again"
    assert sum(node["kind"] == "passage" for _, node in graph.nodes(data=True)) == 30


def test_positions_never_move(story_index: TreeIndex) -> None:
    places = {
        tuple((node["id"], node["card"]["x"], node["card"]["y"]) for node in tree_view(story_index, now)["nodes"])
        for now in range(len(story()) + 1)
    }
    assert len(places) == 1


def added(node: str, parent: str, search: int = 1, evidence: tuple[str, ...] = ()) -> Event:
    return ev.NodeAdded(node=node, parent=parent, search=search, query=f"query of {node}", evidence=evidence)


START: Event = ev.RunStarted(question="q", agent="retree")


def test_orphans_hang_from_a_marked_placeholder() -> None:
    graph = tree_graph(index_of([START, added("n2", "n99")]), 2)
    assert statuses(graph)["missing:n99"] == "missing"
    assert ("missing:n99", "node:n2") in graph.edges


def test_cycles_of_parents_end() -> None:
    graph = tree_graph(index_of([START, added("n1", "n1"), added("n2", "n3"), added("n3", "n2")]), 4)
    assert {"node:root", "node:n1", "node:n2", "node:n3"} < set(graph)
    assert sum(node["kind"] == "missing" for _, node in graph.nodes(data=True)) == 2
    assert nx.is_forest(graph)


def test_a_child_that_comes_before_its_parent_hangs_from_it_once_it_is_there() -> None:
    graph = tree_graph(index_of([START, added("n2", "n1"), added("n1", "root")]), 3)
    assert set(graph.edges) == {("node:root", "node:n1"), ("node:n1", "node:n2")}
    assert "missing" not in statuses(graph).values()


def test_ids_that_are_numbers_stay_apart() -> None:
    events = [
        ev.RunStarted(question="1", agent="retree"),
        ev.SearchChosen(search=1, query="1", origin="policy"),
        ev.PassagesRetrieved(search=1, passages=(Passage(id="1", title="2", text="1 2"),)),
        ev.FactsExtracted(search=1, facts=(ev.NewFact(id="1", text="1", source=Source(passage="1", quote="1")),)),
        added("1", "root", evidence=("1",)),
        added("2", "1"),
        ev.Answered(text="1", claims=(), shown=()),
    ]
    view = tree_view(index_of(events), len(events), TreeOptions(show_passages=True))
    assert [node["id"] for node in view["nodes"]] == ["node:root", "node:1", "node:2", "answer:1", "passage:1"]
    assert [(one["from"], one["to"]) for one in view["edges"]] == [
        ("node:root", "node:1"),
        ("node:1", "node:2"),
        ("node:1", "passage:1"),
        ("node:2", "answer:1"),
    ]


def test_duplicate_ids_are_both_reachable() -> None:
    fact = ev.NewFact(id="e1", text="one", source=Source(passage="p1", quote="one"))
    again = ev.NewFact(id="e1", text="another", source=Source(passage="p1", quote="another"))
    events = [
        START,
        ev.SearchChosen(search=1, query="q", origin="policy"),
        ev.FactsExtracted(search=1, facts=(fact, again)),
        added("n1", "root", evidence=("e1",)),
        added("n1", "root"),
    ]
    graph = tree_graph(index_of(events), 5)
    assert {"node:n1", "node:n1~2"} < set(graph)
    assert "e1~2" in {label for id_ in graph for label in chips(graph, id_)}


def test_facts_of_a_search_that_is_not_in_the_record() -> None:
    fact = ev.NewFact(id="e1", text="one", source=Source(passage="p1", quote="one"))
    graph = tree_graph(index_of([START, ev.FactsExtracted(search=7, facts=(fact,))]), 2)
    assert chips(graph, "missing:search 7") == {"e1": ("new", "", "")}


def test_no_root_at_all() -> None:
    view = tree_view(index_of([added("n1", "root")]), 1)
    assert [node["id"] for node in view["nodes"]] == ["node:n1", "missing:root"]


def test_a_claim_that_cites_a_passage_of_a_run_without_its_beginning() -> None:
    page = Passage(id="p6", title="A page", text="Otto Lind was born in Sorrel.")
    claim = ev.Claim(text="Otto was born in Sorrel.", cites=("p6",))
    answered = ev.Answered(text="Sorrel", claims=(claim,), shown=("p6",))
    index = index_of([ev.PassagesRetrieved(search=6, passages=(page,)), answered])
    lit = tree_graph(index, 2, TreeOptions(claim=1)).graph["lit"]
    assert (lit.cards, lit.passages) == ({"node:root"}, {"p6"})
    assert {node["id"] for node in tree_view(index, 2)["nodes"]} == {"node:root", "answer:1", "passage:p6"}


@pytest.mark.parametrize(
    ("events", "says"),
    [([], "no events"), ([ev.RunEnded(status="llm_error", detail="no server")], "llm_error: no server")],
)
def test_nothing_to_draw_is_said(events: list[Event], says: str) -> None:
    assert says in tree_view(index_of(events), len(events))["empty"]


def test_moments_outside_of_the_run(story_index: TreeIndex) -> None:
    assert tree_view(story_index, -5)["moment"] == 0
    assert tree_view(story_index, 10**9)["moment"] == len(story())


def test_agents_without_a_tree_get_a_chain_of_searches() -> None:
    events: list[Event] = [START]
    for search in (1, 2, 3):
        events += [
            ev.SearchChosen(search=search, query=f"q{search}", origin="policy"),
            ev.PassagesRetrieved(search=search, passages=(Passage(id=f"p{search}", title="t", text="x"),)),
        ]
    events.append(ev.Answered(text="a", claims=(), shown=()))
    graph = tree_graph(index_of(events), len(events))
    chain = ["node:root", "search:1", "search:2", "search:3", "answer:1"]
    assert list(graph.edges) == list(pairwise(chain))


def test_a_repair_that_prunes_nothing_starts_a_row_too() -> None:
    fact = ev.NewFact(id="e1", text="It is Tarn.", source=Source(passage="p1", quote="Tarn"))
    events = [
        START,
        ev.SearchChosen(search=1, query="q", origin="policy"),
        ev.FactsExtracted(search=1, facts=(fact,)),
        added("n1", "root", evidence=("e1",)),
        ev.SearchChosen(search=2, query="r", origin="policy"),
        ev.FactsExtracted(search=2, facts=(replace(fact, id="e2", text="It is Sorrel."),)),
        ev.ConflictProposed(old="e1", new="e2", reason="differ"),
        ev.ConflictConfirmed(old="e1", new="e2", by="confirmation", reason="newer"),
        ev.EvidenceRepaired(
            evidence="e1", node="n1", revision=2, by="e2", old_text="It is Tarn.", new_text="It is Sorrel.", reason=""
        ),
        ev.SearchResumed(node="n1"),
        ev.Answered(text="Sorrel", claims=(), shown=()),
    ]
    index = index_of(events)
    spots = index.spots(index.whole, passages=False)
    assert spots["search:2"].hangs == "below"
    assert spots["answer:1"].hangs == "after"
    assert tree_graph(index, 9).edges["search:2", "node:n1"]["verdict"] == "confirmed"


def test_failed_and_empty_searches_say_so() -> None:
    events = [
        START,
        ev.SearchChosen(search=1, query="q", origin="policy"),
        ev.SearchFailed(search=1, failure="rate_limited", message="slow down"),
        ev.SearchChosen(search=2, query="r", origin="policy"),
        ev.PassagesRetrieved(search=2, passages=()),
        ev.RunEnded(status="no_answer"),
    ]
    graph = tree_graph(index_of(events), len(events))
    faces = {id_: (node["face"].outcome, node["face"].foot) for id_, node in graph.nodes(data=True)}
    assert faces["search:1"] == ("failed", "failed: rate limited")
    assert faces["search:2"] == ("empty", "no passage found")


HOSTILE = '<img src=x onerror=alert(1)> costs $5 # **b** \u202edrow\u0000 \ud800 <a href="x">'


def test_hostile_text_stays_text() -> None:
    events = [
        ev.RunStarted(question=HOSTILE, agent=HOSTILE),
        ev.SearchChosen(search=1, query=HOSTILE, origin="policy"),
        ev.PassagesRetrieved(search=1, passages=(Passage(id=HOSTILE, title=HOSTILE, text=HOSTILE, url=HOSTILE),)),
        ev.FactsExtracted(
            search=1, facts=(ev.NewFact(id=HOSTILE, text=HOSTILE, source=Source(passage="p", quote="")),)
        ),
        added(HOSTILE, "root", evidence=(HOSTILE,)),
        ev.SummaryWritten(node=HOSTILE, text=HOSTILE * 3000, origin="model"),
        ev.Answered(text=HOSTILE, claims=(), shown=()),
    ]
    view = tree_view(index_of(events), len(events), TreeOptions(show_passages=True))
    whole = json.dumps(view, ensure_ascii=False)
    assert "\u202e" not in whole.replace(json.dumps(HOSTILE, ensure_ascii=False)[1:-1], "")
    drawn = [text for node in view["nodes"] for *_, text in node["card"].get("lines", ())]
    assert any("<img src=x" in text for text in drawn)
    assert any("⟨U+202E⟩" in text for text in drawn)
    assert all("title" not in node for node in view["nodes"])
    assert len(whole) < 40_000


@pytest.mark.parametrize("bad", ["\ud800", "\u202e"])
def test_ids_reach_the_browser_as_json(bad: str) -> None:
    view = tree_view(index_of([START, added(f"n{bad}", "root")]), 2)
    json.dumps(view).encode("utf-8")


def test_a_search_still_to_come_says_what_came_of_it() -> None:
    events = [
        START,
        ev.SearchChosen(search=1, query="q", origin="policy"),
        ev.PassagesRetrieved(search=1, passages=(Passage(id="p1", title="t", text="x"),)),
        ev.Answered(text="a", claims=(), shown=()),
    ]
    later = tree_graph(index_of(events), 1).nodes["search:1"]
    assert (later["status"], later["face"].outcome, later["face"].foot) == ("later", "empty", "no new fact")


def test_a_search_that_repaired_very_many_facts_names_a_dozen() -> None:
    source = Source(passage="p1", quote="Old", start=0, end=3)
    facts = tuple(ev.NewFact(id=f"e{number}", text=f"Old {number}.", source=source) for number in range(1, 21))
    fresh = tuple(ev.NewFact(id=f"f{number}", text=f"New {number}.", source=source) for number in range(1, 21))
    events = [
        ev.RunStarted(question="Who?", agent="retree"),
        ev.SearchChosen(search=1, query="old", origin="policy"),
        ev.FactsExtracted(search=1, facts=facts),
        ev.NodeAdded(node="n1", parent="root", search=1, query="old", evidence=tuple(one.id for one in facts)),
        ev.SearchChosen(search=2, query="new", origin="policy"),
        ev.FactsExtracted(search=2, facts=fresh),
        *(
            ev.EvidenceRepaired(
                evidence=old.id, node="n1", revision=2, by=new.id, old_text=old.text, new_text=new.text, reason="newer"
            )
            for old, new in zip(facts, fresh, strict=True)
        ),
    ]
    index = index_of(events)
    foot = tree_graph(index, len(events)).nodes["search:2"]["face"].foot
    assert foot == f"became {', '.join(f'e{number} r2' for number in range(1, 13))} and 8 more"


def test_drawing_needs_no_network_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    index = TreeIndex(Run(story_trace()))
    network = to_network(tree_graph(index, len(story())), index)
    assert tree_view(index, len(story()))["nodes"]
    assert network.heading == ""
    assert "cdn" not in tree_script()
    assert list(tmp_path.iterdir()) == []
