"""The labelled pairs the judge is developed on, and what code alone must get right on them.

`retree judge tests/judging/pairs_dev.jsonl` measures the whole decision, with a model.
"""

import json
from collections import Counter
from pathlib import Path

from retree_core.judging.duplicates import is_duplicate
from retree_core.judging.facts import FactPair
from retree_core.judging.guards import text_guards

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "pairs_dev.jsonl").read_text("utf-8").splitlines()]
CONFLICTS = [pair for pair in PAIRS if pair["conflict"]]
OTHERS = [pair for pair in PAIRS if not pair["conflict"]]


def vetoes(pair: dict[str, str]) -> list[str]:
    facts = FactPair(old=pair["old"], new=pair["new"], question=pair["question"], old_passage="", new_passage="")
    return [result.name for result in text_guards(facts) if not result.passed]


def test_the_pairs_are_many_and_varied() -> None:
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS) >= 120
    assert len(CONFLICTS) >= 50
    assert len(Counter(pair["class"] for pair in PAIRS)) >= 10


def test_no_conflict_is_taken_for_a_duplicate() -> None:
    assert [pair["id"] for pair in CONFLICTS if is_duplicate(pair["old"], pair["new"])] == []


def test_a_duplicate_is_a_restatement_by_label_too() -> None:
    found = Counter(pair["class"] for pair in OTHERS if is_duplicate(pair["old"], pair["new"]))
    assert set(found) <= {"format", "refinement"}
    assert found["format"] >= 20


def test_what_comes_before_the_confirmation_lets_nearly_every_conflict_through() -> None:
    stopped = [pair for pair in CONFLICTS if vetoes(pair)]
    assert len(stopped) <= 0.05 * len(CONFLICTS), [(pair["id"], vetoes(pair)) for pair in stopped]


def test_what_comes_before_the_confirmation_saves_calls() -> None:
    stopped = sum(bool(vetoes(pair)) or is_duplicate(pair["old"], pair["new"]) for pair in OTHERS)
    assert stopped >= 0.15 * len(OTHERS)


def test_the_two_facts_may_change_places() -> None:
    turned = [pair | {"old": pair["new"], "new": pair["old"]} for pair in PAIRS]
    assert [bool(vetoes(pair)) for pair in PAIRS] == [bool(vetoes(pair)) for pair in turned]
