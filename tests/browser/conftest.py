"""The whole app in a real browser. Skipped where there is no Chromium."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
APP = Path(__file__).parents[2] / "app.py"
SERVER = (
    "--server.headless true --browser.gatherUsageStats false --server.fileWatcherType none --server.address 127.0.0.1"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.skip("there is no /usr/bin/chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def serve(browser: Any) -> Iterator[Callable[..., str]]:
    """Starts the app on a folder of runs; gives its address."""
    started: list[subprocess.Popen[bytes]] = []

    def start(runs: Path, **environment: str) -> str:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        words = [sys.executable, "-m", "streamlit", "run", str(APP), *SERVER.split(), "--server.port", str(port)]
        env = {**os.environ, "RETREE_RUNS": str(runs), **environment}
        started.append(subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        address = f"http://127.0.0.1:{port}"
        for _ in range(150):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        return address

    yield start
    for one in started:
        one.terminate()
        one.wait(10)


class Debugger:
    """A page of the app, and what the tests look at in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.tree = page.locator("[data-testid=evidence-graph]")
        self.inspector = page.locator(".insp")

    def at(self, moment: int) -> None:
        """Until the moment has arrived everywhere: timeline, tree, top bar and script."""
        self.page.wait_for_selector(f'[data-testid=timeline][data-moment="{moment}"]', timeout=20_000)
        self.page.wait_for_selector(f'[data-testid=evidence-graph][data-step="{moment}"]', timeout=20_000)
        self.page.locator(".moment b", has_text=f"{moment}").wait_for(timeout=20_000)
        self.page.wait_for_selector('[data-testid=stApp][data-test-script-state="notRunning"]', timeout=20_000)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def moment(self) -> int:
        return int(self.page.locator("[data-testid=timeline]").get_attribute("data-moment"))

    def status(self, card: str) -> str:
        """How the tree draws a card."""
        found: str = self.tree.evaluate("(host, card) => host.retree.cards.get(card).status", card)
        return found

    def click_card(self, card: str, fact: str | None = None) -> None:
        """Click a card of the tree on its header, or a fact on it."""
        self.page.wait_for_timeout(400)  # a gliding camera
        at = self.tree.evaluate(
            """(host, [id, fact]) => {
              const tree = host.retree, card = tree.cards.get(id), top = tree.top(card);
              const found = fact && [...card.rows, ...card.chips].find((one) => one.id === fact);
              const inner = found ? [found.x + found.w / 2, found.y + found.h / 2] : [20, 11];
              const dom = tree.net.canvasToDOM({ x: card.x + inner[0], y: top + inner[1] });
              const box = tree.canvas.getBoundingClientRect();
              return [dom.x + box.left, dom.y + box.top];
            }""",
            [card, fact],
        )
        self.page.mouse.click(*at)

    def tab(self, name: str) -> None:
        """Until the inspector shows a tab."""
        self.inspector.locator("[role=tab][aria-selected=true]", has_text=name).wait_for(timeout=10_000)


Open = Callable[..., Debugger]


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    """Opens a page; at the end nothing may have gone wrong in it, nor been fetched from anywhere else."""
    troubles: list[str] = []
    pages: list[Any] = []

    def opened(address: str, **context: Any) -> Debugger:
        settings: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, **context}
        page = browser.new_context(**settings).new_page()
        pages.append(page)
        own = address.split("/?")[0]
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on(
            "request", lambda one: None if one.url.startswith((own, "blob:", "data:")) else troubles.append(one.url)
        )
        page.goto(address)
        page.wait_for_selector('[data-testid=stApp][data-test-script-state="notRunning"]', timeout=30_000)
        return Debugger(page)

    yield opened
    for page in pages:
        assert page.locator("[data-testid=stException]").count() == 0
        page.context.close()
    assert troubles == []
