"""Moving through time: steps, play, jumps, breakpoints and watches, with mouse and keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_plus

import pytest
from viz.story import moment, story, story_trace, trace_of
from worlds import repaired_run, write_trace

from retree_core import events as ev
from retree_viz.run import Run

Open = Callable[..., Any]
LAST = len(story())
PROPOSED = (moment("conflict_proposed"), moment("conflict_proposed", 2))
REPAIR = moment("evidence_repaired")
STORY = "?run=runs/story.jsonl"
LATER = 600
"""Events put before the story to make it long."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("runs")
    write_trace(story_trace(), folder / "story.jsonl")
    write_trace(repaired_run(), folder / "repaired.jsonl")
    shown = ev.ContextBuilt(node="root", evidence=(), characters=90)
    write_trace(trace_of([story()[0], *[shown] * LATER, *story()[1:]]), folder / "long.jsonl")
    return serve(folder)


def button(page: Any, name: str) -> Any:
    return page.page.locator(".rt-timeline").get_by_role("button", name=name, exact=True).first


def test_steps_by_call_go_to_what_each_call_led_to(open_page: Open, address: str) -> None:
    run = Run(repaired_run())
    calls = list(dict.fromkeys(at for at in range(1, run.total + 1) if run.calls_at(at)))
    page = open_page(f"{address}/?run=runs/repaired.jsonl&moment=1")
    page.at(1)
    page.press(".", ".")
    page.at(calls[1])
    page.press(",")
    page.at(calls[0])
    button(page, "Call").click()
    button(page, "Next call (.)").click()
    page.at(calls[1])
    assert page.page.locator("svg.axis .call").count() == len(calls)
    assert page.page.locator("svg.axis .call title").first.text_content() == "call 1: policy"


def test_calls_side_by_side_are_drawn_as_a_pair_and_each_is_a_step(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=samples/scripted-flip-back-clifton-bridge.jsonl&moment=18")
    page.at(18)
    page.press(".", ".")
    page.at(23)
    assert "summary written ahead for a child of n2 is discarded" in page.page.inner_text("body")
    button(page, "Call").click()
    strokes = page.page.locator("svg.axis .call")
    titles = strokes.locator("title").all_text_contents()
    at = titles.index("call 14: summarise, beside call 13")
    assert titles[at - 1] == "call 13: conflict"
    places = [float(re.match(r"M([\d.]+)", strokes.nth(one).get_attribute("d"))[1]) for one in (at - 1, at)]
    assert places[1] - places[0] == 3


def test_plays_to_a_breakpoint_and_on_to_the_end(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&moment=30&break=conflict_proposed")
    page.at(30)
    assert page.page.locator("svg.axis .dot").count() == 2
    page.press("+", "+", " ")
    page.at(PROPOSED[0])
    button(page, "Play (Space)").wait_for()
    page.press(" ")
    page.at(PROPOSED[1])
    page.page.goto(f"{address}/{STORY}&moment={LAST - 2}")
    page.at(LAST - 2)
    button(page, "Play (Space)").click()
    page.at(LAST)
    button(page, "Play (Space)").wait_for()


def test_a_press_while_it_plays_pauses_it(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&moment=1")
    page.at(1)
    page.press("+", "+", " ")
    button(page, "Pause (Space)").click()
    button(page, "Play (Space)").wait_for()
    stopped = page.moment
    page.page.wait_for_timeout(700)
    assert page.moment == stopped


def test_jumps_to_prunes_refused_stops_and_errors(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&moment=1")
    page.at(1)
    refused = (moment("stop_refused"), moment("stop_refused", 2))
    for key, expected in (
        ("p", moment("nodes_pruned")),
        ("Shift+S", refused[1]),
        ("Shift+S", refused[0]),
        ("s", refused[1]),
        ("Shift+P", moment("nodes_pruned")),
        ("e", moment("nodes_pruned")),
    ):
        page.press(key)
        page.at(expected)
    assert button(page, "Next refused").inner_text().split()[-1] == "2"
    assert page.page.get_by_role("button", name="Next error").count() == 0
    page.press("e")
    page.page.get_by_text("no errors in this run").wait_for()
    button(page, "Next conflict").click(modifiers=["Shift"])
    page.at(PROPOSED[1])


def test_a_key_sets_a_breakpoint_and_the_address_keeps_it(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&moment={PROPOSED[0]}")
    page.at(PROPOSED[0])
    page.press("b")
    button(page, "1 breakpoint").wait_for()
    assert "break=conflict_proposed" in page.page.url
    page.press(">")
    page.at(PROPOSED[1])
    page.press(">")
    page.at(LAST)
    page.press("<", "<")
    page.at(PROPOSED[0])
    page.press("<")
    page.at(1)
    button(page, "On to a breakpoint").click()
    page.at(PROPOSED[0])
    again = open_page(page.page.url)
    again.at(PROPOSED[0])
    button(again, "1 breakpoint").wait_for()
    again.press("b")
    button(again, "No breakpoints").wait_for()
    assert "break" not in again.page.url


def test_the_dialog_lists_adds_and_removes_breakpoints(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&moment=1&break=kind%3Dnothing")
    page.at(1)
    button(page, "1 breakpoint, 1 unreadable").click()
    dialog = page.page.get_by_role("dialog")
    dialog.get_by_text("names no event kind: 'nothing'").wait_for()
    dialog.get_by_role("button", name="Remove kind=nothing").click()
    dialog.get_by_text("No breakpoints yet").wait_for()
    dialog.get_by_label("Or as a line").fill("evidence=e3 conflict")
    dialog.get_by_role("button", name="Add line").click()
    dialog.get_by_text("names no event kind: 'conflict'").wait_for()
    dialog.get_by_label("Or as a line").fill("evidence=e3 evidence_repaired")
    dialog.get_by_role("button", name="Add line").click()
    dialog.get_by_role("button", name="Remove evidence=e3 evidence_repaired").wait_for()
    dialog.get_by_label("Fact").fill("e12")
    dialog.get_by_label("Text contains").fill("Names Differ")
    dialog.get_by_role("button", name="Add", exact=True).click()
    dialog.get_by_role("button", name='Remove evidence=e12 text="Names Differ"').wait_for()
    assert "1 moment: 33" in dialog.inner_text()
    page.press("ArrowRight", "b")  # keys stay out of dialogs
    dialog.get_by_role("button", name=str(REPAIR), exact=True).click()
    page.at(REPAIR)
    dialog.wait_for(state="hidden")
    assert unquote_plus(page.page.url).endswith('break=evidence=e3 evidence_repaired|evidence=e12 text="Names Differ"')
    button(page, "2 breakpoints").wait_for()


def test_a_watched_fact_shows_its_changes_and_leads_back_to_the_last(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&sel=e3&moment=50")
    page.at(50)
    page.press("w")
    button(page, "Stop watching e3").wait_for()
    assert "watch=e3" in page.page.url
    page.press("Shift+W")
    page.at(REPAIR)
    page.press("(")
    page.at(moment("node_added", 2))  # a rejected contest is marked, and is no change
    page.press(")")
    page.at(REPAIR)
    assert page.page.locator("svg.axis [data-lane=e3] .change").count() == 6
    again = open_page(page.page.url)
    again.at(REPAIR)
    button(again, "Next change of e3").click()
    again.at(moment("stop_chosen"))
    button(again, "Stop watching e3").click()
    button(again, "Watch e3").wait_for()
    assert "watch" not in again.page.url


def test_a_watched_claim_leads_to_what_changed_under_it(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}")
    page.at(LAST)
    page.page.locator(".cl", has_text="designed by Ines Falkenrath").click()
    button(page, "Watch c1").click()
    button(page, "Stop watching c1").wait_for()
    page.press("(", "(")
    page.at(REPAIR)
    row = page.page.locator("svg.axis [data-lane=c1]")
    assert "e3: Repaired to r2" in "".join(row.locator("title").all_text_contents())


def test_a_link_keeps_how_the_user_moves(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&moment=8")
    page.at(8)
    few = page.page.locator("svg.axis [data-lane]").count()
    button(page, "Search").click()
    page.press("+")
    page.page.locator(".lanes").click()
    page.page.wait_for_url(re.compile("unit=search&speed=2&lanes=all"), timeout=20_000)
    again = open_page(page.page.url)
    again.at(8)
    assert again.page.locator(".seg [aria-pressed=true]", has_text="Search").count() == 1
    assert button(again, "Speed 2×").is_visible()
    lanes = again.page.locator("svg.axis [data-lane]")
    assert lanes.count() == page.page.locator("svg.axis [data-lane]").count() > few


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_controls_fit_with_everything_on(open_page: Open, address: str, theme: str) -> None:
    everything = "&break=conflict_proposed|context>1000|nothing&watch=e3&sel=n2&moment=34"
    page = open_page(f"{address}/{STORY}{everything}", color_scheme=theme)
    page.at(34)
    bar = page.page.locator(".rt-timeline .bar")
    assert bar.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    for name in ("Next conflict", "Next repair", "Next prune", "Next refused", "Next change of e3", "Keys and marks"):
        assert button(page, name).is_visible()
    assert re.search(r"Lanes 4/\d+", bar.inner_text())


def test_a_drag_scrubs_and_many_events_share_ticks_but_repairs_do_not(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/?run=runs/long.jsonl&moment=10")
    page.at(10)
    axis = page.page.locator("svg.axis")
    ticks = axis.locator("[data-at]")
    assert ticks.count() < 200
    assert axis.locator(f'[data-at="{LATER + REPAIR}"]').count() == 1
    box = axis.bounding_box()
    page.page.mouse.move(box["x"] + 100, box["y"] + 42)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 500, box["y"] + 42, steps=8)
    page.page.mouse.up()
    there = round((500 - 58) / ((box["width"] - 58 - 84) / (LATER + LAST)) + 0.5)
    page.at(there)
    axis.locator(f'[data-at="{LATER + REPAIR}"]').click()
    page.at(LATER + REPAIR)


def test_y_shows_why_and_x_leads_to_the_runs(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&moment={REPAIR}&tab=calls")
    page.at(REPAIR)
    page.press("y")
    page.tab("Why")
    page.press("x")
    page.page.locator('[data-do="open:runs/story.jsonl"]').wait_for()


def hashes(page: Any) -> dict[str, str]:
    """What is on the tree: its cards, each with its hash, and its lines."""
    found: dict[str, str] = page.tree.evaluate(
        """({ retree }) => Object.fromEntries([...retree.data.nodes.map((one) => [one.id, one.hash]),
          ...retree.data.edges.map((one) => [one.id, JSON.stringify(one)])].sort())"""
    )
    return found


def test_the_tree_goes_ahead_of_the_server_and_comes_to_the_same(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&moment={REPAIR - 2}")
    page.at(REPAIR - 2)
    page.page.wait_for_function("globalThis.retreeAround?.size === 2")
    seen = page.tree.evaluate(
        """async (host) => {
          const seen = [], frame = () => new Promise(requestAnimationFrame);
          for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowRight']) {
            window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
            await frame();
            await frame();
            seen.push([Number(host.dataset.step), host.retree.cards.get('node:n2').rows.map((one) => one.id)]);
          }
          return seen;
        }"""
    )
    assert seen == [[REPAIR - 1, []], [REPAIR, ["e3"]], [REPAIR - 1, []], [REPAIR, ["e3"]]]
    ahead = hashes(page)
    page.at(REPAIR)
    again = open_page(page.page.url)
    again.at(REPAIR)
    assert hashes(page) == hashes(again) == ahead


def test_a_place_that_is_left_before_the_server_answers_does_not_come_back(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/{STORY}&moment={REPAIR - 2}")
    page.at(REPAIR - 2)
    page.page.wait_for_function("globalThis.retreeAround?.size === 2")
    page.tree.evaluate(
        """(host) => {
          host.went = [];
          const drawn = () => host.went.push(Number(host.dataset.step));
          new MutationObserver(drawn).observe(host, { attributeFilter: ['data-step'] });
        }"""
    )
    for _ in range(5):
        page.press("ArrowRight")
        page.page.wait_for_timeout(70)  # slower than a frame, faster than an answer
    page.at(REPAIR + 3)
    went = page.tree.evaluate("(host) => host.went")
    assert went == sorted(went)
    assert went[-1] == REPAIR + 3
