"""`retree diff` as a command: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest
from viz.story import story, trace_of
from worlds import confirm, repaired_run, write_trace

from retree_core.cli import main
from retree_core.memory import Claim
from retree_core.trace import Trace

NORTH_POLE = Path(__file__).parents[2] / "sample_runs" / "scripted-repair-north-pole.jsonl"


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, str]:
    """A run with a repair, and the same without it."""
    a = write_trace(repaired_run(), tmp_path / "a.jsonl")
    b = write_trace(repaired_run({"confirm": lambda _: confirm(False)}), tmp_path / "b.jsonl")
    return str(a), str(b)


def test_it_says_where_two_runs_part_and_how_they_differ(two: tuple[str, str], capsys: pytest.CaptureFixture[str]):
    assert main(["diff", *two]) == 1
    out = capsys.readouterr().out
    for words in (
        "in step up to event 24: 15 model calls and 4 searches are identical, request by request",
        "they part at event 25: A has conflict_confirmed; B has conflict_rejected",
        "the confirm reply before it differs",
        "facts: 4 in both, 1 with another value, 0 only in A, 1 only in B",
        "A~e1 r2 The capital of Alvonia is Dresk.  [in force]",
        "B~e1 The capital of Alvonia is Velmora.  [in force]",
        "= e2 The mayor of Velmora is Ilse Korn.  [pruned in A, in force in B]",
        "B: A gave up what e1 says (there e1)",
        "B: A pruned what e2 says (there e2)",
    ):
        assert words in out, words
    assert [line.split() for line in out.splitlines() if line.startswith("repairs")] == [["repairs", "1", "0", "+1"]]


def test_equal_runs_exit_0(two: tuple[str, str], capsys: pytest.CaptureFixture[str]):
    assert main(["diff", two[0], two[0]]) == 0
    out = capsys.readouterr().out
    assert "A and B are one run" in out
    assert "equal in all 45 events; 26 model calls and 6 searches" in out


def test_a_fork_of_a_sample_made_offline(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    fork = str(tmp_path / "fork.jsonl")
    assert main(["fork", str(NORTH_POLE), "--at", "31", "--set", "verdict=reject", "--out", fork]) == 0
    capsys.readouterr()
    assert main(["diff", str(NORTH_POLE), fork]) == 1
    out = capsys.readouterr().out
    assert "B is a fork of A at event 30 (verdict=reject at event 31)" in out
    assert "in step up to event 30: 16 model calls and 4 searches are identical" in out
    assert "first other request: after event 30: A has a call of confirm; B has the event conflict_rejected" in out
    assert "answer B: none" in out


def test_json_holds_the_same(two: tuple[str, str], capsys: pytest.CaptureFixture[str]):
    assert main(["diff", *two, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["equal"] is False
    assert found["parting"]["events"] == 24
    assert [one["how"] for one in found["facts"]][:3] == ["changed", "same", "same"]
    assert found["metrics"]["repairs"] == {"a": 1, "b": 0, "difference": 1}
    faults = [fault["kind"] for one in found["claims"] if one["b"] for fault in one["b"]["faults"]]
    assert faults == ["refuted_there", "pruned_there", "pruned_there"]


def test_two_questions_get_a_notice(two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    other = write_trace(trace_of(story()), tmp_path / "story.jsonl")
    assert main(["diff", two[0], str(other)]) == 1
    assert "two different questions:" in capsys.readouterr().out


@pytest.mark.parametrize("place", [0, 1])
def test_an_unreadable_file_exits_2_with_one_line(
    two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], place: int
):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{")
    words = list(two)
    words[place] = str(bad)
    assert main(["diff", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "bad.jsonl" in said.err


def test_hostile_text_stays_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    hostile = "\x1b[31mred\u202e"
    events = story()
    given = events[-2]
    events[-2] = type(given)(text=hostile, claims=(Claim(text=hostile, cites=(hostile,)),), shown=())  # type: ignore[call-arg]
    a = write_trace(trace_of(events, question=hostile), tmp_path / "a.jsonl")
    b = write_trace(empty(hostile), tmp_path / "b.jsonl")
    assert main(["diff", str(a), str(b)]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out


def empty(question: str) -> Trace:
    return trace_of([], question=question)
