"""Rows kept beside their traces: the same results with and without, and only what changed is read again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from evaluation.runs import folder, repair, wrong

from retree_core.evaluation.kept_rows import NAME, SETTLED_S, code
from retree_core.evaluation.results import Results, collect

OLD = 1_700_000_000_000_000_000


def settled(tmp_path: Path, count: int = 3) -> Path:
    """A results folder of `count` right runs that were written long ago."""
    out = folder(tmp_path, *((f"q{n}", repair("confirmation")) for n in range(1, count + 1)))
    for one in out.glob("runs/*/*.jsonl"):
        os.utime(one, ns=(OLD, OLD))
    return out


def unread(out: Path) -> list[Path]:
    """Makes every trace unreadable without a sign of it, so that whoever reads one is found out."""
    traces = sorted(out.glob("runs/*/*.jsonl"))
    for one in traces:
        one.write_bytes(b"x" * one.stat().st_size)
        os.utime(one, ns=(OLD, OLD))
    return traces


def changed(one: Path) -> None:
    """Another answer of the same length at the same size, a second later."""
    one.write_text(one.read_text().replace('"text":"Ann"', '"text":"Bob"'))
    os.utime(one, ns=(OLD, OLD + 10**9))


def answers(found: Results) -> list[str]:
    return [one.answer for one in found.rows]


def test_traces_that_did_not_change_are_not_read_again(tmp_path):
    out = settled(tmp_path)
    first = collect(out)
    unread(out)
    assert collect(out) == first
    (out / NAME).unlink()
    assert (len(first.rows), len(collect(out).unreadable)) == (3, 3)


def test_what_is_kept_says_the_same_as_the_traces(tmp_path):
    out = settled(tmp_path)
    without = collect(out)
    assert (out / NAME).exists()
    assert collect(out) == without
    assert [one.spent for one in without.rows] == [{"policy": without.rows[0].spent["policy"]}] * 3


def test_only_a_trace_that_changed_is_read_again(tmp_path):
    out = settled(tmp_path)
    collect(out)
    one, *_ = unread(out)
    one.unlink()
    assert (answers(collect(out)), collect(out).pending) == (["Ann", "Ann"], {"retree": 2})
    new = folder(tmp_path / "other", ("q1", wrong()))
    one.write_bytes((new / "runs/retree/q1.jsonl").read_bytes())
    assert answers(collect(out)) == ["Bo", "Ann", "Ann"]


def test_a_trace_of_the_same_size_and_another_time_is_read_again(tmp_path):
    out = settled(tmp_path)
    collect(out)
    changed(out / "runs/retree/q2.jsonl")
    assert answers(collect(out)) == ["Ann", "Bob", "Ann"]


def test_other_gold_answers_are_seen(tmp_path):
    out = settled(tmp_path)
    assert [one.exact_match for one in collect(out).rows] == [True] * 3
    known = json.loads((out / "eval.json").read_text())
    known["questions"][1]["answers"] = ["Bo"]
    (out / "eval.json").write_text(json.dumps(known))
    assert [one.exact_match for one in collect(out).rows] == [False, True, True]


def test_a_trace_written_a_moment_ago_is_not_trusted_to_its_time(tmp_path):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    file = out / "runs/retree/q1.jsonl"
    assert collect(out).rows
    before = file.stat().st_mtime_ns
    changed(file)
    os.utime(file, ns=(before, before))
    assert SETTLED_S > 2, "coarser than any clock of a file system"
    assert answers(collect(out)) == ["Bob"]


@pytest.mark.parametrize("cut", [0, 1, 50, 300, -1, -200])
def test_what_was_cut_short_is_as_if_it_were_not_there(tmp_path, cut: int):
    out = settled(tmp_path)
    whole = collect(out)
    (out / NAME).write_bytes((out / NAME).read_bytes()[:cut])
    assert collect(out) == whole


def test_every_damaged_byte_is_found(tmp_path):
    out = settled(tmp_path, count=1)
    whole = collect(out)
    data = (out / NAME).read_bytes()
    for place in range(0, len(data), 37):
        (out / NAME).write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert collect(out) == whole


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (code(), "0" * 64),
        ('"retree-rows"', '"other"'),
        ('"answer": "Ann"', '"answer": "Eve"'),
        ('"searches": 2', '"searches": "two"'),
    ],
)
def test_what_other_code_or_another_hand_wrote_is_not_taken(tmp_path, old: str, new: str):
    out = settled(tmp_path)
    whole = collect(out)
    kept = (out / NAME).read_text()
    assert old in kept
    (out / NAME).write_text(kept.replace(old, new))
    assert collect(out) == whole


@pytest.mark.parametrize("kind", ["folder", "unwritable"])
def test_a_folder_that_cannot_be_written_is_read_all_the_same(tmp_path, kind: str):
    out = settled(tmp_path)
    blocked = out / NAME
    blocked.mkdir()
    if kind == "unwritable":
        out.chmod(0o500)
    try:
        assert answers(collect(out)) == ["Ann"] * 3
        assert sorted(one.name for one in out.iterdir()) == ["eval.json", NAME, "runs"]
    finally:
        out.chmod(0o700)
