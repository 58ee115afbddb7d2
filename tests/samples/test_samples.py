"""The sample runs: the scripted ones are as their stories tell them, and all of them replay without a network."""

import socket
from collections import Counter
from dataclasses import replace

import pytest
from samples.record import STORIES
from samples.story import FOLDER, SPEC
from worlds import every, in_format_1, kinds, only, state, timeless

from retree_core.drivers.replay import replay
from retree_core.events import (
    Answered,
    BudgetExhausted,
    ConflictConfirmed,
    ConflictRejected,
    DuplicateFound,
    EvidenceRepaired,
    FactsSetAside,
    NodesPruned,
    RunEnded,
    SearchChosen,
    StopRefused,
    SummaryDiscarded,
)
from retree_core.state import citations
from retree_core.trace import CallRecord, read_trace

SAMPLES = sorted(FOLDER.glob("*.jsonl"))
TRACES = [path for path in SAMPLES if path.name != "corpus.jsonl"]


@pytest.fixture
def sample():
    """A sample by its name."""
    return lambda name: read_trace(FOLDER / f"{name}.jsonl")


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_sample_replays_without_a_network(path, monkeypatch):
    def refused(*_args, **_kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refused)
    trace = read_trace(path)
    assert replay(trace) == trace.events
    assert (trace.damage, trace.notices, state(trace).problems) == ((), (), ())
    assert trace.events[-1].kind == "run_ended"
    assert trace.header.search_spec == SPEC
    assert trace.header.recorded_with


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_a_scripted_sample_is_what_its_story_tells(story):
    """The samples are as release 0.1 wrote them, in format 1: their events, requests and replies are those of today."""
    today, recorded = story.told(), read_trace(story.path)
    assert recorded.events == today.events
    assert numbered(recorded) == numbered(in_format_1(today))
    assert recorded.header == in_format_1(today).header
    assert recorded.header.recorded_with == "scripted"


def numbered(trace):
    """The records without their times, numbered one by one."""
    numbers = {one.seq: number for number, one in enumerate(trace.records, 1)}
    return [_numbered(timeless(one), numbers) for one in trace.records]


def _numbered(record, numbers):
    record = replace(record, seq=numbers[record.seq])
    return replace(record, beside=numbers.get(record.beside)) if isinstance(record, CallRecord) else record


def test_north_pole_has_a_repair_and_all_that_may_surround_one(sample):
    run = sample("scripted-repair-north-pole")
    assert only(run, StopRefused).reason == "nothing has been retrieved yet"
    assert only(run, DuplicateFound).of == "e1"
    assert [one.passage for one in state(run).evidence["e1"].revisions[0].sources] == ["p1", "p3"]
    assert [one.by for one in every(run, ConflictRejected)] == ["confirmation", "limit"]
    assert only(run, NodesPruned).nodes == ("n2", "n3")
    assert only(run, FactsSetAside).facts == ("e9", "e10")
    cited = [one.standing for claim in only(run, Answered).claims for one in citations(state(run), claim)]
    assert cited == ["repaired", "current", "current"]


def test_the_toy_symphony_is_repaired_twice(sample):
    run = sample("scripted-two-repairs-toy-symphony")
    assert [one.revision for one in every(run, EvidenceRepaired)] == [2, 3]
    assert [one.nodes for one in every(run, NodesPruned)] == [("n2", "n3"), ("n4",)]
    assert only(run, ConflictRejected).by == "confirmation"


def test_gothenburg_is_rejected_by_the_confirmation_and_by_a_guard(sample):
    run = sample("scripted-rejected-gothenburg")
    assert [(one.new, one.by) for one in every(run, ConflictRejected)] == [("e3", "confirmation"), ("e5", "guard")]
    assert every(run, ConflictRejected)[1].reason.startswith("other_time")
    assert every(run, EvidenceRepaired) == []
    assert state(run).evidence["e2"].contested_by == ("e3", "e5")


def test_the_clifton_bridge_flips_back_once_and_not_again(sample):
    run = sample("scripted-flip-back-clifton-bridge")
    assert len(every(run, ConflictConfirmed)) == 2
    assert only(run, ConflictRejected).reason == "returns to revision 2 without a source that was not seen for it"
    assert [one.evidence for one in every(run, SummaryDiscarded)] == ["e1", "e1"]
    repeated = Counter(one.repeat_of for one in run.events if one.kind == "passages_retrieved")
    assert repeated == {None: 6, 2: 1}


def test_the_mary_celeste_spends_its_budget(sample):
    run = sample("scripted-budget-mary-celeste")
    assert only(run, BudgetExhausted).searches == 8
    assert only(run, RunEnded).status == "budget_exhausted"


def test_finlandia_is_forced_to_search(sample):
    run = sample("scripted-refused-stop-finlandia")
    assert kinds(run)[1:6] == ["context_built", "stop_refused", "context_built", "stop_refused", "search_chosen"]
    assert every(run, SearchChosen)[0].origin == "forced"
