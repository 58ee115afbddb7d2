"""Imports point one way, and what shows a run never reaches a model or a search by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

LAYERS = (
    ("adapters", "calls", "files", "garbage", "growing", "memory", "secrets", "spellings", "terminal", "text"),
    ("errors", "verdicts"),
    ("judging", "prompts", "run_folders", "settings"),
    ("events", "replies", "llm"),
    ("folding",),
    ("state",),
    ("protocol", "rendering", "rules"),
    ("agents", "history", "reading", "search", "state_digests", "state_json"),
    ("trace",),
    ("notes",),
    ("breakpoints", "invariants", "visitors"),
    ("drivers",),
    ("judge_pairs", "reply_store", "verify"),
    ("judge_scores", "why"),
    ("compare", "labels"),
    ("evaluation",),
    ("cli",),
    ("start",),
)
"""Rooms of the engine: each may import its own layer and those before it."""
REACHES_A_MODEL = ("aiohttp", "httpx", "retree_core.llm.client", "retree_core.search")
MAKES_RUNS = (
    "retree_core.drivers.session.start_run",
    "retree_core.drivers.session.resume_run",
    "retree_core.drivers.fork.fork",
)
RULES = (
    "retree_core.rules",
    "retree_core.judging",
    *(f"retree_core.text.{one}" for one in ("OverlapIndex", "overlap_index", "ranking", "spans", "support", "top_k")),
)
"""What decides in a run. A record outlives it: whoever explains or shows a run reads what was recorded."""
EXPLAINS = ("retree_core.why", "retree_core.compare", "retree_core.evaluation", "retree_viz")
SHOWS = {"retree_core.cli.ui", "retree_core.cli.export"}
"""Modules of the engine that may import the debugger: its launcher, and exports, which draw as it does."""


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module, and every name taken out of one, that a file imports."""
    return frozenset(_imported(ast.parse(path.read_text(encoding="utf-8"))))


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def modules(package: str) -> dict[str, Path]:
    """Dotted name to file, for every module of a package."""
    files = sorted((ROOT / package).rglob("*.py"))
    return {".".join(one.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): one for one in files}


def within(name: str, *packages: str) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in packages)


def test_every_room_of_the_engine_has_a_layer() -> None:
    rooms = {one.split(".")[1] for one in modules("retree_core") if "." in one}
    assert rooms == {room for layer in LAYERS for room in layer}


@pytest.mark.parametrize("height", range(len(LAYERS)))
def test_the_engine_imports_one_way(height: int) -> None:
    above = tuple(f"retree_core.{room}" for layer in LAYERS[height + 1 :] for room in layer)
    here = tuple(f"retree_core.{room}" for room in LAYERS[height])
    upward = {
        (name, one)
        for name, path in modules("retree_core").items()
        for one in imports(path)
        if within(name, *here) and within(one, *above)
    }
    assert upward == set()


def test_the_engine_knows_no_screen() -> None:
    shown = {
        name
        for name, path in modules("retree_core").items()
        if any(within(one, "retree_viz", "streamlit") for one in imports(path))
    }
    assert shown <= SHOWS


def test_the_debugger_reaches_models_at_its_doors_alone() -> None:
    found = modules("retree_viz").items()
    reach, make = (
        {name for name, path in found if any(within(one, *calling) for one in imports(path))}
        for calling in (REACHES_A_MODEL, MAKES_RUNS)
    )
    assert (reach, make) == ({"retree_viz.dialogs.again"}, {"retree_viz.lives"})


def test_what_explains_or_shows_a_run_knows_neither_rules_nor_agents() -> None:
    found = [one for package in ("retree_core", "retree_viz") for one in modules(package).items()]
    knows = {
        (name, one)
        for name, path in found
        for one in imports(path)
        if within(name, *EXPLAINS) and within(one, *RULES, "retree_core.agents")
    }
    assert knows == set()


def test_the_debugger_knows_no_command() -> None:
    knows = {
        name
        for name, path in modules("retree_viz").items()
        if any(within(one, "retree_core.cli") for one in imports(path))
    }
    assert knows == set()


def test_parts_of_the_screen_import_one_way() -> None:
    order = ("retree_viz.tree", "retree_viz.panels", "retree_viz.memory", "retree_viz.comparing", "retree_viz.dialogs")
    upward = {
        (name, one)
        for name, path in modules("retree_viz").items()
        for one in imports(path)
        for height, room in enumerate(order)
        if within(name, room) and within(one, *order[height + 1 :])
    }
    assert upward == set()
