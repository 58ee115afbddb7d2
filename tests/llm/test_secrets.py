"""Keys go, ordinary text stays (T22, T23)."""

from __future__ import annotations

import json
import logging
import time
from base64 import b64encode
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retree_core.secrets import MARK, known, known_in, redact, redact_json, redact_logs_of

DUMMY = "DUMMYKEY-1a2b3c4d5e6f7a8b9c0d"


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {DUMMY}",
        f"authorization: basic {DUMMY}",
        f"{{'Authorization': 'Bearer {DUMMY}', 'accept': '*/*'}}",
        f'{{"authorization": "Bearer {DUMMY}"}}',
        f"(b'Authorization', b'Bearer {DUMMY}')",
        f'"{{\\"Authorization\\": \\"Bearer {DUMMY}\\"}}"',
        f"x-api-key: {DUMMY}",
        f"{{'X-API-KEY': '{DUMMY}'}}",
        f"x-goog-api-key={DUMMY}",
        f"curl -H 'Authorization: Bearer {DUMMY}' https://example.org",
        f"https://example.org/v1?key={DUMMY}&cx=1",
        f"https://example.org/v1?cx=1&api_key={DUMMY}",
        f"https://example.org/v1?apikey={DUMMY}#x",
        f"GET /v1?token={DUMMY} HTTP/1.1",
        f"ConnectError for url 'https://example.org/v1?q=x&access_token={DUMMY}'",
        f"http://user:{DUMMY}@localhost:30000/v1",
        f"SERPER_API_KEY={DUMMY}",
        f"environ({{'GOOGLE_API_KEY': '{DUMMY}', 'HOME': '/'}})",
        f"export HF_TOKEN={DUMMY}",
    ],
)
def test_a_key_is_removed_wherever_it_stands_t22(text: str) -> None:
    clean = redact(text)
    assert DUMMY not in clean
    assert MARK in clean
    assert redact(clean) == clean


@pytest.mark.parametrize(
    "key",
    [
        "AIzaSyDUMMYDUMMYDUMMYDUMMYDUMMYDUMMY012",
        "sk-abcdefghijklmnopqrst0123",
        "sk-proj-AbC_123-defghijklmnopqrstuvwx",
        "sk-ant-api03-AbCdEfGhIjKlMnOpQrSt",
        "hf_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh",
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "AKIAABCDEFGHIJKLMNOP",
    ],
)
def test_a_key_is_known_by_its_shape_t22(key: str) -> None:
    assert redact(f"it said {key}, then left") == f"it said {MARK}, then left"


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn",
        "is sk-learn the same as scikit-learn?",
        "task-oriented-dialogue-systems-of-2024-and-later",
        "key=value",
        "?key=value",
        "What is an API key, and where do I put my x-api-key header?",
        "How does Authorization: Bearer work?",
        "Do I send Authorization: Bearer token or x-api-key, and which?",
        "the bearer of bad news",
        "Authorization: required for everybody who enters",
        "token=3 tokens",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "mail me at someone@example.org",
        "https://example.org/@user/post?id=12345",
        "set RETREE_API_KEY to a key that it accepts",
        "prompt_tokens: 12345",
        "日本 sk- AIza",
    ],
)
def test_ordinary_text_stays_t23(text: str) -> None:
    assert redact(text) == text


def test_a_known_key_goes_whatever_its_shape_t22() -> None:
    known("plain/words+only")
    assert redact("said plain/words+only.") == f"said {MARK}."
    assert redact("?q=plain%2Fwords%2Bonly&x=1") == f"?q={MARK}&x=1"


SIGNS, PLAIN, BRIEF = "Ab9/x+Yz=%q2!kk\\m&7\"'", "Zq7kfPw2mXv9Lt4Bn8plain", "Br1ef+K"
"""A registered key full of signs, one of none, and one that is too short to be found inside a word."""
KEYS = (SIGNS, PLAIN, BRIEF)
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON": lambda key: json.dumps(key)[1:-1],
    "JSON twice": lambda key: json.dumps(json.dumps(key))[3:-3],
    "JSON, slash escaped": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "JSON, signs by number": lambda key: by_number(key, "\\u{:04x}"),
    "JSON, signs by number, upper case": lambda key: by_number(key, "\\u{:04X}"),
    "JSON, signs by number, twice": lambda key: json.dumps(by_number(key, "\\u{:04x}"))[1:-1],
    "quote": quote,
    "quote, all": lambda key: quote(key, safe=""),
    "quote, lower case": lambda key: quote(key, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
    "quote twice": lambda key: quote(quote(key, safe=""), safe=""),
    "quote_plus": quote_plus,
    "Base64": lambda key: b64encode(key.encode()).decode(),
    "HTML": escape,
    "repr": lambda key: repr(key.encode())[2:-1],
}
AROUND = (
    "{}",
    "text \n{}",
    "text \\n{}.",
    "\\t{}",
    "\\u0022{}\\u0022",
    "\\\\n{}\\\\n",
    "Bearer%20{}",
    "b'HTTP/1.1 401 \\r{}'",
)


def by_number(key: str, number: str) -> str:
    return "".join(one if one.isalnum() else number.format(ord(one)) for one in key)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("key", KEYS)
def test_a_known_key_goes_however_it_is_spelled_and_after_any_escape(key: str, spelling: str, around: str) -> None:
    known(key)
    before, after = around.split("{}")
    assert redact(around.format(SPELLINGS[spelling](key))) == f"{before}{MARK}{after}"


@pytest.mark.parametrize("text", [f"x{PLAIN}", f"{PLAIN}x", f"{SIGNS}1", f"a{PLAIN}{PLAIN}b"])
def test_a_long_known_key_goes_from_inside_a_word(text: str) -> None:
    known(PLAIN)
    known(SIGNS)
    assert redact(text) == text.replace(PLAIN, MARK).replace(SIGNS, MARK)


def test_a_short_known_key_stays_inside_a_word() -> None:
    known("harbor7")
    assert redact("the harbor7th, xharbor7, harbor7.") == f"the harbor7th, xharbor7, {MARK}."


def test_a_password_of_an_address_goes_in_every_spelling() -> None:
    known_in("http://me:p4ss%2Fw0rd%2Bxyz@h/v1")
    basic = b64encode(b"me:p4ss/w0rd+xyz").decode()
    assert redact(f"p4ss\\/w0rd+xyz p4ss%2fw0rd+xyz \\n{basic}") == f"{MARK} {MARK} \\n{MARK}"


@pytest.mark.parametrize(
    "text",
    ["x-api-key: abcde", f"Authorization: Bearer {DUMMY}", "sk-abcdefghijklmnopqrst0123", f"MY_API_KEY={DUMMY}"],
)
def test_a_key_goes_after_a_line_break_that_is_escaped(text: str) -> None:
    assert redact(f"said \\n{text}") == f"said \\n{redact(text)}" != f"said \\n{text}"


FIELDS = (
    "authorization", "authorızatıon", "AUTHORİZATION", "set-cookıe", "cookİe", "acceſſ_token", "api_Key",
    "q", "usage_tokens", "key",
)  # fmt: skip
PLANTED = [
    around.format(write(key)) for key in (SIGNS, PLAIN, BRIEF) for write in SPELLINGS.values() for around in AROUND
]
TEXTS = st.one_of(
    st.sampled_from(PLANTED),
    st.sampled_from(FIELDS).map(lambda name: f"{name}: Bearer {DUMMY}"),
    st.sampled_from(FIELDS).map(lambda name: f'{{"{name}": "{DUMMY}"}}'),
    st.text(st.sampled_from('aAkKeEyY-_ıİſK@:/?&=\\"n. 1\n'), max_size=40),
    st.text(max_size=10),
)
VALUES = st.recursive(
    st.none() | st.integers(-9, 9) | TEXTS,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from(FIELDS) | TEXTS, part, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@example({"authorızatıon": "abc"})
@example({"set-cookıe": "abc"})
@example({"AUTHORİZATION": "abc"})
@example({"Proxy-Authorization": "abc"})
@example({"set-cookie": "abc"})
@given(VALUES)
def test_what_is_clear_at_once_is_what_the_walk_leaves(value: Any) -> None:
    """Half a character sends a value on the walk, and a word that keys go by makes it look for all shapes."""
    for key in KEYS:
        known(key)
    walked = redact_json([value, "\ud800"])[0]
    assert redact_json(value) == walked
    assert redact_json(walked) == walked
    if isinstance(value, str):
        assert redact(f"key\n{value}") == f"key\n{walked}"


@pytest.mark.parametrize("word", ["", None, "EMPTY", "key", "search", "  "])
def test_a_placeholder_is_no_key_t23(word: str | None) -> None:
    known(word)
    assert redact("EMPTY key search  x") == "EMPTY key search  x"


@pytest.mark.parametrize("text", ["Authorization: Bearer dummy", "x-api-key: dummy", "GET /?key=AIzaTEST&cx=1"])
def test_a_short_key_in_its_place_goes_too_t22(text: str) -> None:
    assert MARK in redact(text)


@pytest.mark.parametrize("part", ["a.", "authorization:", "bearer ", "sk-", "A", "x-api-key ", "://", "?key=", "eyJ."])
def test_redacting_takes_linear_time(part: str) -> None:
    started = time.perf_counter()
    redact(part * (1_000_000 // len(part)))
    assert time.perf_counter() - started < 5


def test_json_keeps_its_shape_and_loses_its_keys_t22() -> None:
    value = {
        "headers": {"X-API-KEY": "abc", "Set-Cookie": "a=b", "accept": "*/*"},
        "api_key": "short",
        "usage": {"prompt_tokens": 3},
        "logprobs": [{"token": "Paris"}],
        "error": [f"Bearer {DUMMY}", None, 1.5, True],
    }
    assert redact_json(value) == {
        "headers": {"X-API-KEY": MARK, "Set-Cookie": MARK, "accept": "*/*"},
        "api_key": MARK,
        "usage": {"prompt_tokens": 3},
        "logprobs": [{"token": "Paris"}],
        "error": [f"Bearer {MARK}", None, 1.5, True],
    }
    assert DUMMY not in json.dumps(redact_json(value))


def test_a_log_is_redacted_t22(caplog: pytest.LogCaptureFixture) -> None:
    redact_logs_of("retree.test")
    with caplog.at_level(logging.INFO):
        logging.getLogger("retree.test").info("GET %s", f"https://example.org?key={DUMMY}")
    assert caplog.messages == [f"GET https://example.org?key={MARK}"]
