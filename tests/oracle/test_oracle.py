"""The engine of now does what release 0.1 did, in random worlds and on all recorded replies."""

import pytest
from oracle.compare import compare, difference
from oracle.release import NotThere
from random_worlds import FULL, SEED

WORLDS = 6000 if FULL else 200


def test_it_agrees_with_release_0_1(capsys: pytest.CaptureFixture[str]) -> None:
    """python tests/oracle/compare.py --worlds N --seed S does the same and prints what it finds."""
    try:
        found = compare(count=WORLDS, seed=SEED)
    except NotThere as why:
        pytest.skip(str(why))
    with capsys.disabled():
        print(f"\n{found.worlds} worlds of seed {SEED} ", end="", flush=True)
    assert set(found.agents) == {"retree", "react", "flat", "report"}
    assert (found.differences, found.broken) == ([], 0)


def test_a_difference_is_told_in_words() -> None:
    old = {"events": [{"kind": "run_started"}, {"kind": "answered", "text": "Pell"}], "requests": []}
    new = {"events": [{"kind": "run_started"}, {"kind": "answered", "text": "Tarn"}], "requests": []}
    assert difference(old, new) == 'events 2 text: "Pell" in 0.1, "Tarn" now'
    assert difference(old, old | {"events": old["events"][:1]}).startswith("events 2: {")
    assert difference(old, old) == ""
