"""A step in the browser, from key press to drawn tree, beside pyvis HTML put into an iframe at each step.

A real server, real Chromium, real keys. A step ends once the frame in which the tree shows the new moment is painted.
The server's time is the processor time of the run of the script that answers, which other work changes least.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from retree_core import events as ev
from retree_core.settings import Settings
from retree_core.trace import EventRecord, Header
from retree_core.trace.writer import TraceWriter
from tests.benchmarks.table import Row
from tests.browser.conftest import ARGUMENTS, CHROMIUM, SERVER
from tests.viz.tree.forest import long_run

ROOT = Path(__file__).parents[2]
SIZES, FEW_SIZES = (60, 200, 1000, 5000), (60, 200)
STEPS, FEW_STEPS = 15, 3
TIMES = 8
"""A step is to be so many times as fast as the alternative."""
SERVER_MS = 30
"""The server's time for a step at 1,000 nodes."""

WATCH = """
window.drawn = [];
const after = new MessageChannel(), noted = new Map();
after.port1.onmessage = ({ data }) => window.drawn.push([data, performance.now()]);
const told = (moment) => { if (!noted.has(moment)) { noted.set(moment, true); after.port2.postMessage(moment); } };
window.addEventListener('keydown', ({ timeStamp }) => {
  window.pressed = timeStamp; noted.clear(); window.drawn = [];
}, true);
window.addEventListener('message', ({ data }) => data?.drawn && window.drawn.push([data.drawn, performance.now()]));
new MutationObserver((all) => all.forEach(({ target }) => target.dataset?.step && told(Number(target.dataset.step))))
  .observe(document, { subtree: true, attributes: true, attributeFilter: ['data-step'] });
"""
"""Notes when the tree was drawn: after the frame, in the page as in the iframe."""
ENDED = "(moment) => (window.drawn.find(([one]) => one === moment) || [0, 0])[1] - window.pressed"
STILL = '[data-testid=stApp][data-test-script-state="notRunning"]'


@dataclass(kw_only=True)
class Steps:
    """What some steps took."""

    drawn_ms: list[float] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)
    """Bytes from the server."""


def measure(short: bool) -> list[Row]:
    """Rows for each size. Raises RuntimeError where there is no Chromium."""
    if not CHROMIUM.exists():
        raise RuntimeError(f"there is no {CHROMIUM}; install Debian's chromium")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        runs = Path(folder)
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        with server(ROOT / "app.py", runs) as app, server(Path(__file__).parent / "pages/iframe.py", runs) as iframe:
            rows = [
                row
                for nodes in (FEW_SIZES if short else SIZES)
                for row in _rows(chromium, write_run(nodes, runs), nodes, app, iframe, FEW_STEPS if short else STEPS)
            ]
        chromium.close()
    return rows


def _rows(
    chromium: Any, path: Path, nodes: int, app: tuple[str, Path], iframe: tuple[str, Path], steps: int
) -> Iterator[Row]:
    start = len(long_run(nodes)) * 2 // 3
    ours = page(chromium, f"{app[0]}/?run=runs/{path.name}&moment={start}")
    theirs = page(chromium, f"{iframe[0]}/?trace={quote(str(path))}&moment={start}&whole=1")
    ours.wait_for_selector(f'[data-testid=evidence-graph][data-step="{start}"]', timeout=120_000)
    theirs.wait_for_function("window.drawn.length", timeout=120_000)
    for one in (ours, theirs):
        one.wait_for_selector(STILL, timeout=120_000)
        one.wait_for_timeout(500)  # a key that arrives while a page is being put together is lost
    own, other = Steps(), Steps()
    for number in range(start, start + steps + 1):  # the first one warms up
        step(ours, number + 1, own)
        step(theirs, number + 1, other)
    served, elsewhere = (
        statistics.median(list(map(float, log.read_text().split()))[-steps:]) for _, log in (app, iframe)
    )
    ours.context.close()
    theirs.context.close()
    mine, its = (statistics.median(one.drawn_ms[1:]) for one in (own, other))
    yield Row(
        what=f"a step to the drawn tree, {nodes:,} nodes, median of {steps}",
        ours=f"{mine:.0f} ms",
        alternative=f"pyvis iframe {its:.0f} ms",
        ratio=its / mine,
        target=f"at least {TIMES} times faster",
        met=its >= TIMES * mine,
    )
    kilobytes = [statistics.median(one.sent[1:]) / 1000 for one in (own, other)]
    yield Row(
        what=f"the server's processor time for a step, {nodes:,} nodes, median of {steps}",
        ours=f"{served:.0f} ms, {kilobytes[0]:.0f} kB",
        alternative=f"pyvis iframe {elsewhere:.0f} ms, {kilobytes[1]:.0f} kB",
        ratio=elsewhere / served,
        target=f"under {SERVER_MS} ms" if nodes <= 1000 else "shown",
        met=nodes > 1000 or served < SERVER_MS,
    )


def step(page: Any, moment: int, found: Steps) -> None:
    """Press the key, and note when the tree was drawn and what the server said."""
    wire: list[tuple[bool, float, int]] = []
    page.wire.append(wire)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("(moment) => window.drawn.some(([one]) => one === moment)", arg=moment, timeout=120_000)
    for _ in range(200):
        page.wait_for_timeout(60)
        asked = next((at for to_server, at, _ in wire if to_server), None)
        if asked is not None and page.locator(STILL).count() and len(wire) > 1:
            break
    page.wait_for_timeout(200)
    answers = [(at, size) for to_server, at, size in wire if not to_server and asked is not None and at >= asked]
    found.drawn_ms.append(page.evaluate(ENDED, moment))
    if asked is not None and answers:
        found.sent.append(sum(size for _, size in answers))


def page(chromium: Any, address: str) -> Any:
    """A page that notes when its tree is drawn, and what goes over its wire: to the server or not, when, bytes."""
    made = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
    made.add_init_script(WATCH)
    made.wire = []
    wire = made.context.new_cdp_session(made)
    wire.send("Network.enable")
    for name, to_server in (("webSocketFrameSent", True), ("webSocketFrameReceived", False)):
        wire.on(f"Network.{name}", lambda event, out=to_server: _note(made.wire, event, out))
    made.goto(address)
    return made


def _note(wires: list[list[tuple[bool, float, int]]], event: dict[str, Any], to_server: bool) -> None:
    if wires:
        size = len(event["response"]["payloadData"]) * 3 // 4  # base64
        wires[-1].append((to_server, event["timestamp"], size))


@contextmanager
def server(script: Path, runs: Path) -> Iterator[tuple[str, Path]]:
    """Address of, and file with the times of runs of, a Streamlit server of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = runs / f"{script.stem}.times"
    timed = str(Path(__file__).parent / "pages/timed.py")
    command = [sys.executable, timed, str(log), "run", str(script), *SERVER.split(), "--server.port", str(port)]
    env = {**os.environ, "RETREE_RUNS": str(runs), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(150):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}", log
    finally:
        process.terminate()
        process.wait(10)


def write_run(nodes: int, folder: Path) -> Path:
    """A run of so many nodes, as a trace in the folder."""
    path = folder / f"nodes-{nodes}.jsonl"
    events: list[ev.Event] = [*long_run(nodes), ev.RunEnded(status="budget", detail="")]
    header = Header(
        run_id=path.stem,
        created_at="2026-11-29T12:00:00.000Z",
        question="Which of the many ways leads on?",
        settings=Settings(),
        recorded_with="scripted",
    )
    with TraceWriter.create(path, header, redact=lambda value: value) as writer:
        for number, one in enumerate(events, 1):
            writer.write(EventRecord(seq=number, event=one))
    return path
