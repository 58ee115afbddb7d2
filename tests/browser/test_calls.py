"""Calls with mouse and keyboard: from the dossier into a call, along the list, and one call made again."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stubs import ChatServer, Response, completion
from worlds import repaired_run, write_trace

from retree_core import events as ev
from retree_core.calls import ModelCall
from retree_core.notes import notes_path, read_notes
from retree_viz.run import Run

Open = Callable[..., Any]
RUN = Run(repaired_run())
REPAIR = next(at for at, one in enumerate(RUN.events, 1) if isinstance(one, ev.EvidenceRepaired))
CONFIRM = next(one.number for one in RUN.call_lines if one.role == "confirm")
SEEN = threading.Event()
"""The waiting state was seen."""
REPLY = {"reason": "The older page may well be right.", "contradiction": False, "better": "stored"}


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    """A model that confirms nothing, and says so once `SEEN` is set."""

    def reply(body: dict[str, Any]) -> Response:
        SEEN.wait(30)
        return Response(json=completion(json.dumps(REPLY)))

    with ChatServer(reply) as server:
        yield server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs")
    write_trace(repaired_run(), path / "repaired.jsonl")
    return path


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], folder: Path, model: ChatServer) -> str:
    return serve(folder, RETREE_BASE_URL=model.base_url, RETREE_MODEL="Qwen/Qwen3-8B")


def heading(page: Any, words: str) -> None:
    page.page.locator(".insp h2", has_text=words).wait_for(timeout=15_000)


def test_a_call_opens_from_the_dossier_and_is_made_again(
    open_page: Open, address: str, folder: Path, model: ChatServer
) -> None:
    trace = folder / "repaired.jsonl"
    before = trace.read_bytes()
    page = open_page(f"{address}/?run=runs/repaired.jsonl&moment={REPAIR}")
    page.at(REPAIR)
    page.inspector.locator(f'[data-do="call:{CONFIRM}"]').first.click()
    heading(page, f"Call {CONFIRM}, confirm call")
    said = page.inspector.inner_text()
    assert "Parsed value" in said
    assert "both cannot hold" in said
    page.inspector.get_by_text("Reply as written").click()
    assert '"contradiction": true' in page.inspector.locator("pre:visible").first.inner_text()
    assert f"call={CONFIRM}" in page.page.url

    page.inspector.get_by_role("button", name="Re-run …").click()
    prompt = page.page.get_by_label("Message 2, user")
    prompt.wait_for(timeout=15_000)
    recorded = RUN.trace.calls[CONFIRM - 1].call
    assert isinstance(recorded, ModelCall)
    assert prompt.input_value() == recorded.body["messages"][1]["content"]
    prompt.fill("Is the older page right? ArrowLeft [ ]")
    page.page.get_by_label("Seed").fill("7")
    page.page.get_by_role("button", name="Run", exact=True).click()
    page.page.get_by_role("status").filter(has_text="Waiting for the reply").wait_for(timeout=15_000)
    SEEN.set()
    sides = page.page.locator(".replies .side")
    sides.nth(1).wait_for(timeout=30_000)
    assert "both cannot hold" in sides.nth(0).inner_text()
    assert "The older page may well be right." in sides.nth(1).inner_text()
    assert "seed 7" in sides.nth(1).inner_text()
    assert sides.nth(1).locator("ins").count() > 0
    assert model.calls[-1]["messages"][1]["content"] == "Is the older page right? ArrowLeft [ ]"
    assert model.calls[-1]["response_format"] == recorded.body["response_format"]

    page.press("Escape")
    page.page.locator("[role=dialog]").wait_for(state="detached", timeout=15_000)
    page.at(REPAIR)
    assert trace.read_bytes() == before
    (note,) = read_notes(notes_path(trace)).of("rerun")
    assert (note["call"], note["seed"], note["reply"]["choices"][0]["message"]["content"]) == (
        CONFIRM,
        7,
        json.dumps(REPLY),
    )
    page.page.goto(f"{address}/?")
    page.page.locator(".card").first.wait_for()
    assert page.page.locator(".broken").count() == 0


def test_the_list_of_all_calls_leads_to_each_and_the_address_back(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/repaired.jsonl&moment={REPAIR}")
    page.at(REPAIR)
    page.press("4")
    page.tab("Calls")
    page.inspector.get_by_role("button", name=f"All {len(RUN.call_lines)}").click()
    heading(page, "All calls")
    page.inspector.get_by_role("button", name="search", exact=True).click()
    page.inspector.get_by_text("Calls of search").wait_for()
    page.inspector.locator(".call-list tbody tr").nth(1).click()
    second = [one.number for one in RUN.call_lines if one.role == "search"][1]
    heading(page, f"Call {second}, search call")
    assert "became p2" in " ".join(page.inspector.inner_text().split())
    page.inspector.get_by_role("button", name="Next call").press("Enter")
    heading(page, f"Call {second + 1}, extract call")
    again = open_page(page.page.url)
    again.at(REPAIR)
    heading(again, f"Call {second + 1}, extract call")
    again.inspector.get_by_role("button", name=f"All {len(RUN.call_lines)}").click()
    again.inspector.get_by_text("Calls of search").wait_for()
    with again.page.expect_download() as download:
        again.inspector.locator(".call-list tbody tr").first.click()
        again.inspector.get_by_role("button", name="JSON …").click()
        again.page.get_by_role("button", name="Download").click()
    saved = json.loads(Path(download.value.path()).read_text())
    assert saved["call"]["query"] == "query 1"


def test_contexts_lead_to_one_another_and_to_their_call(open_page: Open, address: str) -> None:
    contexts = [at for at, one in enumerate(RUN.events, 1) if isinstance(one, ev.ContextBuilt)]
    page = open_page(f"{address}/?run=runs/repaired.jsonl&moment={contexts[1]}&tab=context")
    page.at(contexts[1])
    assert "The capital of Alvonia is Velmora." in page.inspector.locator(".seen mark").inner_text()
    page.inspector.get_by_role("button", name="Next context").click()
    page.at(contexts[2])
    page.inspector.locator(".seen mark", has_text="Ilse Korn").wait_for()
    page.inspector.get_by_role("button", name="call ").first.click()
    page.tab("Calls")
    heading(page, "policy call")
