"""The tree in a real browser: what is drawn, what a click sends, what survives a step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from viz.story import moment, story, trace_of
from viz.tree.forest import long_run

from retree_core import events as ev
from retree_core.memory import Passage, Source
from retree_core.trace import read_trace, save_document
from retree_core.why import Ledger
from retree_core.why.dependence import dependents

Open = Callable[..., Any]
RESUMED = moment("search_resumed")


def test_a_step_is_drawn(open_page: Open) -> None:
    page = open_page(f"moment={RESUMED - 1}")
    page.wait(RESUMED - 1)
    assert page.ask("tree.cards.get('node:n2').status") == "active"
    page.page.get_by_role("button", name="next").click()
    page.wait(RESUMED)
    assert page.ask("tree.cards.get('node:n2').status") == "current"
    assert page.ask("tree.cards.get('node:n3').status") == "pruned"
    assert (
        page.tree.get_attribute("aria-label")
        == f"Evidence tree at moment {RESUMED} of {len(story())}: 3 nodes on the active path"
    )


def test_clicks_arrive(open_page: Open) -> None:
    page = open_page(f"moment={RESUMED}")
    page.wait(RESUMED)
    for card, fact, says in (
        ("node:n1", None, "clicked node n1"),
        ("node:n2", "e4", "clicked evidence e4"),
        ("node:n2", "e3", "clicked evidence e3"),
        ("node:n3", "e8", "clicked evidence e8"),
        ("search:6", None, "clicked search 6"),
        ("answer:1", None, "clicked answer answer"),
    ):
        page.ask("tree.reveal([argument], true)", card)
        page.click(card, fact)
        page.says(says)


def test_zoom_and_place_survive_a_step(open_page: Open) -> None:
    page = open_page("moment=20")
    page.wait(20)
    page.ask("tree.net.moveTo({ position: { x: 400, y: 200 }, scale: 0.93 })")
    page.page.get_by_role("button", name="next").click()
    page.wait(21)
    page.page.wait_for_timeout(400)
    assert page.ask("[tree.net.getScale(), tree.net.getViewPosition().x]") == pytest.approx([0.93, 400])
    assert page.page.locator("[data-testid=evidence-graph]").count() == 1


def test_a_step_out_of_sight_is_brought_into_sight_at_the_same_zoom(open_page: Open) -> None:
    page = open_page(f"moment={RESUMED - 1}")
    page.wait(RESUMED - 1)
    page.ask("tree.net.moveTo({ position: { x: 3000, y: 2000 }, scale: 1.1 })")
    page.page.get_by_role("button", name="next").click()
    page.wait(RESUMED)
    page.page.wait_for_timeout(500)
    left, top = page.point("node:n2")
    box = page.tree.bounding_box()
    assert box["x"] < left < box["x"] + box["width"]
    assert box["y"] < top < box["y"] + box["height"]
    assert page.ask("tree.net.getScale()") == pytest.approx(1.1)


def test_toggles_hide_and_survive_a_step(open_page: Open) -> None:
    page = open_page(f"moment={RESUMED}")
    page.wait(RESUMED)
    assert "27 of 57 items" in page.tree.locator(".rt-count").inner_text()
    page.tree.get_by_role("button", name="Later").click()
    page.page.keyboard.press("g")
    assert page.ask("tree.shownIds()") == ["node:root", "node:n1", "node:n2"]
    page.page.get_by_role("button", name="next").click()
    page.wait(RESUMED + 1)
    assert page.tree.get_by_role("button", name="Later").get_attribute("aria-pressed") == "false"
    assert page.ask("tree.shownIds()") == ["node:root", "node:n1", "node:n2"]


def test_passages_are_shown_and_clicked(open_page: Open) -> None:
    page = open_page(f"moment={RESUMED}&height=700")
    page.wait(RESUMED)
    page.tree.get_by_role("button", name="Passages").click()
    page.click("passage:p7")
    page.says("clicked passage p7")


def test_the_list_for_screen_readers(open_page: Open) -> None:
    page = open_page(f"moment={RESUMED}")
    page.wait(RESUMED)
    options = page.tree.get_by_role("option")
    assert "n2; current; changed in this event" in " / ".join(options.all_inner_texts())
    options.first.focus()
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Enter")
    page.says("clicked evidence e1")


def test_the_sign_of_a_past_conflict_stands_clear_of_the_words_above_its_card(open_page: Open) -> None:
    sample = Path(__file__).parents[3] / "sample_runs" / "scripted-repair-north-pole.jsonl"
    page = open_page(f"trace={quote(str(sample))}&moment=47")
    page.wait(47)
    assert page.ask("tree.data.captions.map((one) => one.card)") == ["node:root", "node:n2"]
    (below,) = page.ask("tree.routes.filter((one) => one.edge.from === 'node:n2').map(({ box }) => box[1] + box[3])")
    assert below <= page.ask("tree.top(tree.cards.get('node:n2'))") - 12 - 9.5  # the words' baseline and height


def test_find(open_page: Open) -> None:
    page = open_page(f"moment={RESUMED}")
    page.wait(RESUMED)
    count = page.tree.locator(".rt-found")
    page.page.keyboard.press("/")
    page.page.keyboard.type("baptised")
    assert page.ask("[tree.focused, tree.found.id]") == ["node:n4", "n4"]
    page.page.keyboard.press("Escape")
    assert page.ask("[tree.focused, tree.found]") == ["", None]
    page.page.keyboard.press("/")
    page.page.keyboard.type("Kaltenbruck")  # the record has an umlaut, in an answer still to come
    first = count.inner_text()
    assert first.startswith("1 of ")
    page.page.keyboard.press("Enter")
    assert count.inner_text() == first.replace("1", "2", 1)
    page.page.keyboard.press("Shift+Enter")
    assert count.inner_text() == first
    page.page.keyboard.press("Escape")
    page.tree.get_by_role("button", name="Pruned").click()
    page.page.keyboard.press("/")
    page.page.keyboard.type("n4")
    assert page.ask("[tree.found.id, tree.focused]") == ["n4", ""]  # found, and hidden
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("Shift+Enter")
    assert page.ask("[tree.focused, tree.show.pruned]") == ["node:n4", True]
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("/")
    page.page.keyboard.type("p24")
    assert page.ask("tree.litPassages().map((one) => one.key)") == ["p24"]


def test_find_brings_in_what_a_large_tree_folded_away(open_page: Open, tmp_path: Path) -> None:
    save_document(trace_of(long_run(700)), tmp_path / "long.json")
    page = open_page(f"trace={quote(str(tmp_path / 'long.json'))}&moment=60")
    page.wait(60)
    page.page.keyboard.press("/")
    page.page.keyboard.type("item 1500 ")
    assert page.tree.locator(".rt-found").inner_text() == "1 of 1"
    page.page.keyboard.press("Enter")
    page.says("clicked evidence e1500")


def test_hover_tells_the_fact_and_its_source(open_page: Open) -> None:
    page = open_page(f"moment={RESUMED}")
    page.wait(RESUMED)
    page.page.wait_for_timeout(300)
    page.page.mouse.move(*page.point("node:n2", "e3"))
    tip = page.tree.get_by_role("tooltip").inner_text()
    assert tip.startswith("e3 r2: The Aldermoor Observatory was designed by Ines Falkenrath.\np24")


def test_a_step_is_small_on_the_wire(open_page: Open, browser: Any, server: str) -> None:
    page = browser.new_context().new_page()
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    page.goto(f"{server}/?moment=20")
    page.wait_for_selector('[data-testid=evidence-graph][data-step="20"]', timeout=20_000)
    assert sum(received) > 400_000
    received.clear()
    page.get_by_role("button", name="next").click()
    page.wait_for_selector('[data-testid=evidence-graph][data-step="21"]', timeout=20_000)
    assert 0 < sum(received) < 60_000
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_followed(open_page: Open, scheme: str) -> None:
    page = open_page("moment=20", color_scheme=scheme)
    page.wait(20)
    assert page.ask("tree.colours.focus") == {"light": "#0b62a8", "dark": "#62b4f0"}[scheme]


def test_a_tree_in_a_hidden_tab_is_fitted_when_the_tab_opens(open_page: Open) -> None:
    page = open_page("moment=20&tabs=1")
    page.page.wait_for_selector('[data-testid=stApp][data-test-script-state="notRunning"]', timeout=20_000)
    page.page.get_by_role("tab", name="second").click()
    page.wait(20)
    page.page.wait_for_timeout(400)
    assert page.ask("tree.pending") is None
    box, (left, top) = page.tree.bounding_box(), page.point("node:root")
    assert box["width"] > 500
    assert box["x"] < left < box["x"] + 300
    assert box["y"] < top < box["y"] + box["height"]


HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script> \u202e**b** $x$"


def test_hostile_text_runs_nowhere(open_page: Open, tmp_path: Path) -> None:
    events: list[ev.Event] = [
        ev.RunStarted(question=HOSTILE, agent=HOSTILE),
        ev.SearchChosen(search=1, query=HOSTILE, origin="policy"),
        ev.PassagesRetrieved(search=1, passages=(Passage(id="p1", title=HOSTILE, text=HOSTILE, url=HOSTILE),)),
        ev.FactsExtracted(
            search=1, facts=(ev.NewFact(id=HOSTILE, text=HOSTILE, source=Source(passage="p1", quote=HOSTILE)),)
        ),
        ev.NodeAdded(node="n1", parent=HOSTILE, search=1, query=HOSTILE, evidence=(HOSTILE,)),
        ev.Answered(text=HOSTILE, claims=(), shown=()),
    ]
    save_document(trace_of(events), tmp_path / "hostile.json")
    page = open_page(f"trace={quote(str(tmp_path / 'hostile.json'))}&moment=6&passages=1")
    page.wait(6)
    page.page.mouse.move(*page.point("node:n1", HOSTILE))
    assert "<img src=x" in page.tree.get_by_role("tooltip").inner_text()
    assert page.tree.locator("img, script").count() == 0
    page.click("node:n1", HOSTILE)
    page.page.get_by_text("clicked evidence <img src=x").wait_for(timeout=10_000)


def test_a_stub_of_a_large_tree_opens(open_page: Open, tmp_path: Path) -> None:
    save_document(trace_of(long_run(700)), tmp_path / "long.json")
    page = open_page(f"trace={quote(str(tmp_path / 'long.json'))}&moment=60")
    page.wait(60)
    stub = page.ask("tree.shownIds().find((id) => id.startsWith('more:') && id.length > 5)")
    before = page.ask("tree.shownIds().length")
    page.ask("tree.reveal([argument], true)", stub)
    page.click(stub)
    page.page.wait_for_function(
        f"document.querySelector('[data-testid=evidence-graph]').retree.shownIds().length > {before} + 40"
    )


def test_nothing_to_show_is_said(open_page: Open, tmp_path: Path) -> None:
    save_document(trace_of([ev.RunEnded(status="llm_error", detail="no server")]), tmp_path / "empty.json")
    page = open_page(f"trace={quote(str(tmp_path / 'empty.json'))}&moment=1")
    page.wait(1)
    assert "llm_error: no server" in page.tree.locator(".rt-empty").inner_text()


def dependents_in(page: Any, ids: list[str]) -> list[list[list[str]]]:
    """What the browser lights for each fact: nodes, facts, claims."""
    found: list[list[list[str]]] = page.ask(
        """argument.map((id) => {
          const { nodes, facts, claims } = tree.lightOf(id);
          facts.delete(id);
          return [[...nodes.keys()], [...facts.keys()], [...claims]].map((one) => one.sort());
        })""",
        ids,
    )
    return found


def test_the_browser_lights_what_the_record_says_depends_on_a_fact(open_page: Open) -> None:
    path = Path(__file__).parents[3] / "sample_runs" / "scripted-two-repairs-toy-symphony.jsonl"
    ledger = Ledger(read_trace(path))
    page = open_page(f"trace={quote(str(path))}&moment=20")
    page.wait(20)
    ids = list(ledger.last.evidence)
    known = [dependents(ledger, one) for one in ids]
    wanted = [[sorted(one.nodes), sorted(one.facts), [f"c{claim}" for claim in one.claims]] for one in known]
    assert dependents_in(page, ids) == wanted


def test_pointing_at_a_fact_lights_what_depends_on_it_at_once(open_page: Open) -> None:
    path = Path(__file__).parents[3] / "sample_runs" / "scripted-repair-north-pole.jsonl"
    page = open_page(f"trace={quote(str(path))}&moment=47")
    page.wait(47)
    page.page.wait_for_timeout(300)
    page.page.mouse.move(*page.point("node:n1", "e1"))
    lit = dict.fromkeys(("node:n2", "node:n3", "node:n4", "search:4"), "direct")
    assert page.ask("Object.fromEntries(tree.shine.cards)") == lit
    assert page.tree.get_by_role("status").inner_text() == "3 nodes, 10 facts and 3 claims depend on e1"
    page.page.mouse.move(5, 5)
    page.tree.get_by_role("option").nth(2).focus()
    assert page.ask("tree.shine.id") == "e1"
    page.page.evaluate("window.dispatchEvent(new CustomEvent('retree:light', { detail: { id: 'c1' } }))")
    assert page.ask("[...tree.shine.cards.keys()].sort()") == ["node:n1", "node:root"]
    assert page.ask("tree.litPassages().map((one) => one.key)") == ["p10"]
    page.page.evaluate("window.dispatchEvent(new CustomEvent('retree:light', { detail: { id: '' } }))")
    assert page.tree.get_by_role("status").is_hidden()


def test_zoom_pan_and_selection_survive_steps_through_a_large_tree(open_page: Open, tmp_path: Path) -> None:
    save_document(trace_of(long_run(700, shown=3)), tmp_path / "long.json")
    page = open_page(f"trace={quote(str(tmp_path / 'long.json'))}&moment=3000&selected=e30")
    page.wait(3000)
    count = page.tree.locator(".rt-count")
    drawn, total = (int(one.replace(",", "")) for one in count.inner_text().split(" items")[0].split(" of "))
    assert drawn == page.ask("tree.counts.cards + tree.counts.facts + tree.counts.passages") < total
    assert sum(page.ask("[...tree.cards.values()].filter((one) => one.kind === 'more').map((one) => +one.label)")) == (
        page.ask("tree.data.total.cards")
        - page.ask("[...tree.cards.values()].filter((one) => !['more', 'passage'].includes(one.kind)).length")
    )
    assert page.ask("tree.lightOf('e1').words").endswith(" not drawn")
    ledger = Ledger(trace_of(long_run(700, shown=3)))
    assert dependents_in(page, ["e1"])[0][0] == sorted(dependents(ledger, "e1").nodes)
    page.ask("tree.reveal([tree.selected.card], true)")
    page.ask("tree.net.moveTo({ position: tree.net.getViewPosition(), scale: 0.9 })")
    for step in (3001, 3002):
        page.page.get_by_role("button", name="next").click()
        page.wait(step)
        page.page.wait_for_timeout(300)
        assert page.ask("tree.net.getScale()") == pytest.approx(0.9)
        assert page.ask("tree.selected.card") == "node:n10"
        assert page.ask("tree.cards.get('node:n10').chips.some((one) => one.id === 'e30')")


def test_keys_zoom_and_fit(open_page: Open) -> None:
    page = open_page(f"moment={RESUMED}")
    page.wait(RESUMED)
    before = page.ask("tree.net.getScale()")
    for key, factor in (("z", 1.25), ("Shift+Z", 1)):
        page.page.keyboard.press(key)
        page.page.wait_for_timeout(500)
        assert page.ask("tree.net.getScale()") == pytest.approx(before * factor, rel=0.01)
    page.page.keyboard.press("0")
    page.page.wait_for_timeout(500)
    lefts = page.ask("tree.shownIds().map((id) => tree.net.canvasToDOM({ x: tree.cards.get(id).x, y: 0 }).x)")
    assert min(lefts) > 0
