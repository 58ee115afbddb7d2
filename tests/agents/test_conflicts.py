"""A contradiction is proposed, then confirmed or rejected (paper, section 4.3)."""

import pytest
from worlds import (
    DRESK,
    KORN,
    LIND,
    QUESTION,
    SETTINGS,
    SORREL,
    TARN,
    VELMORA,
    asking,
    calls_of,
    clashing,
    confirm,
    conflict,
    cut,
    every,
    finding,
    hit,
    kinds,
    only,
    part,
    prompt,
    repaired_run,
    run_scripted,
    shown,
    state,
    summary,
)

from retree_core.events import (
    ConflictConfirmed,
    ConflictProposed,
    ConflictRejected,
    EvidenceRepaired,
    NodeAdded,
    ReplyRejected,
)
from retree_core.settings import Settings
from retree_core.verdicts import Part, Parts

PAPER = Settings(model="scripted", judge="paper")


def test_the_judge_sees_question_stored_and_new_facts_and_not_the_summary():
    script = {"policy": asking(2, "e1"), "summarise": [summary("SECRET SUMMARY"), summary("more")]}
    run = run_scripted(QUESTION, script, finding(VELMORA, KORN))
    (call,) = calls_of(run, "conflict")
    asked = prompt(call)
    assert "SECRET SUMMARY" not in asked
    assert asked.endswith(
        f"Question: {QUESTION}\n\nStored facts\n[e1] {VELMORA} (from: A page)\n\nNew facts\n[e2] {KORN} (from: A page)"
    )


def test_the_first_search_has_nothing_to_contradict_and_asks_no_judge():
    run = run_scripted(QUESTION, {"policy": asking(1, "e1")}, finding(VELMORA))
    assert calls_of(run, "conflict") == []


def test_new_facts_are_compared_with_the_five_stored_ones_nearest_to_them():
    towns = [f"{town} has a gate." for town in ("Pell", "Quist", "Rusk", "Vint", "Ulm", "Ard")]
    run = run_scripted(QUESTION, {"policy": asking(7, "e1")}, finding(*towns, "Pell has a wall."))
    stored = shown(calls_of(run, "conflict")[-1].call)
    assert [*stored] == ["e1", "e6", "e5", "e4", "e3", "e7"]


def test_a_confirmed_conflict_names_who_decided_and_states_the_parts():
    said = confirm(
        reason="One country has one capital.",
        entity=part("Alvonia", "Alvonia"),
        attribute=part("capital", "capital"),
        value=part("Velmora", "Dresk", same=False),
    )
    run = repaired_run({"confirm": [said]})
    assert only(run, ConflictProposed) == ConflictProposed(old="e1", new="e4", reason="they differ")
    event = only(run, ConflictConfirmed)
    assert (event.old, event.new, event.by, event.reason) == (
        "e1",
        "e4",
        "confirmation",
        "One country has one capital.",
    )
    assert all(one.passed for one in event.guards)
    nothing = Part(old="", new="", same=True)
    assert event.parts == Parts(
        entity=Part(old="Alvonia", new="Alvonia", same=True),
        attribute=Part(old="capital", new="capital", same=True),
        scope=nothing,
        time=nothing,
        value=Part(old="Velmora", new="Dresk", same=False),
    )


def test_the_confirmation_sees_summary_sources_and_the_facts_that_came_along():
    def second(call):
        return confirm()

    finds = finding(VELMORA, f"Atlas of 1990. {DRESK} {LIND}")
    script = {
        "policy": asking(2, "e1"),
        "conflict": clashing(("e1", "e2")),
        "confirm": second,
        "summarise": lambda _: summary("The capital is known."),
        "extract": [
            {"facts": [{"passage": 1, "quote": VELMORA, "fact": VELMORA}]},
            {
                "facts": [
                    {"passage": 1, "quote": DRESK, "fact": DRESK},
                    {"passage": 1, "quote": LIND, "fact": LIND},
                ]
            },
        ],
    }
    run = run_scripted(QUESTION, script, finds)
    asked = prompt(calls_of(run, "confirm")[0])
    assert "Summary of the search so far\nThe capital is known." in asked
    assert f"Stored fact\n[e1] {VELMORA}\nsource: A page: {VELMORA}" in asked
    assert f"New fact\n[e2] {DRESK}\nsource: A page: Atlas of 1990. {DRESK} {LIND}" in asked
    assert f"Found together with it\n[e3] {LIND} (from: A page)" in asked
    assert "Former values" not in asked


def test_a_fact_with_two_sources_shows_both_to_the_confirmation_and_keeps_both_in_its_history():
    script = {"policy": asking(3, "e1"), "conflict": clashing(("e1", "e3"))}
    run = run_scripted(QUESTION, script, finding(f"Page one. {VELMORA}", VELMORA, DRESK))
    run = run_scripted(QUESTION, script, finding(VELMORA, f"{VELMORA} So it is.", DRESK))
    assert prompt(calls_of(run, "confirm")[0]).count("source: A page: The capital of Alvonia is Velmora.") == 2
    first, second = state(run).evidence["e1"].revisions
    assert [one.passage for one in first.sources] == ["p1", "p2"]
    assert [one.passage for one in second.sources] == ["p3"]


@pytest.mark.parametrize(
    "said",
    [confirm(False, reason="no"), confirm(better="stored", reason="no"), confirm(False, better="stored", reason="no")],
)
def test_a_rejected_confirmation_expands_the_tree_and_marks_the_fact_contested(said):
    run = repaired_run({"confirm": [said], "policy": asking(6, "e6")})
    event = only(run, ConflictRejected)
    assert (event.old, event.new, event.by, event.reason) == ("e1", "e4", "confirmation", "no")
    assert [one.node for one in every(run, NodeAdded)] == ["n1", "n2", "n3", "n4", "n5", "n6"]
    assert state(run).evidence["e1"].contested_by == ("e4",)
    assert state(run).evidence["e1"].text == VELMORA


def test_a_guard_rejects_before_the_confirmation_is_asked():
    old, new = "The city of Velmora has 5,000 inhabitants.", "The metropolitan area of Velmora has 9,000 inhabitants."
    script = {"policy": asking(2, "e2"), "conflict": clashing(("e1", "e2"))}
    run = run_scripted("How many people live in Velmora?", script, finding(old, new))
    event = only(run, ConflictRejected)
    assert (event.old, event.new, event.by, event.parts) == ("e1", "e2", "guard", None)
    assert event.reason.startswith(next(one.name for one in event.guards if not one.passed))
    assert calls_of(run, "confirm") == []
    assert [one.node for one in every(run, NodeAdded)] == ["n1", "n2"]
    assert state(run).evidence["e1"].contested_by == ("e2",)


def test_a_guard_over_the_stated_parts_may_veto_what_the_confirmation_confirms():
    old, new = "In 2010 Velmora had 5,000 inhabitants.", "In 2020 Velmora had 6,100 inhabitants."
    said = confirm(value=part("5,000", "6,100", same=False))
    script = {"policy": asking(2, "e2"), "conflict": clashing(("e1", "e2")), "confirm": [said]}
    run = run_scripted("How many people live in Velmora?", script, finding(old, new))
    event = only(run, ConflictRejected)
    assert (event.by, event.parts.value) == ("guard", Part(old="5,000", new="6,100", same=False))
    assert every(run, EvidenceRepaired) == []


@pytest.mark.parametrize(("better", "repairs"), [("new", 1), ("stored", 0), ("neither", 0)])
def test_two_answers_to_one_question_are_compared_by_code_whatever_the_model_makes_of_them(better, repairs):
    """A small model often says no beside two answers that exclude each other."""
    said = confirm(False, better=better, value=part("Velmora", "Dresk", same=False))
    run = repaired_run({"confirm": [said], "policy": asking(6, "e6")})
    assert len(every(run, EvidenceRepaired)) == repairs


def test_the_papers_judge_is_two_plain_calls_without_guards():
    said = {"reason": "better supported", "apply": True}
    run = repaired_run({"confirm": [said]}, PAPER)
    assert only(run, ConflictConfirmed) == ConflictConfirmed(
        old="e1", new="e4", by="confirmation", reason="better supported"
    )
    assert only(run, EvidenceRepaired).node == "n1"


def test_the_papers_judge_may_reject():
    run = repaired_run({"confirm": [{"reason": "a refinement", "apply": False}]}, PAPER)
    assert only(run, ConflictRejected) == ConflictRejected(old="e1", new="e4", by="confirmation", reason="a refinement")


@pytest.mark.parametrize("named", [("e1", "e4"), ("E1 ", "[e4]"), ("[E1]", " E4")])
def test_ids_are_taken_in_tolerated_forms(named):
    run = repaired_run({"conflict": [conflict(), conflict(), conflict(named), conflict(), conflict()]})
    assert only(run, EvidenceRepaired).evidence == "e1"


@pytest.mark.parametrize("named", ["e99", "e4", 1, "1", None, [], ["e1", "e1"], ""])
def test_an_id_that_was_not_shown_is_asked_for_again(named):
    wrong = {"pairs": [{"reason": "?", "stored": named, "new": "e4"}]}
    run = repaired_run({"conflict": [conflict(), conflict(), wrong, conflict(("e1", "e4")), conflict(), conflict()]})
    rejected = only(run, ReplyRejected)
    assert (rejected.role, rejected.attempt) == ("conflict", 1)
    if isinstance(named, str):
        assert rejected.reason.endswith("was not shown; use one of e1, e2, e3") or "e3" in rejected.reason
    assert only(run, EvidenceRepaired).evidence == "e1"


def test_the_id_of_a_pruned_fact_is_not_shown_and_not_accepted():
    wrong = conflict(("e2", "e5"))
    proposals = [conflict(), conflict(), conflict(("e1", "e4")), wrong, wrong, wrong, conflict()]
    run = repaired_run({"conflict": proposals})
    assert "'e2' was not shown; use one of e1" in every(run, ReplyRejected)[0].reason
    assert state(run).evidence["e2"].contested_by == ()


def test_a_judge_that_never_names_a_shown_id_changes_nothing():
    wrong = conflict(("e99", "e2"))
    run = run_scripted(QUESTION, {"policy": asking(2, "e2"), "conflict": [wrong] * 3}, finding(VELMORA, KORN))
    assert kinds(run).count("reply_rejected") == 3
    assert [one.node for one in every(run, NodeAdded)] == ["n1", "n2"]


def test_a_confirmation_that_never_validates_rejects():
    run = repaired_run({"confirm": ["no idea", "none", "still none"]})
    event = only(run, ConflictRejected)
    assert (event.by, event.reason[:15]) == ("confirmation", "no valid reply ")


def test_the_same_pair_twice_is_one_proposal():
    pairs = conflict(("e1", "e4"), ("E1", "e4"))
    run = repaired_run(
        {"conflict": [conflict(), conflict(), pairs, conflict(), conflict()], "confirm": [confirm(False)]}
    )
    assert len(every(run, ConflictProposed)) == 1


def test_a_restatement_of_the_stored_value_is_never_judged():
    script = {"policy": asking(2, "e1"), "conflict": clashing(("e1", "e2"))}
    run = run_scripted(QUESTION, script, finding(VELMORA, f"{VELMORA} Truly."))
    assert (calls_of(run, "conflict"), every(run, EvidenceRepaired)) == ([], [])


def test_a_negation_is_no_duplicate_and_goes_to_the_judge():
    script = {"policy": asking(2, "e1"), "conflict": clashing(("e1", "e2"))}
    run = run_scripted(QUESTION, script, finding(VELMORA, "The capital of Alvonia is not Velmora."))
    assert only(run, ConflictProposed).new == "e2"


@pytest.mark.parametrize("better", ["stored", "neither"])
def test_the_better_supported_of_undated_values_is_the_models_to_say(better):
    """That a value was found later is no reason to take it."""
    script = {"policy": asking(2, "e1"), "conflict": clashing(("e1", "e2")), "confirm": [confirm(better=better)]}
    run = run_scripted(QUESTION, script, finding(TARN, "Ilse Korn was born in Sorrel."))
    assert only(run, ConflictRejected).by == "confirmation"


@pytest.mark.parametrize("published", ["2020-01-01", "2020-01-01T00:00Z", "2020", "May 2020", "unknown"])
def test_a_date_of_any_form_is_shown_to_the_judge_as_it_came(published):
    script = {"policy": asking(2, "e1"), "conflict": clashing(("e1", "e2"))}
    pages = [[hit(VELMORA, published="2019-05-01T10:00:00+02:00")], [hit(DRESK, published=published)]]
    run = run_scripted(QUESTION, script, pages)
    assert f"source: A page, {published}: {DRESK}" in prompt(calls_of(run, "confirm")[0])
    assert only(run, EvidenceRepaired).new_text == DRESK


def test_a_cut_proposal_is_asked_again_with_twice_the_room():
    run = repaired_run(
        {
            "conflict": [
                conflict(),
                conflict(),
                cut('{"pairs": [{"reason": "e1 and'),
                conflict(("e1", "e4")),
                conflict(),
                conflict(),
            ]
        }
    )
    first, second = (one.call.body["max_tokens"] for one in calls_of(run, "conflict")[2:4])
    assert second == 2 * first
    assert only(run, EvidenceRepaired).new_text == DRESK


def test_what_is_shown_to_the_judge_after_a_repair_is_the_repaired_fact():
    run = repaired_run()
    assert shown(calls_of(run, "conflict")[-1].call) == {"e1": DRESK, "e5": LIND, "e6": SORREL}
    assert SETTINGS.judge == "guarded"
