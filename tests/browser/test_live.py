"""A live run from the app, against a scripted model server: asked, watched, stopped, saved."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stubs import ChatServer, Response, completion, role_of
from viz.story import story, story_trace, trace_of
from worlds import KORN, MIND, QUESTION, VELMORA, World, search, served, stop, write_trace
from worlds import corpus as write_corpus

from retree_core.calls import ModelCall, ModelReply
from retree_core.trace import TraceWriter, read_trace
from retree_core.verify import verify

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    path.write_text("\n".join(json.dumps({"title": one[:20], "text": one}) for one in (VELMORA, KORN)))
    return path


@pytest.fixture
def model() -> Iterator[ChatServer]:
    """A model that searches three times and then stops; every reply takes a moment."""
    searches = ["capital of Alvonia", "mayor of Velmora", "Ilse Korn born"]
    world = World({"policy": [*map(search, searches), stop("e1", "e2"), stop("e1", "e2"), stop("e1", "e2")]}, ())

    def reply(body: dict[str, Any]) -> Response:
        answer = world.answer(ModelCall(role=role_of(body).removeprefix("retree_"), body=body))  # type: ignore[arg-type]
        assert isinstance(answer, ModelReply)
        return Response(json=answer.raw, delay_s=0.4)

    with ChatServer(reply) as server:
        yield server


@pytest.fixture
def mind() -> Iterator[ChatServer]:
    """A model that takes a wrong capital for true, meets the right one, and repairs."""
    answers = served(MIND)

    def reply(body: dict[str, Any]) -> Response:
        said = answers[role_of(body)](body)
        return Response(json=completion(json.dumps(said)), delay_s=0.25)

    with ChatServer(reply) as server:
        yield server


def _roles(server: ChatServer) -> list[str]:
    return [role_of(body).removeprefix("retree_") for body in server.calls]


def _held(page: Any, why: str) -> None:
    page.page.locator(".tag.held", has_text=why).wait_for(timeout=30_000)


def _settings(model: ChatServer, corpus: Path) -> dict[str, str]:
    """Those of the app: who answers its runs, and what they search."""
    return {
        "RETREE_BASE_URL": model.base_url,
        "RETREE_MODEL": "Qwen/Qwen3-8B",
        "RETREE_SEARCH": f"corpus:{corpus}",
    }


def _ask(page: Any, question: str, corpus: Path, breakpoints: str = "") -> None:
    page.page.get_by_role("button", name="New run").click()
    page.page.get_by_label("Question").fill(question)
    if breakpoints:
        page.page.get_by_role("textbox", name="Breakpoints").fill(breakpoints)
    page.page.get_by_label("Search", exact=True).fill(f"corpus:{corpus}")
    page.page.keyboard.press("Enter")  # the form is sent as by its button


def test_a_live_run_grows_ends_and_is_kept(
    open_page: Open, serve: Callable[..., str], model: ChatServer, corpus: Path, tmp_path: Path
) -> None:
    page = open_page(serve(tmp_path, **_settings(model, corpus)))
    _ask(page, QUESTION, corpus)
    page.page.locator(".tag.live", has_text="running").wait_for(timeout=20_000)
    page.page.wait_for_function("document.querySelector('[data-testid=timeline]')?.dataset.moment > 4", timeout=20_000)
    early = page.moment
    page.page.locator(".tag.ok", has_text="answered").wait_for(timeout=40_000)
    assert page.moment > early
    (saved,) = tmp_path.glob("*.jsonl")
    trace = read_trace(saved)
    assert trace.header.question == QUESTION
    page.at(len(trace.events))
    assert f"run=runs%2F{saved.name}" in page.page.url
    page.page.get_by_role("button", name="ReTree").first.click()
    page.page.locator(".card", has_text=QUESTION).wait_for()


def test_a_live_run_can_be_stopped(
    open_page: Open, serve: Callable[..., str], model: ChatServer, corpus: Path, tmp_path: Path
) -> None:
    page = open_page(serve(tmp_path, **_settings(model, corpus)))
    _ask(page, QUESTION, corpus)
    page.page.wait_for_function("document.querySelector('[data-testid=timeline]')?.dataset.moment > 2", timeout=20_000)
    page.page.get_by_role("button", name="Stop").click()
    page.page.locator(".tag.live").wait_for(state="detached", timeout=20_000)
    (saved,) = tmp_path.glob("*.jsonl")
    assert not read_trace(saved).damage
    assert page.page.get_by_role("button", name="Copy link").count() == 1


def test_a_run_that_another_process_writes_is_followed(
    open_page: Open, serve: Callable[..., str], tmp_path: Path
) -> None:
    path = write_trace(trace_of(story()[:10]), tmp_path / "other.jsonl")
    page = open_page(f"{serve(tmp_path)}/?run=runs/other.jsonl")
    page.at(10)
    page.page.locator(".tag.live", has_text="being written").wait_for()
    with TraceWriter.append(path, redact=lambda value: value) as writer:
        for record in story_trace().records[10:30]:
            writer.write(record)
    page.at(30)
    page.press("ArrowLeft")
    page.at(29)
    with TraceWriter.append(path, redact=lambda value: value) as writer:
        for record in story_trace().records[30:]:
            writer.write(record)
    page.page.locator(".tag.ok", has_text="answered").wait_for(timeout=20_000)
    assert page.moment == 29


def test_a_server_that_is_down_is_one_clear_line_and_the_question_stays(
    open_page: Open, serve: Callable[..., str], corpus: Path, tmp_path: Path
) -> None:
    page = open_page(serve(tmp_path, RETREE_BASE_URL="http://127.0.0.1:9/v1", RETREE_SEARCH=f"corpus:{corpus}"))
    _ask(page, QUESTION, corpus)
    page.page.get_by_role("alert").wait_for(timeout=60_000)
    said = page.page.get_by_role("alert").inner_text()
    assert "127.0.0.1:9" in said
    assert len(said) < 300
    assert page.page.get_by_label("Question").input_value() == QUESTION


def test_a_breakpoint_on_a_proposal_holds_a_live_run_before_its_confirmation(
    open_page: Open, serve: Callable[..., str], mind: ChatServer, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl")
    page = open_page(serve(tmp_path / "own", **_settings(mind, corpus)))
    _ask(page, QUESTION, corpus, "conflict_proposed")
    _held(page, "paused before confirm: breakpoint conflict_proposed")
    assert "confirm" not in _roles(mind)
    page.tab("Why")
    page.inspector.get_by_text("The capital of Alvonia is Dresk.").first.wait_for()
    held_at = page.moment
    page.press("ArrowLeft")  # looking around does not let it go on
    page.at(held_at - 1)
    page.press("ArrowRight")
    page.at(held_at)
    assert "confirm" not in _roles(mind)
    page.press("h")
    page.page.locator(".tag.ok", has_text="answered").wait_for(timeout=40_000)
    (saved,) = (tmp_path / "own").glob("*.jsonl")
    assert verify(saved).status == "ok"
    assert _roles(mind).count("confirm") == 1


def test_a_live_run_is_paused_stepped_stopped_and_taken_up_again(
    open_page: Open, serve: Callable[..., str], mind: ChatServer, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl")
    page = open_page(serve(tmp_path / "own", **_settings(mind, corpus)))
    _ask(page, QUESTION, corpus, "facts_extracted text=Velmora text=capital")
    _held(page, "paused before summarise: breakpoint facts_extracted")
    page.page.get_by_role("button", name="Step", exact=True).click()
    _held(page, "paused before policy: after one step")
    assert _roles(mind)[-1] == "summarise"
    page.page.get_by_role("button", name="Go on", exact=True).click()
    page.page.get_by_role("button", name="Pause", exact=True).click()
    _held(page, "as asked")
    page.page.get_by_role("button", name="Stop", exact=True).click()
    resume = page.page.get_by_role("button", name="Resume", exact=True)
    resume.wait_for(timeout=20_000)
    (saved,) = (tmp_path / "own").glob("*.jsonl")
    assert read_trace(saved).stopped == "interrupted"
    page.page.goto(page.page.url.split("&break=")[0])
    resume.click(timeout=30_000)
    page.page.locator(".tag.ok", has_text="answered").wait_for(timeout=40_000)
    assert verify(saved).status == "ok"


def test_a_trace_is_brought_in_from_a_file(open_page: Open, serve: Callable[..., str], tmp_path: Path) -> None:
    good = write_trace(story_trace(), tmp_path / "my story.jsonl")
    bad = tmp_path / "picture.json"
    bad.write_bytes(b"\x89PNG")
    page = open_page(serve(tmp_path / "own"))
    page.page.get_by_role("button", name="Open a file").click()
    page.page.locator("input[type=file]").set_input_files(bad)
    page.page.get_by_role("alert").filter(has_text="picture.json").wait_for(timeout=20_000)
    page.page.locator("input[type=file]").set_input_files(good)
    page.at(len(story()))
    assert "run=runs%2Fmy-story.jsonl" in page.page.url
    assert [one.name for one in (tmp_path / "own").iterdir()] == ["my-story.jsonl"]


@pytest.fixture
def thinking() -> Iterator[ChatServer]:
    """A model that decides on a search and says nothing more until the test is over."""
    over = threading.Event()

    def reply(body: dict[str, Any]) -> Response:
        if role_of(body) == "retree_policy":
            return Response(json=completion(json.dumps(search("capital of Alvonia"))))
        over.wait(60)
        return Response(status=503)

    with ChatServer(reply) as server:
        yield server
        over.set()


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no such signal here")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_to_the_app_ends_its_runs_with_a_last_record(
    open_page: Open, thinking: ChatServer, corpus: Path, tmp_path: Path, name: str
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app = subprocess.Popen(
        [sys.executable, "-m", "retree_core.cli", "ui", str(tmp_path), "--headless", "--port", str(port)],
        env={**os.environ, **_settings(thinking, corpus), "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: [signal.signal(one, signal.SIG_DFL) for one in (signal.SIGHUP, signal.SIGINT)],
    )
    try:
        page = open_page(_answering(f"http://localhost:{port}"))
        _ask(page, QUESTION, corpus)
        page.page.locator(".tag.live", has_text="running").wait_for(timeout=20_000)
        page.page.wait_for_function(
            "document.querySelector('[data-testid=timeline]')?.dataset.moment > 2", timeout=20_000
        )
        app.send_signal(getattr(signal, name))
        app.wait(20)
    finally:
        app.kill()
        app.wait(10)
    (run,) = tmp_path.glob("*.jsonl")
    trace = read_trace(run)
    assert (trace.stopped, trace.damage) == ("interrupted", ())


def _answering(address: str) -> str:
    """The address, when somebody answers there."""
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return address
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(address)
