"""A record outlives the rules: packages with other guards, prompts, ranks or schemas verify it and go on with it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from random_worlds import FULL
from worlds import (
    KORN,
    MIND,
    PAGES,
    QUESTION,
    SETTINGS,
    TARN,
    VELMORA,
    answer,
    asking,
    finding,
    hit,
    repaired_run,
    replace_records,
    run_scripted,
    search,
    stop,
    write_trace,
)

from retree_core.verify import traces_in

ROOT = Path(__file__).parents[1]
OLD = ROOT / "tests" / "old_traces" / "0.1"
SOME_OLD = ("guard-before", "guard-after", "flat", "react", "report", "beside", "rejected-replies", "fork-verdict")

GO_ON = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from worlds import MIND, PAGES, World, hit
from retree_core.drivers.live import Backends
from retree_core.drivers.session import finish_run
world = World(MIND, lambda call: [hit(text, title) for title, text in PAGES.items() if title == call.query])
for name in sys.argv[2:]:
    asyncio.run(finish_run(Path(name), (Backends(model=world, search=world), {}, {})))
"""
"""Finishes runs in the world of `worlds.MIND`."""


@dataclass(frozen=True)
class Version:
    """Another version of the package."""

    name: str
    file: str
    changes: tuple[tuple[str, str], ...]
    rule: str = ""
    """One of which answers differ from what the corpus holds."""
    follows: bool = True
    """Whether its engine makes the runs that were made before."""


ANOTHER_GUARD = """
def _never(case: _Case) -> GuardResult:
    return _result("never", "", "It never objects.")


def text_guards("""
VERSIONS = (
    Version(
        "the sentence of a guard that passed",
        "judging/guards.py",
        (("No 'not only' or", "Neither 'not only' nor"),),
        "text_guards",
    ),
    Version(
        "one more guard",
        "judging/guards.py",
        (
            ("\ndef text_guards(", ANOTHER_GUARD),
            ("        _not_only(case),\n", "        _not_only(case),\n        _never(case),\n"),
        ),
        "text_guards",
    ),
    Version(
        "a word in a lexicon", "judging/lexicon.py", (('"former, formerly', '"Dresk, former, formerly'),), "text_guards"
    ),
    Version(
        "the newest first",
        "text/overlap_index.py",
        (("    digits = _counted(sets)\n", "    digits: list[int] = []\n"),),
        "related",
    ),
    Version("another prompt", "prompts/policy.md", (("You decide the next step", "You choose the next step"),)),
    Version(
        "another bound in a schema",
        "replies.py",
        (("_at_most(400), Field(max_length=400)", "_at_most(12), Field(max_length=12)"),),
    ),
    Version("a check of replies in other words", "reading.py", (("a search needs one", "a search has one"),)),
    Version(
        "other sampling in a request", "rendering.py", (("sampling.seed + attempt - 1", "sampling.seed + attempt"),)
    ),
    Version(
        "another engine",
        "agents/retrieval.py",
        (('duplicates=taken.value.get("duplicates", 0)', 'duplicates=taken.value.get("duplicates", 0) + 1'),),
        follows=False,
    ),
    Version(
        "a refusal in other words",
        "rules/stopping.py",
        (("nothing has been retrieved yet", "nothing was retrieved so far"),),
        "refusal",
    ),
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whole runs of this version, and of release 0.1."""
    folder = tmp_path_factory.mktemp("runs")
    beside = replace(SETTINGS, summary_call="beside")
    write_trace(repaired_run(), folder / "repaired.jsonl")
    write_trace(repaired_run(settings=beside), folder / "beside.jsonl.gz")
    for agent in ("react", "flat", "report"):
        reply = {"report": lambda _: {"report": "All is known."}, "answer": [answer("Tarn", ("Tarn.", ["p1", "e1"]))]}
        script = {"policy": [search("a", reason="Where to begin?"), *asking(2, "p1", "e1")], **reply}
        run = run_scripted(QUESTION, script, finding(VELMORA, KORN, TARN), replace(SETTINGS, agent=agent))
        write_trace(run, folder / f"{agent}.jsonl")
    rejected = {"policy": ["no JSON", stop("e9"), search(""), *asking(1, "e1")]}
    write_trace(run_scripted(QUESTION, rejected, finding(VELMORA)), folder / "rejected.jsonl")
    old = [path for path in traces_in(OLD) if FULL or path.name.split(".")[0] in SOME_OLD]
    for path in (*old, *(one for one in traces_in(ROOT / "sample_runs") if "corpus" not in one.name)):
        shutil.copy(path, folder / f"old-{path.name}")
    return folder


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs that were cut after their second search, in one go of this version and of release 0.1."""
    folder = tmp_path_factory.mktemp("cut")
    lines = {**MIND, "answer": lambda call: answer("Sorrel", ("Otto Lind was born in Sorrel.", ["e6"]))}
    whole = run_scripted(
        QUESTION, lines, lambda call: [hit(text, name) for name, text in PAGES.items() if name == call.query]
    )
    second = [at for at, one in enumerate(whole.records) if getattr(one, "call", None) and one.role == "search"][1]
    for name, end in (("call", second + 1), ("event", second + 3), ("later", second + 20)):
        write_trace(replace_records(whole, whole.records[:end]), folder / f"{name}.jsonl")
    for path in OLD.glob("repaired.cut-after-second-*.jsonl"):
        shutil.copy(path, folder / f"old-{path.name}")
    return folder


def package(folder: Path, version: Version) -> dict[str, str]:
    """The environment in which the package is that version."""
    for name in ("retree_core", "retree_viz", "sample_runs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "retree_core" / version.file
    text = file.read_text(encoding="utf-8")
    for before, after in version.changes:
        assert before in text, f"{before!r} is not in {version.file} to be changed"
        text = text.replace(before, after)
    file.write_text(text, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(folder)}


def verified(environment: dict[str, str], *args: object) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "retree_core.cli", "verify", "--json", *map(str, args)]
    done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    traces: list[dict[str, Any]] = json.loads(done.stdout)["traces"]
    return traces


@pytest.mark.parametrize("version", VERSIONS, ids=lambda one: one.name)
def test_another_version_verifies_names_its_differences_and_goes_on(
    version: Version, runs: Path, cut: Path, tmp_path: Path
) -> None:
    environment = package(tmp_path / "package", version)
    own = [one for one in runs.iterdir() if version.follows or not one.name.startswith("old-")]
    found = verified(environment, "--rules", *own)
    assert [one for one in found if one["findings"] or one["status"] not in ("ok", "unfinished")] == []
    assert version.follows or all("made by another version of the engine" in one["notes"][-1] for one in found)
    named = {Path(one["path"]).name for one in found for note in one["notes"] if f"rule {version.rule} " in note}
    assert bool(version.rule) == bool(named)
    copies = tmp_path / "cut"
    shutil.copytree(cut, copies)
    paths = [str(one) for one in sorted(copies.iterdir())]
    script = [sys.executable, "-c", GO_ON, str(ROOT / "tests"), *paths]
    subprocess.run(script, env=environment, cwd="/", check=True)
    assert [(one["findings"], one["status"]) for one in verified(environment, copies)] == [([], "ok")] * len(paths)
    begun = [json.loads(Path(path).read_bytes().splitlines()[0]).get("boundaries") for path in paths]
    assert version.follows or all(begun), "where it began anew stands in the header"
