"""Calls and policy contexts: what the record says of each, in full, whatever its size or shape."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from stubs import completion
from viz.story import story, story_trace, trace_of
from worlds import (
    KORN,
    QUESTION,
    SETTINGS,
    VELMORA,
    answer,
    asking,
    changed,
    confirm,
    cut,
    finding,
    hit,
    in_format_1,
    place_of,
    repaired_run,
    replace_records,
    run_scripted,
    search,
    stop,
)

from retree_core import events as ev
from retree_core.calls import Attempt, CallFailed, ModelCall, ModelReply, SearchCall, SearchReply
from retree_core.memory import Source
from retree_core.replies import REPLIES, schema
from retree_core.text import LONGEST_READ
from retree_core.trace import CallRecord, EventRecord, Trace
from retree_core.trace.spent import Spent, spent
from retree_core.why.calls import call_lines, read_record, read_reply, totals
from retree_core.why.ledger import call_made, cost
from retree_viz.address_bar import from_query, to_query
from retree_viz.html import Html
from retree_viz.panels import calls, context, replies
from retree_viz.panels.replies import Made
from retree_viz.place import Place, moved
from retree_viz.run import Run

HOSTILE = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) $5 \u202e\u200b \ud800 שלום"


def words(made: Html) -> str:
    """What a reader sees."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", made)).split())


def model_call(role: Any = "policy", said: Any = None, content: str = "Who?", **more: Any) -> CallRecord:
    """A model call with a reply; `said` is the text of it or the whole body."""
    body = {"model": "m", "messages": [{"role": "user", "content": content}], "seed": 0}
    raw = said if isinstance(said, dict) else completion(said or "{}")
    return CallRecord(seq=1, call=ModelCall(role=role, body=body), reply=ModelReply(raw=raw), **more)


def shown(*made: CallRecord) -> str:
    """The panel at the first event of a run that made these calls before it."""
    numbered = tuple(replace(one, seq=place) for place, one in enumerate(made, 1))
    return words(calls.calls(Run(trace_of(story(), calls=numbered)), 1))


# What the record says of each call


@pytest.fixture(scope="module")
def stumbling() -> Run:
    """A policy that is cut short, then writes prose, and then makes one search and stops."""
    policy = [cut('{"reason": "th'), "I would search.", search("query 1"), stop("e1"), stop("e1")]
    return Run(run_scripted(QUESTION, {"policy": policy}, finding(VELMORA)))


def test_replies_that_the_engine_did_not_take_are_told_with_their_next_try(stumbling: Run) -> None:
    lines = [one for one in stumbling.call_lines if one.role == "policy"]
    assert [(one.attempt, bool(one.rejected)) for one in lines[:4]] == [(1, True), (2, True), (3, False), (1, False)]
    first = words(calls.calls(stumbling, 1, 1))
    assert "did not take this reply (attempt 1): the JSON was cut by the token limit" in first
    assert "Asked again: call 2" in first
    assert "Does not validate: the JSON was cut" in first
    assert "not taken" in first
    third = words(calls.calls(stumbling, 1, 3))
    assert "Attempt 3: the reply of call 2 was not taken." in third
    assert "Parsed value as policy" in third


def test_a_call_leads_to_the_event_after_it(stumbling: Run) -> None:
    events = [stumbling.event(one.moment) for one in stumbling.call_lines if one.moment]
    assert [one.kind for one in events if one][:3] == ["reply_rejected", "reply_rejected", "search_chosen"]
    first = place_of(stumbling.trace, stumbling.trace.calls[0])
    last = replace_records(stumbling.trace, stumbling.trace.records[: first + 1])
    assert call_lines(last)[-1].moment is None
    assert "the record ends here" in words(calls.calls(Run(last), 2, 1))


def test_calls_side_by_side_and_a_discarded_summary_say_so() -> None:
    run = Run(repaired_run(settings=replace(SETTINGS, summary_call="beside")))
    line = next(one for one in run.call_lines if one.discarded)
    one = words(calls.calls(run, 1, line.number))
    assert f"Side by side with call {line.number - 1}" in one
    assert f"Led to event {line.moment} The summary written ahead for a child of n3 is discarded" in one
    assert "discarded" in words(calls.calls(run, 1, listing="marked"))
    assert line.moment is not None
    assert calls.title(run, line.moment)[1] == f"1 call just before event {line.moment}"


def test_totals_add_up(stumbling: Run) -> None:
    every = totals(stumbling.call_lines)
    assert sum(one.calls for one in every) == len(stumbling.trace.calls)
    policy = next(one for one in every if one.role == "policy")
    assert (policy.prompt_tokens, policy.completion_tokens, policy.cached_tokens) == (480, 120, None)


def test_a_failed_call_has_no_count_wherever_calls_are_added_up() -> None:
    failed = replace(model_call(), seq=2, reply=CallFailed(failure="timeout", message="no reply in 600 s"))
    made = (model_call(), failed)
    run = Run(trace_of(story(), calls=made))
    found = totals(run.call_lines)[0]
    assert (found.calls, found.prompt_tokens, found.uncounted) == (2, 120, 1)
    assert spent(made)["policy"] == Spent(calls=2, prompt=120, completion=30, uncounted=1)
    assert cost((), tuple(map(call_made, made))).uncounted == 1
    assert "1 call without a token count: the sums are lower bounds." in words(calls.calls(run, 1, listing="all"))


def test_a_reply_is_read_as_the_engine_reads_it() -> None:
    call = ModelCall(role="policy", body={})

    def read(said: Any, role: Any = "policy", body: dict[str, Any] | None = None) -> Any:
        return read_reply(ModelCall(role=role, body=body or {}), ModelReply(raw=completion(said)))

    fine = '{"reason": "%s", "missing": [], "action": "search", "query": "q", "evidence": []}'
    assert read("Sure: " + fine % "why").value["query"] == "q"
    assert read(fine % " ".join(map(str, range(300)))).cut == ("reason",)
    assert read('{"action": "search"}').trouble.startswith("reason: ")
    assert read(fine.replace('"q"', '" "') % "why").trouble == "query: a search needs one"
    assert read("").trouble.startswith("the reply is empty")
    assert read('{"facts": [{"fact": "x"}, 7]}', "extract").value == {"facts": [{"fact": "x"}, 7]}
    assert read('{"facts": 7}', "extract").trouble == "facts: expected a list"
    plain = {"response_format": {"json_schema": {"schema": schema(REPLIES["confirm_paper"])}}}
    assert read('{"reason": "r", "apply": true}', "confirm", plain).value == {"reason": "r", "apply": True}
    assert read_reply(call, CallFailed(failure="timeout", message="too late")).trouble == "too late"


def test_a_reply_is_shown_as_it_was_read_when_it_came() -> None:
    run = repaired_run({"policy": [search("query 1", reason=" ".join(map(str, range(300)))), *asking(6, "e6")[1:]]})
    first = run.calls[0]
    assert "cut to its bound: reason" in words(calls.calls(Run(run), 1, 1))
    for read, said in (
        ({"value": {"query": "as it was read then"}}, "Parsed value as policy query as it was read then"),
        ({"fault": {"kind": "invalid", "text": "too odd by half"}}, "Does not validate: too odd by half"),
        ({"failed": {"failure": "empty", "message": "nothing came"}}, "Does not validate: nothing came"),
        ({"fault": 7}, "the record does not say what was made of it"),
        ({"value": [7]}, "the record does not say what was made of it"),
    ):
        other = changed(run, place_of(run, first), replace(first, read=read))
        assert said in words(calls.calls(Run(other), 1, 1)), read
        assert "query query 1" in words(calls.calls(Run(in_format_1(other)), 1, 1)), "as it is read today"
    assert read_record(first, old=False) == read_record(first, old=True)
    bare = replace(first, read=None, reply=ModelReply(raw=completion("Sure: {}")))
    assert read_record(bare, old=False).value is None


def test_thoughts_that_were_not_asked_for_are_counted() -> None:
    one = model_call(said=completion("{}", reasoning="hm"))
    off = ModelCall(role="policy", body={**one.call.body, "chat_template_kwargs": {"enable_thinking": False}})

    def listed(*made: CallRecord) -> str:
        return words(calls.calls(Run(trace_of(story(), calls=made)), 1, listing="all"))

    assert "2 replies with thoughts, though thinking was off." in listed(one, *[replace(one, call=off)] * 2)
    assert "though thinking was off" not in listed(one)


def test_tries_thinking_and_tokens_stand_apart() -> None:
    usage = {"prompt_tokens": 1200, "completion_tokens": 45, "prompt_tokens_details": {"cached_tokens": 1000}}
    usage |= {"completion_tokens_details": {"reasoning_tokens": 20}}
    attempt = Attempt(failure="rate_limited", message="slow down", waited_s=1.5)
    raw = completion("{}", reasoning_content="hm, let me see", usage=usage)
    said = shown(model_call(said=raw, failed_attempts=(attempt,), seconds=3.2))
    for expected in (
        "in 1,200 (1,000 cached) · out 45 (20 thinking)",
        "3.20, 1.5 of it waiting to try again",
        "1 try failed rate limited then waited 1.5 s slow down",
        "Thinking 14 characters hm, let me see",
        "Model m · served Qwen/Qwen3-8B",
        "seed 0",
    ):
        assert expected in said, expected
    assert "Tokens in 7 (cached not reported) · out not reported" in shown(
        model_call(said=completion("{}", usage={"prompt_tokens": 7}))
    )
    assert "empty reply" in shown(model_call(said=completion("")))


def test_a_parsed_value_is_laid_out() -> None:
    said = '{"facts": [{"passage": 1, "quote": "Ann Lee built it", "fact": "Ann Lee built the hall."}]}'
    assert "facts passage 1 quote Ann Lee built it fact Ann Lee built the hall." in shown(model_call("extract", said))


def test_a_text_of_a_megabyte_is_cut_and_can_be_had_whole() -> None:
    run = Run(trace_of(story(), calls=(model_call(content="x" * 1_000_000),)))
    made = calls.calls(run, 1)
    assert "20,000 of 1,000,000 characters shown" in words(made)
    assert 'data-do="call_json:1"' in made
    assert len(made) < 60_000


def test_a_request_of_any_size_and_shape_is_shown() -> None:
    many = [{"role": "user", "content": f"message {one}"} for one in range(200)]
    body: dict[str, Any] = {"messages": many, "response_format": "text", "stop": ["a", {"b": 1}]}
    call = CallRecord(seq=1, call=ModelCall(role="policy", body=body), reply=ModelReply(raw={"choices": 7}))
    said = shown(call, *[model_call() for _ in range(11)])
    assert "140 more messages are in the JSON" in said
    assert "4 more calls led to this event" in said


# Search calls


def test_each_hit_says_which_passage_it_became() -> None:
    finds = [
        [hit(VELMORA, "One"), hit(VELMORA.upper(), "Two"), hit(KORN, "Three", url="https://a.example/x")],
        [hit(KORN, "Four"), *(hit(f"Fact number {one} stands.", f"Page {one}") for one in range(6))],
    ]
    script = {"policy": [search("a"), search("b"), search("A"), search("c")]}
    run = Run(run_scripted(QUESTION, script, [*finds, CallFailed(failure="search_quota", message="no more")]))
    first, second, failed = [one.number for one in run.call_lines if one.role == "search"]
    said = words(calls.calls(run, 1, first))
    assert "One became p1" in said
    assert "Two left out: the same text as hit 1, p1" in said
    assert "Three became p2 a.example" in said
    assert "2 of them became passages" in said
    assert "Served again in search 3" in said
    said = words(calls.calls(run, 1, second))
    assert "Four is p2 again" in said
    assert "left out: more hits than passages wanted" in said
    assert "no more" in words(calls.calls(run, 1, failed))
    repeat = next(at for at, one in enumerate(run.events, 1) if getattr(one, "repeat_of", None))
    assert "Search 3 repeats search 1: no call was made, call 2 served it." in words(calls.calls(run, repeat))


# The list of all


def test_hundreds_of_calls_are_listed_page_by_page() -> None:
    made = [model_call("extract" if one % 5 else "policy", seconds=1.0) for one in range(250)]
    made[7] = replace(made[7], edited=True)
    numbered = tuple(replace(one, seq=place) for place, one in enumerate(made, 1))
    run = Run(trace_of(story(), calls=numbered))
    first, last = calls.calls(run, 1, None, "all"), calls.calls(run, 1, None, "all.3")
    assert "1 to 100 of 250" in words(first)
    assert 'data-do="calls:all.2"' in first
    assert "201 to 250 of 250" in words(last)
    assert "page 3 of 3" in words(last)
    assert 'data-do="call:250"' in last
    assert "1 to 50 of 50" in words(calls.calls(run, 1, None, "policy"))
    assert re.findall(r'data-do="call:(\d+)"', calls.calls(run, 1, None, "marked")) == ["8"]
    assert "all calls 250 30,000 – 7,500 250.0" in words(first)
    for odd in ("nonsense", "all.999", "all.x", "policy.-1", "."):
        assert "of 250" in words(calls.calls(run, 1, None, odd)) or "of 50" in words(calls.calls(run, 1, None, odd))


def test_the_list_says_where_the_moment_is() -> None:
    run = Run(repaired_run())
    made = calls.calls(run, 3, None, "all")
    assert made.count('class="here"') == 1
    assert "later" in made


def test_one_call_leads_to_the_next_and_back() -> None:
    run = Run(repaired_run())
    made = calls.calls(run, 3, 2, "all")
    assert 'data-do="call:1"' in made
    assert 'data-do="call:3"' in made
    assert 'data-do="calls:all"' in made
    assert "Call 2, search call" in words(calls.title(run, 3, 2)[0])
    assert "just before event" in calls.title(run, 3, 999)[1]


def test_the_address_holds_the_call_and_the_list() -> None:
    place = Place(run="samples/a.jsonl", moment=7, tab="calls", call=12, calls="policy.2")
    assert from_query(to_query(place)) == place
    assert moved(place, "calls:all") == replace(place, call=None, calls="all")
    assert moved(place, "again:9") == replace(place, call=9, dialog="again")
    assert moved(place, "call_json:x") == replace(place, call=None, dialog="call_json")


# The policy context


def test_the_context_is_the_part_of_the_request_that_the_event_measured() -> None:
    run = Run(repaired_run())
    for moment, event in enumerate(run.events, 1):
        if isinstance(event, ev.ContextBuilt):
            made = context.context(run, moment)
            (seen,) = re.findall(r'<pre class="seen">(.*?)</pre>', made, re.DOTALL)
            (marked,) = re.findall(r"<mark>(.*?)</mark>", seen, re.DOTALL)
            assert len(unescape(marked)) == event.characters
            assert "said refuse" not in made
            assert f"{event.characters:,} of at most 2,413 characters" in words(made)


def test_the_choice_of_evidence_is_shown_with_its_scores() -> None:
    run = Run(repaired_run(settings=replace(SETTINGS, shown_evidence=1)))
    moment = [at for at, one in enumerate(run.events, 1) if isinstance(one, ev.ContextBuilt)][2]
    said = words(context.context(run, moment))
    assert "1 of 2, at most 1" in said
    assert "2 e1 The capital of Alvonia is Velmora. alvonia, capital" in said
    assert "not recorded" not in said
    assert "Not shown 1 fact of the active path, words in common e2" in said
    assert "The policy's answer event" in said


def test_a_choice_among_facts_of_endless_length_has_no_scores() -> None:
    fact = ev.NewFact(id="e1", text="long " * LONGEST_READ, source=Source(passage="p1", quote="long"))
    events: list[ev.Event] = [
        ev.RunStarted(question="How long?", agent="retree"),
        ev.SearchChosen(search=1, query="long", origin="policy"),
        ev.FactsExtracted(search=1, facts=(fact,)),
        ev.NodeAdded(node="n1", parent="root", search=1, query="long", evidence=("e1",)),
        ev.ContextBuilt(node="n1", evidence=("e1",), characters=500),
    ]
    assert "The scores were not recorded." in words(context.context(Run(trace_of(events)), 5))


def test_a_choice_that_the_record_does_not_explain_has_no_scores() -> None:
    run = Run(repaired_run(settings=replace(SETTINGS, shown_evidence=1)))
    moment = [at for at, one in enumerate(run.events, 1) if isinstance(one, ev.ContextBuilt)][2]
    place = next(at for at, one in enumerate(run.trace.records) if getattr(one, "event", None) is run.event(moment))
    record = run.trace.records[place]
    assert isinstance(record, EventRecord)
    assert isinstance(record.event, ev.ContextBuilt)
    other = replace(record.event, evidence=("e2",), characters=record.event.characters + 500)
    said = words(context.context(Run(changed(run.trace, place, replace(record, event=other))), moment))
    assert "The scores were not recorded. – e2 The mayor of Velmora is Ilse Korn." in said
    assert "Not shown 1 fact of the active path e1" in said
    assert "the event says 628." in said


def test_the_gauge_of_a_context_stays_within_its_bounds() -> None:
    for characters, width in ((-5, "0.0%"), (10**29, "100.0%")):
        built = ev.ContextBuilt(node="n1", evidence=(), characters=characters)
        made = context.context(Run(trace_of([story()[0], built])), 2)
        assert f'width="{width}" height="6"' in made


def test_a_context_without_a_request_is_written_out_from_the_state() -> None:
    run = Run(story_trace())
    said = words(context.context(run, 2))
    assert "rendered from the state: no policy request follows" in said
    assert "Summary: (nothing yet) Evidence: (none yet)" in said
    assert "1 of 8" in said
    assert "at event 2" in words(context.context(run, 1))
    assert "it has no policy call" in words(context.context(Run(trace_of([story()[0]])), 1))


def test_an_agent_without_facts_or_bound_shows_all_that_it_keeps() -> None:
    script = {"policy": asking(2, "p1"), "answer": [answer("Velmora", ("It is Velmora.", ["p1"]))]}
    run = Run(run_scripted(QUESTION, script, finding(VELMORA, KORN), replace(SETTINGS, agent="react")))
    last = max(at for at, one in enumerate(run.events, 1) if isinstance(one, ev.ContextBuilt))
    made = context.context(run, last)
    said = words(made)
    assert "Nothing bounds the context of this agent" in said
    assert "Passages it can name 2 passages p1 , p2" in said
    assert "said refuse" not in made
    lost = Trace(name="x", header=run.trace.header, records=tuple(r for r in run.trace.records if hasattr(r, "event")))
    assert "This record holds no request to show it from." in words(context.context(Run(lost), 2))


# Two replies


def test_two_replies_stand_side_by_side() -> None:
    call = ModelCall(role="confirm", body={"messages": [{"role": "user", "content": "Is it so?"}], "seed": 0})
    edited = ModelCall(role="confirm", body={"messages": [{"role": "user", "content": "Is it not so?"}], "seed": 1})
    old = Made(title="Recorded", call=call, reply=ModelReply(raw=completion("Yes, it is.")), seconds=2.0)
    new = Made(title="Re-run", call=edited, reply=ModelReply(raw=completion("No, it is.")), seconds=1.0)
    made = replies.side_by_side(old, new)
    assert "<del>Yes</del>, it is." in made
    assert "<ins>No</ins>, it is." in made
    assert "<ins>not </ins>" in made
    assert "temperature not reported · seed 1" in words(made)
    assert "Does not validate" in words(made)
    assert "the same, word for word" in words(replies.side_by_side(old, old))
    assert "The prompt is the recorded one" in words(replies.side_by_side(old, old))


@pytest.mark.parametrize(
    "note", [{}, {"reply": []}, {"reply": {}, "messages": 7}, {"reply": {"choices": 3}, "seconds": "x", "at": HOSTILE}]
)
def test_odd_notes_are_shown_not_raised(note: dict[str, Any]) -> None:
    call = ModelCall(role="confirm", body={})
    new = replies.kept(call, note)
    old = Made(title="Recorded", call=call, reply=CallFailed(failure="timeout", message="late"), seconds=0.0)
    assert new is None or "late" in words(replies.side_by_side(old, new))


# Hostile records


def test_hostile_text_is_only_text() -> None:
    h = HOSTILE
    raw = completion('{"<img>": ["<b>", {"a": {"b": {"c": {"d": 1}}}}]}', reasoning_content=h, model=h)
    body = {"model": h, "messages": [{"role": h, "content": h}], h: {h: h}, "response_format": {h: h}}
    reply = SearchReply(hits=(hit(h, h, url="javascript:alert(1)", published=h), hit("")), raw={h: [h]})
    made = (
        CallRecord(seq=1, call=ModelCall(role="policy", body=body), reply=ModelReply(raw=raw), at=h),
        CallRecord(seq=2, call=ModelCall(role="judge", body={}), reply=ModelReply(raw=completion(h))),
        CallRecord(seq=3, call=SearchCall(query=h, limit=-1), reply=reply),
        model_call("report", failed_attempts=(Attempt(failure="timeout", message=h, waited_s=0.0),)),
    )
    run = Run(trace_of(story(), calls=made))
    text = "".join(
        calls.calls(run, 1, number, listing) for number in (None, 1, 2, 3, 4) for listing in ("", "all", "marked", h)
    )
    assert "<img" not in text
    assert "<b>" not in text.replace("<b>", "", 0) or not re.search(r"<b>\s*\"", text)
    assert not re.search(r"href=\"(?!https?://)", text)
    assert "\u202e" not in text
    text.encode()


def test_a_run_cut_anywhere_can_be_looked_at() -> None:
    whole = repaired_run({"confirm": [confirm()]})
    for end in range(0, len(whole.records), 3):
        run = Run(Trace(name="x", header=whole.header, records=whole.records[:end]))
        for moment in (0, 1, run.total):
            calls.calls(run, moment, None, "all")
            context.context(run, moment)
        for number in range(1, len(run.trace.calls) + 1, 5):
            calls.calls(run, run.total, number)
