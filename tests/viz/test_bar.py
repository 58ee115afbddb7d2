"""The bar above the debugger: how the run stands, and what can be done with it."""

import os
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from viz.story import story, story_trace, trace_of
from worlds import failed, repaired_run, run_scripted, write_trace

from retree_core.run_folders import samples_folder
from retree_core.trace import OtherRecord, read_trace
from retree_viz.making import Making, can_resume, is_written
from retree_viz.panels import bar
from retree_viz.run import Run
from retree_viz.runs import RunFile


def does(markup: str) -> list[str]:
    """What its buttons do, in order."""
    return re.findall(r'data-do="([^"]*)"', markup)


def file_of(path: Path) -> RunFile:
    about = path.stat()
    return RunFile(address=f"runs/{path.name}", path=path, size=about.st_size, mtime_ns=about.st_mtime_ns)


ALWAYS = ["view:tree", "view:charts", "dialog:compare", "dialog:export"]


@pytest.mark.parametrize(
    ("making", "said", "offers"),
    [
        (Making(), "answered", []),
        (Making(can_resume=True), "answered", ["resume:"]),
        (Making(by="app"), "running", ["pause:", "step:", "stop:"]),
        (Making(by="app", pausing=True), "pauses before the next call", ["go_on:", "step:", "stop:"]),
        (Making(by="app", paused="paused before confirm: as asked"), "confirm: as asked", ["go_on:", "step:", "stop:"]),
        (Making(by="other"), "being written", []),
    ],
)
def test_the_bar_says_how_a_run_stands_and_offers_what_fits(making: Making, said: str, offers: list[str]) -> None:
    shown = bar.top_bar(Run(story_trace()), 40, making)
    assert said in shown
    assert does(shown) == ["gallery:", *offers, *ALWAYS]


def test_one_key_leads_to_the_other_view() -> None:
    run = Run(story_trace())
    for view, other in (("tree", "charts"), ("charts", "tree")):
        shown = bar.top_bar(run, 40, view=view)
        assert re.findall(r'data-do="view:(\w+)" data-key="k"', shown) == [other]
        assert re.findall(r'data-do="view:(\w+)" aria-pressed="true"', shown) == [view]


def test_every_button_has_a_name_and_no_two_a_key() -> None:
    shown = bar.top_bar(Run(story_trace()), 40, Making(by="app"))
    buttons = [one for one in re.findall(r"<button[^>]*>", shown) if "brand" not in one]
    assert all("aria-label=" in one and "title=" in one for one in buttons)
    keys = re.findall(r'data-key="(.)"', shown)
    assert len(keys) == len(set(keys))


def test_a_hostile_reason_to_wait_is_text() -> None:
    shown = bar.top_bar(Run(story_trace()), 40, Making(by="app", paused='paused: text="<img src=x>"'))
    assert "<img" not in shown


def test_only_the_users_own_unfinished_json_lines_can_go_on(tmp_path: Path) -> None:
    half = Run(trace_of(story()[:20]))
    path = write_trace(half.trace, tmp_path / "half.jsonl")
    assert can_resume(file_of(path), half)
    assert not can_resume(replace(file_of(path), path=samples_folder() / "half.jsonl"), half)
    assert not can_resume(file_of(path), Run(story_trace()))
    assert not can_resume(file_of(path), Run(trace_of([])))
    document = path.with_suffix(".json")
    path.rename(document)
    assert not can_resume(file_of(document), half)


def test_a_run_that_a_failed_call_ended_can_go_on_and_one_that_survived_it_cannot(tmp_path: Path) -> None:
    trace = run_scripted("Who?", {"policy": [failed("server_error")]}, [])
    path = write_trace(trace, tmp_path / "failed.jsonl")
    assert can_resume(file_of(path), Run(trace))
    whole = repaired_run()
    assert not can_resume(file_of(path), Run(whole))


def test_another_process_is_at_work_where_a_fresh_file_has_no_end_and_was_not_stopped(tmp_path: Path) -> None:
    trace = trace_of(story()[:20])
    path = write_trace(trace, tmp_path / "half.jsonl")
    assert is_written(file_of(path), Run(trace))
    assert not is_written(file_of(path), Run(story_trace()))
    stopped = OtherRecord(seq=99, raw={"record": "stopped", "seq": 99, "reason": "interrupted"})
    assert not is_written(file_of(path), Run(replace(trace, records=(*trace.records, stopped))))
    for at in (1, time.time() + 3600):
        os.utime(path, (at, at))
        assert not is_written(file_of(path), Run(read_trace(path)))
