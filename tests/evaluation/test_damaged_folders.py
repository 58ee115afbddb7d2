"""Results folders with one damaged file: report and results page tell what is whole, or say in one line why not.

RETREE_FULL=1 makes 1,000 mutants. A failure names the mutant by seed and number.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from looking import command, data, markup, said
from mutants import FULL, Base, mutant
from viz.results_world import graded, results_folder

from retree_core.errors import InputError
from retree_viz.results.aside import aside, figure_head
from retree_viz.results.bar import notices, top_bar
from retree_viz.results.cards import card, results_shelf
from retree_viz.results.choice import EVERYTHING, from_query
from retree_viz.results.data import load
from retree_viz.results.figure import figure_data
from retree_viz.results.folders import Folder
from retree_viz.results.runs_list import list_data
from retree_viz.results.strip import strip
from retree_viz.results.tables import tables

COUNT = 1_000 if FULL else 40
READ = ("eval.json", "judge.json", "judged.jsonl", "rows.cache")
"""Files that a report reads besides the traces."""
CHOICES = (EVERYTHING, from_query({"results": "runs/out", "agent": "react", "find": "q", "page": "2"}))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = results_folder(tmp_path_factory.mktemp("results") / "out")
    graded(out)
    assert command("report", str(out))[0] == 0
    return out


def test_a_damaged_file_costs_itself_alone(whole: Path, tmp_path: Path) -> None:
    told = sum(reported(number, whole, tmp_path / "out") for number in range(COUNT))
    assert COUNT / 4 < told < COUNT


def reported(number: int, whole: Path, out: Path) -> bool:
    """Whether there was still something to report."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(whole, out)
    chance = random.Random(number)
    traces = sorted((out / "runs").rglob("*.jsonl"))
    file = chance.choice(traces if chance.random() < 0.3 else [out / name for name in READ])
    one = mutant(number, among=[_base(file)])
    file.write_bytes(one.data)
    try:
        _page(Folder(address="runs/out", path=out))
        codes = {command("report", str(out))[0], command("report", str(out), "--json")[0]}
    except Exception as error:
        raise AssertionError(f"{file.relative_to(out)}: {one.words}") from error
    assert len(codes) == 1, one.words
    return codes == {0}


def _base(file: Path) -> Base:
    lines = [json.loads(one) for one in file.read_bytes().splitlines()] if file.name not in READ[:2] else []
    return Base(name=file.name, values=tuple(lines or [json.loads(file.read_bytes())]), lines=bool(lines))


def _page(folder: Folder) -> None:
    markup(results_shelf([card(folder)], "here"))
    try:
        found = load(folder)
    except InputError as error:
        said(error)
        return
    markup(top_bar(found))
    markup(notices(found, "trouble"))
    markup(strip(found, "runs/out/runs/retree/q1.jsonl"))
    for one in found.data_sets:
        data(figure_data(one))
    for choice in CHOICES:
        markup(aside(found, choice))
        markup(figure_head(found, choice))
        markup(tables(found, choice))
        data(list_data(found, choice))
