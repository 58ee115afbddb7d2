"""Citation measures by worked examples: a text entails a claim if it holds all the claim's letters."""

from __future__ import annotations

import re

import pytest

from retree_core.evaluation.citing import Alce, Attribution, alce, attribution, cited, harmonic, premises

DOCUMENTS = {"1": "a", "2": "b", "3": "ab", "4": "c", "5": "abc"}


def entails(premise: str, claim: str) -> bool:
    return set(claim) <= set(premise)


def written(text: str):
    """`a[1][4] ; b`: an answer of two claims."""
    claims = [one.strip() for one in text.split(";")]
    return [cited(one.split("[")[0], re.findall(r"\[(\d+)\]", one), DOCUMENTS) for one in claims]


def percent(rate: float | None) -> float | None:
    return None if rate is None else round(100 * rate, 2)


def rates(one: Attribution):
    return tuple(map(percent, (one.precision, one.recall, one.f1, one.uncited_rate)))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("a[1]", (100, 100, 100, 0)),
        ("a[1][4]", (50, 100, 66.67, 0)),
        ("ab[1][2]", (0, 0, 0, 0)),
        ("a", (None, 0, 0, 100)),
        ("a[9]", (0, 0, 0, 0)),
        ("a[2]", (0, 0, 0, 0)),
        ("c[1][2][3][4]", (25, 100, 40, 0)),
        ("a[1][1]", (100, 100, 100, 0)),
        ("c[0]", (0, 0, 0, 0)),
        ("a[1] ; b", (100, 50, 66.67, 50)),
    ],
)
def test_one_answer(answer: str, expected: tuple[float | None, ...]):
    assert rates(attribution(written(answer), entails)) == expected


def test_answers_are_pooled_over_claims_and_not_averaged():
    both = [attribution(written(one), entails) for one in ("a[1]", "c[1] ; c[2] ; c[3]")]
    assert rates(sum(both, Attribution())) == (25, 25, 25, 0)


def test_an_answer_without_claims_is_counted_and_adds_nothing():
    pooled = attribution([], entails) + attribution(written("a[1]"), entails)
    assert (pooled.answers, pooled.without_claims) == (2, 1)
    assert rates(pooled) == (100, 100, 100, 0)
    assert rates(attribution([], entails)) == (None, None, None, None)


@pytest.mark.parametrize(
    ("precision", "recall", "f1"),
    [(44.5, 41.3, 42.84), (37.7, 27.1, 31.53), (16.8, 21.4, 18.82)],
    ids=["ReTree", "Full-Trajectory ReAct", "ReportMemory"],
)
def test_the_f1_of_the_papers_second_table(precision: float, recall: float, f1: float):
    assert round(harmonic(precision, recall), 2) == f1


@pytest.mark.parametrize(
    ("answer", "recall", "precision"),
    [
        ("a[1]", 1, 1),
        ("ab[1][2]", 1, 1),
        ("a[1][4]", 1, 0.5),
        ("a[2]", 0, 0),
        ("a", 0, 0),
        ("a[1] ; b", 0.5, 1),
        ("a[1][9]", 1, 0.5),
    ],
)
def test_alce(answer: str, recall: float, precision: float):
    assert alce([written(answer)], entails) == Alce(recall=recall, precision=precision)


def test_alce_averages_over_answers():
    assert alce([written("a[1]"), written("c[1] ; c[2] ; c[3]")], entails) == Alce(recall=0.5, precision=0.5)
    assert alce([], entails) is None


def test_what_will_be_asked_is_known_beforehand():
    answers = [written("ab[1][2]"), written("a[1][4][9] ; b")]
    asked = {pair for one in answers for pair in premises(one, with_alce=True)}
    missing = []

    def known(premise: str, claim: str) -> bool:
        if (premise, claim) not in asked:
            missing.append((premise, claim))
        return entails(premise, claim)

    for one in answers:
        attribution(one, known)
    alce(answers, known)
    assert missing == []
