"""The blast radius of an edit: what is certain of a fork before it is made."""

import asyncio
from pathlib import Path

import pytest
from worlds import asking, clashing, confirm, finding, kinds, repaired_run, run_scripted

from retree_core import events as ev
from retree_core.drivers.edits import Edit, editable, moments
from retree_core.drivers.fork import fork
from retree_core.errors import UsageError
from retree_core.state import fold
from retree_core.trace import read_trace
from retree_core.why.blast import Reach, blast

SAMPLES = Path(__file__).parents[1] / "sample_runs"


def _blast(trace, moment, *edits):
    return blast(trace, moment, [Edit.parse(one) for one in edits])


def _moment(trace, kind):
    return kinds(trace).index(kind) + 1


def test_a_repair_that_is_rejected_brings_back_what_it_pruned_and_loses_what_came_after():
    trace = repaired_run()
    moment = _moment(trace, "conflict_confirmed")
    found = _blast(trace, moment, "verdict=reject")
    assert (found.moment, found.shared_events, found.introducer) == (moment, moment - 1, None)
    assert [one.kind for one in found.made] == ["conflict_rejected", "node_added"]
    assert (found.served, found.needs) == (0, "summarise")
    assert found.pruned == Reach()
    assert found.back == Reach(nodes=("n2", "n3"), facts=("e2", "e3"))
    assert found.falls == Reach(nodes=("n4", "n5"), facts=("e5", "e6"), claims=(1, 2, 3))
    assert found.depends == found.falls


def test_a_rejection_that_becomes_a_repair_prunes_below_the_introducer():
    trace = repaired_run({"confirm": [confirm(False)]})
    found = _blast(trace, _moment(trace, "conflict_rejected"), "verdict=repair")
    assert found.introducer == "n1"
    assert found.pruned == Reach(nodes=("n2", "n3"), facts=("e2", "e3"), claims=(1, 2, 3))
    assert found.back == Reach()
    assert found.falls.nodes == ("n4", "n5", "n6")
    assert found.needs == "summarise"


def test_deciding_as_before_loses_nothing_and_needs_no_model():
    trace = repaired_run()
    found = _blast(trace, _moment(trace, "conflict_proposed"), "verdict=repair")
    assert (found.needs, found.falls, found.depends) == ("", Reach(), Reach())
    assert found.served == len(trace.calls) - found.shared_calls - 1  # nobody is asked to confirm
    assert found.pruned.nodes == ("n2", "n3")


def test_a_changed_fact_takes_what_rests_on_it():
    trace = repaired_run()
    found = _blast(trace, None, "fact=e2:The mayor of Velmora is unknown.")
    assert found.moment == kinds(trace).index("facts_extracted", 10) + 1
    assert found.refused == ()
    assert found.falls.facts == ("e2", "e3", "e4", "e5", "e6")
    assert {"e2", "e3"} <= {*found.depends.facts}


def test_a_fact_that_no_passage_says_is_refused_beforehand():
    found = _blast(repaired_run(), None, "fact=e1:The capital of Alvonia is Quorl.")
    assert found.refused == ("The capital of Alvonia is Quorl. (in no passage: Quorl)",)
    assert [one.kind for one in found.made][:2] == ["fact_dropped", "facts_extracted"]


@pytest.mark.parametrize(
    ("edit", "kind", "needs"),
    [
        ("query=who is mayor", "search_chosen", "search"),
        ("passage=p1:", "passages_retrieved", "policy"),
        ("passage=p1:Nobody knows.", "passages_retrieved", "extract"),
        ('reply={"facts": []}', "facts_extracted", "policy"),
        ("reply=I would rather not say.", "facts_extracted", "extract"),
    ],
)
def test_other_edits_say_what_is_needed_next(edit, kind, needs):
    trace = repaired_run()
    found = _blast(trace, _moment(trace, kind), edit)
    assert (found.needs, found.falls.nodes) == (needs, ("n1", "n2", "n3", "n4", "n5"))


def test_it_says_what_the_offline_fork_then_does(tmp_path):
    for trace in (repaired_run(), repaired_run({"confirm": [confirm(False)]})):
        for moment in moments(trace, "verdict"):
            for verdict in ("repair", "reject"):
                edits = [Edit.of("verdict", verdict)]
                found = blast(trace, moment, edits)
                forked = asyncio.run(
                    fork(trace, moment, edits, tmp_path / "fork.jsonl", live_model=False, overwrite=True)
                )
                assert forked.events == (*trace.events[: found.shared_events], *found.made)
                assert len(forked.calls) == found.shared_calls + found.served
                assert bool(forked.stopped) == bool(found.needs)
                after = fold(forked.events)
                assert all(after.nodes[one].pruned_at for one in found.pruned.nodes)
                assert not any(after.nodes[one].pruned_at for one in found.back.nodes)


def test_a_guard_that_is_overruled_without_anything_below_prunes_nothing():
    old, new = "The city of Velmora has 5,000 inhabitants.", "The metropolitan area of Velmora has 9,000 inhabitants."
    script = {"policy": asking(2, "e2"), "conflict": clashing(("e1", "e2"))}
    trace = run_scripted("How many people live in Velmora?", script, finding(old, new))
    found = _blast(trace, _moment(trace, "conflict_rejected"), "verdict=repair")
    assert (found.introducer, found.pruned.nodes, found.pruned.claims) == ("n1", (), (1,))


def test_what_cannot_be_edited_is_one_line():
    with pytest.raises(UsageError, match="event 3 is search_chosen"):
        _blast(repaired_run(), 3, "verdict=reject")


@pytest.mark.parametrize("name", ["real-ulcers", "scripted-repair-north-pole"])
def test_everything_that_is_said_to_be_editable_is(name):
    """Given its own value again, the record answers to its end and nothing is lost."""
    trace = read_trace(SAMPLES / f"{name}.jsonl")
    seen = set()
    for moment in range(1, len(trace.events) + 1):
        for one in editable(trace, moment):
            seen.add(one.what)
            found = blast(trace, one.moment, [Edit.of(one.what, one.value, one.id)])
            assert found.shared_events < one.moment
            if one.what in ("fact", "passage", "reply"):
                assert found.made == trace.events[found.shared_events :], (one, found.needs)
                assert found.falls == Reach()
    assert {"query", "fact", "passage", "reply"} <= seen
    assert isinstance(trace.events[0], ev.RunStarted)
