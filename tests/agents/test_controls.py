"""The paper's three controls: the loop of ReTree over another memory (paper, section 5.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from worlds import (
    DRESK,
    KORN,
    QUESTION,
    SETTINGS,
    TARN,
    VELMORA,
    Said,
    Script,
    answer,
    asking,
    calls_of,
    clashing,
    every,
    finding,
    hit,
    kinds,
    only,
    prompt,
    run_scripted,
    search,
    state,
    stop,
)

from retree_core.agents import strategy_of
from retree_core.calls import ModelCall
from retree_core.events import (
    Answered,
    ContextBuilt,
    EvidenceRepaired,
    FactsAdded,
    StopChosen,
    StopRefused,
    SummaryWritten,
)
from retree_core.invariants import broken
from retree_core.memory import Claim
from retree_core.settings import AgentName, Settings
from retree_core.state import active_path, citations
from retree_core.trace import Trace

FLAT = replace(SETTINGS, agent="flat")
REACT = replace(SETTINGS, agent="react")
REPORT = replace(SETTINGS, agent="report")

CITED: Callable[[ModelCall], Said] = lambda _: answer("Tarn", ("The mayor was born in Tarn.", ["p3"]))  # noqa: E731
PAGES: Script = {"policy": asking(3, "p3"), "answer": CITED}
"""A run of an agent that cites pages."""


def reporting(call: ModelCall) -> Said:
    """A report that grows by what each page says."""
    former = prompt(call).split("Former report\n")[1].split("\n\nQuery")[0]
    page = prompt(call).rsplit("\n", 1)[1]
    return {"report": page if former == "(nothing yet)" else f"{former} {page}"}


def refuted(settings: Settings) -> Trace:
    """Three searches build on Velmora, the fourth says Dresk."""
    return run_scripted(
        QUESTION,
        {"policy": asking(4, "e1"), "conflict": clashing(("e1", "e4"))},
        finding(VELMORA, KORN, TARN, DRESK),
        settings,
    )


class TestFlatUpdate:
    def test_a_search_adds_facts_to_one_list_and_no_node(self):
        run = run_scripted(QUESTION, {"policy": asking(2, "e2")}, finding(VELMORA, KORN), FLAT)
        assert kinds(run, "context_built", "search_chosen", "passages_retrieved") == [
            "run_started",
            "facts_extracted",
            "facts_added",
            "summary_written",
            "facts_extracted",
            "facts_added",
            "summary_written",
            "stop_chosen",
            "answered",
            "run_ended",
        ]
        assert [one.id for one in active_path(state(run))] == ["e1", "e2"]
        assert list(state(run).nodes) == ["root"]

    def test_a_refuted_fact_is_replaced_in_place_and_what_hangs_from_it_stays(self):
        run = refuted(FLAT)
        repair = only(run, EvidenceRepaired)
        assert (repair.evidence, repair.node, repair.by, repair.new_text) == ("e1", "root", "e4", DRESK)
        assert [(one.id, one.text) for one in active_path(state(run))] == [("e1", DRESK), ("e2", KORN), ("e3", TARN)]
        assert not {"nodes_pruned", "search_resumed", "summary_stale"}.intersection(kinds(run))

    def test_its_summary_goes_on_as_after_any_search_and_may_keep_the_refuted_value(self):
        run = refuted(FLAT)
        assert {one.origin for one in every(run, SummaryWritten)} == {"model"}
        assert state(run).summary == f"{VELMORA} {KORN} {TARN} {DRESK}"
        assert state(refuted(SETTINGS)).summary == DRESK

    def test_facts_that_come_with_a_replacement_join_the_list(self):
        run = run_scripted(
            QUESTION,
            {"policy": asking(2, "e1"), "conflict": clashing(("e1", "e2"))},
            [[hit(VELMORA)], [hit(DRESK), hit(TARN, "Births")]],
            FLAT,
        )
        assert every(run, FactsAdded) == [FactsAdded(facts=("e1",)), FactsAdded(facts=("e3",))]

    def test_it_asks_what_retree_asks_until_they_part(self):
        tree, flat = refuted(SETTINGS), refuted(FLAT)
        roles = ["policy", "extract", "conflict", "confirm", "summarise"]
        before = {
            role: (
                [prompt(one) for one in calls_of(tree, role) if one.seq <= 30],
                [prompt(one) for one in calls_of(flat, role) if one.seq <= 30],
            )
            for role in roles
        }
        assert all(one == other for one, other in before.values())


class TestReAct:
    def test_the_policy_reads_every_passage_of_every_search(self):
        script: Script = {
            "policy": [search("capital", reason="It comes first."), search("mayor"), stop("p2")],
            "answer": lambda _: answer("Tarn", ("Korn is the mayor.", ["p2"])),
        }
        run = run_scripted(QUESTION, script, [[hit(VELMORA, "Atlas", published="1990")], [hit(KORN, "Council")]], REACT)
        whole = "\n".join(
            [
                "Thought 1: It comes first.",
                "Search 1: capital",
                f"[p1] Atlas (1990): {VELMORA}",
                "",
                "Search 2: mayor",
                f"[p2] Council: {KORN}",
            ]
        )
        assert whole in prompt(calls_of(run, "policy")[-1])
        assert whole in prompt(only_call(run, "answer"))
        assert every(run, ContextBuilt)[-1].characters == len(whole)
        assert every(run, ContextBuilt)[-1].evidence == ("p1", "p2")

    def test_it_draws_no_facts_and_asks_no_judge(self):
        run = run_scripted(QUESTION, PAGES, finding(VELMORA, KORN, TARN), REACT)
        assert [one.call.role for one in run.calls if isinstance(one.call, ModelCall)] == ["policy"] * 4 + ["answer"]
        assert state(run).evidence == {}

    def test_a_search_that_finds_nothing_stays_in_the_transcript(self):
        run = run_scripted(QUESTION, PAGES | {"policy": asking(2, "p1")}, [[], [hit(VELMORA)]], REACT)
        assert "Search 1: query 1\nNothing was found.\n\nSearch 2: query 2\n[p1]" in prompt(calls_of(run, "policy")[-1])

    def test_nothing_bounds_its_context(self):
        assert strategy_of(REACT).bound(REACT) is None


class TestReportMemory:
    def test_each_retrieval_is_folded_into_one_report(self):
        run = run_scripted(QUESTION, PAGES | {"report": reporting}, finding(VELMORA, KORN, TARN), REPORT)
        assert [one.text for one in every(run, SummaryWritten)] == [
            VELMORA,
            f"{VELMORA} {KORN}",
            f"{VELMORA} {KORN} {TARN}",
        ]
        assert f"Report: {VELMORA} {KORN} {TARN}\nVisited pages: p1, p2, p3" in prompt(calls_of(run, "policy")[-1])
        assert state(run).evidence == {}

    def test_the_answer_sees_the_report_and_the_pages_by_name_alone(self):
        pages = [[hit(VELMORA, "Atlas", url="https://atlas.example/1")], [hit(KORN, "Council")], [hit(TARN, "Births")]]
        run = run_scripted(QUESTION, PAGES | {"report": lambda _: {"report": "All is known."}}, pages, REPORT)
        asked = prompt(only_call(run, "answer"))
        assert "[p1] Atlas https://atlas.example/1\n[p2] Council\n[p3] Births" in asked
        assert VELMORA not in asked

    def test_a_report_is_cut_at_200_words(self):
        run = run_scripted(
            QUESTION,
            PAGES | {"report": lambda _: {"report": " ".join(f"w{number}" for number in range(300))}},
            finding(VELMORA, KORN, TARN),
            REPORT,
        )
        written = every(run, SummaryWritten)
        assert {len(one.text.split()) for one in written} == {200}
        assert all(one.cut for one in written)

    def test_the_old_report_stays_where_the_model_gives_none(self):
        replies = [{"report": "Velmora."}, {"report": ""}, {"report": " "}]
        run = run_scripted(QUESTION, PAGES | {"report": replies}, finding(VELMORA, KORN, TARN), REPORT)
        assert [(one.text, one.origin) for one in every(run, SummaryWritten)] == [
            ("Velmora.", "model"),
            ("Velmora.", "kept"),
            ("Velmora.", "kept"),
        ]

    def test_its_context_is_bounded(self):
        run = run_scripted(
            QUESTION, PAGES | {"report": lambda _: {"report": "w" * 3000}}, finding(VELMORA, KORN, TARN), REPORT
        )
        bound = strategy_of(REPORT).bound(REPORT)
        assert bound is not None
        assert max(one.characters for one in every(run, ContextBuilt)) <= bound


@pytest.mark.parametrize("agent", ["react", "report"])
class TestPagesAreCited:
    def test_a_stop_needs_a_page_that_was_retrieved(self, agent: AgentName):
        script = {"policy": [search("capital"), stop("p9"), stop("P1")], "report": reporting, "answer": CITED}
        run = run_scripted(QUESTION, script, finding(VELMORA), replace(SETTINGS, agent=agent))
        assert only(run, StopRefused).reason == "p9 is no evidence in force"
        assert only(run, StopChosen).evidence == ("p1",)

    def test_a_claim_leads_to_its_page(self, agent: AgentName):
        run = run_scripted(
            QUESTION, PAGES | {"report": reporting}, finding(VELMORA, KORN, TARN), replace(SETTINGS, agent=agent)
        )
        claim = only(run, Answered).claims[0]
        assert claim == Claim(text="The mayor was born in Tarn.", cites=("p3",))
        cited = citations(state(run), claim)
        assert [(one.standing, one.evidence, [each.passage for each in one.sources]) for one in cited] == [
            ("current", None, ["p3"])
        ]

    def test_the_same_search_again_is_served_from_the_record(self, agent: AgentName):
        script = {"policy": [search("a"), search("a"), stop("p1")], "report": reporting, "answer": CITED}
        run = run_scripted(QUESTION, script, finding(VELMORA), replace(SETTINGS, agent=agent))
        assert [one.repeat_of for one in state(run).searches] == [None, 1]


@pytest.mark.parametrize("agent", ["flat", "react", "report"])
def test_every_rule_of_a_run_holds_for_each_agent(agent: AgentName):
    settings = replace(SETTINGS, agent=agent)
    run = (
        refuted(settings)
        if agent == "flat"
        else run_scripted(QUESTION, PAGES | {"report": reporting}, finding(VELMORA, KORN, TARN), settings)
    )
    assert list(broken(run)) == []


def only_call(run: Trace, role: str):
    (found,) = calls_of(run, role)
    return found
