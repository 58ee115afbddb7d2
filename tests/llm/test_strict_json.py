"""Hostile JSON ends in ValueError, never in a crash (T31)."""

from __future__ import annotations

import json

import pytest

from retree_core.llm.strict_json import clean, exact, loads, too_deep


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 500 + "1" + "}" * 500,
        '{"n": ' + "9" * 5_000 + "}",
        '{"n": NaN}',
        '{"n": -Infinity}',
        '{"n": 1e999}',
        '{"id": "a", "id": "b"}',
        "",
        "{",
        "{'a': 1}",
        b"\xff\xfe",
        b'{"a": "\xe6\x9d"}',
    ],
)
def test_hostile_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError) as caught:
        loads(text)
    assert len(str(caught.value)) < 200


def test_good_json_is_read() -> None:
    assert loads(b'\xef\xbb\xbf {"a": [1, 2.5, null, "\xe6\x97\xa5"]}\n') == {"a": [1, 2.5, None, "日"]}


def test_a_hundred_levels_are_read_and_no_more() -> None:
    assert loads("[" * 100 + "]" * 100)
    deeper = exact("[" * 101 + "]" * 101, any_depth=True)
    assert (too_deep(deeper), too_deep(deeper[0])) == (True, False)
    with pytest.raises(ValueError, match="nested too deeply"):
        exact("[" * 101 + "]" * 101)


def test_half_characters_stay_where_the_exact_text_is_wanted() -> None:
    assert exact('"a\\ud83d"') == "a\ud83d"


def test_half_characters_become_encodable() -> None:
    value = loads('{"a\\ud83d": ["\\uDE00 x", "\\ud83d\\ude00"]}')
    assert value == {"a\ufffd": ["\ufffd x", "😀"]}
    json.dumps(value, ensure_ascii=False).encode()
    assert clean("a\ud83d") == "a\ufffd"
