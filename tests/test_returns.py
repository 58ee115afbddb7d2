"""Facts that come back under another id after they were given up."""

from __future__ import annotations

from pathlib import Path

from retree_core import events as ev
from retree_core.memory import Source
from retree_core.state import fold
from retree_core.text import LONGEST_READ
from retree_core.trace import read_trace
from retree_core.why.returns import Former, returns

SAMPLES = Path(__file__).parents[1] / "sample_runs"


def found(search: int, **facts: str) -> ev.FactsExtracted:
    new = tuple(ev.NewFact(id=id_, text=text, source=Source(passage="p1", quote="")) for id_, text in facts.items())
    return ev.FactsExtracted(search=search, facts=new)


def added(node: str, *evidence: str) -> ev.NodeAdded:
    return ev.NodeAdded(node=node, parent="root", search=1, query="q", evidence=evidence)


def repaired(evidence: str, by: str, old: str, new: str) -> ev.EvidenceRepaired:
    return ev.EvidenceRepaired(evidence=evidence, node="n1", revision=2, by=by, old_text=old, new_text=new, reason="r")


def of(*events: ev.Event) -> dict[str, Former]:
    run = [ev.RunStarted(question="q", agent="retree"), *events]
    return dict(returns(run, fold(run)))


def test_a_pruned_fact_comes_back() -> None:
    gone = (found(1, e1="The lake covers 1,234 km2."), added("n1", "e1"), ev.NodesPruned(nodes=("n1",), evidence="e9"))
    back = of(*gone, found(2, e2="the lake covers 1234 square kilometres", e3="The lake is deep."))
    assert back == {"e2": Former(id="e1", revision=1, how="pruned", moment=4)}


def test_a_refuted_value_comes_back() -> None:
    old, new = "It was Edmund.", "It was Ines."
    back = of(
        found(1, e1=old), added("n1", "e1"), found(2, e2=new), repaired("e1", "e2", old, new), found(3, e3=old, e4=new)
    )
    assert back == {"e3": Former(id="e1", revision=1, how="refuted", moment=5)}


def test_a_fact_set_aside_comes_back_and_the_last_one_counts() -> None:
    text = "It is green."
    back = of(
        found(1, e1=text),
        ev.FactsSetAside(facts=("e1",)),
        found(2, e2=text),
        ev.FactsSetAside(facts=("e2",)),
        found(3, e3=text),
    )
    assert {id_: one.id for id_, one in back.items()} == {"e2": "e1", "e3": "e2"}


def test_what_never_left_does_not_come_back() -> None:
    assert of(found(1, e1="It is green."), added("n1", "e1"), found(2, e2="It is green."), found(3, e3="")) == {}


def test_in_a_sample() -> None:
    trace = read_trace(SAMPLES / "scripted-flip-back-clifton-bridge.jsonl")
    back = returns(trace.events, fold(trace.events))
    assert back == {"e9": Former(id="e3", revision=1, how="pruned", moment=21)}


def test_a_very_long_text_comes_back_in_the_same_words_alone() -> None:
    long = "It is green. " * (LONGEST_READ // 10)
    back = of(found(1, e1=long), ev.FactsSetAside(facts=("e1",)), found(2, e2=long.upper()), found(3, e3=long))
    assert {id_: one.id for id_, one in back.items()} == {"e3": "e1"}
