"""The paper's measures over rows made by hand."""

from __future__ import annotations

import pytest
from evaluation.folders import claim, failed, row, said

from retree_core.evaluation.judged import Judges, Verdicts
from retree_core.evaluation.scores import Rate, Score, differences, judged, rate, score
from retree_core.evaluation.statistics import interval, mcnemar, sign_flips
from retree_core.trace.spent import Spent

NOBODY = Verdicts()


def scored(rows, verdicts: Verdicts = NOBODY) -> Score:
    return score([judged(one, verdicts) for one in rows], verdicts)


def percent(one: Rate) -> float | None:
    return None if one.value is None else round(100 * one.value, 2)


def test_the_context_metric_is_the_mean_of_each_questions_largest():
    rows = [row(id="q1", context_max=max(10, 40, 25)), row(id="q2", context_max=max(5, 10))]
    assert scored(rows).context.value == 25.0


def test_questions_are_pooled_and_not_data_sets():
    def questions(name: str, count: int, right: int):
        return [row(id=f"{name}{n}", exact_match=n < right) for n in range(count)]

    both = [*questions("a", 125, 75), *questions("b", 824, 165)]
    assert percent(scored(both).exact) == round(100 * 240 / 949, 2) == 25.29
    assert percent(rate([0.6] * 125 + [0.2] * 824)) == 25.27


def test_errors_and_blank_answers_stay_in_the_denominator_and_are_told_apart_from_wrong_answers():
    rows = [row(id="q1"), row(id="q2", answer="", exact_match=False), failed(id="q3"), row(id="q4", exact_match=False)]
    found = scored(rows)
    assert (percent(found.exact), found.exact.of, found.errors, found.blank) == (25.0, 4, 1, 1)


def test_memory_and_cost_are_those_of_runs_that_came_to_a_result():
    rows = [row(id="q1", context_max=40, backtracks=1), row(id="q2", context_max=20), failed(id="q3", context_max=1)]
    found = scored(rows)
    assert (found.context.value, found.calls.value, found.tokens.value) == (30, 2, 120)
    assert percent(found.backtracked) == 50
    assert found.spent == {"policy": Spent(calls=6, prompt=300, completion=60)}


def test_no_verdict_is_neither_right_nor_wrong_and_counted():
    rows = [row(id="q1"), row(id="q2", answer="Bo"), row(id="q3", answer="Cy"), row(id="q4", answer="Di")]
    found = scored(rows, said({"Ann": True, "Bo": False, "Cy": None}))
    assert (percent(found.accuracy), found.accuracy.of) == (50.0, 2)
    assert found.grades == {"correct": 1, "incorrect": 1, "judge error": 2, "not judged": 0}


def test_without_a_judge_nothing_is_judged():
    found = scored([row(claims=(claim("a", ("e1", "a")),))])
    assert found.grades == {"correct": 0, "incorrect": 0, "judge error": 0, "not judged": 1}
    assert found.accuracy == found.cite_recall == Rate(value=None, of=0)
    assert found.alce is None


def test_citations_are_pooled_over_claims():
    one = row(id="q1", claims=(claim("a", ("e1", "has a")),))
    other = row(id="q2", claims=tuple(claim("c", ("e1", text)) for text in ("x", "y", "z")))
    told = said({}, {("has a", "a"): True, ("x", "c"): False, ("y", "c"): False, ("z", "c"): False})
    found = scored([one, other], told)
    rates = (found.cite_precision, found.cite_recall, found.uncited)
    assert tuple(map(percent, rates)) == (25, 25, 0)
    assert found.attribution.f1 == 0.25


def test_an_answer_of_two_claims_counts_both_and_one_without_claims_is_told():
    two = row(id="q1", claims=(claim("a", ("e1", "has a")), claim("b")))
    none = row(id="q2", answer="Ann")
    found = scored([two, none], said({}, {("has a", "a"): True}))
    assert (found.attribution.claims, found.without_claims) == (2, 1)
    assert tuple(map(percent, (found.cite_precision, found.cite_recall, found.uncited))) == (100, 50, 50)


def test_ids_that_lead_nowhere_are_citations_that_entail_nothing():
    invalid = claim("a", ("e1", "has a"), ("0", None), ("99", None), ("2020", None))
    found = scored([row(claims=(invalid,))], said({}, {("has a", "a"): True}))
    assert (percent(found.cite_precision), found.attribution.citations) == (25, 4)


def test_a_passage_that_two_ids_lead_to_is_cited_once():
    same = claim("a", ("e1", "has a"), ("e1", "has a"))
    assert scored([row(claims=(same,))], said({}, {("has a", "a"): True})).attribution.citations == 1


def test_a_claim_whose_citation_has_no_verdict_is_left_out_and_counted():
    rows = [row(claims=(claim("a", ("e1", "has a")), claim("b", ("e2", "maybe b"))))]
    found = scored(rows, said({}, {("has a", "a"): True, ("maybe b", "b"): None}))
    assert (found.attribution.claims, found.undecided, percent(found.cite_recall)) == (1, 1, 100)


def test_alce_asks_for_citations_together():
    both = row(claims=(claim("ab", ("e1", "a"), ("e2", "b")),))
    told = said({}, {("a", "ab"): False, ("b", "ab"): False, ("a\nb", "ab"): True})
    found = scored([both], told)
    assert found.alce is not None
    assert (found.alce.recall, found.alce.precision, percent(found.cite_recall)) == (1, 1, 0)


def test_no_rows_are_no_error():
    found = scored([], Verdicts(judges=Judges(model="judge", entail="llm")))
    assert (found.exact, found.accuracy, found.cite_precision) == (Rate(value=None, of=0),) * 3


def test_contexts_by_retrieval_are_over_the_runs_that_came_so_far():
    found = scored([row(id="q1", contexts=(10, 40, None, 60)), row(id="q2", contexts=(20,))])
    assert [(one.value, one.of) for one in found.contexts] == [(15, 2), (40, 1), (None, 0), (60, 1)]


def test_differences_are_paired_by_question():
    ours = [judged(row(id=f"q{n}", context_max=100), NOBODY) for n in range(6)]
    theirs = [judged(row(id=f"q{n}", agent="react", context_max=150, exact_match=n == 0), NOBODY) for n in range(5)]
    exact, _, context, *_ = differences(ours, theirs)
    assert (exact.questions, exact.only_one, exact.only_other, exact.p) == (5, 4, 0, 0.125)
    assert (context.difference, context.questions) == (-50, 5)
    assert context.p == pytest.approx(2 / 2**5, abs=0.01)


def test_mcnemar_is_exact():
    assert mcnemar(10, 0) == pytest.approx(0.001953125)
    assert mcnemar(3, 3) == 1.0
    assert mcnemar(800, 700) == pytest.approx(0.0105, abs=0.001)


def test_intervals_are_repeatable_and_hold_the_value():
    values = [float(n % 4 == 0) for n in range(100)]
    first = interval(values)
    assert first == interval(values)
    assert first is not None
    low, high = first
    assert 0.15 < low < 0.25 < high < 0.36


def test_an_interval_of_a_ratio_resamples_questions_and_not_claims():
    assert interval([1, 0], [1, 3]) == (0.0, 1.0)
    assert interval([1.0]) is None
    assert interval([0, 0], [0, 0]) is None


def test_signs_that_all_agree_are_unlikely():
    p = sign_flips([5.0] * 20)
    assert p is not None
    assert p < 0.001
    assert sign_flips([1, -1, 2, -2]) == 1.0
    assert sign_flips([]) is None
