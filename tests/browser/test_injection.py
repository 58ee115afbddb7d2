"""Payloads in every place of every page and exported file, in a real browser: nothing runs, nothing is fetched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from export.runs import of_trace
from injection.hostile import EVERYTHING, PAYLOADS, SHORT, as_shown, notes, trace
from stubs import Response, StubServer, completion
from viz.results_world import answered, results_folder
from worlds import write_trace

from retree_core.notes import written
from retree_core.secrets import redact
from retree_core.trace import Trace
from retree_viz.export import export
from retree_viz.html import visible

Open = Callable[..., Any]
NAME = "h<img src=x onerror=alert(1)>[x](javascript:alert(1)) :red[x]\u202e$x$\x1b[31m"
"""Of files and folders."""
TEXTS = list(SHORT.values())
THEIRS = """() => {
  const inside = (one) => [one, ...(one.shadowRoot ? deep(one.shadowRoot) : [])];
  const deep = (root) => [...root.querySelectorAll('*')].flatMap(inside);
  const all = deep(document), has = (one, name) => one.getAttribute(name) || '';
  return all.filter((one) =>
    [...one.attributes].some(({ name }) => name.startsWith('on'))
    || (one.localName !== 'link' && /^\\s*(javascript|data|file|vbscript):/i.test(has(one, 'href')))
    || one.hasAttribute('action') || one.hasAttribute('formaction')
    || ['iframe', 'object', 'embed', 'base', 'foreignobject', 'b1', 'math', 'marquee'].includes(one.localName)
    || (one.localName === 'img' && !/^(data:|blob:|\\/|http:\\/\\/127\\.0\\.0\\.1:)/.test(has(one, 'src')))
    || /evil\\.example|alert\\(/.test(has(one, 'src') + has(one, 'style') + has(one, 'srcset') + has(one, 'background'))
    || (['script', 'style'].includes(one.localName) && one.type !== 'application/json'
      && /evil\\.example|alert\\(\\d/.test(one.textContent))
    || (one.closest('.katex') !== null)
  ).map((one) => one.outerHTML.slice(0, 200));
}"""
"""Elements of a page that only a payload can have made."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of all payloads, a run for each as question and answer, and results of all."""
    folder = tmp_path_factory.mktemp("runs")
    write_trace(trace(), folder / f"{NAME}.jsonl")
    (folder / f"{NAME}.notes.json").write_bytes(written(notes()))
    for number, text in enumerate(TEXTS):
        os.utime(write_trace(_small(text), folder / f"{number}{_plain(text)}.jsonl"), (1e9 + number, 1e9 + number))
    ids = {f"q{number}": text.encode("utf-8", "replace").decode() for number, text in enumerate(TEXTS)}
    made = {(id_, agent): answered(text) for id_, text in ids.items() for agent in ("react", "flat")}
    results_folder(folder / f"r{NAME}", made, ids, dataset=EVERYTHING, recorded_with=EVERYTHING)
    return folder


def _small(text: str) -> Trace:
    made = trace([text], question=text or "x")
    fork = None if text else made.header.fork
    return replace(made, header=replace(made.header, fork=fork))


def _plain(text: str) -> str:
    """The text as a part of a file name."""
    return re.sub(r"[/\\\0]", "", text).encode("utf-8", "replace")[:150].decode("utf-8", "ignore")


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], runs: Path) -> str:
    return serve(runs)


def words(text: str) -> str:
    return " ".join(text.split())


def unharmed(page: Any) -> None:
    """Everything the page shows is text, and the app around it stands."""
    assert page.evaluate(THEIRS) == []
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.title() == "ReTree"
    assert page.url.startswith("http://127.0.0.1:")


def test_the_gallery_shows_each_text_as_it_is(address: str, open_page: Open) -> None:
    page = open_page(address).page
    page.locator(".card").first.wait_for(timeout=30_000)
    shown: list[str] = []
    for _ in range(3):
        shown += [words(one) for one in page.locator(".card .question").all_text_contents()]
        unharmed(page)
        older = page.get_by_role("button", name="Older", exact=True)
        if older.count() == 0 or older.is_disabled():
            break
        before = page.locator(".pager span").first.text_content()
        older.click()
        page.wait_for_function("(before) => document.querySelector('.pager span').textContent !== before", arg=before)
    wanted = [words(as_shown(redact(text)))[:200] for text in TEXTS if text.strip()]
    assert [one for one in wanted if not any(each.startswith(one) for each in shown)] == []


def test_the_debugger_with_all_it_has(address: str, open_page: Open) -> None:
    debugger = open_page(f"{address}/?run=runs/{quote(visible(NAME))}.jsonl&tab=why")
    page = debugger.page
    page.wait_for_selector("[data-testid=evidence-graph][data-step]", timeout=40_000)
    unharmed(page)
    for key in ("1", "2", "3", "4", "5", "6", "k", "m"):
        debugger.press(key)
        page.wait_for_timeout(150)
        page.wait_for_selector('[data-testid=stApp][data-test-script-state="notRunning"]', timeout=20_000)
        unharmed(page)
    for key in ("o", "n", "t", "v", "?"):
        page.locator("body").press(key)
        page.wait_for_timeout(400)
        page.wait_for_selector('[data-testid=stApp][data-test-script-state="notRunning"]', timeout=20_000)
        unharmed(page)
        page.keyboard.press("Escape")
        page.wait_for_timeout(150)


@pytest.mark.parametrize(
    "where",
    [
        "tab=evidence&sel=e1{script}&pair=e3{img}",
        "tab=evidence&sel=p1{script}&show=passages&view=memory",
        "tab=calls&call=1&base=3",
        "watch=e3{img}&sel=e3{img}&break=text%3D%22{img}%22",
    ],
)
def test_other_places_of_the_debugger(address: str, open_page: Open, where: str) -> None:
    texts = {"script": PAYLOADS["script"], "img": PAYLOADS["img_onerror"]}
    query = where.format(**{name: quote(text[:60]) for name, text in texts.items()})
    page = open_page(f"{address}/?run=runs/{quote(visible(NAME))}.jsonl&{query}").page
    page.wait_for_selector("[data-testid=evidence-graph][data-step], [data-testid=charts]", timeout=40_000)
    page.wait_for_timeout(300)
    unharmed(page)


def test_compare_results_and_ask_pages(address: str, open_page: Open) -> None:
    page = open_page(
        f"{address}/?run=runs/{quote(visible(NAME))}.jsonl&against=runs/{quote(visible(f'0{_plain(TEXTS[0])}'))}.jsonl"
    ).page
    page.locator(".topbar", has_text="Compare").wait_for(timeout=40_000)
    page.wait_for_timeout(500)
    unharmed(page)
    page = open_page(f"{address}/?results=runs/{quote(visible(f'r{NAME}'))}").page
    page.wait_for_selector(f'[data-testid=runs][data-total="{2 * len(TEXTS)}"]', timeout=40_000)
    shown = [words(one) for one in page.locator("td.question").all_text_contents()]
    assert shown
    unharmed(page)
    page = open_page(f"{address}/?page=ask").page
    page.get_by_label("Question", exact=True).fill(EVERYTHING.replace("\0", "").encode("utf-8", "replace").decode())
    page.get_by_label("Search", exact=True).fill(f"corpus:{NAME}")
    page.get_by_role("button", name="Start").click()
    page.locator("[role=alert]").first.wait_for(timeout=20_000)
    unharmed(page)
    page = open_page(
        f"{address}/?run={quote(NAME)}&results={quote(NAME)}&sel={quote(EVERYTHING[:3000], errors='replace')}"
    ).page
    page.locator("[role=alert]").first.wait_for(timeout=20_000)
    unharmed(page)


def test_the_dialogs_of_calls_and_breakpoints(serve: Callable[..., str], open_page: Open, tmp_path: Path) -> None:
    """A call of all payloads, sent again to a server that answers with them, refuses with them, and names them."""
    sendable = EVERYTHING.encode("utf-8", "replace").decode()
    write_trace(trace([sendable], "x"), tmp_path / "all.jsonl")
    refused = Response(status=400, json={"error": {"message": sendable, "code": sendable}})
    answer = Response(json=completion(sendable, reasoning_content=sendable, model=sendable))
    with StubServer(refused, answer) as server:
        address = serve(tmp_path, RETREE_BASE_URL=f"{server.url}/v1", RETREE_MODEL=EVERYTHING.replace("\0", "")[:300])
        lines = "|".join(f'text="{text[:60]}"' for text in (PAYLOADS["script"], PAYLOADS["img_onerror"])) + f"|{NAME}"
        page = open_page(f"{address}/?run=runs/all.jsonl&tab=calls&call=1&break={quote(lines, errors='replace')}").page
        page.wait_for_selector("[data-testid=evidence-graph][data-step]", timeout=40_000)
        dialog = page.get_by_role("dialog")

        page.get_by_role("button", name=re.compile("breakpoints, .* unreadable")).click()
        dialog.locator(".breaks li").nth(2).wait_for(timeout=20_000)
        for text in (PAYLOADS["svg_onload"], f'text="{PAYLOADS["md_link"]}" evidence=e3'):
            dialog.get_by_label("Or as a line").fill(text)
            dialog.get_by_role("button", name="Add line").click()
            page.wait_for_timeout(600)
            unharmed(page)
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached", timeout=15_000)

        page.get_by_role("button", name="JSON …").click()
        dialog.get_by_text("request, reply and tries in full").wait_for(timeout=15_000)
        unharmed(page)
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached", timeout=15_000)

        page.get_by_role("button", name="Re-run …").click()
        for outcome in ("[role=alert]", ".replies .side >> nth=1"):
            dialog.get_by_role("button", name="Run", exact=True).click(timeout=15_000)
            dialog.locator(outcome).first.wait_for(timeout=30_000)
            unharmed(page)
        assert len(server.seen) == 2
        shown = words(dialog.locator(".replies .side").nth(1).text_content())
        assert words(as_shown(redact(PAYLOADS["script"]))) in shown


# Exported pages.


@pytest.fixture
def offline(browser: Any, tmp_path: Path) -> Iterator[Callable[[bytes], Any]]:
    """Opens a file; nothing may be asked for, complained of or popped up that `expected` does not name."""
    troubles: list[str] = []
    contexts: list[Any] = []

    def stopped(route: Any) -> None:
        troubles.append(f"asked for {route.request.url}")
        route.abort()

    def opened(data: bytes, expected: str = "") -> Any:
        path = tmp_path / "page.html"
        path.write_bytes(data)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        contexts.append(context)
        context.route(re.compile("^(http|ws)"), stopped)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda line: None if expected and expected in line.text else troubles.append(line.text))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on("requestfinished", lambda one: None if one.url == path.as_uri() else troubles.append(one.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for one in contexts:
        one.close()
    assert troubles == []


def test_an_exported_run_is_words(offline: Any) -> None:
    page = offline(export(of_trace(trace(), notes=notes()), "html"))
    page.wait_for_selector("[data-testid=evidence-graph][data-step]", timeout=30_000)
    assert page.evaluate(THEIRS) == []
    said = words(page.locator("main").text_content())
    assert [text for text in PAYLOADS.values() if words(as_shown(redact(text)))[:300] not in said] == []


@pytest.fixture(scope="module")
def report(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The page that `retree report` writes of the results."""
    out = tmp_path_factory.mktemp("report")
    words = [sys.executable, "-m", "retree_core.cli", "report", runs / f"r{NAME}", "--out", out]
    subprocess.run(words, check=True, capture_output=True)
    return (out / "report.html").read_bytes()


def test_an_exported_report_is_words(offline: Any, report: bytes) -> None:
    page = offline(report)
    assert page.evaluate(THEIRS) == []
    assert page.locator("script, img").count() == 0
    page.locator("td", has_text="<script>alert(1)</script>").first.wait_for()
    assert page.locator("h2").count() > 3


ADDED = (
    "<script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">"
    "<style>h1 { display: none }</style><iframe srcdoc='<script>parent.document.title=1</script>'></iframe>"
    "<link rel=stylesheet href=http://127.0.0.1:9/x.css><script src=http://127.0.0.1:9/x.js></script>"
)


def test_what_is_written_into_an_exported_file_afterwards_does_not_run(offline: Any, report: bytes) -> None:
    for data in (export(of_trace(trace(["x"], "x")), "html"), report):
        page = offline(data.replace(b"</h1>", f"</h1>{ADDED}".encode(), 1), expected="Content Security Policy")
        page.wait_for_timeout(500)
        assert page.title() != "ran"
        assert page.locator("h1").is_visible()
