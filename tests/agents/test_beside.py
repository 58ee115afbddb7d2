"""The summary asked for beside the conflict check: the same run, one wait less, and a discarded text after a repair."""

import json
from dataclasses import replace

import pytest
from worlds import (
    DRESK,
    KORN,
    QUESTION,
    SETTINGS,
    TARN,
    VELMORA,
    asking,
    calls_of,
    changed,
    clashing,
    confirm,
    conflict,
    every,
    facts,
    failed,
    finding,
    hit,
    kinds,
    only,
    repaired_run,
    run_scripted,
    state,
    summary,
    write_trace,
)

from retree_core.events import FactsSetAside, RunEnded, SearchResumed, SummaryDiscarded, SummaryWritten
from retree_core.invariants import broken
from retree_core.settings import Handover
from retree_core.trace import CallRecord, read_trace
from retree_core.trace.reader import Damage
from retree_core.trace.records import line, sealed
from retree_core.verify import verify

BESIDE = replace(SETTINGS, summary_call="beside")


def roles(run, *, mark=False):
    """Roles of all calls in order; a plus sign before one that was made beside the call before it."""
    calls = [one for one in run.records if isinstance(one, CallRecord)]
    return ["+" * (mark and one.beside is not None) + one.role for one in calls]


def requests(run):
    """All requests, in whatever order."""
    return sorted(str(one.call) for one in run.calls)


def test_a_step_without_a_repair_is_the_same_and_waits_for_three_model_calls():
    script = {"policy": asking(3, "e3")}
    after = run_scripted(QUESTION, script, finding(VELMORA, KORN, TARN))
    beside = run_scripted(QUESTION, script, finding(VELMORA, KORN, TARN), BESIDE)
    assert beside.events == after.events
    assert requests(beside) == requests(after)
    step = ["policy", "search", "extract"]
    pair = ["conflict", "+summarise"]
    assert roles(after)[4:9] == [*step, "conflict", "summarise"]
    assert roles(beside, mark=True) == [*step, "summarise", *step, *pair, *step, *pair, "policy", "answer"]
    marks = [one.beside for one in calls_of(beside, "summarise")]
    assert marks == [None, *(one.seq for one in calls_of(beside, "conflict"))]


def test_a_repair_discards_the_summary_and_is_otherwise_the_same():
    after, beside = repaired_run(), repaired_run(settings=BESIDE)
    discarded = only(beside, SummaryDiscarded)
    assert discarded == SummaryDiscarded(parent="n3", text=f"{VELMORA} {KORN} {TARN} {DRESK}", evidence="e1")
    assert isinstance(beside.events[beside.events.index(discarded) - 1], SearchResumed)
    assert tuple(one for one in beside.events if one != discarded) == after.events
    assert len(beside.calls) == len(after.calls) + 1
    assert set(requests(after)) < set(requests(beside))
    assert list(broken(beside)) == []


def test_a_rejected_proposal_leaves_the_summary_in_use():
    script = {"confirm": lambda _: confirm(False), "policy": asking(4, "e4")}
    finds = finding(VELMORA, KORN, TARN, DRESK)
    script |= {"conflict": clashing(("e1", "e4"))}
    after, beside = (run_scripted(QUESTION, script, finds, one) for one in (SETTINGS, BESIDE))
    assert "conflict_rejected" in kinds(beside)
    assert beside.events == after.events
    assert roles(beside, mark=True)[-5:] == ["conflict", "+summarise", "confirm", "policy", "answer"]


def test_other_facts_that_are_kept_get_a_summary_of_their_own():
    script = {
        "policy": asking(2, "e3"),
        "extract": [facts((1, VELMORA)), facts((1, DRESK), (1, KORN))],
        "conflict": clashing(("e1", "e2")),
    }
    pages = [[hit(VELMORA)], [hit(f"{DRESK} {KORN}")]]
    run = run_scripted(QUESTION, script, pages, replace(BESIDE, on_repair="keep_facts"))
    assert only(run, SummaryDiscarded).text == f"{VELMORA} {DRESK} {KORN}"
    assert [one.text for one in every(run, SummaryWritten)] == [VELMORA, DRESK, f"{DRESK} {KORN}"]
    assert every(run, FactsSetAside) == []


def test_a_flat_list_says_the_same_whatever_is_repaired_and_discards_nothing():
    after, beside = (repaired_run(settings=replace(one, agent="flat")) for one in (SETTINGS, BESIDE))
    assert "evidence_repaired" in kinds(beside)
    assert beside.events == after.events
    assert requests(beside) == requests(after)


def test_both_are_asked_again_in_the_same_round_and_the_slower_one_alone():
    script = {
        "policy": asking(2, "e2"),
        "conflict": ["no JSON", conflict()],
        "summarise": [summary("No mayor yet."), "nor this", "nor that", summary("Still no mayor.")],
    }
    run = run_scripted(QUESTION, script, finding(VELMORA, KORN), BESIDE)
    asked = ["conflict", "+summarise", "conflict", "+summarise", "summarise"]
    assert roles(run, mark=True)[-7:-2] == asked
    at = kinds(run).index("reply_rejected")
    rejected = [(one.role, one.attempt) for one in run.events[at : at + 3]]
    assert rejected == [("conflict", 1), ("summarise", 1), ("summarise", 2)]
    assert run.events[at + 3].kind == "node_added"
    assert state(run).summary == "Still no mayor."


def test_a_summary_that_never_comes_is_the_parents_or_discarded_as_nothing():
    script = {"policy": asking(2, "e2"), "summarise": [summary("No mayor yet."), "no", "no", "no"]}
    run = run_scripted(QUESTION, script, finding(VELMORA, KORN), BESIDE)
    assert [(one.text, one.origin) for one in every(run, SummaryWritten)] == [
        ("No mayor yet.", "model"),
        ("No mayor yet.", "kept"),
    ]
    script |= {"policy": asking(2, "e1"), "conflict": clashing(("e1", "e2"))}
    script |= {"summarise": [summary("No mayor yet."), "no", "no", "no", summary("Not much yet.")]}
    run = run_scripted(QUESTION, script, finding(VELMORA, DRESK), BESIDE)
    assert only(run, SummaryDiscarded).text == ""


@pytest.mark.parametrize("role", ["conflict", "summarise"])
def test_a_call_that_fails_beside_another_ends_the_run_with_both_in_the_record(role):
    said = {"conflict": [conflict()], "summarise": [summary("No mayor yet."), summary("Still no mayor.")]}
    said[role] = [*said[role][:-1], failed("timeout", "late")]
    run = run_scripted(QUESTION, {"policy": asking(2), **said}, finding(VELMORA, KORN), BESIDE)
    assert run.events[-1] == RunEnded(status="llm_error", detail="late")
    assert roles(run, mark=True)[-2:] == ["conflict", "+summarise"]


def test_each_of_the_two_goes_to_the_model_in_charge():
    handovers = (Handover(calls=5, model="another"),)
    run = run_scripted(
        QUESTION, {"policy": asking(2, "e2")}, finding(VELMORA, KORN), replace(BESIDE, handovers=handovers)
    )
    asked = [(one.role, one.call.body["model"]) for one in run.calls if one.role != "search"]
    assert asked[4:7] == [("extract", "scripted"), ("conflict", "another"), ("summarise", "another")]


def test_a_discarded_summary_without_a_repair_and_a_call_beside_nothing_are_breaches():
    run = repaired_run(settings=BESIDE)
    place = next(at for at, one in enumerate(run.records) if getattr(one, "beside", None) is not None)
    alone = changed(run, place, replace(run.records[place], beside=1))
    seq = run.records[place].seq
    assert [one.text for one in broken(alone)] == [
        f"record {seq} is beside record 1, which is not the call before it",
    ]
    at = next(at for at, one in enumerate(run.records) if getattr(one, "event", None) == only(run, SummaryDiscarded))
    other = changed(run, at, replace(run.records[at], event=replace(only(run, SummaryDiscarded), evidence="e2")))
    assert [one.text for one in broken(other)] == [
        "the summary for a child of n3 is discarded without a repair just before"
    ]
    settings = replace(run.header.settings, summary_call="after")
    never = replace(run, header=replace(run.header, settings=settings))
    assert [one.text for one in broken(never)] == ["a summary is discarded, though none is asked for ahead"]


@pytest.mark.parametrize(
    ("number", "found"),
    [("17", "text"), ([17], "a list"), ({"seq": 17}, "an object"), (17.0, "a number"), (True, "true or false")],
)
def test_a_call_beside_what_is_no_number_is_damaged(tmp_path, number, found):
    run = repaired_run(settings=BESIDE)
    at = next(at for at, one in enumerate(run.records) if getattr(one, "beside", None) is not None)
    file = write_trace(run, tmp_path / "run.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    (changed_raw,) = sealed(({**json.loads(lines[at + 1]), "beside": number},), json.loads(lines[at])["digest"])
    lines[at + 1] = line(changed_raw)
    file.write_bytes(b"".join(lines))
    said = Damage(line=at + 2, reason=f"beside: should be a whole number, is {found}")
    trace = read_trace(file)
    assert tuple(trace.damage) == (said,)
    assert len(trace.records) == len(run.records) - 1
    report = verify(file)
    assert report.status == "failed"
    assert f"line {said.line}: {said.reason}" in [one.text for one in report.findings if one.check == "damage"]
