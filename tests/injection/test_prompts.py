"""No text from outside becomes a role, a token of a chat template or a line of its own in any request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

import pytest
from injection.hostile import PAYLOADS, found, script
from worlds import SETTINGS, run_scripted

from retree_core.calls import ModelCall
from retree_core.evaluation.verdicts import correctness, entailment
from retree_core.settings import AgentName

TOKENS = re.compile(
    r"<\||\|>|<｜|｜>|</?(?:think|tool\w*|function|s|bos|eos|\w+_of_turn)\b|<</?SYS|\[/?(?:INST|[A-Z]+_[A-Z]+)\]"
)
AGENTS: tuple[AgentName, ...] = get_args(AgentName)
CHATTY = [text for name, text in PAYLOADS.items() if name not in ("deep", "long_word", "long_wide")]


def asked(agent: AgentName, judge: Any, text: str) -> Iterator[dict[str, Any]]:
    """The bodies of all model calls of a run in which everything says the text."""
    settings = replace(SETTINGS, agent=agent, judge=judge)
    run = run_scripted(text.strip() or "x", script([text]), found([text]), settings)
    return (one.call.body for one in run.calls if isinstance(one.call, ModelCall))


def own_lines(text: str) -> list[str]:
    """What would stand at the start of a line, were the text taken as it is; the prompts' own headings left out."""
    lines = [one.strip() for one in text.strip().splitlines()[1:]]
    return [one for one in lines if len(one) > 3 and one not in ("Evidence:", "New facts", "=====")]


def troubles(messages: list[dict[str, str]], text: str) -> list[str]:
    lines = [line for one in messages for line in one["content"].splitlines()]
    found = [token for one in messages for token in TOKENS.findall(one["content"])]
    return [*found, *(line for line in lines for own in own_lines(text) if line.startswith(own))]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("judge", ["guarded", "paper"])
def test_nothing_in_a_run_becomes_a_part_of_its_prompts(agent: AgentName, judge: str) -> None:
    for text in CHATTY:
        for body in asked(agent, judge, text):
            assert [one["role"] for one in body["messages"]] == ["system", "user"]
            assert troubles(body["messages"], text) == [], text


def test_every_role_was_among_them() -> None:
    names = {
        body["response_format"]["json_schema"]["name"]
        for agent in AGENTS
        for judge in ("guarded", "paper")
        for body in asked(agent, judge, "plain words")
    }
    roles = ("policy", "extract", "conflict", "confirm", "summarise", "report", "answer")
    assert names == {f"retree_{one}" for one in roles}


def test_refused_and_rejected_replies_come_back_as_words() -> None:
    for text in CHATTY:
        said = {"reason": "", "missing": [], "action": "answer", "query": "", "evidence": [text, f"e9 {text}"]}
        odd = {"reason": text, "action": text, text: text}
        replies = iter([odd, said, said])
        plain = script([text])["policy"]
        policy = {"policy": lambda call, replies=replies, plain=plain: next(replies, None) or plain(call)}
        run = run_scripted("Who?", {**script([text]), **policy}, found([text]))
        for one in run.calls:
            if isinstance(one.call, ModelCall):
                assert troubles(one.call.body["messages"], text) == [], text


def test_nothing_in_an_answer_becomes_a_part_of_what_judges_are_asked() -> None:
    for text in filter(str.strip, CHATTY):
        for judging in (correctness(SETTINGS, text, (text, text), text), entailment(SETTINGS, text, text)):
            messages = next(judging).body["messages"]
            assert [one["role"] for one in messages] == ["system", "user"]
            assert troubles(messages, text) == [], text
