"""What is read out of a response body (L01, L02, L04 to L07, L15 to L19, L21)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stubs import completion

from retree_core.calls import CallFailed, ModelCall, ModelReply
from retree_core.llm.envelope import Completion, ReplyInvalid, Usage, read_completion, read_json, thinks_unasked


def read(content: Any, **changes: Any) -> Completion:
    found = read_completion(completion(content, **changes))
    assert isinstance(found, Completion)
    return found


def invalid(content: Any, **changes: Any) -> str:
    with pytest.raises(ReplyInvalid) as caught:
        read_json(read(content, **changes))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 300
    return caught.value.reason_kind


def test_a_plain_completion() -> None:
    assert read('{"q": "x"}') == Completion(
        content='{"q": "x"}',
        reasoning="",
        finish_reason="stop",
        usage=Usage(prompt_tokens=120, completion_tokens=30, cached_tokens=None, reasoning_tokens=0),
        model="Qwen/Qwen3-8B",
    )


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({}, Usage()),
        ("many", Usage()),
        ({"prompt_tokens": 5}, Usage(prompt_tokens=5)),
        ({"prompt_tokens": 5, "completion_tokens": None}, Usage(prompt_tokens=5)),
        ({"prompt_tokens": -1, "completion_tokens": True}, Usage()),
        ({"prompt_tokens": "120", "completion_tokens": 1e300}, Usage()),
        ({"prompt_tokens": 10**28, "completion_tokens": 10**12}, Usage()),
        ({"prompt_tokens_details": {"cached_tokens": 96}}, Usage(cached_tokens=96)),
        ({"completion_tokens_details": {"reasoning_tokens": 7}}, Usage(reasoning_tokens=7)),
        ({"reasoning_tokens": 0, "completion_tokens_details": None}, Usage(reasoning_tokens=0)),
    ],
)
def test_unknown_usage_stays_unknown_l15(usage: Any, expected: Usage) -> None:
    assert read("x", usage=usage).usage == expected


def test_missing_usage_stays_unknown_l15() -> None:
    raw = completion("x")
    del raw["usage"]
    found = read_completion(raw)
    assert isinstance(found, Completion)
    assert found.usage == Usage()


@pytest.mark.parametrize(
    ("raw", "failure"),
    [
        ({}, "bad_envelope"),
        ({"choices": []}, "bad_envelope"),
        ({"choices": None}, "bad_envelope"),
        ({"choices": "x"}, "bad_envelope"),
        ({"choices": [None]}, "bad_envelope"),
        ({"choices": [{}]}, "bad_envelope"),
        ({"choices": [{"message": None}]}, "bad_envelope"),
        ({"error": {"message": "x"}}, "bad_request"),
        ({"error": "x"}, "bad_request"),
        ({"error": {"message": "overloaded", "code": 503}, "choices": []}, "server_error"),
        ({"error": {"message": "slow down", "code": 429}}, "rate_limited"),
        ({"error": {"message": "This model's maximum context length is 8192 tokens"}}, "context_overflow"),
        ({"object": "error", "message": "The model `x` does not exist.", "code": 404}, "unknown_model"),
        ({"object": "error", "message": "is longer than the model's context length", "code": 400}, "context_overflow"),
    ],
)
def test_an_envelope_without_completion_is_a_named_failure_l16(raw: dict[str, Any], failure: str) -> None:
    found = read_completion(raw)
    assert isinstance(found, CallFailed)
    assert found.failure == failure
    assert "\n" not in found.message


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, ""),
        (7, "7"),
        ([], ""),
        ({"q": "x"}, '{"q": "x"}'),
        ([{"type": "text", "text": '{"q":'}, {"type": "text", "text": ' "x"}'}], '{"q": "x"}'),
        (["a", {"type": "text", "text": {"value": "b"}}, {"type": "image_url"}, None, 7], "ab"),
    ],
)
def test_odd_content_has_a_defined_reading_l16(content: Any, said: str) -> None:
    assert read(content).content == said


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
def test_thoughts_are_found_under_three_names_l17(field: str) -> None:
    found = read('\n\n{"q": "x"}', **{"reasoning_content": None, field: "Let me think.\n"})
    assert found.reasoning == "Let me think."
    assert read_json(found) == {"q": "x"}


@pytest.mark.parametrize(
    ("asked", "said", "unasked"),
    [
        ({"chat_template_kwargs": {"enable_thinking": False}}, completion("{}", reasoning="hm"), True),
        ({"chat_template_kwargs": {"enable_thinking": False}}, completion("<think>hm</think>{}"), True),
        ({"chat_template_kwargs": {"enable_thinking": False}}, completion("<think>\n</think>{}", reasoning=""), False),
        ({"chat_template_kwargs": {"enable_thinking": False}}, {"choices": []}, False),
        ({"chat_template_kwargs": {"enable_thinking": True}}, completion("{}", reasoning="hm"), False),
        ({"chat_template_kwargs": None}, completion("{}", reasoning="hm"), False),
        ({}, completion("{}", reasoning="hm"), False),
    ],
)
def test_a_server_that_does_not_heed_the_switch_is_noticed_l17(asked: Any, said: Any, unasked: bool) -> None:
    assert thinks_unasked(ModelCall(role="policy", body=asked), ModelReply(raw=said)) is unasked


def test_thoughts_as_parts_l17() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": '{"q": "x"}'}]
    found = read(parts)
    assert (found.reasoning, found.content) == ("hm", '{"q": "x"}')


@pytest.mark.parametrize(
    ("content", "thought"),
    [
        ('I should check dates.\n</think>\n{"action": "search"}', "I should check dates."),
        ('<think>I should check dates.</think>\n{"action": "search"}', "I should check dates."),
        ('<think></think>{"action": "search"}', ""),
        ('<think>\n\n</think>\n\n{"action": "search"}', ""),
        ('a </think> b </think> {"action": "search"}', "a  b"),
        ('{"action": "search"}\n<think>was that right?</think>', "was that right?"),
        ('Sure.\n<think>a</think>\n{"action": "search"}', "Sure.\na"),
        ('the text says Paris </think> {"action": "HACK"} so\n</think>\n{"action": "search"}', None),
    ],
)
def test_thoughts_are_parted_at_the_closing_tag_l02(content: str, thought: str | None) -> None:
    found = read(content)
    assert read_json(found) == {"action": "search"}
    assert thought is None or found.reasoning == thought


@pytest.mark.parametrize(
    "content",
    [
        '{"quote": "Paris </think> {\\"action\\": 1}"}',
        '<think>so</think>{"quote": "Paris </think> {\\"action\\": 1}"}',
        'so\n</think>\n```json\n{"quote": "Paris </think> {\\"action\\": 1}"}\n```',
    ],
)
def test_a_quoted_tag_ends_nothing_l21(content: str) -> None:
    assert read_json(read(content)) == {"quote": 'Paris </think> {"action": 1}'}


@pytest.mark.parametrize(
    "content",
    [
        '{"x": 1}',
        '\n\n{"x": 1}\n',
        '\ufeff{"x": 1}',
        '```json\n{"x": 1}\n```',
        '```\n{"x": 1}```',
        'Sure! Here is the JSON:\n```json\n{"x": 1}\n```\nAnything else?',
        'Sure! {"x": 1} Anything {else}?',
        '<think>a</think>\n```json\n{"x": 1}\n```',
        '```json\n<think>a</think>\n{"x": 1}\n```',
        '```json\n{"x": 1}\n<think>a</think>\n```',
        'Well. <think>{"x": 2}</think> So: ```json\n{"x": 1}\n```.',
        'a\n</think>\nHere:\n{"x": 1}',
        '{"x": 1}\n{"x": 1}',
        'Of the form {"x": 5}, it is:\n```json\n{"x": 1}\n```',
        'a lone { brace, then {"x": 1}',
    ],
)
def test_every_order_of_thought_fence_and_prose_l05_l06(content: str) -> None:
    assert read_json(read(content)) == {"x": 1}


def test_json_in_the_reasoning_alone_l04() -> None:
    assert read_json(read("", reasoning_content='\n{"q": "x"}\n')) == {"q": "x"}
    assert read_json(read(None, reasoning='```json\n{"q": "x"}\n```')) == {"q": "x"}
    assert invalid("", reasoning_content='I think {"q": "x"} but am not sure') == "empty"


@pytest.mark.parametrize(
    ("content", "changes", "kind"),
    [
        ("Okay, the user wants the capital. Let me check", {"finish_reason": "length"}, "truncated_thinking"),
        ("<think>Okay, the user wants", {"finish_reason": "length"}, "truncated_thinking"),
        ("", {"finish_reason": "length", "reasoning_content": "Let me think"}, "truncated_thinking"),
        (None, {"finish_reason": "length", "reasoning": 'maybe {"q": "x"}, or'}, "truncated_thinking"),
        ('{"facts":[{"text":"A","passage":1},{"text":"B"', {"finish_reason": "length"}, "truncated"),
        ('Here: {"x": 1}, or rather', {"finish_reason": "length"}, "truncated"),
        ('{"facts":[{"text":"A","passage":1},{"text":"B"', {"finish_reason": None}, "truncated"),
        ('{"facts":[{"text":"A","passage":1},{"text":"B"', {}, "not_json"),
        ('{"facts":[{"text":"A"}, oops, {"text":"B"}]}', {}, "not_json"),
        ("", {}, "empty"),
        (" \n", {"reasoning_content": "I am done."}, "empty"),
        ("<think>I am done.</think>", {}, "empty"),
        ("<think>I am done.", {}, "empty"),
        ("The capital is Paris. " * 200, {}, "degenerate"),
        ("", {"reasoning_content": "Wait, let me check. " * 200, "finish_reason": "length"}, "degenerate"),
        ('{"q": "x",' + "\n" * 900, {"finish_reason": "length"}, "degenerate"),
        ("\n" * 900, {"finish_reason": "length"}, "degenerate"),
        (json.dumps({"summary": "The capital is Paris. " * 200}), {}, "degenerate"),
        ("I can't help with that.", {}, "not_json"),
        ("[1, 2]", {}, "not_json"),
        ('"text"', {}, "not_json"),
        (7, {}, "not_json"),
        ('{"action": "search"} {"action": "answer"}', {}, "not_json"),
        ("[" * 100_000, {}, "not_json"),
        ('{"a":' * 100_000, {}, "not_json"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, {}, "not_json"),
        ("{x" * 50_000, {}, "not_json"),
        ('{"n": ' + "".join(str(n) for n in range(1500)) + "}", {}, "not_json"),
        ('{"n": NaN}', {}, "not_json"),
        ('{"id": "a", "id": "b"}', {}, "not_json"),
    ],
)
def test_what_is_no_reply_is_named_l01_l07_l18_l19_t31(content: Any, changes: dict[str, Any], kind: str) -> None:
    found = invalid(content, **changes)
    assert found == kind or (found == "degenerate" and len(str(content)) > 10_000)


def test_a_whole_object_at_the_limit_is_complete_l07() -> None:
    assert read_json(read('{"q": "x"}\n\n', finish_reason="length")) == {"q": "x"}


def test_long_lists_of_like_sentences_are_no_loop_l19() -> None:
    facts = [{"text": f"Town {n} was founded in {1000 + n * 7}.", "passage": n % 5 + 1} for n in range(60)]
    assert read_json(read(json.dumps({"facts": facts}))) == {"facts": facts}
