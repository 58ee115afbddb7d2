"""Breakpoints: one line of conditions, the same on a saved trace and on a run that goes on."""

import pytest
from viz.story import story_trace
from worlds import calls_of, kinds, repaired_run

from retree_core.breakpoints import Breakpoint, hits
from retree_core.calls import ModelCall, SearchCall
from retree_core.errors import UsageError
from retree_core.state import State, fold
from retree_core.trace import CallRecord, EventRecord


def stops(text, trace=None):
    return hits(trace or repaired_run(), Breakpoint.parse(text))


def kinds_at(text, trace=None):
    """Kinds of the events that a breakpoint stops at."""
    trace = trace or repaired_run()
    return [trace.events[moment - 1].kind for moment in stops(text, trace)]


def test_an_event_kind_stops_at_every_event_of_that_kind():
    trace = repaired_run()
    expected = tuple(at for at, kind in enumerate(kinds(trace), 1) if kind == "conflict_proposed")
    assert len(expected) == 1
    assert stops("conflict_proposed", trace) == stops("kind=conflict_proposed", trace) == expected


def test_a_role_stops_at_the_moment_before_each_of_its_calls():
    trace = repaired_run()
    assert kinds_at("role=confirm", trace) == ["conflict_proposed"]
    assert kinds_at("role=search", trace) == ["search_chosen"] * 6
    assert len(stops("role=policy", trace)) == len(calls_of(trace, "policy"))


def test_evidence_stops_where_an_event_names_it_or_prunes_it():
    assert kinds_at("evidence=e3") == ["facts_extracted", "node_added", "context_built", "nodes_pruned"]
    assert kinds_at("evidence=e1 evidence=e4") == ["conflict_proposed", "conflict_confirmed", "evidence_repaired"]
    assert kinds_at("evidence=e1 kind=evidence_repaired") == ["evidence_repaired"]


def test_evidence_of_a_call_is_what_its_request_shows_by_id_or_by_text():
    assert kinds_at("role=confirm evidence=e1") == ["conflict_proposed"]
    assert kinds_at("role=confirm evidence=e5") == []
    assert kinds_at("role=answer evidence=e1") == ["stop_chosen"]


def test_a_node_stops_while_it_is_current_and_where_it_is_named():
    assert kinds_at("node=n2 kind=search_chosen") == ["search_chosen"]
    assert kinds_at("node=n2 kind=nodes_pruned") == ["nodes_pruned"]
    assert kinds_at("node=n2 role=search") == ["search_chosen"]


def test_context_is_the_one_just_built_or_the_one_in_force():
    trace = repaired_run()
    sizes = [one.characters for one in trace.events if one.kind == "context_built"]
    bound = sorted(sizes)[len(sizes) // 2]
    many = sum(one > bound for one in sizes)
    assert 0 < many < len(sizes)
    assert kinds_at(f"context>{bound}", trace) == ["context_built"] * many
    assert len(stops(f"context>{bound} role=policy", trace)) == many
    assert stops("context>999999", trace) == ()
    assert set(kinds_at(f"search_chosen context>{bound}", trace)) == {"search_chosen"}


def test_text_is_looked_for_in_any_case_and_not_in_the_kind():
    assert kinds_at('text="capital of alvonia is dresk"') == [
        "passages_retrieved",
        "facts_extracted",
        "evidence_repaired",
        *["summary_written"] * 3,
        "answered",
    ]
    assert kinds_at("text=Velmora text=Dresk kind=evidence_repaired") == ["evidence_repaired"]
    assert kinds_at("text=conflict_proposed") == []
    assert kinds_at('role=search text="QUERY 3"') == ["search_chosen"]


def test_a_live_run_is_stopped_where_its_record_is():
    trace = story_trace()
    for text in ("conflict_confirmed", "role=policy", "evidence=e3", "node=n2", "context>500", "text=Harcastle"):
        breakpoint = Breakpoint.parse(text)
        found, state = set(), State()
        for record in trace.records:
            if isinstance(record, EventRecord):
                state = fold([record.event], state)
                found |= {state.moment} if breakpoint.stops_at(record.event, state) else set()
            elif isinstance(record, CallRecord) and breakpoint.stops_before(record.call, state):
                found.add(state.moment)
        assert tuple(sorted(found)) == hits(trace, breakpoint)


def test_calls_stop_nothing_that_waits_for_events_and_the_other_way_round():
    call = ModelCall(role="confirm", body={"messages": [{"role": "user", "content": "Velmora"}]})
    assert Breakpoint.parse("role=confirm text=velmora").stops_before(call, State())
    assert not Breakpoint.parse("text=velmora").stops_before(call, State())
    assert not Breakpoint.parse("role=confirm").stops_before(SearchCall(query="q", limit=5), State())
    odd = ModelCall(role="confirm", body={"messages": "no list"})
    assert not Breakpoint.parse("role=confirm text=velmora").stops_before(odd, State())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("conflict", "names no event kind: 'conflict'"),
        ("kind=nothing", "names no event kind: 'nothing'"),
        ("role=boss", "names no role: 'boss'"),
        ("context>many", "needs a number of characters"),
        ("context=1500", "has no condition 'context='"),
        ("evidence>3", "has no condition 'evidence>'"),
        ("colour=red", "has no condition 'colour='"),
        ('text=""', "says nothing after text="),
        ("search_chosen node_added", "two conditions on kind"),
        ("search_chosen role=policy", "an event is never a call"),
    ],
)
def test_a_line_that_makes_no_sense_says_what_is_expected(text, said):
    with pytest.raises(UsageError) as error:
        Breakpoint.parse(text)
    assert said in str(error.value)
    assert "expected an event kind such as conflict_proposed" in str(error.value)
    assert "\n" not in str(error.value)


def test_the_line_is_kept_as_it_was_written():
    assert Breakpoint.parse('  node=n3   text="It\'s here" ').text == 'node=n3 text="It\'s here"'
