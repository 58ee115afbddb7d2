"""Failed searches, failed calls, replies that do not validate."""

import pytest
from stubs import completion
from worlds import (
    KORN,
    QUESTION,
    VELMORA,
    answer,
    asking,
    calls_of,
    cut,
    every,
    facts,
    failed,
    finding,
    kinds,
    only,
    prompt,
    run_scripted,
    search,
    state,
    stop,
)

from retree_core.calls import ModelReply
from retree_core.events import Answered, FactDropped, ReplyRejected, RunEnded, SearchFailed
from retree_core.memory import Search
from retree_core.settings import Settings


def test_a_failed_search_is_an_event_counts_and_the_run_goes_on():
    run = run_scripted(
        QUESTION, {"policy": asking(2, "e1")}, [failed("timeout", "no reply in 20 s"), *finding(VELMORA)]
    )
    assert only(run, SearchFailed) == SearchFailed(search=1, failure="timeout", message="no reply in 20 s")
    assert state(run).searches[0] == Search(number=1, query="query 1", origin="policy", failure="timeout")
    assert only(run, RunEnded).status == "answered"
    assert "no reply in 20 s" not in prompt(calls_of(run, "policy")[1])


def test_when_every_search_failed_there_is_no_answer():
    run = run_scripted(
        QUESTION,
        {"policy": [search("a"), search("b"), search("c")]},
        [failed("timeout"), failed("server_error")],
        Settings(max_searches=2),
    )
    assert only(run, RunEnded) == RunEnded(status="no_answer", detail="every search failed")


@pytest.mark.parametrize(("failure", "status"), [("search_quota", "search_quota"), ("unauthorized", "search_error")])
def test_a_search_that_can_never_succeed_ends_the_run(failure, status):
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, [*finding(VELMORA), failed(failure, "spent")])
    assert kinds(run)[-2:] == ["search_failed", "run_ended"]
    assert only(run, RunEnded) == RunEnded(status=status, detail="spent")


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        ("context_overflow", "context_overflow"),
        ("timeout", "llm_error"),
        ("connection", "llm_error"),
        ("unauthorized", "llm_error"),
        ("unknown_model", "llm_error"),
        ("rate_limited", "llm_error"),
        ("server_error", "llm_error"),
        ("bad_request", "llm_error"),
        ("bad_envelope", "llm_error"),
    ],
)
@pytest.mark.parametrize("role", ["policy", "extract", "summarise", "answer"])
def test_a_model_call_that_failed_for_good_ends_the_run_and_is_not_made_again(role, failure, status):
    script = {"policy": asking(1, "e1"), role: [failed(failure, "the server is down")]}
    run = run_scripted(QUESTION, script, finding(VELMORA))
    assert only(run, RunEnded) == RunEnded(status=status, detail="the server is down")
    assert len(calls_of(run, role)) == 1
    assert every(run, Answered) == []


def test_an_error_body_with_status_200_is_a_failed_call():
    body = ModelReply(raw={"error": {"message": "model is overloaded"}})
    run = run_scripted(QUESTION, {"policy": [body]}, [])
    assert (only(run, RunEnded).status, "overloaded" in only(run, RunEnded).detail) == ("llm_error", True)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("", "the reply is empty"),
        ("Thought 1: done", "no JSON object in the text"),
        ("[]", "no JSON object in the text"),
        ('{"action": ""}', "Field required"),
        ({**search("x"), "action": "dance"}, "action: Input should be 'search' or 'answer'"),
        (search("  "), "query: a search needs one"),
        ({**search("x"), "missing": "all"}, "missing: Input should be a valid list"),
        ({**search("x"), "reason": None}, "reason: Input should be a valid string"),
    ],
)
def test_a_reply_that_does_not_validate_is_rejected_by_name_and_asked_for_again(said, reason):
    run = run_scripted(QUESTION, {"policy": [said, *asking(1, "e1")]}, finding(VELMORA))
    event = only(run, ReplyRejected)
    assert (event.role, event.attempt) == ("policy", 1)
    assert reason in event.reason
    assert prompt(calls_of(run, "policy")[1]).endswith(
        f"Your last reply was not valid ({event.reason}). Reply with the JSON object only."
    )


def test_after_three_invalid_replies_the_run_ends():
    run = run_scripted(QUESTION, {"policy": ["one", "two", "three"]}, [])
    assert kinds(run) == ["run_started", "context_built", *["reply_rejected"] * 3, "run_ended"]
    assert only(run, RunEnded) == RunEnded(
        status="llm_error", detail="no valid reply from the model; policy: no JSON object in the text"
    )


def test_the_correction_replaces_the_one_before_so_prompts_do_not_grow():
    long = ["x" * 4000, "y " * 2000, *asking(1, "e1")]
    run = run_scripted(QUESTION, {"policy": long}, finding(VELMORA))
    first, second, third = (prompt(one) for one in calls_of(run, "policy")[:3])
    assert len(second) == len(third) < len(first) + 300
    assert third.count("Your last reply was not valid") == 1


def test_each_attempt_has_a_seed_of_its_own_so_that_it_may_come_out_otherwise():
    run = run_scripted(QUESTION, {"policy": ["one", "two", *asking(1, "e1")]}, finding(VELMORA))
    assert [one.call.body["seed"] for one in calls_of(run, "policy")] == [0, 1, 2, 0]


@pytest.mark.parametrize("text", ['{"reason": "I should', "Okay, the user wants the capital. Let me check", ""])
def test_a_reply_cut_by_the_token_limit_is_asked_for_again_with_twice_the_room_and_no_correction(text):
    run = run_scripted(QUESTION, {"policy": [cut(text), *asking(1, "e1")]}, finding(VELMORA))
    first, second = calls_of(run, "policy")[:2]
    assert second.call.body["max_tokens"] == 2 * first.call.body["max_tokens"]
    assert prompt(second) == prompt(first)
    assert "token limit" in only(run, ReplyRejected).reason


def test_thoughts_are_no_part_of_a_reply():
    said = '<think>{"action": "answer"} or not?</think>\n' + '{"reason": "", "missing": [], "action": "search", '
    said += '"query": "capital of Alvonia", "evidence": []}'
    run = run_scripted(QUESTION, {"policy": [said, stop("e1")]}, finding(VELMORA))
    assert state(run).searches[0].query == "capital of Alvonia"


def test_thoughts_alone_are_no_reply_and_enter_no_later_prompt():
    thoughts = ModelReply(raw=completion("", reasoning_content="SECRET THOUGHT"))
    run = run_scripted(QUESTION, {"policy": [thoughts, *asking(1, "e1")]}, finding(VELMORA))
    assert "the reply is empty" in only(run, ReplyRejected).reason
    assert not [one for one in run.calls if hasattr(one.call, "role") and "SECRET" in prompt(one)]


def test_an_extraction_that_never_validates_costs_its_facts_and_not_the_run():
    script = {"policy": asking(2, "e1"), "extract": ["none", "none", "none", facts((1, VELMORA))]}
    run = run_scripted(QUESTION, script, finding(KORN, VELMORA))
    assert only(run, FactDropped) == FactDropped(
        text="", cause="malformed", detail="extract: no JSON object in the text"
    )
    assert only(run, RunEnded).status == "answered"


def test_a_summary_that_never_validates_keeps_the_parents():
    script = {"policy": asking(1, "e1"), "summarise": ["", "", ""], "answer": [answer("Velmora")]}
    run = run_scripted(QUESTION, script, finding(VELMORA))
    assert (state(run).nodes["n1"].summary, only(run, RunEnded).status) == ("", "answered")


def test_texts_and_lists_over_their_bounds_are_cut_to_them():
    long = " ".join(f"word{number}" for number in range(200))
    said = {**search(long), "reason": long, "missing": ["one", "two", "three", "four", "five"]}
    run = run_scripted(QUESTION, {"policy": [said, stop("e1")]}, finding(VELMORA))
    chosen = run.events[2]
    assert (chosen.query, chosen.reason, chosen.missing) == (long[:240], long[:400], ("one", "two", "three", "four"))
    assert every(run, ReplyRejected) == []


def test_every_request_names_its_role_its_schema_and_its_sampling():
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, finding(VELMORA, KORN))
    for one in run.calls:
        if not hasattr(one.call, "role"):
            continue
        body = one.call.body
        form = body["response_format"]
        assert (form["type"], form["json_schema"]["name"]) == ("json_schema", f"retree_{one.call.role}")
        assert (form["json_schema"]["strict"], form["json_schema"]["schema"]["additionalProperties"]) == (True, False)
        temperature = 0.0 if one.call.role in ("conflict", "confirm") else 0.7  # a verdict is no draw
        sampling = [body[key] for key in ("model", "temperature", "top_p", "top_k", "seed")]
        assert sampling == ["scripted", temperature, 0.8, 20, 0]
        assert body["chat_template_kwargs"] == {"enable_thinking": False}
        assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_ids_and_indices_are_narrowed_to_those_shown():
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, finding(VELMORA, KORN))

    def narrowed(role, *keys):
        node = calls_of(run, role)[-1].call.body["response_format"]["json_schema"]["schema"]
        for key in keys:
            node = node["properties"][key] if key != "*" else node["items"]
        return node

    assert narrowed("policy", "evidence", "*") == {"type": "string", "enum": ["e1", "e2"]}
    assert narrowed("extract", "facts", "*", "passage") == {"type": "integer", "enum": [1]}
    assert narrowed("conflict", "pairs", "*", "stored") == {"type": "string", "enum": ["e1"]}
    assert narrowed("conflict", "pairs", "*", "new") == {"type": "string", "enum": ["e2"]}
    assert narrowed("answer", "claims", "*", "evidence", "*") == {"type": "string", "enum": ["e1", "e2"]}


def test_with_no_evidence_yet_the_policy_may_name_none():
    run = run_scripted(QUESTION, {"policy": asking(1, "e1")}, finding(VELMORA))
    first = calls_of(run, "policy")[0].call.body["response_format"]["json_schema"]["schema"]
    assert first["properties"]["evidence"]["maxItems"] == 0
