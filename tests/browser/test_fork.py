"""What if, from the app: flip a decision offline and go on live; change a fact; find the way back to the parent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stubs import ChatServer
from worlds import served, shown, stop

from retree_core.trace import read_trace
from retree_core.verify import verify
from retree_viz.runs import samples_folder

Open = Callable[..., Any]
SAMPLE = "scripted-two-repairs-toy-symphony"
CONFIRMED, PARENT_EVENTS = 28, 59


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    """A model under a name of its own, that stops on all it is shown."""
    with ChatServer(served({"policy": lambda call: stop(*shown(call))}), models=("stub-model",)) as server:
        yield server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forks")


@pytest.fixture(scope="module")
def app(serve: Callable[..., str], model: ChatServer, folder: Path) -> str:
    return serve(folder, RETREE_BASE_URL=model.base_url, RETREE_MODEL="stub-model")


def _dialog(page: Any) -> Any:
    page.page.locator("[role=dialog] .fork-event").wait_for(timeout=20_000)
    return page.page.locator("[role=dialog]")


def test_a_confirmation_is_flipped_offline_and_the_fork_finished_live(open_page: Open, app: str, folder: Path) -> None:
    page = open_page(f"{app}/?run=samples/{SAMPLE}.jsonl&moment={CONFIRMED}")
    page.at(CONFIRMED)
    assert page.page.locator(".foot .primary").inner_text().strip() == "Flip this decision and fork"
    page.press("t")
    dialog = _dialog(page)
    dialog.get_by_text("Comes back").first.wait_for(timeout=20_000)  # what the fork would do is worked out meanwhile
    said = dialog.inner_text()
    assert "The record answers up to event 29; then a model (summarise) is needed." in said
    assert dialog.locator(".chip", has_text="n2").count() == 1
    dialog.get_by_role("button", name="Start the fork").click()

    page.page.locator(".origin-bar.needs").wait_for(timeout=30_000)
    page.at(CONFIRMED)
    assert "Fork of" in page.page.locator(".origin-bar").first.inner_text()
    assert "The record answers up to event 29" in page.page.locator(".origin-bar.needs").inner_text()
    page.press("End")
    page.at(29)
    assert [page.status(f"node:n{number}") for number in (2, 3)] == ["active", "active"]
    (saved,) = folder.glob("*.jsonl")
    assert read_trace(saved).events[:27] == read_trace(samples_folder() / f"{SAMPLE}.jsonl").events[:27]
    assert verify(saved).status == "unfinished"

    page.page.get_by_role("button", name="Continue live").click()
    page.page.locator(".tag.ok", has_text="answered").wait_for(timeout=40_000)
    assert page.page.locator(".origin-bar.needs").count() == 0
    assert verify(saved).status == "ok"
    assert read_trace(saved).header.settings.last_model == "stub-model"

    page.page.locator(".origin-bar .go").click()
    page.at(PARENT_EVENTS)
    page.page.get_by_role("button", name="ReTree").first.click()
    assert f"Fork of {SAMPLE}.jsonl after event 27" in page.page.locator(".card .forked").first.inner_text()


def test_a_fact_is_changed_and_the_fork_runs_live(open_page: Open, app: str, folder: Path) -> None:
    from playwright.sync_api import expect

    before = {*folder.glob("*.jsonl")}
    page = open_page(f"{app}/?run=samples/{SAMPLE}.jsonl&moment=1")
    page.at(1)
    page.page.get_by_role("button", name="Edit and fork").click()
    page.page.locator("[role=dialog]").get_by_role("button", name=re.compile("facts extracted")).click()
    page.at(5)
    dialog = _dialog(page)
    field = dialog.get_by_label("Fact")
    expect(field).to_have_value("The composer of the Toy Symphony is Joseph Haydn.", timeout=20_000)
    field.fill("The composer is Joseph Haydn.")
    field.press("Control+Enter")
    dialog.locator(".radius").wait_for(timeout=20_000)
    assert "e1" in dialog.locator(".chip").all_inner_texts()
    dialog.get_by_text("Live, a model answers the rest").click()
    dialog.get_by_text("stub-model").wait_for(timeout=20_000)
    dialog.get_by_role("button", name="Start the fork").click()
    page.page.locator(".origin-bar").wait_for(timeout=30_000)
    page.page.locator(".tag.ok", has_text="answered").wait_for(timeout=40_000)
    (saved,) = {*folder.glob("*.jsonl")} - before
    assert verify(saved).status == "ok"
    assert page.page.locator(".origin-bar").inner_text().count("fact=e1:The composer is Joseph Haydn. at event 5") == 1
