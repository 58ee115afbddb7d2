"""The What if dialog, headless: it opens on every kind of run, and what cannot be forked is one line."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from headless import components, markup, opened
from streamlit.testing.v1 import AppTest
from viz.story import story_trace
from viz.test_panels import _hostile_trace
from worlds import kinds, repaired_run, write_trace

from retree_core.trace import Trace
from retree_viz.runs import samples_folder

SAMPLES = sorted(one.name for one in samples_folder().glob("*.jsonl") if one.name != "corpus.jsonl")


def asked(address: str, moment: int, **more: str) -> AppTest:
    """The app at a moment with the dialog open."""
    app = opened(run=address, moment=str(moment), **more)
    app.session_state["place"] = replace(app.session_state["place"], dialog="fork")
    return app.run()


def trace_at(folder: Path, trace: Trace, moment: int, **more: str) -> AppTest:
    write_trace(trace, folder / "run.jsonl")
    return asked("runs/run.jsonl", moment, **more)


def button(app: AppTest, label: str) -> Any:
    return next(one for one in app.button if one.label == label)


def test_a_decision_is_flipped_and_the_fork_opens(folder: Path) -> None:
    trace = repaired_run()
    at = kinds(trace).index("conflict_confirmed") + 1
    app = trace_at(folder, trace, at)
    page = markup(app)
    assert "rejected: the fact stays" in page
    assert "Comes back" in page
    button(app, "Start the fork").click().run()
    for _ in range(20):
        if "from here a model is needed" in markup(app.run()):
            break
    page = markup(app)
    assert 'data-do="open:runs/run.jsonl"' in page
    assert "from here a model is needed" in page
    assert app.session_state["place"].moment == at


def test_a_text_has_to_change_first(folder: Path) -> None:
    app = trace_at(folder, repaired_run(), 5)
    assert "Change the text to see what would fall." in markup(app)
    assert button(app, "Start the fork").disabled
    (field,) = [one for one in app.text_area if one.label == "Fact"]
    field.set_value("The capital of Alvonia is Quorl.").run()
    assert "in no passage: Quorl" in markup(app)
    assert not button(app, "Start the fork").disabled


def test_a_proposal_that_is_still_open_is_decided_either_way(folder: Path) -> None:
    whole = repaired_run()
    at = kinds(whole).index("conflict_proposed") + 1
    place = next(n for n, one in enumerate(whole.records) if getattr(one, "event", None) == whole.events[at - 1])
    app = trace_at(folder, replace(whole, records=whole.records[: place + 1]), at)
    assert "not decided yet" in markup(app)
    (decide,) = [one for one in app.radio if one.label == "Decide"]
    decide.set_value("repair").run()
    assert "Pruned by the repair" in markup(app)


def test_at_the_first_event_the_nearest_ones_are_offered(folder: Path) -> None:
    app = trace_at(folder, repaired_run(), 1)
    button(app, "Event 5: facts extracted").click().run()
    assert app.session_state["place"].moment == 5
    assert [one.value for one in app.text_area] == ["The capital of Alvonia is Velmora."]


@pytest.mark.parametrize("moment", [1, 6, 14, 18, 999])
def test_hostile_and_callless_records_open_it_too(folder: Path, moment: int) -> None:
    for trace in (_hostile_trace(), story_trace(), replace(repaired_run(), records=())):
        app = trace_at(folder, trace, moment, sel="e3")
        assert "<img" not in markup(app)


def test_a_record_that_does_not_replay_says_so_and_starts_nothing(folder: Path) -> None:
    trace = repaired_run()
    at = kinds(trace).index("conflict_confirmed") + 1
    app = trace_at(folder, replace(trace, records=trace.records[:3] + trace.records[4:]), at)
    assert "cannot be forked at event" in markup(app)
    assert not [one for one in app.button if one.label == "Start the fork"]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_last_event_of_every_sample(name: str) -> None:
    app = asked(f"samples/{name}", 10_000)
    assert components(app)
