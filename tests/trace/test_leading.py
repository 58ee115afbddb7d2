"""Which event a call led to: mostly the next one, but two calls made side by side lead to an event each."""

from dataclasses import replace

import pytest
from worlds import (
    KORN,
    QUESTION,
    SETTINGS,
    VELMORA,
    asking,
    conflict,
    finding,
    in_format_1,
    repaired_run,
    replace_records,
    run_scripted,
    summary,
)

from retree_core.trace import EventRecord
from retree_core.why import Ledger, why_event
from retree_core.why.calls import call_lines

BESIDE = replace(SETTINGS, summary_call="beside")


def led_to(run):
    """Role of each call, and number and kind of the event that it led to, if any."""
    pairs = zip(run.calls, run.leads.events, strict=True)
    return [(one.role, at, run.events[at - 1].kind if at else "") for one, at in pairs]


def made_for(run, kind):
    """Roles of the calls made for the first event of a kind."""
    at = next(at for at, one in enumerate(run.events, 1) if one.kind == kind)
    return [one.role for one in Ledger(run).calls_for(at)]


def test_in_the_papers_order_each_call_leads_to_the_event_after_it():
    run = repaired_run()
    before = run.calls_before
    assert list(run.leads.events) == [
        next(at for at, calls in enumerate(before, 1) if calls > number) for number in range(len(run.calls))
    ]
    assert run.leads.calls == run.leads.tries


def test_of_two_calls_side_by_side_each_leads_to_its_own_event():
    run = repaired_run(settings=BESIDE)
    assert led_to(run)[4:11] == [
        ("policy", 9, "search_chosen"),
        ("search", 10, "passages_retrieved"),
        ("extract", 11, "facts_extracted"),
        ("conflict", 12, "node_added"),
        ("summarise", 13, "summary_written"),
        ("policy", 15, "search_chosen"),
        ("search", 16, "passages_retrieved"),
    ]
    at = next(at for at, one in enumerate(run.events, 1) if one.kind == "summary_discarded")
    assert [(role, where) for role, where, _ in led_to(run) if where in (at, at + 1)] == [
        ("summarise", at),
        ("summarise", at + 1),
    ]
    assert made_for(run, "conflict_proposed") == ["conflict"]
    assert made_for(run, "summary_discarded") == ["summarise"]
    discarded = [one for one in call_lines(run) if one.discarded]
    assert [(one.role, one.moment, one.marked) for one in discarded] == [("summarise", at, True)]
    pairs = [(one.role, one.number - one.beside) for one in call_lines(run) if one.beside]
    assert pairs[:2] == [("conflict", -1), ("summarise", 1)]


def test_a_rejected_reply_leads_to_its_rejection_and_its_repetition_to_what_came_of_it():
    script = {
        "policy": asking(2, "e2"),
        "conflict": ["no JSON", conflict()],
        "summarise": [summary("No mayor yet."), "nor this", "nor that", summary("Still no mayor.")],
    }
    run = run_scripted(QUESTION, script, finding(VELMORA, KORN), BESIDE)
    assert led_to(run)[7:12] == [
        ("conflict", 12, "reply_rejected"),
        ("summarise", 13, "reply_rejected"),
        ("conflict", 15, "node_added"),
        ("summarise", 14, "reply_rejected"),
        ("summarise", 16, "summary_written"),
    ]
    lines = call_lines(run)[7:12]
    assert [(one.role, one.attempt, bool(one.rejected)) for one in lines] == [
        ("conflict", 1, True),
        ("summarise", 1, True),
        ("conflict", 2, False),
        ("summarise", 2, True),
        ("summarise", 3, False),
    ]
    assert [one.role for one in why_event(run, 16).calls] == ["summarise"] * 3
    assert [one.role for one in Ledger(run).calls_for(15)] == ["conflict"] * 2
    assert [one.role for one in Ledger(run).calls_for(14)] == ["summarise"] * 2
    followed = [one for one in why_event(run, 12).points if one.label == "What followed"]
    assert [one.words for one in followed] == [("asked again, with the fault named",)]


def test_a_summary_that_the_record_lost_is_looked_for_in_its_own_search_alone():
    lost = without(repaired_run(settings=BESIDE), "summary_written")
    assert of_summaries(in_format_1(lost)) == [
        *["context_built"] * 3,
        "summary_discarded",
        *["context_built"] * 3,
    ]
    assert of_summaries(lost) == [*[""] * 3, "summary_discarded", *[""] * 3], "that no event says it comes from"


def without(run, kind):
    """The run without the events of a kind."""
    kept = [one for one in run.records if not isinstance(one, EventRecord) or one.event.kind != kind]
    return replace_records(run, kept)


def of_summaries(run):
    """What each call for a summary led to."""
    return [kind for role, _, kind in led_to(run) if role == "summarise"]


@pytest.mark.parametrize("settings", [SETTINGS, BESIDE, replace(SETTINGS, on_repair="keep_facts")])
def test_what_events_say_is_what_their_places_say(settings):
    """Their causes stand in records of format 2; in those of format 1 it shows in their places."""
    run = repaired_run(settings=settings)
    said, guessed = run.leads, in_format_1(run).leads
    assert said.events == guessed.events
    assert said.calls == guessed.calls
    assert said.tries == guessed.tries


def test_an_event_names_all_calls_that_it_comes_from():
    run = repaired_run()
    made = {at: [run.calls[number].role for number in numbers] for at, numbers in run.leads.made.items()}
    kinds = {run.events[at - 1].kind: roles for at, roles in made.items()}
    assert kinds["conflict_proposed"] == ["conflict"]
    assert kinds["conflict_confirmed"] == ["confirm"]
    assert kinds["evidence_repaired"] == ["confirm"]
    assert kinds["search_chosen"] == ["policy"]
    assert "run_started" not in kinds
