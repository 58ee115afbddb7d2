"""What the timeline is sent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from headless import components, opened
from streamlit.testing.v1 import AppTest
from viz.story import moment, story_trace
from worlds import write_trace


@pytest.fixture(autouse=True)
def story(folder: Path) -> None:
    write_trace(story_trace(), folder / "story.jsonl")


def at(**query: str) -> AppTest:
    """The app in that run."""
    return opened(run="runs/story.jsonl", **query)


def sent(app: AppTest, *, field: str) -> dict[str, Any]:
    """The data of the timeline's part that has a field: `codes` is in the record, `now` in the frame."""
    found: dict[str, Any] = next(one for one in components(app) if field in one and one.get("of") == "time")
    return found


def test_a_step_changes_the_frame_alone_and_that_is_small() -> None:
    app = at(moment="3", **{"break": "conflict_proposed", "watch": "e3"})
    record, frame = sent(app, field="codes"), sent(app, field="now")
    app.session_state["place"] = replace(app.session_state["place"], moment=4)
    app.run()
    assert sent(app, field="codes") == record
    assert sent(app, field="now") == {**frame, "now": 4}
    assert len(json.dumps(frame)) < 200
    pace = {"unit": "event", "speed": 1.0, "lanes": 0}
    assert frame == {"of": "time", "total": 57, "now": 3, "selected": "", "paused": "", "pace": pace}


def test_breakpoints_and_watch_of_the_address_are_on_the_timeline() -> None:
    record = sent(at(**{"break": "conflict_proposed|role=nobody", "watch": "e5"}), field="codes")
    assert record["hits"] == [moment("conflict_proposed"), moment("conflict_proposed", 2)]
    assert [one["text"] for one in record["points"]] == ["conflict_proposed", "role=nobody"]
    assert "names no role: 'nobody'" in record["points"][1]["problem"]
    assert record["watch"]["id"] == "e5"
    assert record["watch"]["changes"][-1] == [
        moment("nodes_pruned"),
        "t",
        "Pruned with n3, because e3 was repaired.",
        True,
        False,
    ]


def test_a_watched_id_that_is_none_has_no_changes() -> None:
    assert sent(at(watch="<img src=x>"), field="codes")["watch"] == {"id": "<img src=x>", "changes": []}
