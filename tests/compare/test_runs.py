"""Two runs side by side."""

from dataclasses import replace

import pytest
from viz.story import QUESTION as STORY_QUESTION
from viz.story import story, trace_of
from worlds import (
    DRESK,
    KORN,
    LIND,
    SETTINGS,
    SORREL,
    TARN,
    VELMORA,
    answer,
    asking,
    changed,
    confirm,
    finding,
    in_format_1,
    repaired_run,
    run_scripted,
    told,
)

from retree_core import events as ev
from retree_core.compare import Comparison, agent_of, compare, stops
from retree_core.trace import CallRecord, ForkOrigin, OtherRecord, Trace


def unrepaired_run(**script: object) -> Trace:
    """As `repaired_run`, but the confirmation rejects: the answer rests on Velmora."""
    return repaired_run({"confirm": lambda _: confirm(False), **script})


@pytest.fixture(scope="module")
def pair() -> Comparison:
    return compare(repaired_run(), unrepaired_run())


def same_question(*sentences: str) -> Trace:
    """A run of three searches that find these sentences."""
    return run_scripted(STORY_QUESTION, {"policy": asking(3, "e1")}, finding(*sentences))


# Where they part


def test_a_run_is_the_same_in_either_format() -> None:
    run = repaired_run()
    found = compare(run, in_format_1(run)).parting
    assert found.equal
    assert (found.request, found.reply) == ("", "")
    assert found.model_calls + found.searches == len(run.calls)


def test_one_reply_parts_two_runs(pair: Comparison) -> None:
    one = pair.parting
    assert (one.events, one.model_calls, one.searches) == (24, 15, 4)
    assert one.event == "event 25: A has conflict_confirmed; B has conflict_rejected"
    assert one.request == ""
    assert one.reply == "confirm"
    assert not one.equal


def test_a_run_is_equal_to_itself() -> None:
    found = compare(repaired_run(), repaired_run())
    assert found.parting.equal
    assert (found.parting.event, found.parting.request, found.parting.reply) == ("", "", "")
    assert found.parting.events == len(repaired_run().events)
    assert found.relation == "A and B are one run"
    assert found.answers.same
    assert {one.how for one in found.answers.claims} == {"same"}
    assert {(one.how, one.apart) for one in found.trees.facts} == {("same", False)}


def test_other_requests_with_the_same_events_are_named() -> None:
    found = compare(repaired_run(), repaired_run(settings=replace(SETTINGS, model="other")))
    assert found.parting.equal
    assert found.parting.model_calls == 0
    assert found.parting.request == "call of policy after event 2: body.model is 'scripted' in A; 'other' in B"
    assert found.settings == (("model", "scripted", "other"),)


def test_a_run_that_stops_early_is_a_prefix() -> None:
    whole = repaired_run()
    part = Trace(name="part", header=whole.header, records=whole.records[:20])
    found = compare(whole, part)
    assert found.parting.events == len(part.events)
    assert "B has nothing more" in found.parting.event
    assert found.answers.b is None
    assert {one.how for one in found.answers.claims} == {"only_a"}


def test_a_changed_field_is_named() -> None:
    events = story()
    events[1] = ev.ContextBuilt(node="root", evidence=(), characters=91)
    assert compare(trace_of(story()), trace_of(events)).parting.event == (
        "event 2 (context_built): characters is 90 in A; 91 in B"
    )


def test_forks_say_where_they_come_from() -> None:
    parent = repaired_run()
    origin = ForkOrigin(run_id=parent.header.run_id, moment=24, edit="verdict=reject at event 25")
    child = unrepaired_run()
    child = Trace(name="c", header=replace(child.header, run_id="c", fork=origin), records=child.records)
    sibling = Trace(name="s", header=replace(child.header, run_id="s"), records=child.records)
    assert compare(parent, child).relation == "B is a fork of A at event 24 (verdict=reject at event 25)"
    assert compare(child, parent).relation == "A is a fork of B at event 24 (verdict=reject at event 25)"
    assert compare(child, sibling).relation.startswith("A and B are forks of one run")


def test_the_agent_is_told_by_the_run_itself() -> None:
    events = [ev.RunStarted(question="Q", agent="imported"), *story()[1:]]
    found = compare(trace_of(story()), trace_of(events))
    assert found.agents == ("retree", "imported")
    assert found.parting.events == 0
    assert agent_of(trace_of([])) == "retree"


def test_two_questions_are_said_to_be_two() -> None:
    other = trace_of(story(), question="Another one?")
    assert not compare(repaired_run(), other).one_question
    assert compare(trace_of([]), trace_of([])).parting.equal


# Which moments belong together


def test_after_the_parting_searches_of_one_number_stay_together(pair: Comparison) -> None:
    found = stops(pair.a, pair.b, pair.last, pair.parting.events, "search")
    assert found[0] == (1, 1)
    assert (24, 24) in found
    assert (25, 25) in found  # both verdicts
    assert found[-1] == (len(pair.a.events), len(pair.b.events))
    assert list(found) == sorted(found)
    chosen = [
        [moment for moment, one in enumerate(trace.events, 1) if isinstance(one, ev.SearchChosen)]
        for trace in (pair.a, pair.b)
    ]
    assert set(zip(*chosen, strict=True)) <= set(found)


def test_by_event_the_shorter_run_waits_at_its_end(pair: Comparison) -> None:
    found = stops(pair.a, pair.b, pair.last, pair.parting.events, "event")
    ends = len(pair.a.events), len(pair.b.events)
    assert found == tuple((min(one, ends[0]), min(one, ends[1])) for one in range(1, max(ends) + 1))


def test_by_claim_it_stops_where_a_claim_has_its_evidence(pair: Comparison) -> None:
    found = stops(pair.a, pair.b, pair.last, pair.parting.events, "claim")
    after = [one for one in found if max(one) > 24]
    repair = next(moment for moment, one in enumerate(pair.a.events, 1) if isinstance(one, ev.EvidenceRepaired))
    assert after[0][0] == repair
    assert list(found) == sorted(found)


@pytest.mark.parametrize("by", ["search", "event", "claim"])
def test_odd_runs_have_their_ends_as_stops(by: str) -> None:
    for a, b in ((trace_of([]), trace_of([])), (trace_of(story()), trace_of([])), (trace_of([]), trace_of(story()))):
        found = compare(a, b)
        assert stops(a, b, found.last, found.parting.events, by)[-1] == (len(a.events), len(b.events))


# Memories


def test_facts_are_told_apart_by_text_and_by_what_became_of_them(pair: Comparison) -> None:
    facts = [(one.how, one.apart, one.a and one.a.id, one.b and one.b.id) for one in pair.trees.facts]
    assert facts == [
        ("changed", False, "e1", "e1"),
        ("same", True, "e2", "e2"),
        ("same", True, "e3", "e3"),
        ("same", False, "e5", "e5"),
        ("same", False, "e6", "e6"),
        ("only_b", True, None, "e4"),
    ]


def test_the_same_fact_under_another_id_is_found_and_another_value_is_paired() -> None:
    a = same_question(VELMORA, KORN, "The observatory opened in May 1931.")
    b = same_question(KORN, LIND, "The observatory opened in June 1931.")
    facts = [(one.how, one.a and one.a.id, one.b and one.b.id) for one in compare(a, b).trees.facts]
    assert facts == [("only_a", "e1", None), ("same", "e2", "e1"), ("changed", "e3", "e3"), ("only_b", None, "e2")]


def test_nodes_are_told_by_their_query(pair: Comparison) -> None:
    nodes = [(one.how, one.a and one.a.id, one.b and one.b.id) for one in pair.trees.nodes]
    assert nodes[:4] == [("same", "root", "root"), ("same", "n1", "n1"), ("same", "n2", "n2"), ("same", "n3", "n3")]
    assert ("same", "n4", "n5") in nodes  # query 5, whose node has another number
    assert nodes[-1] == ("only_b", None, "n4")


# Answers


def claim_runs() -> Comparison:
    ours = answer("Sorrel", (DRESK, ["e1"]), (SORREL, ["e6"]))
    theirs = answer("Tarn", (VELMORA, ["e1"]), (TARN, ["e3"]), ("It is so.", ["e77"]), ("And nothing.", []))
    a = repaired_run({"answer": [ours]})
    b = repaired_run({"confirm": lambda _: confirm(False), "answer": [theirs], "policy": asking(6, "e1")})
    return compare(a, b)


def test_claims_are_brought_together_and_faults_named() -> None:
    found = claim_runs().answers
    assert (found.a, found.b, found.same) == ("Sorrel", "Tarn", False)
    claims = [(one.how, one.a and one.a.number, one.b and one.b.number) for one in found.claims]
    assert claims == [
        ("changed", 1, 1),
        ("only_a", 2, None),
        ("only_b", None, 2),
        ("only_b", None, 3),
        ("only_b", None, 4),
    ]
    faults = [[(one.kind, one.id, one.by) for one in pair.b.faults] for pair in found.claims if pair.b]
    assert faults == [
        [("refuted_there", "e1", "e1")],
        [("pruned_there", "e3", "e3")],
        [("missing", "e77", "")],
        [("nothing", "", "")],
    ]
    assert [one.a.faults for one in found.claims if one.a] == [(), ()]


def test_a_repair_in_place_leaves_claims_on_a_stale_premise() -> None:
    """As an agent without a tree does it: the value is replaced, and nothing that was found with it goes."""
    events = [one for one in story() if not isinstance(one, ev.NodesPruned | ev.SearchResumed)]
    at = next(place for place, one in enumerate(events) if isinstance(one, ev.Answered))
    given = events[at]
    assert isinstance(given, ev.Answered)
    claims = (replace(given.claims[0]), replace(given.claims[1], text="Born in Thornby.", cites=("e9",)))
    events[at] = replace(given, text="Thornby", claims=claims)
    found = compare(trace_of(story()), trace_of(events)).answers
    thornby = next(one.b for one in found.claims if one.b and one.b.text == "Born in Thornby.")
    assert [(one.kind, one.id, one.by) for one in thornby.faults] == [("premise", "e9", "e3")]
    assert all(not one.a.faults for one in found.claims if one.a)


# Numbers


def test_metrics_are_counted_from_the_record(pair: Comparison) -> None:
    found = {one.name: (one.a, one.b, one.difference) for one in pair.metrics}
    assert found["status"] == ("answered", "answered", None)
    assert found["searches"] == (6, 6, 0)
    assert found["repairs"] == (1, 0, 1)
    assert found["nodes_pruned"] == (2, 0, 2)
    assert found["conflicts_rejected"] == (0, 1, -1)
    calls = len([one for one in pair.a.calls if hasattr(one.call, "role")])
    assert found["model_calls"][0] == calls
    assert found["tokens_prompt"][0] == 120 * calls
    assert found["tokens_cached"] == (None, None, None)
    assert sum(number for name, (number, _, _) in found.items() if name.startswith("calls_")) == calls
    assert "calls_report" not in found


@pytest.mark.parametrize(
    ("agent", "expected"), [("retree", (0, 0, 0)), ("flat", (0, None, 0)), ("react", (None, None, None))]
)
def test_what_an_agent_cannot_do_is_not_counted_as_zero(agent: str, expected: tuple[int | None, ...]) -> None:
    run = trace_of([ev.RunStarted(question="Who?", agent=agent)])
    found = {one.name: one.a for one in compare(run, run).metrics}
    assert tuple(found[name] for name in ("repairs", "nodes_pruned", "conflicts_rejected")) == expected


def test_a_call_without_a_count_adds_nothing() -> None:
    run = repaired_run()
    place = next(at for at, one in enumerate(run.records) if isinstance(one, CallRecord))
    call = run.records[place]
    assert isinstance(call, CallRecord)
    bare = changed(run, place, replace(call, reply=replace(call.reply, raw={"choices": []})))
    found = {one.name: one.difference for one in compare(run, bare).metrics}
    assert found["tokens_prompt"] == 120


def test_the_time_from_first_to_last_record_is_told_where_a_run_was_made_in_one_go() -> None:
    run = repaired_run()
    first, *_, last = told(run)
    at = {first.seq: "2026-01-01T00:00:58Z", last.seq: "2026-01-01T00:01:00.5Z"}
    timed = [replace(one, at=at[one.seq]) if one in (first, last) else one for one in run.records]
    stop = OtherRecord(seq=run.records[-1].seq + 1, raw={"record": "stopped"})
    fork = ForkOrigin(run_id="1", moment=3, edit="")
    for records, origin, expected in ((timed, None, 2.5), ([*timed, stop], None, None), (timed, fork, None)):
        made = replace(run, records=tuple(records), header=replace(run.header, fork=origin))
        found = {one.name: one.a for one in compare(made, made).metrics}
        assert found["seconds_from_first_to_last"] == expected


def test_everything_is_there_for_a_run_without_an_answer() -> None:
    found = compare(trace_of(story()[:30]), trace_of(story()[:12]))
    assert (found.answers.a, found.answers.b, found.answers.same) == (None, None, True)
    assert {one.name: one.a for one in found.metrics}["status"] == "unfinished"


# Other agents


@pytest.mark.parametrize("agent", ["flat", "react", "report"])
def test_any_two_agents_on_one_question_can_be_compared(agent: str) -> None:
    finds = finding(VELMORA, KORN, TARN)
    settings = replace(SETTINGS, agent=agent)
    cited = "e1" if agent == "flat" else "p1"
    said = {
        "policy": asking(3, cited),
        "report": lambda _: {"report": VELMORA},
        "answer": [answer("V", (VELMORA, [cited]))],
    }
    ours = run_scripted(STORY_QUESTION, {"policy": asking(3, "e1"), "answer": [answer("V", (VELMORA, ["e1"]))]}, finds)
    found = compare(ours, run_scripted(STORY_QUESTION, said, finds, settings))
    assert found.agents == ("retree", agent)
    assert found.one_question
    assert found.parting.events == 0
    assert ("agent", "retree", agent) in found.settings
    assert [one.how for one in found.answers.claims] == ["same"]
    assert [one.b.faults for one in found.answers.claims if one.b] == [()]
    chosen = [
        [moment for moment, one in enumerate(trace.events, 1) if isinstance(one, ev.SearchChosen)]
        for trace in (found.a, found.b)
    ]
    assert set(zip(*chosen, strict=True)) <= set(stops(found.a, found.b, found.last, 0, "search"))
