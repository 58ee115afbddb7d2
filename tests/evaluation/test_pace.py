"""How long a batch will still take, by the runs made since this start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from retree_core.evaluation.batch import Progress, Task
from retree_core.evaluation.pace import Pace
from retree_core.evaluation.questions import Question


def tasks(folder: Path, *agents: Any, count: int = 4) -> list[Task]:
    """`count` questions for each agent; those of the first question are there already."""
    found = [
        Task(
            agent=agent,
            question=Question(id=f"q{n}", text="?", answers=("a",)),
            path=folder / agent / f"q{n}.jsonl",
        )
        for n in range(count)
        for agent in agents
    ]
    for one in found[: len(agents)]:
        one.path.parent.mkdir()
        one.path.touch()
    return found


def ended(task: Task, status: str = "answered", seconds: float = 0.0) -> Progress:
    return Progress(task=task, status=status, detail="", seconds=seconds)


def test_nothing_is_said_before_a_run_was_made(tmp_path):
    all_ = tasks(tmp_path, "retree")
    pace = Pace(all_, at_once=1)
    assert pace.seconds_left is None
    pace.learn(ended(all_[0], "kept", seconds=9))
    assert pace.seconds_left is None


def test_runs_kept_from_before_are_neither_counted_nor_learnt_from(tmp_path):
    all_ = tasks(tmp_path, "retree")
    pace = Pace(all_, at_once=1)
    pace.learn(ended(all_[0], "kept", seconds=0.01))
    pace.learn(ended(all_[1], seconds=10))
    assert pace.seconds_left == 20


def test_each_agent_takes_what_it_took_and_one_unknown_what_the_others_do(tmp_path):
    all_ = tasks(tmp_path, "retree", "react", "flat")
    pace = Pace(all_, at_once=1)
    pace.learn(ended(all_[3], seconds=10))
    pace.learn(ended(all_[4], seconds=100))
    assert pace.seconds_left == 2 * 10 + 2 * 100 + 3 * 55


def test_runs_side_by_side_take_their_share_and_no_more_than_there_are(tmp_path):
    all_ = tasks(tmp_path, "retree", count=6)
    pace = Pace(all_, at_once=3)
    pace.learn(ended(all_[1], seconds=30))
    assert pace.seconds_left == 4 * 30 / 3
    for one in all_[2:4]:
        pace.learn(ended(one, seconds=30))
    assert pace.seconds_left == 30, "two runs at once, not three"


def test_a_failed_run_that_was_there_is_learnt_from(tmp_path):
    all_ = tasks(tmp_path, "retree", count=2)
    pace = Pace(all_, at_once=1)
    pace.learn(ended(all_[0], "llm_error", seconds=4))
    assert pace.seconds_left == 4
    pace.learn(ended(all_[1], seconds=6))
    assert pace.seconds_left == 0
