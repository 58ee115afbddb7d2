"""Many runs under one event loop: what befalls one leaves the others alone."""

from __future__ import annotations

import asyncio
import zlib
from pathlib import Path

import pytest
from worlds import VELMORA, Said, World, hit, prompt, search, stop

from retree_core.calls import Answered, ModelCall
from retree_core.errors import ReTreeError
from retree_core.evaluation.batch import Plan, Progress, run_batch
from retree_core.evaluation.questions import Question
from retree_core.settings import Settings
from retree_core.trace import read_trace


def policy(call: ModelCall) -> Said:
    return stop("e1") if "[e1]" in prompt(call) else search("capital of Alvonia")


class Faulty(World):
    """A model with a fault of its own about the second question."""

    def __init__(self) -> None:
        super().__init__({"policy": policy}, ())

    async def complete(self, call: ModelCall) -> Answered:
        if "Which (2)?" in prompt(call):
            raise ZeroDivisionError("division by zero")
        return await super().complete(call)


def ran(out: Path, model) -> list[Progress]:
    questions = [
        Question(id=f"q{n}", text=f"Which ({n})?", answers=("x",), passages=(hit(VELMORA, "Velmora"),))
        for n in (1, 2, 3)
    ]
    plan = Plan(
        questions=questions, agents=("retree",), settings=Settings(model="scripted"), search_spec="own", out=out
    )
    told: list[Progress] = []
    asyncio.run(run_batch(plan, model, {}, None, told.append))
    return told


def test_a_fault_in_one_run_is_told_and_the_others_go_on(tmp_path):
    told = [(one.task.question.id, one.status, one.detail) for one in ran(tmp_path, Faulty())]
    assert told == [
        ("q1", "answered", ""),
        ("q2", "failed", "a fault of this program: ZeroDivisionError: division by zero"),
        ("q3", "answered", ""),
    ]
    assert read_trace(tmp_path / "runs/retree/q2.jsonl.gz").damage == ()


def test_runs_that_are_there_as_text_are_kept_and_gone_on_with(tmp_path):
    ran(tmp_path, Faulty())
    for one in (tmp_path / "runs/retree").iterdir():
        one.with_suffix("").write_bytes(zlib.decompressobj(wbits=31).decompress(one.read_bytes()))
        one.unlink()
    whole = (tmp_path / "runs/retree/q1.jsonl").read_bytes()
    told = [(one.task.question.id, one.status) for one in ran(tmp_path, World({"policy": policy}, ()))]
    assert told == [("q1", "kept"), ("q2", "answered"), ("q3", "kept")]
    assert sorted(one.name for one in (tmp_path / "runs/retree").iterdir()) == ["q1.jsonl", "q2.jsonl", "q3.jsonl"]
    assert (tmp_path / "runs/retree/q1.jsonl").read_bytes() == whole


def test_a_trace_that_cannot_be_written_ends_the_batch(tmp_path):
    class Full(Faulty):
        async def complete(self, call: ModelCall) -> Answered:
            raise OSError(28, "No space left on device")

    with pytest.raises(ReTreeError, match=r"q1.jsonl.gz: cannot be written \(No space left on device\); all runs were"):
        ran(tmp_path, Full())
