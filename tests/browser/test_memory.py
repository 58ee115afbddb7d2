"""The three agents without a tree, in a real browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import Debugger, Open
from worlds import (
    DRESK,
    KORN,
    QUESTION,
    SETTINGS,
    TARN,
    VELMORA,
    answer,
    asking,
    clashing,
    finding,
    run_scripted,
    write_trace,
)

FOUND = (VELMORA, KORN, TARN, DRESK)
CITED = [answer("Tarn", ("The mayor was born in Tarn.", ["p3"]))]


@pytest.fixture(scope="module")
def address(serve: Any, tmp_path_factory: Any) -> str:
    folder: Path = tmp_path_factory.mktemp("runs")
    reports = [{"report": VELMORA}, {"report": KORN}, {"report": f"{KORN} {TARN}"}, {"report": f"{KORN} {DRESK}"}]
    for agent, cited in (("flat", "e1"), ("react", "p3"), ("report", "p3")):
        said = {"policy": asking(4, cited), "conflict": clashing(("e1", "e4")), "report": reports}
        script = said if agent == "flat" else {**said, "answer": CITED}
        trace = run_scripted(QUESTION, script, finding(*FOUND), replace(SETTINGS, agent=agent))
        write_trace(trace, folder / f"{agent}.jsonl")
    started: str = serve(folder)
    return started


def shown(debugger: Debugger, moment: int) -> Any:
    page = debugger.page
    page.locator(".moment b", has_text=f"{moment}").wait_for(timeout=20_000)
    page.wait_for_selector('[data-testid=stApp][data-test-script-state="notRunning"]', timeout=20_000)
    return page.locator(".st-key-scroll_memory")


def test_a_flat_list_shows_the_replacement_and_what_was_found_before_it(address: str, open_page: Open) -> None:
    debugger = open_page(f"{address}/?run=runs/flat.jsonl&moment=25")
    shown(debugger, 25)
    debugger.press("ArrowRight")
    memory = shown(debugger, 26)
    memory.locator("tr.now del", has_text="Velmora").wait_for()
    assert memory.locator("tr.stale").count() == 2
    memory.get_by_role("button", name="e2", exact=True).click()
    memory.locator("tr.on", has_text=KORN).wait_for()
    assert debugger.page.locator("[data-testid=evidence-graph]").count() == 0
    debugger.press("2")
    debugger.page.locator(".insp h2", has_text="Search 4").wait_for()


def test_a_transcript_is_walked_step_by_step(address: str, open_page: Open) -> None:
    debugger = open_page(f"{address}/?run=runs/react.jsonl&moment=2")
    chain = shown(debugger, 2).locator(".chain > li")
    assert chain.count() == 7
    assert shown(debugger, 2).locator(".chain > li.later").count() == 7
    debugger.press("ArrowRight")
    shown(debugger, 3).locator(".chain > li.now", has_text="query 1").wait_for()
    chain.last.locator(".at").click()
    memory = shown(debugger, 17)
    memory.locator(".chain > li.now", has_text="The run ends").wait_for()
    assert memory.locator(".later").count() == 0
    box = chain.last.bounding_box()
    assert box["y"] + box["height"] <= 800, "what happens now is scrolled into view"


def test_a_report_shows_what_changed_in_it(address: str, open_page: Open) -> None:
    debugger = open_page(f"{address}/?run=runs/report.jsonl&moment=12")
    shown(debugger, 12)
    debugger.press("ArrowRight")
    memory = shown(debugger, 13)
    memory.locator(".written.now ins", has_text="Ilse Korn was born in Tarn.").wait_for()
    memory.locator(".written .go", has_text="event 9").click()
    shown(debugger, 9).locator(".written del", has_text="Alvonia").wait_for()
    assert shown(debugger, 9).locator("tr.later").count() == 2
