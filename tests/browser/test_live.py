"""A live run from the app, against a scripted model server: asked, watched, stopped, saved."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stubs import ChatServer, Response, role_of
from viz.story import story, story_trace, trace_of
from worlds import KORN, QUESTION, VELMORA, World, search, stop, write_trace

from retree_core.calls import ModelCall, ModelReply
from retree_core.trace import TraceWriter, read_trace

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


def _ask(page: Any, question: str, corpus: Path) -> None:
    page.page.get_by_role("button", name="New run").click()
    page.page.get_by_label("Question").fill(question)
    page.page.get_by_label("Search", exact=True).fill(f"corpus:{corpus}")
    page.page.keyboard.press("Enter")  # the form is sent as by its button


def test_a_live_run_grows_ends_and_is_kept(
    open_page: Open, serve: Callable[..., str], model: ChatServer, corpus: Path, tmp_path: Path
) -> None:
    page = open_page(serve(tmp_path, RETREE_BASE_URL=model.base_url, RETREE_MODEL="Qwen/Qwen3-8B"))
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
    page = open_page(serve(tmp_path, RETREE_BASE_URL=model.base_url, RETREE_MODEL="Qwen/Qwen3-8B"))
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
    page = open_page(serve(tmp_path, RETREE_BASE_URL="http://127.0.0.1:9/v1"))
    _ask(page, QUESTION, corpus)
    page.page.get_by_role("alert").wait_for(timeout=60_000)
    said = page.page.get_by_role("alert").inner_text()
    assert "127.0.0.1:9" in said
    assert len(said) < 300
    assert page.page.get_by_label("Question").input_value() == QUESTION
