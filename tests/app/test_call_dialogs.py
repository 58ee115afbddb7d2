"""The dialogs of the Calls tab, headless: what is wrong is one line, and nothing else happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from headless import APP, markup
from streamlit.testing.v1 import AppTest
from viz.story import story, trace_of
from worlds import repaired_run, write_trace

from retree_core.calls import ModelCall, ModelReply
from retree_core.notes import add_note, notes_path
from retree_core.trace import CallRecord
from retree_viz.place import Place


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own runs, and a server that is not there."""
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path))
    monkeypatch.setenv("RETREE_BASE_URL", "http://127.0.0.1:9/v1")
    write_trace(repaired_run(), tmp_path / "repaired.jsonl")
    return tmp_path


def opened(dialog: str, call: int | None, run: str = "repaired.jsonl") -> AppTest:
    app = AppTest.from_file(APP, default_timeout=30)
    app.session_state["place"] = Place(run=f"runs/{run}", tab="calls", call=call, dialog=dialog)
    return app.run()


@pytest.mark.parametrize("call", [None, 2, 999])
def test_what_is_no_model_call_cannot_be_made_again(folder: Path, call: int | None) -> None:
    assert "That is no model call." in markup(opened("again", call))


@pytest.mark.parametrize("call", [None, 999])
def test_a_call_that_is_not_there_is_no_file(folder: Path, call: int | None) -> None:
    assert "This run has no such call." in markup(opened("call_json", call))


def test_the_prompt_server_and_model_are_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETREE_MODEL", "some/model")
    app = opened("again", 1)
    assert "http://127.0.0.1:9/v1" in markup(app)
    assert "some/model" in markup(app)
    assert [one.label for one in app.text_area] == ["Message 1, system", "Message 2, user"]
    assert "mayor of the capital of Alvonia" in str(app.text_area[1].value)


def test_an_address_that_is_none_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETREE_BASE_URL", "ftp://nowhere")
    assert "RETREE_BASE_URL is" in markup(opened("again", 1))


def test_damaged_notes_are_one_line_and_stay_as_they_are(folder: Path) -> None:
    notes = notes_path(folder / "repaired.jsonl")
    notes.write_text("{")
    assert "not a file of ReTree notes" in markup(opened("again", 1))
    assert notes.read_text() == "{"


def test_kept_re_runs_are_shown_again_the_latest_first(folder: Path) -> None:
    notes = notes_path(folder / "repaired.jsonl")
    for text in ("first", "second"):
        reply = {"choices": [{"message": {"content": text}}]}
        add_note(notes, {"kind": "rerun", "call": 1, "reply": reply, "seconds": 1.0, "seed": 3, "messages": []})
    app = opened("again", 1)
    assert "<ins>second</ins>" in markup(app)
    assert app.selectbox[0].label == "2 re-runs are kept"


def test_odd_requests_can_be_edited(folder: Path) -> None:
    h = "[x](javascript:alert(1)) :red[x] \ud800"
    messages = [7, {"role": h, "content": h}, {"role": "user", "content": [{"type": "text", "text": "a"}]}, {}]
    body = {"messages": messages, "temperature": "hot", "seed": -1}
    call = CallRecord(seq=1, call=ModelCall(role="policy", body=body), reply=ModelReply(raw={}))
    write_trace(trace_of(story(), calls=(call,)), folder / "odd.jsonl")
    app = opened("again", 1, "odd.jsonl")
    markup(app)
    labels = ["Message 1, other", "Message 2, other", "Message 3, user", "Message 4, other"]
    assert [one.label for one in app.text_area] == labels
    assert [one.value for one in app.text_area][2] == "a"
    assert [one.value for one in app.number_input] == [0.0, 0]
