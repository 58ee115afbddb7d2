"""What the charts draw."""

from __future__ import annotations

from dataclasses import replace

from viz.story import trace_of
from worlds import KORN, QUESTION, SETTINGS, TARN, VELMORA, answer, asking, finding, repaired_run, run_scripted

from retree_core import events as ev
from retree_core.calls import ModelReply
from retree_core.trace import CallRecord
from retree_viz.charts.data import MOST_POINTS, Facts, Life, Size, charts, spent
from retree_viz.opened import Opened
from retree_viz.run import Run

REPAIRED = Run(repaired_run())


def test_policy_contexts_stand_over_completed_retrievals_with_the_bound() -> None:
    found = charts(REPAIRED)
    assert [one.retrievals for one in found.sizes] == list(range(7))
    assert found.sizes[1].moment == 8
    assert found.bound == 2413
    assert found.sizes_of == len(found.sizes)


def test_facts_over_time_end_as_the_run_does() -> None:
    found = charts(REPAIRED)
    assert found.facts[0] == Facts(moment=0, active=0, pruned=0, superseded=0)
    assert found.facts[27] == Facts(moment=27, active=1, pruned=2, superseded=1)
    assert found.facts[-1] == Facts(moment=45, active=3, pruned=2, superseded=1)


def test_every_fact_has_a_life_with_its_claims() -> None:
    lives = {one.id: one for one in charts(REPAIRED).lives}
    assert list(lives) == ["e1", "e2", "e3", "e4", "e5", "e6"]
    marks = ((24, "m"), (25, "o"), (26, "p"))
    assert lives["e1"] == Life(id="e1", born=5, gone=None, marks=marks, end="in force, r2", claims=("c1",))
    assert lives["e2"] == Life(id="e2", born=11, gone=27, end="pruned at event 27")
    assert (lives["e4"].gone, lives["e4"].end) == (26, "became a revision of e1")


def test_calls_are_summed_by_role_up_to_a_moment() -> None:
    whole, early = ({one.role: one for one in spent(REPAIRED, moment)} for moment in (45, 8))
    assert (early["policy"].calls, whole["policy"].calls) == (1, 7)
    assert early["answer"].calls == 0
    assert list(early) == list(whole)
    assert whole["policy"].cached is None
    assert whole["search"].prompt == 0


def test_tokens_that_no_server_reported_are_counted_as_such() -> None:
    trace = repaired_run()
    silent = [
        replace(one, reply=replace(one.reply, raw={**one.reply.raw, "usage": None}))
        if isinstance(one, CallRecord) and isinstance(one.reply, ModelReply)
        else one
        for one in trace.records
    ]
    found = {one.role: one for one in spent(Run(replace(trace, records=tuple(silent))), 45)}
    assert (found["policy"].calls, found["policy"].uncounted, found["policy"].prompt) == (7, 7, 0)


def test_long_runs_are_thinned_and_no_peak_is_lost() -> None:
    events: list[ev.Event] = [ev.RunStarted(question="q", agent="retree")]
    for number in range(1, 1001):
        events.append(ev.ContextBuilt(node="root", evidence=(), characters=2000 if number == 501 else 10))
        events.append(ev.SearchChosen(search=number, query="q", origin="policy"))
    found = charts(Run(trace_of(events)))
    assert len(found.sizes) <= MOST_POINTS
    assert found.sizes_of == 1000
    assert Size(retrievals=500, characters=2000, moment=1002) in found.sizes


def test_an_agent_without_facts_has_the_lives_of_its_pages() -> None:
    script = {"policy": asking(3, "p3"), "answer": [answer("Tarn", ("In Tarn.", ["p3"]))]}
    run = Run(run_scripted(QUESTION, script, finding(VELMORA, KORN, TARN), replace(SETTINGS, agent="react")))
    found = charts(run)
    assert (found.lives_of, found.facts, found.bound) == ("passages", (), None)
    assert found.lives[2] == Life(id="p3", born=10, gone=None, end="read once", claims=("c1",))


def test_an_empty_record_has_empty_charts() -> None:
    found = Opened(Run(trace_of([]))).charts
    assert (found.total, found.sizes, found.spent, found.lives) == (0, (), (), ())
