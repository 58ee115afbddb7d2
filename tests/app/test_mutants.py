"""A sample of damaged traces in the whole app: each opens with its damage named, or the gallery says why not."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from mutants import FULL, mutant
from streamlit.testing.v1 import AppTest

from retree_core.errors import InputError
from retree_core.trace import read_trace
from retree_viz.place import TABS

APP = str(Path(__file__).parents[2] / "app.py")
COUNT = 200 if FULL else 8
SPREAD = 97
"""Numbers between one mutant of the sample and the next: the kinds of damage are not met in any order."""
FAULTY = re.compile(r"Traceback|fault of this program|retree_(?:core|viz)/|<(?:script|img|iframe)", re.IGNORECASE)
"""What no page may say or hold."""


@pytest.mark.parametrize("number", range(0, COUNT * SPREAD, SPREAD))
def test_a_mutant_opens_or_the_gallery_says_why_not(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path))
    one = mutant(number)
    path = tmp_path / one.name
    path.write_bytes(one.data)
    page = opened(one.name, random.Random(number), one.words)
    assert not FAULTY.search(page), one.words
    try:
        trace = read_trace(path)
    except InputError:
        assert 'role="alert"' in page, one.words
        assert "Sample runs" in page, one.words
    else:
        assert 'role="tablist"' in page, one.words
        assert ("damaged record" in page) == bool(trace.damage), one.words


def opened(name: str, chance: random.Random, words: str) -> str:
    """The page of a run, at some moment, in some view and with something selected: its markup, and every message."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["run"] = f"runs/{name}"
    app.query_params["tab"] = chance.choice(TABS)
    app.query_params["view"] = chance.choice(("tree", "charts"))
    app.query_params["sel"] = chance.choice(("", "e1", "n1", "p1", "c1", "s1", "root", "e1:e2"))
    if chance.random() < 0.5:
        app.query_params["moment"] = str(chance.randrange(40))
    app.run()
    assert not app.exception, f"{words}: {app.exception}"
    data = [json.loads(one.proto.json) for one in app.get("bidi_component") if one.proto.json]
    said = [one.value for one in (*app.error, *app.warning, *app.markdown)]
    return "\n".join([*(str(one["html"]) for one in data if "html" in one), *said])
