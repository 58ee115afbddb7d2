"""The policy: what it sees, when it may stop, and how a run comes to its end (paper, section 4.2)."""

from dataclasses import replace

import pytest
from worlds import (
    DRESK,
    KORN,
    QUESTION,
    SETTINGS,
    TARN,
    VELMORA,
    answer,
    asking,
    calls_of,
    clashing,
    every,
    failed,
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

from retree_core.events import (
    BudgetExhausted,
    ContextBuilt,
    DuplicateFound,
    PassagesRetrieved,
    RunEnded,
    SearchChosen,
    StopChosen,
    StopRefused,
)
from retree_core.settings import Settings
from retree_core.state import active_path


def test_a_stop_before_any_retrieval_is_refused_and_asked_again():
    run = run_scripted(QUESTION, {"policy": [stop(), *asking(1, "e1")]}, finding(VELMORA))
    assert only(run, StopRefused) == StopRefused(evidence=(), reason="nothing has been retrieved yet")
    assert kinds(run)[1:6] == [
        "context_built",
        "stop_refused",
        "context_built",
        "search_chosen",
        "passages_retrieved",
    ]
    assert prompt(calls_of(run, "policy")[1]).endswith(
        "Your answer was refused: nothing has been retrieved yet. Search for what is missing."
    )


def test_a_second_refusal_forces_a_search_with_the_question_itself():
    run = run_scripted(QUESTION, {"policy": [stop(), stop("e1"), stop("e1")]}, finding(VELMORA))
    assert [one.reason for one in every(run, StopRefused)] == ["nothing has been retrieved yet"] * 2
    assert only(run, SearchChosen) == SearchChosen(
        search=1, query=QUESTION, origin="forced", reason="two stops were refused"
    )
    assert only(run, RunEnded).status == "answered"


def test_a_failed_search_is_no_retrieval():
    script = {"policy": [search("capital"), stop("e1"), search("capital of Alvonia"), stop("e1")]}
    run = run_scripted(QUESTION, script, [failed("search_error"), *finding(VELMORA)])
    assert only(run, StopRefused).reason == "nothing has been retrieved yet"


def test_a_search_that_finds_nothing_is_no_retrieval():
    script = {"policy": [search("capital"), stop("e1"), search("capital of Alvonia"), stop("e1")]}
    run = run_scripted(QUESTION, script, [[], *finding(VELMORA)])
    assert only(run, StopRefused).reason == "nothing has been retrieved yet"


@pytest.mark.parametrize(
    ("cited", "reason"),
    [
        ((), "no evidence in force supports it"),
        (("e9",), "e9 is no evidence in force"),
        (("root", "p1"), "root, p1 is no evidence in force"),
    ],
)
def test_a_stop_without_a_valid_id_is_refused(cited, reason):
    run = run_scripted(QUESTION, {"policy": [search("capital"), stop(*cited), stop("e1")]}, finding(VELMORA))
    assert only(run, StopRefused) == StopRefused(evidence=cited, reason=reason)
    assert only(run, StopChosen) == StopChosen(evidence=("e1",))


@pytest.mark.parametrize("written", ["E1", " e1 ", "[e1]", "[E1]"])
def test_an_id_may_be_written_in_tolerated_forms(written):
    run = run_scripted(QUESTION, {"policy": asking(1, written)}, finding(VELMORA))
    assert only(run, StopChosen).evidence == ("e1",)


def test_a_stop_is_on_the_valid_ids_alone():
    run = run_scripted(QUESTION, {"policy": asking(1, "e9", "e1", "e1")}, finding(VELMORA))
    assert only(run, StopChosen).evidence == ("e1",)


def test_after_eight_searches_the_answer_is_drawn_from_what_is_there():
    searches = [search(f"query {number}") for number in range(1, 10)]
    towns = ["Velmora", "Dresk", "Tarn", "Sorrel", "Pell", "Quist", "Rusk", "Vint"]
    run = run_scripted(QUESTION, {"policy": searches}, finding(*(f"{town} is a town." for town in towns)))
    assert len(state(run).searches) == 8
    assert kinds(run)[-4:] == ["context_built", "budget_exhausted", "answered", "run_ended"]
    assert only(run, BudgetExhausted) == BudgetExhausted(searches=8)
    assert only(run, RunEnded) == RunEnded(status="budget_exhausted")


def test_a_stop_is_still_allowed_after_the_last_search():
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, finding(VELMORA, KORN), Settings(max_searches=2))
    assert only(run, RunEnded).status == "answered"


def test_no_search_is_forced_when_the_budget_is_spent():
    script = {"policy": [search("capital"), stop(), stop()]}
    run = run_scripted(QUESTION, script, finding(VELMORA), Settings(max_searches=1))
    assert kinds(run)[-5:] == ["context_built", "stop_refused", "budget_exhausted", "answered", "run_ended"]


def test_the_policy_sees_the_summary_and_at_most_five_facts_the_relevant_ones():
    others = [f"{town} is a town." for town in ("Pell", "Quist", "Rusk", "Vint", "Sorrel")]
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, [[hit(VELMORA), hit(KORN)], [hit(one) for one in others]])
    last = every(run, ContextBuilt)[-1]
    assert last.evidence == ("e1", "e7", "e6", "e5", "e4")  # two words of the question, then one and newer
    assert last.characters == len(prompt(calls_of(run, "policy")[-1]).split("Memory\n")[1])


def test_what_the_policy_misses_helps_to_choose_the_evidence_it_is_shown():
    towns = [f"{town} is a town." for town in ("Pell", "Quist", "Rusk", "Vint", "Sorrel")]
    script = {
        "policy": [search("towns"), search("Rusk", missing=["who founded Pell", "when Rusk was built"]), stop("e1")]
    }
    run = run_scripted(
        "Who?", script, [[hit(one) for one in towns], [hit("Rusk has a wall."), hit("Pell has a well.")]]
    )
    assert every(run, ContextBuilt)[-1].evidence == ("e7", "e6", "e3", "e1", "e5")


def test_a_repeated_query_is_served_from_the_runs_own_record_and_counts():
    script = {"policy": [search("Paris"), search(" paris "), stop("e1")]}
    run = run_scripted(QUESTION, script, [[hit(VELMORA), hit(KORN)]])
    first, second = every(run, PassagesRetrieved)
    assert (second.passages, second.repeat_of) == (first.passages, 1)
    assert [one.number for one in state(run).searches] == [1, 2]
    assert len(calls_of(run, "extract")) == 1
    assert prompt(calls_of(run, "policy")[2]).endswith(
        'That search was made before. Searches so far: "Paris", "paris". Search for something else, in other words.'
    )


def test_a_repeated_query_is_read_again_where_what_it_brought_was_pruned():
    policy = [search("capital"), search("mayor"), search("Korn"), search("new capital"), search("korn"), stop("e1")]
    pages = finding(VELMORA, KORN, f"{KORN} Again.", DRESK)
    run = run_scripted(QUESTION, {"policy": policy, "conflict": clashing(("e1", "e4"))}, pages)
    assert [one.fact for one in every(run, DuplicateFound)] == ["e3"]  # restates e2, which was pruned
    assert [one.text for one in active_path(state(run))] == [DRESK, KORN]


def test_the_same_query_for_ever_ends_with_the_budget():
    run = run_scripted(QUESTION, {"policy": [search("Paris")] * 9}, finding(VELMORA, KORN))
    assert only(run, RunEnded).status == "budget_exhausted"
    assert [one.call.query for one in run.calls if not hasattr(one.call, "role")] == ["Paris", QUESTION]
    assert [one.origin for one in every(run, SearchChosen)] == ["policy", "policy", "forced", *["policy"] * 5]


def test_a_query_whose_search_failed_is_sent_again():
    script = {"policy": [search("Paris"), search("Paris"), stop("e1")]}
    run = run_scripted(QUESTION, script, [failed("timeout"), *finding(VELMORA)])
    assert [one.failure for one in state(run).searches] == ["timeout", None]
    assert only(run, PassagesRetrieved).repeat_of is None


def test_no_evidence_at_all_is_no_answer_and_costs_no_call():
    script = {"policy": [search("one"), search("two"), search("three")]}
    run = run_scripted(QUESTION, script, [[], []], Settings(max_searches=2))
    assert only(run, RunEnded) == RunEnded(status="no_answer", detail="no search found usable evidence")
    assert calls_of(run, "answer") == []


def test_a_search_that_brought_nothing_tells_the_policy():
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, [[], *finding(TARN)])
    assert prompt(calls_of(run, "policy")[1]).endswith('The search for "query 1" brought no passage. Try other words.')


# The same rules for all four agents (paper, section 5.4).

AGENTS = ("retree", "flat", "react", "report")
REPORTED = {"report": lambda _: {"report": "All is known."}, "answer": lambda _: answer("Velmora")}


@pytest.mark.parametrize("agent", AGENTS)
def test_no_agent_stops_before_a_search_has_found_something(agent):
    script = {"policy": [stop(), search("capital"), stop("e1"), search("towns"), stop("e1", "p1")], **REPORTED}
    run = run_scripted(
        QUESTION, script, [failed("server_error", "503"), *finding(VELMORA)], replace(SETTINGS, agent=agent)
    )
    assert [one.reason for one in every(run, StopRefused)] == ["nothing has been retrieved yet"] * 2
    assert (len(every(run, SearchChosen)), only(run, RunEnded).status) == (2, "answered")


@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_query_in_any_spelling_ends_with_the_budget_of_every_agent(agent):
    queries = ["Paris", " paris ", "PARIS?"]
    script = {"policy": [search(queries[number % 3]) for number in range(9)], **REPORTED}
    run = run_scripted(QUESTION, script, finding(VELMORA, KORN), replace(SETTINGS, agent=agent))
    assert [one.repeat_of for one in state(run).searches] == [None, 1, None, 1, 1, 1, 1, 1]
    assert every(run, SearchChosen)[2].query == QUESTION
    assert "That search was made before." in prompt(calls_of(run, "policy")[2])
    assert only(run, RunEnded).status == "budget_exhausted"
