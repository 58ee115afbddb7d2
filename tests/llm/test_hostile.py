"""Whatever a server sends, reading it ends in a value or a typed error."""

from __future__ import annotations

import contextlib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from stubs import completion

from retree_core.calls import CallFailed
from retree_core.llm.envelope import Completion, ReplyInvalid, read_completion, read_json

NAMES = [
    "choices",
    "message",
    "content",
    "error",
    "usage",
    "prompt_tokens",
    "text",
    "type",
    "code",
    "reasoning",
    "object",
]
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["error", "7"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)
PIECES = st.sampled_from(
    [
        "<think>",
        "</think>",
        "```json\n",
        "```",
        "{",
        "}",
        '"',
        '{"x": 1}',
        '"a": ',
        "[",
        "]",
        ",",
        "\\",
        "\n",
        " so ",
        "é日",
    ]
)


def read(raw: dict[str, Any]) -> None:
    found = read_completion(raw)
    if isinstance(found, CallFailed):
        assert "\n" not in found.message
        return
    assert isinstance(found, Completion)
    with contextlib.suppress(ReplyInvalid):
        assert isinstance(read_json(found), dict)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5))
def test_any_body(raw: dict[str, Any]) -> None:
    read(raw)


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES, VALUES)
def test_any_message(content: Any, reasoning: Any, usage: Any) -> None:
    read(completion(content, reasoning_content=reasoning, usage=usage, finish_reason=reasoning))


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.sampled_from(["stop", "length", None]))
def test_any_text(text: str, finish: str | None) -> None:
    read(completion(text, finish_reason=finish))
