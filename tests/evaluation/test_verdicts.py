"""A judge model's verdicts: yes, no, or none at all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from worlds import World, cut, failed

from retree_core.calls import ModelCall
from retree_core.evaluation.verdicts import Verdict, correctness, decided, entailment, verdict_in
from retree_core.settings import Settings

SETTINGS = Settings(model="scripted", reply_attempts=2)


def graded(*replies: Any) -> Verdict:
    world = World({"judge": list(replies)}, [])
    return asyncio.run(decided(correctness(SETTINGS, "Who?", ("Ann Lee",), "A. Lee"), world))


def entailed(premise: str, judge: Any) -> Verdict:
    return asyncio.run(decided(entailment(SETTINGS, premise, "Ann designed it."), World({"entail": judge}, [])))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"reason": "same person", "correct": True}, True),
        ({"reason": "another person", "correct": False}, False),
        ({"reason": "x", "correct": "false"}, False),
        ('```json\n{"reason": "x", "correct": true}\n```', True),
        ("INCORRECT", False),
        ("CORRECT", True),
        ("Answer: incorrect", False),
        ("at first CORRECT, but the year differs; final: INCORRECT", False),
        ("The names match.\n**Correct**", True),
    ],
)
def test_a_verdict(reply: Any, said: bool):
    assert graded(reply).said is said


@pytest.mark.parametrize(
    "reply",
    [
        {"reason": "x"},
        {"reason": "x", "correct": None},
        "",
        "I cannot help with that.",
        "As the answer differs: B",
        "It would be incorrect to say that the two are the same person without knowing more of them",
        cut('{"reason": "the pred'),
    ],
)
def test_no_verdict_is_neither_right_nor_wrong(reply: Any):
    verdict = graded(reply, reply)
    assert verdict.said is None
    assert verdict.reason.startswith("no verdict in the reply")


def test_a_failed_call_is_no_verdict():
    assert graded(failed("timeout", "no reply in 600 s")) == Verdict(said=None, reason="no reply in 600 s")


def test_a_second_try_may_give_one():
    assert graded("hm", {"reason": "", "correct": True}).said is True


def test_a_blank_prediction_is_wrong_without_a_call():
    blank = correctness(SETTINGS, "Who?", ("Ann",), " ")
    assert asyncio.run(decided(blank, World({}, []))) == Verdict(said=False, reason="no answer was given")


def test_a_long_passage_is_judged_window_by_window():
    passage = "Nothing of note. " * 400 + "Ann designed it."
    asked: list[ModelCall] = []

    def judge(call: ModelCall) -> Any:
        asked.append(call)
        return {"reason": "", "supported": "Ann designed it." in call.body["messages"][-1]["content"].split("Claim")[0]}

    assert entailed(passage, judge).said is True
    assert len(asked) > 1


def test_a_window_without_a_verdict_leaves_the_passage_undecided():
    replies = [failed("timeout", "slow"), *[{"reason": "", "supported": False}] * 9]
    assert entailed("Nothing of note. " * 400, replies) == Verdict(said=None, reason="slow")


def test_an_empty_passage_supports_nothing():
    assert entailed(" ", []).said is False


@pytest.mark.parametrize(
    ("text", "said"),
    [("Grade: CORRECT.", True), ("no", False), ("It is not correct", None), ("correct or incorrect?", None)],
)
def test_words(text: str, said: bool | None):
    assert verdict_in(text) is said
