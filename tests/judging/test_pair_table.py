"""Fact pairs of many kinds through whole runs, with a judge that calls every pair a conflict.

Only what code decides can keep a fact from being replaced here. A pair that needs knowledge which no text holds (two
spellings of one town, a place in a place) is marked in the table: code lets it through, a real judge has to say no.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from worlds import clashing, confirm, every, facts, hit, part, run_scripted, search, state, stop, summary

from retree_core.events import ConflictConfirmed, ConflictRejected, EvidenceRepaired, NodesPruned

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "pairs.jsonl").read_text("utf-8").splitlines()]
BETWEEN = "A heron stood on the quay."
"""Found between the two facts, so that a repair of the first has something to prune."""


def judged(old: str, new: str, question: str, answers: list[str]) -> Any:
    """The run in which `new` is found after `old`, and the judge says conflict and reads both answers off the facts."""
    texts = (old, BETWEEN, new)
    script = {
        "policy": [search("first"), search("second"), search("third"), stop("e1")],
        "extract": [facts((1, text)) for text in texts],
        "conflict": clashing(("e1", "e3")),
        "confirm": lambda _: confirm(question=question, value=part(*answers, same=False)),
        "summarise": lambda _: summary("Nothing is certain."),
    }
    return run_scripted("What is known?", script, [[hit(text)] for text in texts])


def both_ways(pair: dict[str, Any]) -> list[Any]:
    """The runs in which either fact comes first."""
    a, b = pair["answers"]
    return [
        judged(pair["a"], pair["b"], pair["question"], [a, b]),
        judged(pair["b"], pair["a"], pair["question"], [b, a]),
    ]


def decider(run: Any) -> str:
    """What kept both facts; empty where one replaced the other."""
    if every(run, EvidenceRepaired):
        return ""
    rejected = every(run, ConflictRejected)
    return rejected[0].reason if rejected else "duplicate"


OTHERS = [pair for pair in PAIRS if not pair["contradiction"] and "needs_knowledge" not in pair]
CONTRADICTIONS = [pair for pair in PAIRS if pair["contradiction"]]
KNOWLEDGE = [pair for pair in PAIRS if "needs_knowledge" in pair]


def test_the_table_is_large_and_varied() -> None:
    assert len({(pair["a"], pair["b"]) for pair in PAIRS}) == len(PAIRS) >= 120
    assert len(Counter(pair["class"] for pair in PAIRS)) >= 10
    assert min(len(OTHERS), len(CONTRADICTIONS)) >= 50
    assert len(KNOWLEDGE) <= 0.05 * len(PAIRS)


@pytest.mark.parametrize("pair", OTHERS, ids=lambda pair: pair["id"])
def test_what_is_no_contradiction_replaces_and_prunes_nothing(pair: dict[str, Any]) -> None:
    for run in both_ways(pair):
        assert every(run, EvidenceRepaired) + every(run, NodesPruned) == []
        assert {one.fate for one in state(run).evidence.values()} <= {"active", "duplicate"}


@pytest.mark.parametrize("pair", CONTRADICTIONS, ids=lambda pair: pair["id"])
def test_no_guard_stands_in_the_way_of_a_contradiction(pair: dict[str, Any]) -> None:
    for run in both_ways(pair):
        assert [decider(run), len(every(run, NodesPruned))] == ["", 1]


@pytest.mark.parametrize("pair", KNOWLEDGE, ids=lambda pair: pair["id"])
def test_what_only_knowledge_can_tell_is_left_to_the_judge(pair: dict[str, Any]) -> None:
    assert [len(every(run, ConflictConfirmed)) for run in both_ways(pair)] == [1, 1]
