"""Start-up: commands that need no model and no Streamlit, and the app from its command line to the first tree.

A command stands beside the import of every module there is; the app beside one that writes a single letter. Starts of
both take turns, and each number is the median.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.table import Row

ROOT = Path(__file__).parents[2]
TRACE = "sample_runs/scripted-repair-north-pole.jsonl"
OTHER = "sample_runs/scripted-two-repairs-toy-symphony.jsonl"
COMMANDS = (
    ("--help",),
    ("show", TRACE),
    ("why", TRACE),
    ("verify", TRACE),
    ("diff", TRACE, OTHER),
    ("notes", "sample_runs"),
    ("schema", "trace"),
    ("schema", "confirm"),
    ("export", TRACE, "--to", "json", "--out", "-"),
    ("export", TRACE, "--to", "svg", "--out", "-"),
    ("export", TRACE, "--to", "html", "--out", "-"),
)
EVERYTHING = """
import importlib, pkgutil
import retree_core, retree_viz
for package in (retree_core, retree_viz):
    for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not one.name.endswith("__main__"):
            importlib.import_module(one.name)
import aiohttp, httpx, networkx, numpy, pyarrow.parquet, pyvis.network, rapidfuzz, streamlit
"""
BARE = "import streamlit as st\nst.write('x')\n"
BARE_DRAWN = "[data-testid=stMarkdownContainer]"
TREE_DRAWN = "[data-testid=evidence-graph][data-step]"
CHROMIUM = "/usr/bin/chromium"


def measure(short: bool) -> list[Row]:
    return [*commands(COMMANDS[1:2] if short else COMMANDS, starts=1 if short else 9), app(starts=1 if short else 5)]


def commands(chosen: Sequence[tuple[str, ...]], *, starts: int) -> list[Row]:
    """What whole commands take of a processor, which is their wall time where nothing else runs."""
    words = {
        "pass": ("-c", "pass"),
        "everything": ("-c", EVERYTHING),
        **{" ".join(one): ("-m", "retree_core.cli", *one) for one in chosen},
    }
    for each in words.values():  # the disk, and bytecode, have been met
        run_python(each)
    took = interleaved({name: lambda each=each: run_python(each) for name, each in words.items()}, starts)
    beside = f"all modules imported {took['everything']:.2f} s, `python -c pass` {took['pass']:.2f} s"
    return [
        Row(
            what=f"`retree {name}`",
            ours=f"{took[name]:.2f} s of a processor",
            alternative=beside,
            ratio=took["everything"] / took[name],
            target="imports under 0.3 s; here the whole command",
            met=took[name] < 0.3,
        )
        for name in map(" ".join, chosen)
    ]


def run_python(words: Sequence[str]) -> float:
    """Seconds of a processor, from the start of Python to its end."""
    before = os.times()
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    after = os.times()
    assert done.returncode == 0 or (done.returncode == 1 and "Traceback" not in done.stderr), (words, done.stderr)
    return sum(after[2:4]) - sum(before[2:4])


def interleaved(works: dict[str, Callable[[], float]], times: int) -> dict[str, float]:
    """The median of each, all of them done in turn."""
    took = [{name: work() for name, work in works.items()} for _ in range(times)]
    return {name: statistics.median(one[name] for one in took) for name in works}


def app(*, starts: int) -> Row:
    """From the command line to what a person sees in Chromium, which runs already."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        works = {
            "ours": lambda: served(browser, ROOT / "app.py", TREE_DRAWN),
            "bare": lambda: served(browser, bare, BARE_DRAWN),
        }
        interleaved(works, 1)  # the browser's first page
        took = interleaved(works, starts)
        browser.close()
    return Row(
        what="`streamlit run app.py` to the first tree",
        ours=f"{took['ours']:.2f} s",
        alternative=f"a bare `st.write` app {took['bare']:.2f} s",
        ratio=took["ours"] / took["bare"],
        target="at most twice the bare app",
        met=took["ours"] <= 2 * took["bare"],
    )


def served(browser: Any, script: Path, drawn: str) -> float:
    """Seconds from the start of the server until an element is drawn."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ("--server.headless", "true", "--server.address", "127.0.0.1", "--browser.gatherUsageStats", "false")
    words = [sys.executable, "-m", "streamlit", "run", str(script), *options, "--server.port", str(port)]
    page = browser.new_context().new_page()
    started = time.perf_counter()
    server = subprocess.Popen(
        words,
        cwd=ROOT,
        env={**os.environ, "RETREE_RUNS": str(ROOT / TRACE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        listening(port)
        page.goto(f"http://127.0.0.1:{port}")
        page.wait_for_selector(drawn, timeout=60_000)
        return time.perf_counter() - started
    finally:
        page.context.close()
        server.terminate()
        server.wait(10)


def listening(port: int) -> None:
    """Returns when somebody answers at the port."""
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing answers at port {port}")
