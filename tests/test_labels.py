"""Labels of the judge's decisions, and its precision by them."""

from dataclasses import replace

from worlds import repaired_run

from retree_core.labels import Score, is_the_judges, label_note, label_of, label_scores, labels_in
from retree_core.notes import Notes
from retree_core.why import Ledger, conflicts


def label(moment: int, verdict: str, decision: str = "confirmed", by: str = "confirmation") -> dict[str, object]:
    about = {"id": f"n{moment}{verdict}", "kind": "label", "old": "e1", "new": "e4", "moment": moment}
    return {**about, "decision": decision, "decided_by": by, "verdict": verdict}


def notes(*every: dict[str, object]) -> Notes:
    return Notes(trace="t", notes=every)


def test_a_decision_of_a_run_is_labelled_and_found_again():
    (conflict,) = conflicts(Ledger(repaired_run()))
    note = label_note(conflict, "wrong")
    assert note == {
        "kind": "label",
        "moment": 25,
        "text": "e4 against e1, confirmed: wrong",
        "old": "e1",
        "new": "e4",
        "decision": "confirmed",
        "decided_by": "confirmation",
        "verdict": "wrong",
    }
    found = label_of(labels_in(notes({"id": "x", **note})), conflict)
    assert found is not None
    assert (found.id, found.verdict, found.right) == ("x", "wrong", False)


def test_the_last_label_of_a_decision_counts_and_malformed_ones_do_not():
    odd = [
        {"kind": "label", "moment": "7", "decision": "confirmed", "verdict": "right"},
        {"kind": "label", "moment": 7, "decision": "guessed", "verdict": "right"},
        {"kind": "label", "moment": True, "decision": "confirmed", "verdict": "right"},
        {"kind": "label", "moment": 7, "decision": "confirmed", "verdict": ["right"]},
        {"kind": "note", "moment": 7, "text": "right"},
    ]
    found = labels_in(notes(label(5, "right"), *odd, label(5, "wrong")))
    assert [(one.moment, one.verdict) for one in found] == [(5, "wrong")]


def test_precision_by_decision_and_by_what_took_it():
    scores = label_scores(
        labels_in(
            notes(
                label(1, "right"),
                label(2, "right"),
                label(3, "wrong"),
                label(4, "right", "rejected", "guard:same_value"),
                label(5, "wrong", "rejected", "confirmation"),
            )
        )
    )
    assert (scores.confirmed, scores.rejected, scores.labelled) == (Score(right=2, wrong=1), Score(right=1, wrong=1), 5)
    assert scores.confirmed.precision == 2 / 3
    assert scores.by_decider == {
        ("confirmed", "confirmation"): Score(right=2, wrong=1),
        ("rejected", "confirmation"): Score(wrong=1),
        ("rejected", "guard:same_value"): Score(right=1),
    }
    assert label_scores([]).confirmed.precision is None


def test_what_a_person_decided_by_forking_does_not_count():
    by_fork = label(7, "right", by="fork")
    assert label_scores(labels_in(notes(label(1, "wrong"), by_fork))) == label_scores(
        labels_in(notes(label(1, "wrong")))
    )
    (conflict,) = conflicts(Ledger(repaired_run()))
    edited = tuple(replace(one, edited=True) for one in conflict.confirmation_calls)
    assert edited
    assert is_the_judges(conflict)
    assert not is_the_judges(replace(conflict, by="fork"))
    assert not is_the_judges(replace(conflict, confirmation_calls=edited))
    assert not is_the_judges(replace(conflict, decided=None))
