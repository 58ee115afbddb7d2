"""Keys go, ordinary text stays (T22, T23)."""

from __future__ import annotations

import json
import logging
import time

import pytest

from retree_core.secrets import MARK, known, redact, redact_json, redact_logs_of

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
