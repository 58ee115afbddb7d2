"""Mouse and keyboard on the whole app: from the gallery to a confirmed repair, and back by its address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from viz.story import QUESTION, moment, story, story_trace, trace_of
from worlds import repaired_run, write_trace

from retree_core import events as ev
from retree_core.memory import Passage, Source
from retree_core.trace import read_trace
from retree_viz import runs
from retree_viz.run import Run

Open = Callable[..., Any]
REPAIR = moment("evidence_repaired")
PRUNED = moment("nodes_pruned")
LAST = len(story())


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on a folder with the story, a real scripted run, a hostile run and a broken file."""
    folder = tmp_path_factory.mktemp("runs")
    write_trace(story_trace(), folder / "story.jsonl")
    write_trace(repaired_run(), folder / "repaired.jsonl")
    write_trace(trace_of(_hostile(), question=HOSTILE), folder / "hostile.jsonl")
    (folder / "broken.json").write_text("[]")
    return serve(folder)


def test_from_the_gallery_to_the_repair_to_its_evidence(open_page: Open, address: str) -> None:
    page = open_page(address)
    page.page.get_by_role("button", name=QUESTION).click()
    page.at(LAST)
    page.press("[")
    page.at(REPAIR)
    assert page.page.locator(".words").inner_text().startswith(str(REPAIR))
    assert "e3 r1, refuted" in page.inspector.inner_text()
    page.press("ArrowRight", "ArrowRight")
    page.at(PRUNED)
    assert [page.status(f"node:{one}") for one in ("n2", "n3", "n4", "n5")] == ["active", "pruned", "pruned", "pruned"]
    page.click_card("node:n2")
    page.tab("Node")
    assert "Designed by Ines Falkenrath" in page.inspector.inner_text()
    page.click_card("node:n2", "e3")
    page.tab("Evidence")
    said = page.inspector.inner_text()
    assert "in force" in said
    assert "given up" in said
    marks = page.inspector.locator("mark").all_inner_texts()
    assert marks == ["the observatory was designed by Ines Falkenrath", "it was designed by Edmund Harcastle"]


def test_a_sample_run_from_the_gallery_to_its_repair(open_page: Open, address: str) -> None:
    sample, run = _sample_with_a_repair()
    repair = next(at for at, one in enumerate(run.events, 1) if isinstance(one, ev.EvidenceRepaired))
    pruned = next(at for at, one in enumerate(run.events, 1) if isinstance(one, ev.NodesPruned))
    event = run.events[repair - 1]
    assert isinstance(event, ev.EvidenceRepaired)
    page = open_page(address)
    page.page.locator(f'[data-do="open:{sample}"]').click()
    page.at(run.total)
    page.press("Home")
    page.at(1)
    page.press("]")
    page.at(repair)
    page.page.locator(".insp h2", has_text=f"Repair of {event.evidence}").wait_for()
    while page.moment < pruned:
        before = page.moment
        page.press("ArrowRight")
        page.at(before + 1)
    gone = run.events[pruned - 1]
    assert isinstance(gone, ev.NodesPruned)
    assert {page.status(f"node:{one}") for one in gone.nodes} == {"pruned"}
    page.click_card(f"node:{event.node}")
    page.tab("Node")
    page.inspector.locator(".chip", has_text=event.evidence).first.click()
    page.tab("Evidence")
    assert event.new_text in page.inspector.inner_text()
    assert page.inspector.locator("mark").count() >= 1


def _sample_with_a_repair() -> tuple[str, Run]:
    """A sample whose first repair prunes at least two nodes."""
    samples = runs.listed(runs.shelves()[0])
    for file in samples:
        trace = read_trace(file.path)
        pruned = [one for one in trace.events if isinstance(one, ev.NodesPruned)]
        if pruned and len(pruned[0].nodes) >= 2:
            return file.address, Run(trace)
    pytest.skip("no sample run with a repair that prunes two nodes")


def test_a_real_run_of_the_agent_steps_to_its_repair(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/repaired.jsonl&moment=1")
    page.at(1)
    page.press("]")
    page.page.locator(".insp h2", has_text="Repair of e1").wait_for()
    page.press("Shift+ArrowRight")
    page.page.wait_for_timeout(600)
    assert page.status("node:n2") == "pruned"
    assert page.status("node:n3") == "pruned"
    page.press("4")
    page.tab("Calls")
    page.inspector.locator("pre:visible").first.wait_for()
    assert "confirm" in page.inspector.inner_text() or "summarise" in page.inspector.inner_text()


def test_steps_by_event_by_search_and_to_the_ends(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/story.jsonl&moment=20")
    page.at(20)
    for keys, expected in (
        (["ArrowRight"], 21),
        (["ArrowLeft", "ArrowLeft"], 19),
        (["Shift+ArrowRight"], 20),
        (["Shift+ArrowRight"], 26),
        (["Shift+ArrowLeft"], 20),
        (["Home"], 1),
        (["]"], REPAIR),
        (["{"], moment("conflict_proposed", 2)),
        (["{"], moment("conflict_proposed")),
        (["End"], LAST),
    ):
        page.press(*keys)
        page.at(expected)
    for name, expected in (
        ("First event (Home)", 1),
        ("Next event (Right)", 2),
        ("Search", 2),
        ("Next search (Shift+Right)", 7),
        ("Event", 7),
        ("Previous event (Left)", 6),
        ("Search", 6),
        ("Previous search (Shift+Left)", 1),
        ("Next repair", REPAIR),
        ("Last event (End)", LAST),
    ):
        page.page.get_by_role("button", name=name, exact=True).first.click()
        page.at(expected)


def test_held_keys_end_where_they_should(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/story.jsonl&moment=1")
    page.at(1)
    page.press(*["ArrowRight"] * 30)
    page.at(31)


def test_a_click_on_a_tick_goes_there_and_a_lane_selects_its_evidence(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/story.jsonl&moment=3")
    page.at(3)
    axis = page.page.locator("svg.axis")
    box = axis.bounding_box()
    tick = axis.locator("g", has=page.page.locator("title", has_text=f"{PRUNED} pruned")).first.bounding_box()
    page.page.mouse.click(tick["x"] + tick["width"] / 2, box["y"] + 42)
    page.at(PRUNED)
    axis.locator("[data-lane=e3] text").first.click()
    page.tab("Evidence")
    assert "sel=e3" in page.page.url


def test_a_claim_lights_its_path(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/story.jsonl")
    page.at(LAST)
    page.page.locator(".cl", has_text="Falkenrath was born").click()
    page.page.locator(".cl.on .path", has_text="c2").wait_for()
    page.page.wait_for_timeout(400)
    lit = page.tree.evaluate("(host) => [...host.retree.cards.values()].filter((one) => one.lit).map((one) => one.key)")
    assert {"root", "n1", "n2", "n6"} <= set(lit)


def test_the_address_leads_back_to_the_same_screen(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/story.jsonl&moment=40")
    page.at(40)
    page.click_card("node:n2", "e3")
    page.tab("Evidence")
    page.press("ArrowRight")
    page.at(41)
    again = open_page(page.page.url)
    again.at(41)
    again.tab("Evidence")
    assert again.inspector.locator("h2").inner_text() == "Evidence e3"
    assert "moment=41" in again.page.url


def test_keys_stay_out_of_text_inputs(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/story.jsonl&moment=20")
    page.at(20)
    page.tree.locator("input").first.click()
    page.press("ArrowRight", "Home", "]", "2")
    page.page.wait_for_timeout(500)
    assert page.moment == 20
    page.tab("Why")


def test_the_list_of_keys_opens_and_closes(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/story.jsonl")
    page.at(LAST)
    page.press("?")
    page.page.get_by_text("Marks on the timeline").wait_for(state="visible")
    page.press("Escape")
    page.page.get_by_text("Marks on the timeline").wait_for(state="hidden")


def test_hostile_data_runs_nothing_and_loads_nothing(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/hostile.jsonl")
    page.at(len(_hostile()))
    assert "<img src=x onerror=alert(1)>" in page.page.locator(".q").inner_text()
    for selected in ("p1", "e1", "n1"):
        other = open_page(f"{address}/?run=runs/hostile.jsonl&sel={selected}&tab=evidence")
        other.at(len(_hostile()))
        assert other.page.locator("img[src=x]").count() == 0
        assert other.page.locator(".rt a[href^='javascript']").count() == 0
        assert other.page.locator(".rt mjx-container, .rt .katex").count() == 0


def test_a_broken_link_is_said_in_the_gallery(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/../../etc/passwd")
    page.page.get_by_role("alert").wait_for()
    assert "there is no run" in page.page.get_by_role("alert").inner_text()
    assert page.page.get_by_text("1 file that cannot be shown").count() == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_the_screen_holds_all_its_parts_without_scrolling(
    open_page: Open, address: str, theme: str, size: tuple[int, int], tmp_path: Path
) -> None:
    viewport = {"width": size[0], "height": size[1]}
    page = open_page(f"{address}/?run=runs/story.jsonl&moment={PRUNED}", viewport=viewport, color_scheme=theme)
    page.at(PRUNED)
    page.page.screenshot(path=tmp_path / f"{theme}-{size[0]}.png")
    boxes = [page.page.locator(one).bounding_box() for one in (".topbar", ".rt-timeline", ".rt-tree", ".ans", ".insp")]
    for box in boxes:
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= size[0] + 1
    assert boxes[2]["height"] > size[1] * 0.4
    assert page.page.evaluate("document.scrollingElement.scrollHeight <= innerHeight + 1")
    background = page.page.evaluate("getComputedStyle(document.querySelector('.topbar')).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 27)"}[theme]


HOSTILE = "<img src=x onerror=alert(1)> ![](http://127.0.0.1:9/leak) [x](javascript:alert(1)) $5 and $7 :red[x] `"


def _hostile() -> list[ev.Event]:
    source = Source(passage="p1", quote=HOSTILE, start=0, end=12)
    passage = Passage(id="p1", title=HOSTILE, text=HOSTILE, url="javascript:alert(1)", published=HOSTILE)
    return [
        ev.RunStarted(question=HOSTILE, agent=HOSTILE),
        ev.SearchChosen(search=1, query=HOSTILE, origin="policy", reason=HOSTILE),
        ev.PassagesRetrieved(search=1, passages=(passage,)),
        ev.FactsExtracted(search=1, facts=(ev.NewFact(id="e1", text=HOSTILE, source=source),)),
        ev.NodeAdded(node="n1", parent="root", search=1, query=HOSTILE, evidence=("e1",)),
        ev.SummaryWritten(node="n1", text=HOSTILE, origin="model"),
        ev.Answered(text=HOSTILE, claims=(), shown=("e1",)),
    ]
