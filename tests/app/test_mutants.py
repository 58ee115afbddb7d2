"""A sample of damaged traces in the whole app: each opens with its damage named, or the gallery says why not."""

from __future__ import annotations

import os
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from headless import markup, opened
from mutants import FULL, Mutant, mutant
from streamlit.testing.v1 import AppTest

from retree_core.errors import InputError
from retree_core.trace import read_trace
from retree_viz.dialogs import DIALOGS
from retree_viz.place import TABS

COUNT = 200 if FULL else 8
SPREAD = 97
"""Numbers between one mutant of the sample and the next: the kinds of damage are not met in any order."""
SAMPLE = "samples/scripted-repair-north-pole.jsonl"
FAULTY = re.compile(r"Traceback|fault of this program|retree_(?:core|viz)/|<(?:script|img|iframe)", re.IGNORECASE)
"""What no page may say or hold."""


@pytest.mark.parametrize("number", range(0, COUNT * SPREAD, SPREAD))
def test_a_mutant_opens_or_the_gallery_says_why_not(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path))
    one, chance = mutant(number), random.Random(number)
    path = tmp_path / one.name
    path.write_bytes(one.data)
    os.utime(path, (1, 1))  # the torn end of a fresh file is a record that is being written
    app = opened(run=f"runs/{one.name}", **somewhere(chance))
    page = fine(app, one)
    try:
        trace = read_trace(path)
    except InputError:
        assert 'role="alert"' in page, one.words
        assert "Sample runs" in page, one.words
        return
    assert 'role="tablist"' in page, one.words
    assert ("damaged record" in page) == bool(trace.damage), one.words
    fine(changed(app, dialog=chance.choice(DIALOGS)), one)
    beside = changed(app, dialog="", against=SAMPLE, moment=chance.choice((None, 1, 9)), selected="a.e1")
    assert "Swap A and B" in fine(beside, one), one.words


def somewhere(chance: random.Random) -> dict[str, str]:
    """An address within a run: any tab and view, at some moment, with something selected that may not be there."""
    place = {
        "tab": chance.choice(TABS),
        "view": chance.choice(("tree", "charts")),
        "sel": chance.choice(("", "e1", "n1", "p1", "c1", "s1", "root", "e1:e2")),
    }
    return place | ({"moment": str(chance.randrange(40))} if chance.random() < 0.5 else {})


def changed(app: AppTest, **place: Any) -> AppTest:
    app.session_state["place"] = replace(app.session_state["place"], **place)
    return app.run()


def fine(app: AppTest, one: Mutant) -> str:
    """All that the page says, which is no fault."""
    assert not app.exception, f"{one.words}: {app.exception}"
    said = [str(each.value) for each in (*app.error, *app.warning, *app.markdown, *app.caption)]
    page = "\n".join([markup(app), *said])
    assert not FAULTY.search(page), f"{one.words}: {FAULTY.search(page)}"
    return page
