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


# The known pitfalls about pairs, word for word, either way round.

KEPT = [
    ("M07", "Acme uses Postgres.", "Bolt uses MySQL.", "Postgres", "MySQL"),
    ("M08", "Its area is 1,234 km2.", "Its area is 1234 square kilometres.", "1,234 km2", "1234 square kilometres"),
    ("M08", "It runs at 7,500 rpm.", "It runs at 7500 RPM.", "7,500 rpm", "7500 RPM"),
    ("M08", "He is from the US.", "He is from the United States.", "US", "United States"),
    ("M08", "He is from the U.S.", "He is from the United States.", "U.S.", "United States"),
    ("M08", "Signed on 12 March 1990.", "Signed on 1990-03-12.", "12 March 1990", "1990-03-12"),
    ("M08", "Signed on 12 March 1990.", "Signed on March 12th, 1990.", "12 March 1990", "March 12th, 1990"),
    ("M08", "The score is 5.0.", "The score is 5.", "5.0", "5"),
    ("M08", "It took 50% of them.", "It took 50 percent of them.", "50%", "50 percent"),
    ("M08", "It cost $3 million.", "It cost US$3,000,000.", "$3 million", "US$3,000,000"),
    ("M08", "It weighs 1,234 kg.", "It weighs 1.234 kg.", "1,234 kg", "1.234 kg"),
    ("M08", "Signed on 03/12/1990.", "Signed on 12/03/1990.", "03/12/1990", "12/03/1990"),
    ("M10", "Its population was 5,000 in 2010.", "Its population was 6,100 in 2020.", "5,000", "6,100"),
    ("M10", "The CEO until 2015 was Dana Roy.", "The CEO since 2016 is Lee Orr.", "Dana Roy", "Lee Orr"),
    ("M10", "The city has 5,000 people.", "The metro area has 61,000 people.", "5,000", "61,000"),
    ("M11", "Amina speaks French.", "Amina speaks German.", "French", "German"),
    ("M11", "Kellan won the Quill award.", "Kellan won the Laurel award.", "the Quill award", "the Laurel award"),
    ("M11", "His sister is Ann.", "His sister is Bea.", "Ann", "Bea"),
    ("M12", "Springfield, Illinois has 114,000 people.", "Springfield, Missouri has 169,000.", "114,000", "169,000"),
    ("M12", "J. Smith (actor) was born in Leeds.", "J. Smith (judge) was born in Bath.", "Leeds", "Bath"),
    ("M13", "Dana Roy is CEO.", "Dana Roy is no longer CEO.", "yes", "no"),
    ("M13", "Velmora is the capital.", "Velmora is not only the capital.", "the capital", "not only the capital"),
]
REPLACED = [
    ("M08", "It holds 100 litres.", "It holds 1000 litres.", "100 litres", "1000 litres"),
    ("M08", "It was 5 degrees.", "It was -5 degrees.", "5 degrees", "-5 degrees"),
    ("M13", "Velmora is the capital.", "Velmora is not the capital.", "yes", "no"),
    ("M13", "Kellan never won the cup.", "Kellan won the cup.", "no", "yes"),
    ("M24", "Tomas lives in Ghent.", "Tomas lives in Antwerp.", "Ghent", "Antwerp"),
]


@pytest.mark.parametrize(("pitfall", "a", "b", "first", "second"), KEPT)
def test_a_known_pair_that_is_no_contradiction_is_kept(pitfall: str, a: str, b: str, first: str, second: str) -> None:
    runs = both_ways({"a": a, "b": b, "question": pitfall, "answers": [first, second]})
    assert [every(run, EvidenceRepaired) + every(run, NodesPruned) for run in runs] == [[], []]
    assert {one.fate for run in runs for one in state(run).evidence.values()} <= {"active", "duplicate"}


@pytest.mark.parametrize(("pitfall", "a", "b", "first", "second"), REPLACED)
def test_a_known_contradiction_goes_to_the_judge(pitfall: str, a: str, b: str, first: str, second: str) -> None:
    runs = both_ways({"a": a, "b": b, "question": pitfall, "answers": [first, second]})
    assert [len(every(run, EvidenceRepaired)) for run in runs] == [1, 1]
