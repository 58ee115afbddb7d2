"""A real browser on the tree's own page. Skipped where there is no Chromium."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SERVER = (
    "--server.headless true --browser.gatherUsageStats false --server.fileWatcherType none --server.address 127.0.0.1"
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Address of a running page."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = Path(__file__).with_name("page.py")
    command = [sys.executable, "-m", "streamlit", "run", str(script), *SERVER.split(), "--server.port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(150):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(10)


class TreePage:
    """The page, and what the tests look at in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.tree = page.locator("[data-testid=evidence-graph]")

    def wait(self, moment: int) -> None:
        """Until the moment is drawn and the script is done."""
        self.page.wait_for_selector(f'[data-testid=evidence-graph][data-step="{moment}"]', timeout=20_000)
        self.page.wait_for_selector('[data-testid=stApp][data-test-script-state="notRunning"]', timeout=20_000)

    def ask(self, question: str, argument: Any = None) -> Any:
        """Evaluate `(tree, argument) => question` in the browser."""
        return self.tree.evaluate(
            f"(host, argument) => ((tree, argument) => {question})(host.retree, argument)", argument
        )

    def point(self, card: str, fact: str | None = None) -> tuple[float, float]:
        """Where a card's header, or a fact on it, is on the page."""
        at = self.ask(
            """{
              const card = tree.cards.get(argument[0]), top = tree.top(card);
              const fact = argument[1] && [...card.rows, ...card.chips].find((one) => one.id === argument[1]);
              const inner = fact ? [fact.x + fact.w / 2, fact.y + fact.h / 2] : [20, 11];
              const spot = { x: card.x + inner[0], y: top + inner[1] };
              const dom = tree.net.canvasToDOM(spot), box = tree.canvas.getBoundingClientRect();
              return [dom.x + box.left, dom.y + box.top];
            }""",
            [card, fact],
        )
        return at[0], at[1]

    def click(self, card: str, fact: str | None = None) -> None:
        self.page.wait_for_timeout(300)  # a gliding camera
        self.page.mouse.click(*self.point(card, fact))

    def says(self, text: str) -> None:
        """The script got this click."""
        self.page.get_by_text(text, exact=True).wait_for(timeout=10_000)


@pytest.fixture
def open_page(browser: Any, server: str) -> Iterator[Callable[..., TreePage]]:
    """Opens the page; at the end nothing may have gone wrong in it, nor been fetched from anywhere else."""
    troubles: list[str] = []
    pages: list[Any] = []

    def opened(query: str = "", **context: Any) -> TreePage:
        page = browser.new_context(viewport={"width": 1280, "height": 900}, **context).new_page()
        pages.append(page)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith((server, "blob:", "data:")) else troubles.append(request.url)
            ),
        )
        page.goto(f"{server}/?{query}")
        return TreePage(page)

    yield opened
    for page in pages:
        assert page.locator("[data-testid=stException]").count() == 0
        page.context.close()
    assert troubles == []
