"""Runs made by the app: started, held, forked, taken up again, brought in from a file."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from headless import APP, markup, opened
from streamlit.testing.v1 import AppTest
from stubs import ChatServer, Response, StubServer, role_of
from viz.story import story, story_trace, trace_of
from worlds import QUESTION, corpus, kinds, repaired_run, replace_records, write_trace

from retree_core.drivers.background import LiveRun
from retree_core.drivers.edits import Edit
from retree_core.errors import InputError, UsageError
from retree_core.settings import Settings
from retree_core.trace import EventRecord, read_trace, save_document
from retree_core.verify import verify
from retree_viz import lives
from retree_viz.runs import samples_folder
from retree_viz.uploads import keep

SAMPLE = "scripted-repair-north-pole.jsonl"
SETTINGS = Settings(model="scripted")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own runs."""
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path / "own"))
    return tmp_path / "own"


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RETREE_SEARCH", f"corpus:{corpus(tmp_path / 'corpus.jsonl')}")
    return os.environ["RETREE_SEARCH"]


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETREE_BASE_URL", "http://127.0.0.1:9/v1")


def until(app: AppTest, text: str) -> str:
    """The page once it shows a text; half a minute at most."""
    for _ in range(120):
        if text in (found := markup(app)):
            return found
        time.sleep(0.25)
        app.run()
    raise AssertionError(f"{text!r} never came")


def running(address: str) -> LiveRun:
    found = lives.live(address)
    assert found is not None
    return found


def wait_until_paused(run: LiveRun) -> None:
    end = time.monotonic() + 30
    while not run.paused:
        assert time.monotonic() < end
        assert not run.finished
        time.sleep(0.01)


def test_a_run_with_a_breakpoint_is_asked_for_held_and_let_go_on(folder: Path, spec: str, model: ChatServer) -> None:
    app = opened(page="ask")
    app.text_area(key="question").set_value(QUESTION)
    app.text_input(key="spec").set_value(spec)
    app.text_area(key="breakpoints").set_value("conflict_proposed; role=answer")
    app.button[0].click().run()
    shown = until(app, "paused before confirm: breakpoint conflict_proposed")
    assert 'data-do="go_on:"' in shown
    assert 'data-do="stop:"' in shown
    assert "retree_confirm" not in [role_of(body) for body in model.calls]
    address = app.session_state["place"].run
    assert app.session_state["place"].breakpoints == ("conflict_proposed", "role=answer")
    lives.go_on(address)
    until(app, "paused before answer: breakpoint role=answer")
    lives.go_on(address)
    running(address).join(60)
    shown = markup(app.run())
    assert 'class="tag ok"' in shown
    assert 'data-do="go_on:"' not in shown
    assert verify(running(address).path).status == "ok"


def test_a_paused_run_whose_file_is_gone_stays_on_the_page_and_says_so(
    folder: Path, spec: str, model: ChatServer
) -> None:
    app = opened(page="ask")
    app.text_area(key="question").set_value(QUESTION)
    app.text_input(key="spec").set_value(spec)
    app.text_area(key="breakpoints").set_value("conflict_proposed")
    app.button[0].click().run()
    until(app, "paused before confirm")
    run = running(app.session_state["place"].run)
    run.path.unlink()
    shown = markup(app.run())
    assert "The file of this run is gone" in shown
    assert "paused before confirm" in shown
    assert 'data-do="stop:"' in shown
    run.stop()
    run.join(60)
    assert "there is no run" in markup(app.run())


def test_a_still_run_whose_file_is_gone_leads_to_the_gallery_with_one_line(folder: Path) -> None:
    folder.mkdir()
    path = write_trace(repaired_run(), folder / "mine.jsonl")
    app = opened(run="runs/mine.jsonl")
    assert 'class="tag ok"' in markup(app)
    path.unlink()
    shown = markup(app.run())
    assert shown.count("there is no run &#x27;runs/mine.jsonl&#x27;; choose one of the runs listed here") == 1


def test_a_breakpoint_that_makes_no_sense_is_one_line_and_what_was_written_stays(folder: Path, spec: str) -> None:
    app = opened(page="ask")
    app.text_area(key="question").set_value(QUESTION)
    app.text_area(key="breakpoints").set_value("conflict_proposed\nnonsense")
    app.number_input(key="searches").set_value(3)
    app.button[0].click().run()
    assert "names no event kind: &#x27;nonsense&#x27;" in markup(app)
    assert app.text_area(key="question").value == QUESTION
    assert app.text_area(key="breakpoints").value == "conflict_proposed\nnonsense"
    assert app.number_input(key="searches").value == 3
    assert not list(folder.glob("*"))


def test_settings_of_the_form_reach_the_run(folder: Path, spec: str, model: ChatServer) -> None:
    app = opened(page="ask")
    app.text_area(key="question").set_value(QUESTION)
    app.text_input(key="spec").set_value(spec)
    app.number_input(key="searches").set_value(2)
    assert app.button_group(key="summary_call").value == "beside"
    app.button_group(key="summary_call").set_value("after")
    app.button[0].click().run()
    until(app, "budget exhausted")
    (saved,) = folder.glob("*.jsonl")
    assert read_trace(saved).header.settings == Settings(model="scripted", max_searches=2, summary_call="after")


def test_breakpoints_of_the_page_reach_the_run_and_those_that_make_no_sense_stop_nothing(
    folder: Path, spec: str, model: ChatServer
) -> None:
    address = lives.start(QUESTION, SETTINGS, spec, ("role=policy",))
    wait_until_paused(running(address))
    app = opened(**{"run": address, "break": "nonsense|role=search text=council"})
    assert "paused before policy" in markup(app)
    assert 'class="tag live"' in markup(opened())
    lives.go_on(address)
    until(app, "paused before search: breakpoint role=search text=council")
    lives.stop(address)
    running(address).join(30)


def test_a_page_without_breakpoints_takes_none_away(folder: Path, spec: str, model: ChatServer) -> None:
    address = lives.start(QUESTION, SETTINGS, spec, ("role=policy", "role=answer"))
    wait_until_paused(running(address))
    app = opened(run=address)
    lives.step(address)
    until(app, "paused before search: after one step")
    lives.go_on(address)
    until(app, "paused before policy: breakpoint role=policy")
    lives.stop(address)
    running(address).join(30)


def test_a_stopped_run_offers_to_go_on_and_does(folder: Path, spec: str, model: ChatServer) -> None:
    address = lives.start(QUESTION, SETTINGS, spec, ("conflict_proposed",))
    wait_until_paused(running(address))
    lives.stop(address)
    running(address).join(30)
    shown = markup(opened(run=address))
    assert 'data-do="resume:"' in shown
    assert "the run was stopped before its end: interrupted" in shown
    lives.resume(address)
    lives.resume(address)  # it goes on already
    running(address).join(60)
    shown = markup(opened(run=address))
    assert 'data-do="resume:"' not in shown
    assert kinds(read_trace(running(address).path)) == kinds(repaired_run())


ENDING = """
import sys, time
from retree_core.settings import Settings
from retree_viz import lives
address = lives.start(sys.argv[1], Settings(model="scripted"), sys.argv[2], ("role=extract",))
while not lives.live(address).paused:
    time.sleep(0.01)
"""


def test_a_run_ends_with_the_app_and_says_so(folder: Path, spec: str, model: ChatServer) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(APP).parent)}
    subprocess.run([sys.executable, "-c", ENDING, QUESTION, spec], env=env, check=True, capture_output=True, timeout=60)
    (made,) = folder.glob("*.jsonl")
    assert read_trace(made).stopped == "interrupted"
    assert 'data-do="resume:"' in markup(opened(run=f"runs/{made.name}"))


def test_a_run_that_cannot_be_taken_up_says_why_above_its_tree(folder: Path, no_model: None) -> None:
    folder.mkdir()
    whole = repaired_run()
    half = replace_records(whole, [one for one in whole.records if isinstance(one, EventRecord)][:9])
    write_trace(half, folder / "half.jsonl")  # without calls, and without a boundary to begin from
    lives.resume("runs/half.jsonl")
    running("runs/half.jsonl").join(60)
    shown = markup(opened(run="runs/half.jsonl"))
    assert "cannot be resumed" in shown
    assert "Traceback" not in shown


def test_what_can_be_resumed_is_the_users_own_unfinished_json_lines(folder: Path) -> None:
    folder.mkdir()
    half = trace_of(story()[:20])
    save_document(half, folder / "half.json")
    write_trace(story_trace(), folder / "whole.jsonl")
    for address in ("runs/half.json", "runs/whole.jsonl", f"samples/{SAMPLE}"):
        assert 'data-do="resume:"' not in markup(opened(run=address))
    with pytest.raises(UsageError, match="a sample run is not written to"):
        lives.resume(f"samples/{SAMPLE}")


def test_a_fork_of_a_sample_goes_to_the_users_own_runs_and_says_what_it_needs(folder: Path) -> None:
    trace = read_trace(samples_folder() / SAMPLE)
    before = sorted(samples_folder().iterdir())
    at = next(at for at, one in enumerate(trace.events, 1) if one.kind == "conflict_confirmed")
    address = lives.fork(f"samples/{SAMPLE}", at, [Edit.parse("verdict=reject")], live_model=False)
    running(address).join(60)
    (made,) = folder.iterdir()
    assert address == f"runs/{made.name}"
    assert made.name.startswith(f"scripted-repair-north-pole-at{at}-")
    assert "needs a " in read_trace(made).stopped
    assert sorted(samples_folder().iterdir()) == before
    assert 'data-do="resume:"' in markup(opened(run=address))


def test_a_fork_that_cannot_reach_its_model_leads_back_to_the_run_it_came_from(folder: Path, no_model: None) -> None:
    trace = read_trace(samples_folder() / SAMPLE)
    at = next(at for at, one in enumerate(trace.events, 1) if one.kind == "conflict_confirmed")
    address = lives.fork(f"samples/{SAMPLE}", at, [Edit.parse("verdict=reject")], live_model=True)
    running(address).join(60)
    app = opened(run=address)
    assert app.session_state["place"].run == f"samples/{SAMPLE}"
    assert "127.0.0.1:9" in markup(app)


def test_a_run_that_is_given_up_before_it_begins_leads_back_to_the_form(
    folder: Path, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(Response(json={"data": []}, delay_s=60)) as silent:
        monkeypatch.setenv("RETREE_BASE_URL", f"{silent.url}/v1")
        app = opened(page="ask")
        app.text_area(key="question").set_value(QUESTION)
        app.text_input(key="spec").set_value(spec)
        app.button[0].click().run()
        assert 'data-do="stop:"' in until(app, "Starting:")
        lives.stop(app.session_state["place"].run)
        running(app.session_state["place"].run).join(30)
        app.run()
    assert app.session_state["place"].asking
    assert app.text_area(key="question").value == QUESTION
    assert 'role="alert"' not in markup(app)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path / "file" / "runs"))
    with pytest.raises(UsageError, match="set RETREE_RUNS to one that can"):
        lives.start(QUESTION, SETTINGS, "corpus:none")


def test_an_uploaded_trace_is_kept_under_a_plain_name_and_never_over_another(tmp_path: Path) -> None:
    data = write_trace(story_trace(), tmp_path / "a.jsonl").read_bytes()
    folder = tmp_path / "own"
    folder.mkdir()
    assert keep(data, "../../My <run>.jsonl", folder) == "My-run.jsonl"
    assert keep(data, "My run.jsonl", folder) == "My-run-2.jsonl"
    assert keep(data, ".jsonl", folder) == "trace.jsonl"
    assert keep(data, "corpus.jsonl", folder) == "corpus-2.jsonl"
    assert keep(data, "x.notes.json", folder) == "x-notes.json"
    assert keep(data, "noending", folder) == "noending.jsonl"
    assert keep(data, "n" * 400 + ".jsonl", folder) == "n" * 80 + ".jsonl"
    assert {one.read_bytes() for one in folder.iterdir()} == {data}


def test_an_upload_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.touch()
    data = (samples_folder() / SAMPLE).read_bytes()
    with pytest.raises(InputError, match=r"mine\.jsonl cannot be written \(Not a directory\)$"):
        keep(data, "mine.jsonl", no_folder)


@pytest.mark.parametrize("data", [b"", b"\x89PNG", b"[]", b'{"a": 1}', b"\x1f\x8b\x08broken"])
def test_what_is_no_trace_is_not_kept(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError, match="odd"):
        keep(data, "odd.jsonl", tmp_path)
    assert not list(tmp_path.iterdir())
