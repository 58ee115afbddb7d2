"""Damaged traces by the thousand: each opens with its damage named, or is refused in one line; nothing else happens.

RETREE_FULL=1 makes 20,000 mutants. A failure names the mutant by seed and number; `mutant(NUMBER, SEED)` makes it
again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from looking import Look, file_looks, looks, pair_looks, said
from mutants import FULL, SEED, Mutant, mutant

from retree_core.errors import InputError, ReTreeError
from retree_core.trace import read_trace
from retree_core.trace.reader import parse_trace
from retree_viz.opened import Opened
from retree_viz.run import Run
from retree_viz.runs import samples_folder

SLICE = 1000 if FULL else 100
SLICES = range(20 if FULL else 4)
SAMPLE = samples_folder() / "scripted-repair-north-pole.jsonl"
LOOKS, COMMANDS = 16, 2
"""Looks taken at each mutant: at the trace, and at the file."""


@pytest.fixture(scope="module")
def sample() -> Opened:
    return Opened(Run(read_trace(SAMPLE)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands write, and nobody answers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path / "own"))
    (tmp_path / "sample.jsonl").write_bytes(SAMPLE.read_bytes())
    return tmp_path


@pytest.mark.parametrize("part", SLICES)
def test_a_mutant_is_a_view_with_named_damage_or_one_line(part: int, folder: Path, sample: Opened) -> None:
    opened = sum(survived(mutant(one), folder, sample) for one in range(part * SLICE, (part + 1) * SLICE))
    print(f"seed {SEED}, mutants {part * SLICE} to {(part + 1) * SLICE - 1}: {opened} opened, {SLICE - opened} refused")
    assert SLICE / 2 < opened < SLICE


def survived(one: Mutant, folder: Path, sample: Opened) -> bool:
    """Whether the mutant opened; fails where anything else came of it than a view or a line."""
    chance = random.Random(one.words)
    some = chance.sample(list(file_looks(one.name, one.data, chance, folder)), COMMANDS)
    _take(one, some)
    try:
        trace = parse_trace(one.data, one.name)
    except InputError as error:
        said(error)
        return False
    every = _made(one, lambda: [*looks(trace, chance, folder), *pair_looks(trace, sample, chance)])
    _take(one, chance.sample(every, min(len(every), LOOKS)))
    return True


def _made(one: Mutant, make: Callable[[], list[tuple[str, Look]]]) -> list[tuple[str, Look]]:
    try:
        return make()
    except Exception as error:
        raise AssertionError(f"{one.words}: cannot be opened") from error


def _take(one: Mutant, some: Iterable[tuple[str, Look]]) -> None:
    for name, look in some:
        try:
            look()
        except ReTreeError as error:
            said(error)
        except BaseException as error:
            raise AssertionError(f"{one.words}: {name}") from error
