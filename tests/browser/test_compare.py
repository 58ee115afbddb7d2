"""Comparing with mouse and keyboard: two moments of a run, a sample and its fork side by side."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from worlds import confirm, repaired_run, write_trace

from retree_viz.runs import samples_folder

Open = Callable[..., Any]
NORTH_POLE = samples_folder() / "scripted-repair-north-pole.jsonl"
SAMPLE = "samples/scripted-repair-north-pole.jsonl"
PAIR = "run=runs/a.jsonl&against=runs/b.jsonl"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on a fork of a sample, and on a run with a repair beside the same without it."""
    folder = tmp_path_factory.mktemp("runs")
    words = ["fork", str(NORTH_POLE), "--at", "31", "--set", "verdict=reject", "--out", str(folder / "fork.jsonl")]
    subprocess.run([sys.executable, "-m", "retree_core.cli", *words], check=True, capture_output=True)
    write_trace(repaired_run(), folder / "a.jsonl")
    write_trace(repaired_run({"confirm": lambda _: confirm(False)}), folder / "b.jsonl")
    return serve(folder)


def at(page: Any, a: int, b: int) -> None:
    """Until both sides have arrived: timeline, trees, script."""
    page.page.wait_for_selector(f'[data-testid=branches][data-a="{a}"][data-b="{b}"]', timeout=20_000)
    for side, moment in (("a", a), ("b", b)):
        tree = f'.st-key-tree_{side} [data-testid=evidence-graph][data-step="{moment}"]'
        page.page.wait_for_selector(tree, timeout=20_000)
    page.page.wait_for_selector('[data-testid=stApp][data-test-script-state="notRunning"]', timeout=20_000)


def test_a_sample_and_its_fork_from_the_dialog(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run={SAMPLE}&moment=20")
    page.at(20)
    page.press("v")
    kin = page.page.locator(".choose section", has_text="Its forks and its parent")
    kin.locator(".pick", has_text="fork.jsonl").click()
    at(page, 20, 20)
    said = page.page.locator(".sbar").inner_text()
    assert "In step up to event 30" in said
    assert "16 model calls and 4 searches are identical, request by request" in said
    page.press("d")
    at(page, 31, 31)
    page.press("ArrowRight", "ArrowRight")
    at(page, 33, 31)
    assert "against_moment=31" in page.page.url
    statuses = [
        page.page.locator(f".st-key-tree_{side} [data-testid=evidence-graph]").evaluate(
            "(host) => host.retree.cards.get('node:n3').status"
        )
        for side in ("a", "b")
    ]
    assert statuses == ["pruned", "current"]
    page.press("Backspace")
    page.at(33)
    assert "against" not in page.page.url


def test_both_step_together_and_apart(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{PAIR}&moment=23")
    at(page, 23, 23)
    page.press("ArrowRight", "ArrowRight")
    at(page, 25, 25)
    page.press("Shift+ArrowRight", "Shift+ArrowRight")
    ends = [int(page.page.locator("[data-testid=branches]").get_attribute(f"data-{side}")) for side in "ab"]
    assert ends[0] != ends[1]
    page.press("2")  # by event
    page.page.locator(".seg [aria-pressed=true]", has_text="Event").wait_for()
    page.press("Home")
    at(page, 1, 1)
    page.press("End")
    at(page, 45, 43)
    page.press("[")
    at(page, 26, 26)
    axis = page.page.locator(".rt-branches svg.axis")
    tick = axis.locator("g", has=page.page.locator("title", has_text="B 30 ")).first.bounding_box()
    page.page.mouse.click(tick["x"] + tick["width"] / 2, tick["y"] + tick["height"] / 2)
    at(page, 26, 30)
    tick = axis.locator("g", has=page.page.locator("title", has_text="12 ")).first.bounding_box()
    page.page.mouse.click(tick["x"] + tick["width"] / 2, tick["y"] + tick["height"] / 2)
    at(page, 12, 12)


def test_claims_numbers_and_a_selection_on_both_sides(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?{PAIR}")
    at(page, 45, 43)
    sides = page.page.locator(".sides").first
    faulty = sides.locator("tr", has_text="The capital of Alvonia is Velmora.")
    assert "not claimed" in faulty.inner_text()
    assert "A gave up what e1 says" in faulty.inner_text()
    assert page.page.locator(".numbers tr", has_text="Nodes pruned").locator("td").all_inner_texts() == ["2", "0", "+2"]
    assert page.page.locator("[data-testid=sizes] circle").count() >= 6
    faulty.locator(".id", has_text="e1").click()
    told = page.page.locator(".chosen")
    told.nth(1).wait_for()
    assert "Dresk" in told.nth(0).inner_text()
    assert "Velmora" in told.nth(1).inner_text()
    page.page.get_by_role("button", name="Swap A and B").click()
    at(page, 43, 45)
    assert "Velmora" in told.nth(0).inner_text()
    page.page.locator(".st-key-pane_b .go", has_text="Open").click()
    page.at(45)
    assert "run=runs%2Fa.jsonl" in page.page.url


def test_what_changed_between_two_moments(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run={SAMPLE}&moment=33")
    page.at(33)
    page.press("6")
    page.tab("Changes")
    assert "n3 pruned at event 33" in " ".join(page.inspector.inner_text().split())
    page.inspector.get_by_role("button", name="Pin this moment").click()
    page.inspector.locator("[aria-pressed=true]", has_text="moment 33, pinned").wait_for()
    page.press("ArrowRight", "ArrowRight")
    page.at(35)
    page.inspector.get_by_text("From moment 33 to 35").wait_for()
    assert page.inspector.locator(".words-apart ins").count() >= 1
    page.inspector.get_by_role("button", name="the last repair").click()
    page.inspector.get_by_text("From moment 31 to 35").wait_for()
    page.inspector.locator(".changes .id", has_text="n2").first.click()
    page.tab("Node")


@pytest.mark.parametrize(("theme", "size"), [("light", (1280, 800)), ("dark", (1920, 1080))])
def test_the_page_holds_all_its_parts(
    open_page: Open, address: str, theme: str, size: tuple[int, int], tmp_path: Path
) -> None:
    viewport = {"width": size[0], "height": size[1]}
    page = open_page(f"{address}/?{PAIR}&moment=30", viewport=viewport, color_scheme=theme)
    page.page.wait_for_selector('[data-testid=branches][data-a="30"]')
    page.page.screenshot(path=tmp_path / f"compare-{theme}.png")
    parts = (
        ".topbar",
        ".rt-branches",
        ".st-key-tree_a .rt-tree",
        ".st-key-tree_b .rt-tree",
        ".answers",
        ".numbers",
        ".rt-sizes",
    )
    for one in parts:
        box = page.page.locator(one).first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0] + 1
        assert box["y"] < size[1]
    assert page.page.evaluate("document.scrollingElement.scrollHeight <= innerHeight + 1")
    assert page.page.locator(".st-key-tree_a .rt-tree").bounding_box()["height"] > 180
