"""Mouse and keyboard on the Why panel of a sample: a repair's dossier, its calls in place, and a pair of facts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]
SAMPLE = "run=samples/scripted-repair-north-pole.jsonl"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("runs")
    return serve(folder)


def headed(page: Any, words: str) -> None:
    """Until the inspector's heading says so."""
    page.page.locator(".insp h2", has_text=words).wait_for(timeout=20_000)


def test_a_repair_is_one_key_away_and_its_calls_open_in_place(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{SAMPLE}&moment=32&tab=calls")
    page.at(32)
    page.press("1")
    headed(page, "Repair of e1 at node n1")
    parts = page.inspector.locator(".parts.checked tbody tr").all_inner_texts()
    assert [one.split()[0] for one in parts] == ["Entity", "Attribute", "Scope", "Time", "Value"]
    assert parts[2].split()[-2:] == ["unknown,", "passes"]
    asked = page.inspector.locator("details.asked").nth(1)
    asked.locator("summary").first.click()
    asked.locator("pre:visible", has_text="Stored fact").first.wait_for()
    assert '"contradiction": true' in asked.locator(".fold.reply").inner_text()
    page.inspector.get_by_role("button", name="call 21").first.click()
    page.tab("Calls")
    page.press("1")
    headed(page, "Repair of e1 at node n1")
    page.press("ArrowRight")
    page.at(33)
    headed(page, "2 nodes pruned: Repair of e1 at node n1")
    assert "Spent below: 11 calls" in page.inspector.inner_text()


def test_two_facts_are_asked_about_and_the_question_is_in_the_address(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{SAMPLE}&moment=33")
    page.at(33)
    page.inspector.locator(".fallen .chip", has_text="e3").click()
    page.tab("Evidence")
    page.press("1")
    page.inspector.locator('[data-do="pair:e8"]').click()
    headed(page, "Why no backtrack: e3 and e8")
    said = page.inspector.inner_text()
    assert "e3 was in force but not shown: at place 6 of 6" in said
    assert page.inspector.locator(".ranking tr.on").inner_text().split()[-2:] == ["not", "shown"]
    page.page.wait_for_url("**pair=e8**")
    page.page.reload()
    headed(page, "Why no backtrack: e3 and e8")
    page.inspector.locator('[data-do="pair:e1"]').click()
    headed(page, "Why no backtrack: e1 and e3")
    page.inspector.get_by_role("button", name="Close the question").click()
    headed(page, "2 nodes pruned")
