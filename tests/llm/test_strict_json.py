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


@pytest.mark.parametrize(
    "text",
    [
        *('{"a":1,"b":[true,null,"x"]}', '{"a": 1}', '{"a":1,"a":2}', "null", "-0", "1.0", "1e5", "1E400", "-1e-400"),
        *(
            "18446744073709551616",
            "9" * 31,
            '"\\ud83d"',
            '"\\ud83d\\ude00"',
            '"\\u0041"',
            '"\x7f"',
            "NaN",
            "[1,]",
            '"\t"',
        ),
        *("[" * 100 + "]" * 100, "[" * 101 + "]" * 101, "[" * 300 + "]" * 300, "[" * 2000, '{"a":"[[{"}', "[]" * 2, ""),
    ],
)
def test_bytes_are_read_as_their_text_is_however_they_are_written(text: str) -> None:
    def read(what: str | bytes) -> object:
        try:
            return repr(exact(what))
        except ValueError as error:
            return type(error), str(error)

    assert read(text.encode()) == read(text)
