"""Many runs under one event loop: what befalls one leaves the others alone."""

from __future__ import annotations

import asyncio
import gzip
import re
import zlib
from pathlib import Path

import pytest
from worlds import VELMORA, Said, World, hit, prompt, repaired_run, search, stop, write_trace

from retree_core.calls import Answered, ModelCall
from retree_core.errors import ReTreeError
from retree_core.evaluation.batch import Plan, Progress, run_batch, trace_name
from retree_core.evaluation.questions import Question
from retree_core.settings import Settings
from retree_core.trace import read_trace
from retree_core.trace.lines import is_before_header


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


def test_a_damaged_trace_is_left_as_it_is_and_one_killed_in_its_header_is_made(tmp_path):
    model = World({"policy": policy}, ())
    ran(tmp_path, model)
    one, two, three = sorted((tmp_path / "runs/retree").iterdir())
    data = one.read_bytes()
    one.write_bytes(data[:-8] + bytes([data[-8] ^ 1]) + data[-7:])
    two.write_bytes(b"\x1e" + two.read_bytes()[1:])
    three.write_bytes(three.read_bytes()[:200])
    before = one.read_bytes(), two.read_bytes()
    told = [(each.status, each.detail) for each in ran(tmp_path, model)]
    left = "it is left as it is, move it away to have this run made anew"
    assert [each for each, _ in told] == ["failed", "failed", "answered"]
    assert re.fullmatch(rf"{one}: line \d+ is damaged \(damaged gzip file \(.*\)\); {left}", told[0][1])
    assert re.fullmatch(rf"{two}: not a ReTree trace \(.*\); .*; {left}", told[1][1])
    assert (one.read_bytes(), two.read_bytes()) == before
    assert read_trace(three).damage == ()


@pytest.mark.parametrize("size", [0, 1, 10, 300])
def test_nothing_is_begun_before_the_header_is_whole(tmp_path, size):
    ran(tmp_path, Faulty())
    path = tmp_path / "runs/retree/q1.jsonl.gz"
    for data in (path.read_bytes(), zlib.decompressobj(wbits=31).decompress(path.read_bytes())):
        assert is_before_header(data[:size])
        assert not is_before_header(data)
    assert not is_before_header(b"any")
    assert not is_before_header(b"\x1f\x8bany")


@pytest.mark.parametrize(
    ("text", "packed", "counts"),
    [
        ("whole", "whole", ".jsonl.gz"),
        ("torn", "whole", ".jsonl.gz"),
        ("whole", "torn", ".jsonl"),
        ("whole", "damaged", ".jsonl"),
        ("torn", "torn", ".jsonl"),
        ("torn", "", ".jsonl"),
        ("", "torn", ".jsonl.gz"),
        ("", "", ".jsonl.gz"),
    ],
)
def test_of_two_traces_of_a_run_the_one_that_has_ended_counts(tmp_path, text, packed, counts):
    whole = gzip.decompress(write_trace(repaired_run(), tmp_path / "run.jsonl.gz").read_bytes())
    forms = {"whole": whole, "torn": whole[:9000]}
    (tmp_path / "runs/retree").mkdir(parents=True)
    if text:
        (tmp_path / "runs/retree/q1.jsonl").write_bytes(forms[text])
    if packed:
        data = gzip.compress(forms.get(packed, whole)) + (b"x" if packed == "damaged" else b"")
        (tmp_path / "runs/retree/q1.jsonl.gz").write_bytes(data)
    assert trace_name(tmp_path, "retree", "q1") == f"runs/retree/q1{counts}"


def test_a_trace_that_cannot_be_written_ends_the_batch(tmp_path):
    class Full(Faulty):
        async def complete(self, call: ModelCall) -> Answered:
            raise OSError(28, "No space left on device")

    with pytest.raises(ReTreeError, match=r"q1.jsonl.gz: cannot be written \(No space left on device\); all runs were"):
        ran(tmp_path, Full())
