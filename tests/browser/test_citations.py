"""Claims, facts and passages of a sample in a real browser, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Open = Callable[..., Any]
REPAIR = "run=samples/scripted-repair-north-pole.jsonl&moment=47"
BACK = "run=samples/scripted-flip-back-clifton-bridge.jsonl"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    return serve(tmp_path_factory.mktemp("runs"))


def lit(page: Any) -> list[str]:
    """Cards that the tree lights."""
    found: list[str] = page.tree.evaluate("(host) => [...host.retree.shine.cards.keys()].sort()")
    return found


def test_pointing_at_a_claim_or_a_fact_lights_the_tree_and_asks_no_server(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{REPAIR}")
    page.at(47)
    page.page.evaluate(
        """const app = document.querySelector('[data-testid=stApp]');
        window.reruns = 0;
        const seen = new MutationObserver(() => { window.reruns += 1; });
        seen.observe(app, { attributeFilter: ['data-test-script-state'] });"""
    )
    claims = page.page.locator(".cl")
    claims.nth(1).locator(".st").hover()
    assert lit(page) == ["node:n1", "node:n4", "node:root"]
    assert page.tree.get_by_role("status").last.inner_text() == "c2 rests on 1 fact from 1 passage"
    page.inspector.locator(".chip", has_text="e1").first.hover()
    assert lit(page) == ["node:n2", "node:n3", "node:n4", "search:4"]
    assert page.page.locator(".cl[data-lit]").count() == 3
    page.page.locator("[data-lane=e12]").hover()
    assert lit(page) == []
    assert page.page.locator(".cl[data-lit]").count() == 1
    page.page.locator(".topbar .q").hover()
    assert lit(page) == []
    claims.nth(0).locator("button.k").focus()
    page.press("Shift+Tab", "Tab")
    assert lit(page) == ["node:n1", "node:root"]
    assert page.page.evaluate("window.reruns") == 0


def test_a_claim_is_followed_to_its_span_and_on_to_all_that_rests_there(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{REPAIR}&tab=evidence")
    page.at(47)
    page.page.locator(".cl button.k").first.focus()
    page.press("Enter")
    page.inspector.get_by_role("heading", name="Claim c1").wait_for()
    said = page.inspector.inner_text()
    assert "repaired, r2 in force" in said
    assert "c1 › e1 r2 › p10 › n1 › root" in said
    assert "therefore" in page.inspector.locator("mark").first.inner_text()
    page.inspector.locator("details.past summary").click()
    assert page.inspector.locator("details.past mark").first.inner_text().startswith("The first aircraft to fly over")
    page.inspector.locator(".trail").get_by_role("button", name="p10").click()
    page.inspector.get_by_role("heading", name="Passage p10").wait_for()
    mark = page.inspector.locator("mark", has_text="airship Norge").first
    assert "The first aircraft over the pole was the airship Norge." in page.inspector.inner_text()
    mark.click()
    page.inspector.get_by_role("heading", name="Evidence e1").wait_for()
    page.inspector.locator("section", has_text="Found while it was shown").get_by_role("button", name="n3").click()
    page.tab("Node")


def test_a_fact_that_came_back_is_flagged_both_ways(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{BACK}&sel=e9&tab=evidence")
    page.at(59)
    assert "was e3, pruned at event 21" in page.inspector.inner_text()
    chips = page.tree.evaluate("(host) => host.retree.cards.get('node:n5').chips.filter((one) => one.back)")
    assert [one["id"] for one in chips] == ["e9"]
    page.inspector.locator(".rows .refuse").get_by_role("button", name="e3").click()
    page.inspector.get_by_role("heading", name="Evidence e3").wait_for()
    page.inspector.get_by_role("button", name="e9").first.click()
    page.inspector.get_by_role("heading", name="Evidence e9").wait_for()
