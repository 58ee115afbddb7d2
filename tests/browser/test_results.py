"""The results page with mouse and keyboard: from the gallery to a run and back, and two runs side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from viz.results_world import RUNS, results_folder, write_run

Open = Callable[..., Any]
EVIL = "<img src=x onerror=alert(1)>**Who**"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    results_folder(folder / "plain")
    results_folder(folder / "evil", runs={("q1", "react"): RUNS["q1", "react"]}, questions={"q1": EVIL})
    results_folder(folder / "grows", runs={("q1", "retree"): RUNS["q1", "retree"]})
    return folder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], runs: Path) -> str:
    return serve(runs)


def total(page: Any, number: int) -> None:
    """Until the list holds so many runs."""
    page.wait_for_selector(f'[data-testid=runs][data-total="{number}"]', timeout=20_000)


def agents(page: Any) -> list[str]:
    found: list[str] = page.locator("td.agent").all_inner_texts()
    return found


def chosen(page: Any) -> str:
    found: str = page.locator("tr[aria-selected=true]").get_attribute("data-address")
    return found


def test_from_the_gallery_to_a_run_and_back_to_its_row(address: str, open_page: Open) -> None:
    page = open_page(address).page
    page.locator(".card", has_text="plain").click()
    total(page, len(RUNS))
    page.locator("th.tokens button").click()
    page.locator("th.tokens[aria-sort=descending]").wait_for()
    page.keyboard.press("ArrowDown")
    assert chosen(page) == "runs/plain/runs/retree/q2.jsonl"
    page.keyboard.press("Enter")
    page.wait_for_selector('[data-testid=timeline][data-moment="13"]', timeout=20_000)
    assert page.locator(".of-results", has_text="wrong by exact match").count() == 1
    page.keyboard.press("Backspace")
    total(page, len(RUNS))
    page.locator("th.tokens[aria-sort=descending]").wait_for()
    assert chosen(page) == "runs/plain/runs/retree/q2.jsonl"


def test_the_browsers_back_button_leads_to_the_list(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/?results=runs/plain&outcome=wrong").page
    total(page, 3)
    page.locator("tr[data-address]", has_text="FlatUpdate").click()
    page.locator(".of-results").wait_for(timeout=20_000)
    page.go_back()
    total(page, 3)
    assert chosen(page) == "runs/plain/runs/flat/q1.jsonl"
    page.go_forward()
    page.locator(".of-results").wait_for(timeout=20_000)


def test_filters_and_a_cell_of_two_agents(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/?results=runs/plain").page
    total(page, len(RUNS))
    page.keyboard.press("/")
    page.keyboard.type("velmora", delay=5)
    total(page, 3)
    page.keyboard.press("Escape")
    page.locator("button[data-kind=repair]").click()
    total(page, 1)
    page.keyboard.press("Escape")
    total(page, len(RUNS))
    page.locator(".t2 button.go").first.click()
    total(page, 2)
    assert agents(page) == ["ReTree", "FlatUpdate"]
    assert "cell=10" in page.url


def test_two_picked_runs_stand_side_by_side(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/?results=runs/plain").page
    total(page, len(RUNS))
    page.keyboard.press("x")
    page.locator(".mark-it[aria-pressed=true]").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("v")
    page.locator(".topbar", has_text="Compare").wait_for(timeout=20_000)
    assert "against=runs%2Fplain%2Fruns%2Fflat%2Fq1.jsonl" in page.url
    assert page.locator(".of-results .gold").inner_text() == "Gold answer Ann"
    assert page.locator(".of-side").all_inner_texts() == [
        "A\nReTree\nright by exact match",
        "B\nFlatUpdate\nwrong by exact match",
    ]
    page.keyboard.press("Backspace")
    total(page, len(RUNS))
    page.go_back()
    page.locator(".of-side").first.wait_for(timeout=20_000)
    page.go_back()
    total(page, len(RUNS))


def test_a_row_says_how_the_run_ended_what_its_agent_cannot_do_and_how_it_opens(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/?results=runs/plain").page
    total(page, len(RUNS))
    rows = [
        [page.locator(f"tr[data-address] td.{one}").nth(row).inner_text() for one in ("status", "agent", "repairs")]
        for row in (0, 1, 2, 6, 7)
    ]
    assert rows == [
        ["answered", "ReTree", "1"],
        ["answered", "ReAct", "n/a"],
        ["answered", "FlatUpdate", "0"],
        ["llm error", "ReTree", "0"],
        ["unfinished", "ReAct", "n/a"],
    ]
    assert page.locator("td.status .word").first.bounding_box()["width"] > 40, "no word is cut away"
    page.locator(".detail").get_by_role("button", name="Open Enter").click()
    page.locator(".of-results").wait_for(timeout=20_000)
    assert "run=runs%2Fplain%2Fruns%2Fretree%2Fq1.jsonl" in page.url


def test_a_folder_that_grows_is_followed(address: str, runs: Path, open_page: Open) -> None:
    page = open_page(f"{address}/?results=runs/grows").page
    total(page, 1)
    write_run(runs / "grows", "q2", "retree", "Who built the Korn bridge?", RUNS["q2", "retree"])
    total(page, 2)


def test_hostile_texts_stay_text(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/?results=runs/evil").page
    total(page, 1)
    assert page.locator("td.question").inner_text() == EVIL
    assert page.locator("img[src=x]").count() == 0
