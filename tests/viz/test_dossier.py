from samples.story import FOLDER
from viz.story import moment, story, story_trace, trace_of
from worlds import repaired_run

from retree_core import events as ev
from retree_core.trace import read_trace
from retree_viz import dossier
from retree_viz.dossier import changed, conflict_at, conflicts_of, span
from retree_viz.run import Run


def test_the_conflict_of_a_moment_is_the_one_it_is_part_of() -> None:
    run = Run(story_trace())
    for at in range(moment("conflict_proposed", 2), moment("facts_set_aside") + 1):
        found = conflict_at(run, at)
        assert found
        assert found.outcome == "repaired"
    rejected = conflict_at(run, moment("conflict_rejected"))
    assert rejected
    assert rejected.new.id == "e12"
    assert conflict_at(run, moment("search_chosen", 7)) is None


def test_a_selected_fact_brings_its_latest_conflict_so_far() -> None:
    run = Run(story_trace())
    late = conflict_at(run, run.total, "e3")
    early = conflict_at(run, moment("node_added", 5), "e3")
    first = conflict_at(run, 1, "e13")
    assert late
    assert early
    assert first
    assert (late.new.id, early.new.id, first.new.id) == ("e13", "e12", "e13")
    assert conflict_at(run, run.total, "e1") is None


def test_a_selected_fact_brings_its_repair_before_a_later_contest() -> None:
    run = Run(read_trace(FOLDER / "scripted-repair-north-pole.jsonl"))
    found = conflict_at(run, run.total, "e1")
    assert found
    assert (found.new.id, found.outcome) == ("e8", "repaired")
    assert [one.new.id for one in conflicts_of(run, "e1")] == ["e5", "e8", "e9"]
    early = conflict_at(run, 20, "e1")
    assert early
    assert early.new.id == "e5"


def test_a_conflict_spans_all_that_its_repair_caused() -> None:
    run = Run(story_trace())
    assert span(run, run.conflicts[1]) == (moment("conflict_proposed", 2), moment("facts_set_aside"))


def test_only_the_words_that_differ_are_marked() -> None:
    old, new = "The hall was designed by Edmund Harcastle.", "The hall was designed by Ines Falkenrath."
    (a, b), (c, d) = changed(old, new)
    assert (old[a:b], new[c:d]) == ("Edmund Harcastle", "Ines Falkenrath")
    assert changed("same.", "same.") == ((0, 0), (0, 0))
    assert changed("", "new") == ((0, 0), (0, 3))
    assert changed("a b", "a x b") == ((0, 0), (2, 3))


def test_conflicts_of_one_search_overlap_and_each_event_has_its_own() -> None:
    events = [one for one in story() if one.kind != "facts_set_aside"]
    at = next(place for place, one in enumerate(events) if one.kind == "conflict_confirmed")
    events.insert(at, ev.ConflictProposed(old="e3", new="e14", reason="They differ."))
    end = next(place for place, one in enumerate(events) if one.kind == "search_resumed")
    late = ev.ConflictRejected(old="e3", new="e14", by="limit", reason="another fact was repaired in this search")
    events.insert(end + 1, late)
    run = Run(trace_of(events))
    found = [conflict_at(run, moment) for moment in range(at, end + 3)]
    assert [one.new.id for one in found if one] == ["e13", "e14", *["e13"] * 5, "e14"]


def test_a_real_run_of_the_agent_is_told_too() -> None:
    run = Run(repaired_run())
    (conflict,) = run.conflicts
    assert conflict.repair
    found = conflict_at(run, conflict.repair.moment)
    assert found == conflict
    assert dossier.claims_on(run.last, conflict.old.id) == tuple(f"c{one}" for one in conflict.repair.claims)
