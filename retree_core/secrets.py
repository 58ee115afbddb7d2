"""Keep API keys out of everything that is written or shown: traces, logs, exports, error messages.

`redact` works on text, `redact_json` on parsed JSON. Both leave ordinary text alone: words such as
`sk-learn`, `key=value`, hashes, and questions about API keys pass unchanged. A key that was registered
with `known` is removed wherever it stands, whatever its shape, also in the spellings of `retree_core.spellings`.
Redact a text before it is cut: half a key is known to nobody.
"""

from __future__ import annotations

import logging
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

from retree_core.spellings import AFTER_ESCAPE, anchor, spellings

MARK = "[redacted]"
KEY_VARIABLES = ("RETREE_API_KEY", "RETREE_JUDGE_API_KEY", "SERPER_API_KEY", "GOOGLE_API_KEY")
ADDRESS_VARIABLES = ("RETREE_BASE_URL", "RETREE_JUDGE_URL", "RETREE_SEARCH")
LOGGERS = ("aiohttp.client", "httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy")
"""Those of the HTTP libraries that write addresses, headers and bodies, from level INFO or DEBUG on."""

SHORT = 2000
"""Texts up to this length, field names and passages, come again and again: what becomes of them is remembered."""

_known: dict[str, re.Pattern[str]] = {}
_anchors: dict[str, str] = {}
"""The part of each of them that no spelling changes, so that most texts are seen at once to hold none."""

_WORD = rf"(?:\b|{AFTER_ESCAPE})"
"""Where a name begins."""
_HEADERS = r"(?:x-api-key|x-goog-api-key|x-subscription-token|api-key|(?:proxy-)?authorization)"
_IS = r"""\\{0,2}["']?\s{0,3}[:=,]\s{0,3}b?\\{0,2}["']?"""
"""What stands between a name and its value in headers, JSON, JSON inside JSON, and Python's repr."""
_VALUE = r"""[^\s"',;&\\]"""
_WORD_OF_A_QUESTION = r"(?:tokens?|keys?|headers?|schemes?|auth|works?|is|are|and|or|to|in|for|with|vs)\b"
_PROVIDER_SHAPES = (
    r"AIza[0-9A-Za-z_-]{20,}",
    r"sk-(?=[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{20,}",
    r"(?:ghp|gho|ghs|hf|gsk)_(?=[A-Za-z0-9]*[0-9A-Z])[A-Za-z0-9]{30,}",
    r"(?:pplx|tvly)-(?=[A-Za-z0-9-]*[0-9])[A-Za-z0-9-]{20,}",
    r"AKIA[0-9A-Z]{16}",
    r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
)

_SHAPES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?ai)({_WORD}{_HEADERS}{_IS}(?:bearer|basic|token|apikey)\s{{1,3}})(?!{_WORD_OF_A_QUESTION}){_VALUE}{{4,}}",
        rf"(?ai)({_WORD}x-(?:goog-)?api-key{_IS}){_VALUE}{{4,}}",
        rf"(?ai)({_WORD}(?:api-key|(?:proxy-)?authorization){_IS})(?={_VALUE}{{0,200}}\d){_VALUE}{{16,}}",
        rf"(?ai)({_WORD}bearer\s{{1,3}})(?=[\w.~+/-]{{0,200}}\d)[\w.~+/-]{{16,}}=*",
        r"(?ai)([?&](?:key|api_?key|api-key|token|access_token|auth_token|subscription-key)=)(?!value\b)[^&\s\"'<>#\\]{5,}",
        rf"({_WORD}[A-Z][A-Z0-9_]{{0,60}}(?:API_KEY|ACCESS_KEY|_TOKEN|_SECRET){_IS}){_VALUE}{{5,}}",
        r"(?ai)(\b[a-z][a-z0-9+.-]{0,15}://)[^\s/@\"'<>]+(?=@)",
        rf"()(?:(?<![A-Za-z0-9_-])|{AFTER_ESCAPE})(?:{'|'.join(_PROVIDER_SHAPES)})(?![A-Za-z0-9])",
    )
)
"""Each keeps its first group and loses the rest. Repeats are bounded where a hostile text could make them slow.
ASCII only, as `_HINTS` are: without regard to case, `i` would be met by the Turkish letters, too."""

_HINTS = (
    ("", ("key", "token", "bearer", "secret", "akia", "cookie")),
    ("@", ("@",)),
    ("-", ("sk-", "pplx-", "tvly-")),
    ("_", ("ghp_", "gho_", "ghs_", "hf_", "gsk_")),
    ("z", ("aiza", "authorization")),
    ("j", ("eyj",)),
)
"""No text without one of these, casefolded, holds a key; those of a group have a sign that is seldom and soon found."""
_SECRET_FIELD = re.compile(
    r"(?ai)^(?:.*[_-])?(?:api[_-]?key|authorization|access[_-]?token|auth[_-]?token|client[_-]?secret|(?:set-)?cookie)$"
)


def known(secret: str | None) -> None:
    """Register a key so that `redact` removes it from now on, and its Base64.

    Placeholders and words too short to be told from text (under 6 characters, or letters only and under
    8) are ignored.
    """
    value = (secret or "").strip()
    if len(value) < 6 or (len(value) < 8 and value.isalpha()):
        return
    data = value.encode("utf-8", "surrogatepass")
    _learn({value, *(encoded(data).decode() for encoded in (b64encode, urlsafe_b64encode))})


def _learn(values: set[str]) -> None:
    fresh = values - _known.keys()
    for value in fresh:
        _anchors[value] = anchor(value)
        _known[value] = spellings(value)
    if fresh:
        _redact_short.cache_clear()
        _short_name.cache_clear()


def known_in(url: str) -> None:
    """Register the password of an address, and the form in which Basic authorization carries it."""
    try:
        parts = urlsplit(url.strip().removeprefix("searxng:"))
    except ValueError:
        return
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if user or password:
        known(password or user)
        _learn({b64encode(f"{user}:{password}".encode("utf-8", "surrogatepass")).decode()})


def know_environment(environ: Mapping[str, str]) -> None:
    """Register every key and password that this program takes from the environment."""
    for name in KEY_VARIABLES:
        known(environ.get(name))
    for name in ADDRESS_VARIABLES:
        known_in(environ.get(name, ""))


def redact(text: str) -> str:
    """Return `text` with every API key replaced by `[redacted]`.

    >>> redact("GET https://example.org/v1?key=AIzaTEST&cx=1")
    'GET https://example.org/v1?key=[redacted]&cx=1'
    >>> redact("is sk-learn configured with key=value?")
    'is sk-learn configured with key=value?'
    """
    return _redact_short(text) if len(text) <= SHORT else _redact(text)


def _redact(text: str) -> str:
    for value in sorted(_known, key=len, reverse=True):
        if _anchors[value] in text:
            text = _known[value].sub(MARK, text)
    if not _hinted(text.casefold()):
        return text
    for pattern in _SHAPES:
        text = pattern.sub(rf"\1{MARK}", text)
    return text


_redact_short = lru_cache(maxsize=4096)(_redact)


def redact_json(value: Any) -> Any:
    """Return parsed JSON with keys removed from every string and from fields named like a key.

    >>> redact_json({"headers": {"X-API-KEY": "abc"}, "q": "what is an API key?"})
    {'headers': {'X-API-KEY': '[redacted]'}, 'q': 'what is an API key?'}
    """
    return value if is_clear(value) else _redacted(value)


def is_clear(value: Any) -> bool:
    """Whether nothing in a JSON value can be a key, or half a character, seen at once from its text.

    Takes dataclasses of such values too.
    """
    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        return False
    for part in tuple(_anchors.values()):  # another thread may learn a key meanwhile
        if part in text:
            return False
    return not _hinted(text.replace('_tokens"', "").casefold())  # without the counts in every reply of a model


def _hinted(folded: str) -> bool:
    return any(sign in folded and any(hint in folded for hint in hints) for sign, hints in _HINTS)


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, (list, tuple)):
        return [_redacted(item) for item in value]
    return _redact_fields(value) if isinstance(value, Mapping) else value


def _redact_fields(value: Mapping[Any, Any]) -> dict[str, Any]:
    shown = {}
    for name, item in value.items():
        name, secret = _short_name(str(name)) if len(str(name)) <= SHORT else _name(str(name))
        shown[name] = MARK if secret and isinstance(item, str) and item else _redacted(item)
    return shown


def redact_logs_of(*logger_names: str) -> None:
    """Redact what the named loggers write themselves; those below them have to be named too."""
    for logger in map(logging.getLogger, logger_names):
        if not any(isinstance(each, _RedactingFilter) for each in logger.filters):
            logger.addFilter(_RedactingFilter())


def _name(name: str) -> tuple[str, bool]:
    """A field's name as it may be shown, and whether it holds a key."""
    return _redact(name), bool(_SECRET_FIELD.match(name))


_short_name = lru_cache(maxsize=4096)(_name)


class _RedactingFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), ()
        return True
