"""The passage view and what is wrong with citations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from viz.story import trace_of

from retree_core import events as ev
from retree_core.memory import Claim, Passage, Source
from retree_core.state import fold
from retree_core.trace import read_trace
from retree_viz.panels.answer import answer, claim_lines
from retree_viz.panels.claim import claim, fault_of
from retree_viz.panels.passage import passage, quotes_from
from retree_viz.run import Run
from retree_viz.tree.graph import claim_path
from retree_viz.tree.index import TreeIndex

SAMPLES = Path(__file__).parents[2] / "sample_runs"
TEXT = "The tower was built in 1931 by Edmund."


def fact(id_: str, quote: str) -> ev.NewFact:
    start = TEXT.find(quote)
    located = {"start": start, "end": start + len(quote)} if start >= 0 else {}
    return ev.NewFact(id=id_, text=quote, source=Source(passage="p1", quote=quote, **located))


def run_of(*facts: ev.NewFact) -> Run:
    return Run(
        trace_of(
            [
                ev.RunStarted(question="q", agent="retree"),
                ev.SearchChosen(search=1, query="q", origin="policy"),
                ev.PassagesRetrieved(search=1, passages=(Passage(id="p1", title="T", text=TEXT),)),
                ev.FactsExtracted(search=1, facts=facts),
            ]
        )
    )


def view(run: Run, moment: int) -> str:
    return passage(run, run.at(moment), run.last.passages["p1"])


def test_overlapping_quotes_are_cut_where_they_overlap_and_lead_to_their_facts() -> None:
    run = run_of(fact("e1", "The tower was built in 1931"), fact("e2", "in 1931 by Edmund"))
    marks = re.findall(r'<mark data-do="select:(e\d)">(.*?)</mark>', view(run, 4))
    assert marks == [
        ("e1", "The tower was built "),
        ("e1", "in 1931"),
        ("e2", " by Edmund"),
    ]


def test_facts_still_to_come_are_shown_and_said_so() -> None:
    run = run_of(fact("e1", "1931"), fact("e2", "never said"))
    made = view(run, 3)
    assert made.count("not yet read at this moment") == 2
    assert made.count("span not located") == 1


def test_claims_rest_on_a_passage_only_while_the_revision_in_force_quotes_it() -> None:
    run = Run(read_trace(SAMPLES / "scripted-repair-north-pole.jsonl"))
    old, new = (passage(run, run.last, run.last.passages[one]) for one in ("p1", "p10"))
    assert "select:c1" not in old
    assert "r1, given up since, quoted it" in old
    assert "select:c1" in new
    assert [(one.fact.id, one.revision, one.in_force) for one in quotes_from(run, run.last, "p1")] == [("e1", 1, False)]


@pytest.mark.parametrize(
    ("cited", "standing", "fault"),
    [
        ("e1", "current", ""),
        ("e2", "current", "e2 was not shown when the answer was written"),
        ("e1", "stale", "e1 is stale"),
        ("e9", "missing", "e9 does not exist"),
        ("p1", "missing", "p1 is a passage, no evidence"),
        ("root", "missing", "root is a node, no evidence"),
    ],
)
def test_what_is_wrong_with_a_citation(cited: str, standing: str, fault: str) -> None:
    events = [
        *run_of(fact("e1", "1931"), fact("e2", "Edmund")).events,
        ev.Answered(text="a", claims=(Claim(text="c", cites=(cited,)),), shown=("e1",)),
    ]
    assert fault_of(fold(events), cited, standing) == fault


def test_a_claim_may_cite_a_passage_itself() -> None:
    events = [
        *run_of(fact("e1", "1931")).events,
        ev.Answered(text="a", claims=(Claim(text="It was Edmund.", cites=("p1",)),), shown=("p1",)),
    ]
    run = Run(trace_of(events))
    assert "select:c1" in view(run, 5)
    assert "the passage itself" in claim(run, 1)
    assert claim_lines(run, 5)[0].path == ("c1", "p1")
    assert "[p1]" in answer(run, 5)
    assert claim_path(TreeIndex(run), 1).cards == {"node:root", "search:1"}
