"""Replay: the engine on the recorded replies, without a network; the first difference is named."""

from dataclasses import fields, replace

import pytest
from worlds import (
    QUESTION,
    SETTINGS,
    VELMORA,
    as_reply,
    asking,
    changed,
    conflict,
    finding,
    kinds,
    repaired_run,
    replace_records,
    run_scripted,
    search,
    told,
    write_trace,
)

from retree_core.calls import CallFailed, ModelCall, SearchCall, SearchReply
from retree_core.drivers.course import start
from retree_core.drivers.replay import difference, follow, replay
from retree_core.errors import ReplayMismatch
from retree_core.settings import Settings
from retree_core.trace import CallRecord, EventRecord, OtherRecord, Trace, read_trace

pytestmark = pytest.mark.usefixtures("no_sockets")

RUN = repaired_run()


def _mismatch(trace):
    with pytest.raises(ReplayMismatch) as caught:
        replay(trace)
    return caught.value


def _at(trace, kind):
    """Place of the first record of an event kind or a call's role."""
    return next(
        place
        for place, one in enumerate(trace.records)
        if isinstance(one, EventRecord | CallRecord)
        and (one.event.kind if isinstance(one, EventRecord) else one.role) == kind
    )


def test_a_recorded_run_replays_to_equal_events(tmp_path):
    path = write_trace(RUN, tmp_path / "run.jsonl")
    assert replay(read_trace(path)) == RUN.events


@pytest.mark.parametrize("records", range(0, len(RUN.records), 7))
def test_a_run_that_stopped_anywhere_replays_as_far_as_it_goes(records):
    part = replace_records(RUN, RUN.records[:records])
    assert replay(part) == RUN.events[: len(part.events)]


def test_a_changed_reply_is_found_where_it_shows_first():
    place = _at(RUN, "policy")
    wrong = replace(RUN.records[place], reply=as_reply(search("another query")))
    error = _mismatch(changed(RUN, place, wrong))
    assert (str(error), error.record) == (
        "event 3 (search_chosen): query is 'another query'; recorded 'query 1'",
        place + 2,
    )


def test_a_changed_verdict_is_found_where_the_engine_takes_another_way():
    place = (
        max(
            at
            for at, one in enumerate(RUN.records)
            if isinstance(one, EventRecord) and one.event.kind == "conflict_proposed"
        )
        - 1
    )
    error = _mismatch(changed(RUN, place, replace(RUN.records[place], reply=as_reply(conflict()))))
    moment = kinds(RUN).index("conflict_proposed") + 1
    assert str(error) == f"event {moment}: the engine yields node_added; the record has conflict_proposed"


def test_a_changed_hit_is_found():
    place = _at(RUN, "search")
    hits = RUN.records[place].reply.hits
    wrong = SearchReply(hits=(replace(hits[0], text="The capital of Alvonia is Sorrel."),))
    error = _mismatch(changed(RUN, place, replace(RUN.records[place], reply=wrong)))
    assert str(error) == (
        "event 4 (passages_retrieved): passages.0.text is "
        "'pital of Alvonia is Sorrel.'; recorded 'pital of Alvonia is Velmora.'"
    )


def test_a_reply_that_became_a_failure_is_found():
    place = _at(RUN, "extract")
    wrong = replace(RUN.records[place], reply=CallFailed(failure="timeout", message="late"))
    error = _mismatch(changed(RUN, place, wrong))
    assert str(error) == "event 5: the engine yields run_ended; the record has facts_extracted"


@pytest.mark.parametrize("moment", range(1, len(RUN.events) + 1))
def test_any_changed_event_is_named(moment):
    place = [at for at, one in enumerate(RUN.records) if isinstance(one, EventRecord)][moment - 1]
    event = RUN.events[moment - 1]
    name, value = next((one.name, getattr(event, one.name)) for one in fields(event) if one.name != "kind")
    other = f"{value}!" if isinstance(value, str) else value + 1 if isinstance(value, int) else (*value, "e99")
    error = _mismatch(changed(RUN, place, replace(RUN.records[place], event=replace(event, **{name: other}))))
    assert str(error).startswith(f"event {moment} ({event.kind}): {name} is ")
    assert error.record == place


def test_a_changed_request_is_named_by_role_and_place():
    place = _at(RUN, "extract")
    record = RUN.records[place]
    body = {**record.call.body, "temperature": 1.0}
    error = _mismatch(changed(RUN, place, replace(record, call=replace(record.call, body=body))))
    assert str(error) == "call of extract after event 4 (extract): body.temperature is 0.7; recorded 1.0"


def test_a_changed_word_in_a_prompt_is_shown_with_what_stands_before_it():
    place = _at(RUN, "extract")
    record = RUN.records[place]
    system, user = record.call.body["messages"]
    text = user["content"].replace("Velmora", "Velmar")
    body = {**record.call.body, "messages": [system, {**user, "content": text}]}
    error = _mismatch(changed(RUN, place, replace(record, call=replace(record.call, body=body))))
    assert str(error) == (
        "call of extract after event 4 (extract): body.messages.1.content is "
        "'l of Alvonia is Velmora.'; recorded 'l of Alvonia is Velmar.'"
    )


def test_a_lost_record_is_named():
    place = _at(RUN, "passages_retrieved")
    error = _mismatch(replace_records(RUN, [*RUN.records[:place], *RUN.records[place + 1 :]]))
    assert str(error) == "call of extract after event 3: the engine yields passages_retrieved; the record has extract"


def test_a_record_after_the_end_is_named():
    error = _mismatch(replace_records(RUN, [*RUN.records, told(RUN)[-1]]))
    assert str(error) == f"event {len(RUN.events) + 1}: the engine had ended; the record has run_ended"
    assert error.record == len(RUN.records)


def test_an_end_that_came_too_early_is_named():
    place = _at(RUN, "passages_retrieved")
    error = _mismatch(replace_records(RUN, [*RUN.records[:place], told(RUN)[-1]]))
    assert str(error) == "event 4: the engine yields passages_retrieved; the record has run_ended"


def test_other_settings_or_another_question_are_a_difference():
    fewer = Trace(name="x", header=replace(RUN.header, settings=replace(SETTINGS, max_searches=2)), records=RUN.records)
    assert "the engine yields budget_exhausted; the record has search_chosen" in str(_mismatch(fewer))
    other = Trace(name="x", header=replace(RUN.header, question="Who?"), records=RUN.records)
    assert "event 1 (run_started): question is 'Who?'; recorded" in str(_mismatch(other))


def test_records_of_other_kinds_are_passed_over():
    note = OtherRecord(seq=0, raw={"record": "note"})
    assert replay(replace_records(RUN, [note, *RUN.records[:9], note, *RUN.records[9:], note])) == RUN.events


def test_follow_gives_the_first_item_that_the_records_do_not_cover():
    course = start(QUESTION, SETTINGS)
    follow(course, RUN.records[: _at(RUN, "policy")])
    assert course.requests() == (RUN.calls[0].call,)
    course = start(QUESTION, SETTINGS)
    follow(course, RUN.records)
    assert course.item is None


def test_every_kind_of_ending_replays():
    ends = [
        run_scripted(QUESTION, {"policy": ["no", "no", "no"]}, []),
        run_scripted(QUESTION, {"policy": [CallFailed(failure="context_overflow", message="too long")]}, []),
        run_scripted(QUESTION, {"policy": asking(2)[:2]}, [CallFailed(failure="search_quota", message="spent")]),
        run_scripted(QUESTION, {"policy": asking(2)[:2]}, [[]], Settings(max_searches=1)),
        run_scripted(QUESTION, {"policy": asking(2)[:2]}, finding(VELMORA), Settings(max_searches=1)),
    ]
    assert [replay(one)[-1].status for one in ends] == [
        "llm_error",
        "context_overflow",
        "search_quota",
        "no_answer",
        "budget_exhausted",
    ]


@pytest.mark.parametrize(
    ("recorded", "now", "said"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, "b is 2; recorded None"),
        ({"a": 1, "b": 2}, {"a": 1}, "b is None; recorded 2"),
        ({"a": [1, 2]}, {"a": [1]}, "a is [1]; recorded [1, 2]"),
        ({"a": "x"}, {"a": 7}, "a is 7; recorded x"),
        ({"a": {"b": ["c", {"d": True}]}}, {"a": {"b": ["c", {"d": False}]}}, "a.b.1.d is False; recorded True"),
    ],
)
def test_a_difference_is_said_in_words(recorded, now, said):
    assert difference(recorded, now) == said


def test_a_call_is_named_search_or_by_its_role():
    calls = [one.call for one in RUN.calls[:4]]
    assert [type(one) for one in calls] == [ModelCall, SearchCall, ModelCall, ModelCall]
