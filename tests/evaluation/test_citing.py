"""Citation measures by worked examples: a text entails a claim if it holds all the claim's letters."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from evaluation.folders import claim, row

from retree_core.evaluation.citing import Alce, CitedClaim, alce, attribution, harmonic, premises
from retree_core.evaluation.judged import Judges, Verdicts
from retree_core.evaluation.rows import RowClaim
from retree_core.evaluation.scores import Score, judged, score
from retree_core.evaluation.verdicts import Verdict

DOCUMENTS = {"1": "a", "2": "b", "3": "ab", "4": "c", "5": "abc"}


def entails(premise: str, claim: str) -> bool:
    return set(claim) <= set(premise)


def written(text: str) -> tuple[RowClaim, ...]:
    """`a[1][4] ; b`: an answer of two claims."""
    claims = [one.strip() for one in text.split(";")] if text else []
    return tuple(
        claim(one.split("[")[0], *((id_, DOCUMENTS.get(id_)) for id_ in re.findall(r"\[(\d+)\]", one)))
        for one in claims
    )


def cited(text: str) -> list[CitedClaim]:
    return [one.cited for one in written(text)]


def scored(*answers: str) -> Score:
    """What a report says of these answers, once every pair that it needs was judged."""
    asked = {pair for one in answers for pair in premises(cited(one), with_alce=True)}
    verdicts = Verdicts(
        judges=Judges(entail="llm", entail_model="letters"),
        entailed={pair: Verdict(said=entails(*pair), reason="") for pair in asked},
    )
    return score([judged(row(claims=written(one)), verdicts) for one in answers], verdicts)


def percent(rate: float | None) -> float | None:
    return None if rate is None else round(100 * rate, 2)


def rates(one: Score) -> tuple[float | None, ...]:
    """P, R, F1 and Uncited."""
    return tuple(map(percent, (one.cite_precision.value, one.cite_recall.value, one.attribution.f1, one.uncited.value)))


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["a[1]"], (100, 100, 100, 0)),
        (["a[1][4]"], (50, 100, 66.67, 0)),
        (["ab[1][2]"], (0, 0, 0, 0)),
        (["a"], (None, 0, 0, 100)),
        (["a[9]"], (0, 0, 0, 0)),
        (["a[2]"], (0, 0, 0, 0)),
        (["c[1][2][3][4]"], (25, 100, 40, 0)),
        (["a[1][1]"], (100, 100, 100, 0)),
        (["c[0]"], (0, 0, 0, 0)),
        (["a[1] ; b"], (100, 50, 66.67, 50)),
        (["a[1]", "c[1] ; c[2] ; c[3]"], (25, 25, 25, 0)),
        ([""], (None, None, None, None)),
        (["", "a[1]"], (100, 100, 100, 0)),
    ],
)
def test_the_papers_measures_pooled_over_claims(answers: Sequence[str], expected: tuple[float | None, ...]):
    found = scored(*answers)
    assert rates(found) == expected
    assert found.without_claims == sum(not one for one in answers)


@pytest.mark.parametrize(
    ("precision", "recall", "f1"),
    [(44.5, 41.3, 42.84), (37.7, 27.1, 31.53), (16.8, 21.4, 18.82)],
    ids=["ReTree", "Full-Trajectory ReAct", "ReportMemory"],
)
def test_the_f1_of_the_papers_second_table(precision: float, recall: float, f1: float):
    assert round(harmonic(precision, recall), 2) == f1


@pytest.mark.parametrize(
    ("answers", "recall", "precision"),
    [
        (["a[1]"], 100, 100),
        (["a[1][4]"], 100, 50),
        (["ab[1][2]"], 100, 100),
        (["a"], 0, 0),
        (["a[9]"], 0, 0),
        (["a[2]"], 0, 0),
        (["c[1][2][3][4]"], 100, 25),
        (["a[1][1]"], 100, 100),
        (["c[0]"], 0, 0),
        (["a[1] ; b"], 50, 100),
        (["a[1][9]"], 0, 0),
        (["a[1] ; a[1][9]"], 50, 100),
        (["a[1][2] ; c[1][2]"], 50, 25),
        (["ab[1][2][3]"], 100, 33.33),
        (["abc[1][2][4]"], 100, 100),
        (["a[1]", "c[1] ; c[2] ; c[3]"], 50, 50),
        (["", "a[1]"], 100, 100),
    ],
)
def test_alces_measures_averaged_over_answers(answers: Sequence[str], recall: float, precision: float):
    found = scored(*answers).alce
    assert found is not None
    assert (percent(found.recall), percent(found.precision)) == (recall, precision)


def test_no_answer_has_no_alce():
    assert alce([], entails) is None
    assert scored("").alce is None
    assert alce([cited("a[1]")], entails) == Alce(recall=1, precision=1)


def test_what_will_be_asked_is_known_beforehand():
    answers = [cited("ab[1][2]"), cited("a[1][4][9] ; b ; abc[1][2][4]")]
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
