"""Export and import in a real browser: the page with the network off, the dialog, an imported record."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import Open
from export.runs import SAMPLES, hostile, of_trace, sample

from retree_viz.export import export

NORTH_POLE = next(one for one in SAMPLES if "north-pole" in one.stem)
TALK = [
    {"role": "user", "content": "Who designed the Norge?"},
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "search", "arguments": "Norge"}}]},
    {"role": "tool", "name": "search", "content": "<img src=x onerror=alert(1)> Umberto Nobile did."},
    {"role": "assistant", "content": "Umberto Nobile."},
]


@pytest.fixture(scope="module")
def address(serve: Any, tmp_path_factory: Any) -> str:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "talk.json").write_text(json.dumps(TALK))
    (folder / "north.jsonl").write_bytes(NORTH_POLE.read_bytes())
    started: str = serve(folder)
    return started


@pytest.fixture
def offline(browser: Any, tmp_path: Path) -> Any:
    """Opens an exported page from disk with the network off; nothing may be asked for, complained of or popped up."""
    troubles: list[str] = []
    contexts: list[Any] = []

    def opened(data: bytes, **settings: Any) -> Any:
        path = tmp_path / "page.html"
        path.write_bytes(data)
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **settings)
        contexts.append(context)
        context.set_offline(True)
        context.route(re.compile("^(http|ws)"), lambda route: route.abort())
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda line: troubles.append(line.text))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on("request", lambda one: None if one.url == path.as_uri() else troubles.append(one.url))
        page.goto(path.as_uri())
        page.wait_for_selector("[data-testid=evidence-graph][data-step]", timeout=20_000)
        return page

    yield opened
    for one in contexts:
        one.close()
    assert troubles == []


def test_the_page_opens_with_the_network_off_and_ties_the_tree_to_the_words(offline: Any) -> None:
    page = offline(export(sample(NORTH_POLE), "html"))
    assert page.locator("h1").inner_text() == sample(NORTH_POLE).run.last.question
    tree = page.locator("[data-testid=evidence-graph]")
    assert tree.evaluate("host => host.retree.counts.cards") == 7
    colours = tree.evaluate("host => { const c = host.querySelector('canvas'); return c.width * c.height; }")
    assert colours > 100_000
    page.wait_for_timeout(400)
    x, y = tree.evaluate(
        """(host) => {
          const tree = host.retree, card = tree.cards.get('node:n4');
          const chip = card.chips.find((one) => one.id === 'e12');
          const inside = { x: card.x + chip.x + chip.w / 2, y: tree.top(card) + chip.y + chip.h / 2 };
          const dom = tree.net.canvasToDOM(inside);
          const box = tree.canvas.getBoundingClientRect();
          return [dom.x + box.left, dom.y + box.top];
        }"""
    )
    page.mouse.click(x, y)
    page.locator("#at-e12:focus").wait_for(timeout=10_000)
    page.keyboard.press("g")
    assert tree.evaluate("host => host.retree.show.pruned") is False


def test_the_page_follows_light_and_dark(offline: Any) -> None:
    data = export(sample(NORTH_POLE, 34), "html")
    page = offline(data, color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == "rgb(14, 17, 19)"
    page.emulate_media(color_scheme="light")
    assert page.evaluate(background) == "rgb(244, 245, 246)"
    tree = page.locator("[data-testid=evidence-graph]")
    shade = "host => getComputedStyle(host).backgroundColor"
    for _ in range(50):  # the page's own policy forbids waiting inside it
        page.wait_for_timeout(100)
        if tree.evaluate(shade) == "rgb(244, 245, 246)":
            break
    assert tree.evaluate(shade) == "rgb(244, 245, 246)"


def test_hostile_texts_show_as_text(offline: Any) -> None:
    page = offline(export(of_trace(hostile()), "html"))
    assert "<script>alert(1)</script><img src=x onerror=alert(1)>" in page.locator("h1").inner_text()
    page.locator("summary", has_text="passages").click()
    page.wait_for_timeout(300)
    assert page.locator("main img").count() == 0


def test_the_dialog_gives_each_format_of_this_moment(address: str, open_page: Open, tmp_path: Path) -> None:
    debugger = open_page(f"{address}/?run=runs/north.jsonl&moment=34")
    debugger.at(34)
    debugger.press("o")
    dialog = debugger.page.get_by_role("dialog")
    dialog.get_by_text("The run at moment 34 of 47.").wait_for(timeout=15_000)
    files = {"HTML": "html", "SVG": "svg", "GraphML": "graphml", "Spans": "otel"}
    for label, to in files.items():
        with debugger.page.expect_download(timeout=30_000) as caught:
            dialog.get_by_role("button", name=label, exact=True).click()
        caught.value.save_as(tmp_path / to)
        assert caught.value.suggested_filename.startswith("north-at34.")
        assert (tmp_path / to).read_bytes() == export(sample(NORTH_POLE, 34), to)
    debugger.press("Escape")
    dialog.wait_for(state="hidden", timeout=15_000)


def test_a_picture_has_the_theme_on_the_screen(address: str, open_page: Open) -> None:
    debugger = open_page(f"{address}/?run=runs/north.jsonl&moment=34", color_scheme="dark")
    debugger.at(34)
    debugger.press("o")
    svg = debugger.page.get_by_role("dialog").get_by_role("button", name="SVG", exact=True)
    with debugger.page.expect_download(timeout=30_000) as caught:
        svg.click()
    assert caught.value.path().read_bytes() == export(replace(sample(NORTH_POLE, 34), theme="dark"), "svg")


def test_an_imported_talk_is_stepped_as_a_chain_of_cards(address: str, open_page: Open) -> None:
    debugger = open_page(f"{address}/?run=runs/talk.json&moment=2")
    debugger.at(2)
    assert [debugger.status(f"step:{moment}") for moment in (2, 3, 4)] == ["current", "later", "later"]
    debugger.press("ArrowRight")
    debugger.at(3)
    assert debugger.status("step:3") == "current"
    assert "<img src=x onerror=alert(1)>" in debugger.page.locator("#root").inner_text()
    debugger.click_card("step:4")
    debugger.at(4)
    debugger.press("4")
    debugger.tab("Calls")
    debugger.inspector.get_by_text("imported").first.wait_for(timeout=10_000)
