"""The answer, its claims and what they cite (paper, section 4.4)."""

import pytest
from worlds import (
    DRESK,
    KORN,
    LIND,
    QUESTION,
    SORREL,
    TARN,
    VELMORA,
    answer,
    asking,
    calls_of,
    finding,
    only,
    prompt,
    repaired_run,
    run_scripted,
    state,
)

from retree_core.events import Answered, ReplyRejected, RunEnded
from retree_core.memory import Claim, Source
from retree_core.state import Citation, citations, resolve


def test_claims_cite_ids_each_once_in_tidy_form():
    said = answer("Tarn", ("Korn is mayor.", ["e2", "[E2]", " e1"]), (" ", ["e1"]), ("Korn is from Tarn.", []))
    run = run_scripted(QUESTION, {"policy": asking(3, "e3"), "answer": [said]}, finding(VELMORA, KORN, TARN))
    assert only(run, Answered) == Answered(
        text="Tarn",
        claims=(Claim(text="Korn is mayor.", cites=("e2", "e1")), Claim(text="Korn is from Tarn.", cites=())),
        shown=("e1", "e2", "e3"),
    )


def test_a_claim_on_a_repaired_fact_leads_to_its_current_passage():
    run = repaired_run({"answer": [answer("Sorrel", ("Dresk is the capital.", ["e1"]), ("From Sorrel.", ["e6"]))]})
    one, two = only(run, Answered).claims
    assert citations(state(run), one) == (
        Citation(
            id="e1",
            standing="repaired",
            evidence="e1",
            revision=2,
            sources=(Source(passage="p4", quote=DRESK, start=0, end=len(DRESK)),),
        ),
    )
    assert [(cited.standing, cited.revision) for cited in citations(state(run), two)] == [("current", 1)]


@pytest.mark.parametrize(
    ("cited", "standing", "evidence"),
    [
        ("e3", "stale", "e3"),  # pruned
        ("e4", "repaired", "e1"),  # absorbed by e1
        ("e99", "missing", None),
        ("", "missing", None),
    ],
)
def test_a_citation_says_how_it_stands(cited, standing, evidence):
    found = resolve(state(repaired_run()), cited)
    assert (found.standing, found.evidence) == (standing, evidence)


def test_a_citation_of_a_duplicate_leads_to_the_fact_it_restates():
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, finding(VELMORA, f"{VELMORA} Yes."))
    found = resolve(state(run), "e2")
    assert (found.standing, found.evidence, [one.passage for one in found.sources]) == ("current", "e1", ["p1", "p2"])


def test_the_answer_call_sees_summary_and_active_evidence_oldest_first():
    run = repaired_run()
    (call,) = calls_of(run, "answer")
    assert prompt(call).endswith(
        f"Question: {QUESTION}\n\nSummary\n{DRESK} {LIND} {SORREL}\n\n"
        f"Evidence\n[e1] {DRESK}\n[e5] {LIND}\n[e6] {SORREL}"
    )


def test_evidence_the_policy_stopped_on_is_always_shown():
    towns = ["Pell", "Quist", "Rusk", "Vint", "Ulm", "Ard", "Orm", "Ith"]
    finds = [*finding("It is green."), *finding(*(f"The mayor of the capital {town} is a town." for town in towns[:7]))]
    finds[7] = [*finding(*(f"The mayor of the capital {town} was born." for town in [*towns, "Eld", "Fen"]))[0]]
    run = run_scripted(QUESTION, {"policy": asking(8, "e1")}, finds)
    assert only(run, Answered).shown[0] == "e1"


def test_an_empty_answer_is_asked_for_again():
    run = run_scripted(QUESTION, {"policy": asking(1, "e1"), "answer": [answer(" "), answer("Tarn")]}, finding(TARN))
    assert only(run, ReplyRejected).reason == "answer: is empty"
    assert only(run, Answered).text == "Tarn"


def test_an_answer_that_never_validates_ends_the_run_as_an_error():
    run = run_scripted(QUESTION, {"policy": asking(1, "e1"), "answer": ["", "{}", "[]"]}, finding(TARN))
    ended = only(run, RunEnded)
    assert (ended.status, ended.detail.startswith("no valid reply from the model; answer: ")) == ("llm_error", True)
