"""`retree why` for pairs, parts and events outside of conflicts."""

import json

import pytest
from cli.test_commands import said
from worlds import repaired_run, write_trace

from retree_core.cli import main


@pytest.fixture
def trace(tmp_path):
    return write_trace(repaired_run(), tmp_path / "repaired.jsonl")


def test_a_pair_says_why_no_backtrack_fired(trace, capsys):
    out = said(capsys, "why", trace, "--pair", "e1", "e2")
    for words in (
        "e1 and e2: compatible",
        "The judge saw e2 beside e1 in search 2 and named no conflict of any pair.",
        "the conflict check of search 2, after event 11 (as the request has it)",
        "stored facts shown: e1",
        "e1: 1, shown",
        '2 "query 2": active, shown to the policy and the check as stored | active, shown to the check as new',
    ):
        assert words in out, words
    found = json.loads(said(capsys, "why", trace, "--pair", "e2", "e1", "--json"))
    assert (found["story"], found["reason"], found["check"]["stored"]) == ("Absence", "compatible", ["e1"])
    assert "repair, event 26" in said(capsys, "why", trace, "--pair", "e4", "e1")


def test_a_part_says_what_the_engine_checked(trace, capsys):
    out = said(capsys, "why", trace, "--event", "25")
    assert "differs; engine: unknown, passes" in out  # the model stated no value
    assert "entity    " in out


def test_a_decision_says_what_made_it_and_a_repair_what_the_answer_has_to_do_with_it(trace, capsys):
    out = " ".join(said(capsys, "why", trace, "--event", "25").split())
    assert "decision, event 25, by the second model call (confirmation)" in out
    assert "The model found a contradiction and judged the new source the better one." in out
    assert "answer: c1 rests on e1 r2, the new value. The words of the answer, “Otto Lind was born in Sorrel.”, " in out


def test_an_event_says_what_came_of_it(trace, capsys):
    assert "came of it: node n1 (event 6)" in said(capsys, "why", trace, "--event", "3")


def test_a_pair_takes_two_facts_of_the_run(trace, capsys):
    assert main(["why", str(trace), "--pair", "e1", "e99"]) == 2
    assert capsys.readouterr().err.startswith("retree: --pair e99: no such evidence in this run; it has e1, e2")
