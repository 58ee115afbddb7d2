"""What rests on a fact, on small made-up runs and on the samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from retree_core import events as ev
from retree_core.memory import Claim, Source
from retree_core.state import fold
from retree_core.trace import read_trace
from retree_core.why import Ledger
from retree_core.why.dependence import Dependence, Dependents, dependence, dependents

SAMPLES = sorted((Path(__file__).parents[1] / "sample_runs").glob("*-*.jsonl"))


def search(number: int, shown: tuple[str, ...], facts: dict[str, str], node: str = "", below: str = "root") -> list:
    """A search led by a context at `below`, and what it brought."""
    new = tuple(ev.NewFact(id=id_, text=text, source=Source(passage="p1", quote="")) for id_, text in facts.items())
    events = [
        ev.ContextBuilt(node=below, evidence=shown, characters=10),
        ev.SearchChosen(search=number, query="q", origin="policy"),
        ev.FactsExtracted(search=number, facts=new),
    ]
    if node:
        events.append(ev.NodeAdded(node=node, parent=below, search=number, query="q", evidence=tuple(facts)))
    return events


def of(events: list) -> Dependence:
    return dependence(events, fold(events))


START = [ev.RunStarted(question="Who designed the tower?", agent="retree")]
FIRST = search(1, (), {"e1": "The tower was designed by Edmund.", "e2": "The tower opened in 1931."}, "n1")


def test_what_a_search_brought_depends_on_what_its_context_showed() -> None:
    run = of([*START, *FIRST, *search(2, ("e1",), {"e3": "Edmund was born in Thornby."}, "n2", "n1")])
    assert run.of("e1") == Dependents(nodes=("n2",), facts=("e3",), direct=frozenset({"n2", "e3"}))
    assert run.of("e2") == run.of("e3") == run.of("e99") == Dependents()


def test_a_summary_shows_the_fact_that_alone_explains_one_of_its_words() -> None:
    summary = ev.SummaryWritten(node="n1", text="The tower was designed by Edmund.", origin="model")
    run = of([*START, *FIRST, summary, *search(2, (), {"e3": "A hill."}, "n2", "n1")])
    assert run.of("e1").facts == ("e3",)
    assert run.of("e2").facts == ()  # "tower" is in the question and in both facts


def test_dependence_goes_on_through_facts_and_ends_in_claims() -> None:
    events = [
        *START,
        *FIRST,
        *search(2, ("e1",), {"e3": "Edmund was born in Thornby."}, "n2", "n1"),
        *search(3, ("e3",), {"e4": "Thornby is in Wexshire."}, "n3", "n2"),
        ev.Answered(text="x", claims=(Claim(text="a", cites=("e4",)), Claim(text="b", cites=("e2",))), shown=()),
    ]
    found = of(events).of("e1")
    assert (found.nodes, found.facts, found.claims) == (("n2", "n3"), ("e3", "e4"), (1,))
    assert found.direct == {"n2", "e3"}
    assert of(events).of("e2").claims == (2,)


def test_an_absorbed_fact_hands_on_to_the_repaired_one_from_the_repair_on() -> None:
    repair = ev.EvidenceRepaired(
        evidence="e1", node="n1", revision=2, by="e4", old_text="a", new_text="It was Ines.", reason="r"
    )
    events = [
        *START,
        *FIRST,
        *search(2, ("e1",), {"e3": "Edmund was born in Thornby."}, "n2", "n1"),
        *search(3, ("e2",), {"e4": "It was Ines."}, "", "n2"),
        repair,
        ev.NodesPruned(nodes=("n2",), evidence="e1"),
        ev.SearchResumed(node="n1"),
        *search(4, ("e1",), {"e5": "Ines was born in Kalt."}, "n3", "n1"),
    ]
    found = of(events).of("e4")
    assert (found.nodes, found.facts) == (("n3",), ("e1", "e5"))  # not n2, which rested on the former value
    assert found.direct == {"e1"}


def test_the_facts_of_a_flat_list_are_seen_in_its_summary() -> None:
    summary = ev.SummaryWritten(node="root", text="Edmund did.", origin="model")
    events = [*START, *search(1, (), {"e1": "It was Edmund."}), ev.FactsAdded(facts=("e1",)), summary]
    assert of([*events, *search(2, (), {"e2": "He was born in Thornby."})]).of("e1").facts == ("e2",)


def test_only_what_came_after_a_moment_can_be_asked_for() -> None:
    events = [
        *START,
        *FIRST,
        *search(2, ("e1",), {"e3": "x"}, "n2", "n1"),
        *search(3, ("e1",), {"e4": "y"}, "n3", "n2"),
    ]
    after_second = len(START) + len(FIRST) + 4
    assert of(events).of("e1", since=after_second).facts == ("e4",)


def test_searches_without_nodes_and_without_contexts_are_no_trouble() -> None:
    events = [
        *START,
        ev.SearchChosen(search=1, query="q", origin="policy"),
        ev.ContextBuilt(node="n99", evidence=("e1", "e404"), characters=1),
        ev.SearchChosen(search=2, query="q", origin="policy"),
        ev.NodeAdded(node="n1", parent="n1", search=9, query="q", evidence=("e1",)),
        ev.SearchResumed(node="n7"),
    ]
    assert of(events).of("e404") == Dependents()


def test_on_a_sample_with_a_repair() -> None:
    ledger = Ledger(read_trace(next(one for one in SAMPLES if "north-pole" in one.name)))
    found = dependents(ledger, "e1")
    assert found.nodes == ("n2", "n3", "n4")
    assert found.claims == (1, 2, 3)
    assert dependents(ledger, "e9") == Dependents()  # set aside: it was in nobody's context


@pytest.mark.parametrize("path", SAMPLES, ids=lambda one: one.stem)
def test_nothing_depends_on_itself_and_all_of_it_exists(path: Path) -> None:
    ledger = Ledger(read_trace(path))
    for id_ in ledger.last.evidence:
        found = dependents(ledger, id_)
        assert id_ not in found.facts
        assert {*found.facts} <= {*ledger.last.evidence}
        assert {*found.nodes} <= {*ledger.last.nodes}
        assert found.direct <= {*found.facts, *found.nodes, *(f"c{one}" for one in found.claims)}
