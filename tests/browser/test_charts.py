"""The charts with mouse and keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browser.conftest import Debugger, Open

SAMPLE = "run=samples/scripted-repair-north-pole.jsonl"


def drawn(debugger: Debugger, moment: int) -> None:
    debugger.page.wait_for_selector(f'[data-testid=charts][data-moment="{moment}"]', timeout=20_000)
    debugger.page.wait_for_selector('[data-testid=stApp][data-test-script-state="notRunning"]', timeout=20_000)


def test_charts_follow_the_moment_and_lead_to_events_facts_and_claims(
    tmp_path: Path, serve: Any, open_page: Open
) -> None:
    debugger = open_page(f"{serve(tmp_path)}/?{SAMPLE}&moment=20")
    page = debugger.page
    debugger.at(20)
    debugger.press("k")
    drawn(debugger, 20)
    assert "view=charts" in page.url
    charts = page.locator("[data-testid=charts]")
    assert charts.locator("figcaption b").all_inner_texts() == [
        "Policy context",
        "Facts",
        "Model calls and tokens by role",
        "Seconds by role",
        "Lives of evidence",
    ]
    assert "bound 2,413" in charts.locator("svg").first.text_content()
    assert charts.locator("text.value").first.text_content().endswith("out")

    debugger.press("ArrowRight")
    drawn(debugger, 21)
    last = charts.locator("figure").first.locator("circle[data-do]").last
    later = int(last.get_attribute("data-do").removeprefix("go:"))
    last.click()
    drawn(debugger, later)

    table = charts.locator("figure").first.locator("details")
    table.locator("summary").click()
    way = table.get_by_role("button").first
    earlier = int(way.inner_text())
    way.click()
    drawn(debugger, earlier)

    charts.locator("[data-life=e1] text.id").focus()
    debugger.press("Enter")
    page.locator(".life.on[data-life=e1]").wait_for()
    charts.locator("[data-life=e1] text.claim").click()
    page.locator(".cl.on").wait_for()
    charts.locator('[data-life=e3] path[data-do="go:33"]').click()
    drawn(debugger, 33)
    debugger.press("k")
    debugger.at(33)
