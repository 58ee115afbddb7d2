"""Everything that model servers and search providers are known to get wrong, each with what is to become of it.

A fault is made of the content that a good reply would have. Its `outcome` is `value` where the content must be
found all the same, a reason of `ReplyInvalid` where there is an envelope but no usable JSON in it, and a `FailureKind`
where the call fails. Words that must reach nobody but the record hold `FOREIGN`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from stubs.chat import completion
from stubs.server import Response

FOREIGN = "zorkfault"
"""Stands in every thought and in every server's own words."""
THOUGHT = f"Okay, the user wants the capital. Let me check {FOREIGN} first."
MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One way to answer."""

    outcome: str
    answer: Callable[[str], Response]
    """From the content of a good reply, or the text of a good search body."""
    retried: bool = False
    """The same request is worth sending again."""
    slow: bool = False
    """Takes time or room: whole runs meet it seldom."""


def _said(outcome: str, content: Callable[[str], Any], **changes: Any) -> Fault:
    return Fault(outcome=outcome, answer=lambda good: Response(json=completion(content(good), **changes)))


def _beside(outcome: str, **changes: Any) -> Fault:
    """The good content with other fields around it."""
    return _said(outcome, lambda good: good, **changes)


def _sent(outcome: str, response: Response, *, retried: bool = False, slow: bool = False) -> Fault:
    return Fault(outcome=outcome, answer=lambda _: response, retried=retried, slow=slow)


def _refused(
    status: int, outcome: str, body: Any = None, *, text: str = "", retried: bool = False, **headers: str
) -> Fault:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return _sent(outcome, Response(status=status, json=body, body=text, headers=named), retried=retried)


def _wire(outcome: str, encode: Callable[[bytes], bytes], *, retried: bool = False, **headers: str) -> Fault:
    """The good envelope in other bytes."""
    named = {"content-type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}

    def answer(good: str) -> Response:
        return Response(body=encode(json.dumps(completion(good), ensure_ascii=False).encode()), headers=named)

    return Fault(outcome=outcome, answer=answer, retried=retried)


def _chunked(data: bytes) -> bytes:
    half = len(data) // 2
    pieces = (data[:half], data[half:], b"")
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


@cache
def gzip_bomb(_: str) -> Response:
    """100 MB of blanks in 100 KB."""
    return Response(body=gzip.compress(b" " * 100 * MEGABYTE), headers={"content-encoding": "gzip"})


def _dig(depth: int) -> str:
    return "[" * depth + "]" * depth


ERROR = {"error": {"message": f"{FOREIGN}: the server has no answer", "type": "x", "code": None}}
PAGE = f"<!doctype html><title>{FOREIGN}</title><p>Please sign in."

THINKING: dict[str, Fault] = {
    "thoughts in tags": _said("value", lambda good: f"<think>{THOUGHT}</think>\n{good}"),
    "closing tag only": _said("value", lambda good: f"{THOUGHT}\n</think>\n\n{good}"),
    "empty thoughts": _said("value", lambda good: f"<think>\n\n</think>\n\n{good}"),
    "thoughts twice": _said("value", lambda good: f"<think>{THOUGHT}</think><think>{THOUGHT}</think>{good}"),
    "thoughts after": _said("value", lambda good: f"{good}\n<think>{THOUGHT}</think>"),
    "thoughts hold another object": _said("value", lambda good: f'<think>{{"a": "{FOREIGN}"}}</think>{good}'),
    "field reasoning": _beside("value", reasoning=THOUGHT),
    "field reasoning_content": _beside("value", reasoning_content=THOUGHT),
    "field thinking": _beside("value", thinking=THOUGHT),
    "field thinking is an object": _beside("value", thinking={"text": THOUGHT}),
    "thoughts as a part": _said(
        "value", lambda good: [{"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": good}]
    ),
    "fence before thoughts": _said("value", lambda good: f"```json\n<think>{THOUGHT}</think>\n{good}\n```"),
    "fence after thoughts": _said("value", lambda good: f"<think>{THOUGHT}</think>\n```json\n{good}\n```"),
    "thoughts without a tag, cut": _said("truncated_thinking", lambda _: THOUGHT, finish_reason="length"),
    "thoughts in a tag, cut": _said("truncated_thinking", lambda _: f"<think>{THOUGHT}", finish_reason="length"),
    "thoughts in a field, cut": _said("truncated_thinking", lambda _: "", reasoning=THOUGHT, finish_reason="length"),
    "only thoughts": _said("empty", lambda _: f"<think>{THOUGHT}</think>"),
    "ends inside thoughts": _said("empty", lambda _: f"<think>{THOUGHT}"),
    "only thoughts in a field": _said("empty", lambda _: None, reasoning_content=THOUGHT),
}
for _field in ("reasoning", "reasoning_content", "thinking"):
    THINKING[f"JSON in {_field}"] = Fault(
        outcome="value",
        answer=lambda good, field=_field: Response(json=completion("", **{field: f"\n{good}\n"})),  # type: ignore[misc]
    )

CONTENT: dict[str, Fault] = {
    "plain": _beside("value"),
    "fenced": _said("value", lambda good: f"```json\n{good}\n```"),
    "fenced in prose": _said("value", lambda good: f"Sure! {FOREIGN}:\n```json\n{good}\n```\nAnything else?"),
    "prose around": _said("value", lambda good: f"Sure, {FOREIGN}. {good} Anything else?"),
    "control tokens around": _said("value", lambda good: f"<|im_start|>assistant\n{good}<|im_end|>"),
    "list of parts": _said("value", lambda good: [{"type": "text", "text": good[:9]}, good[9:], {"type": "audio"}]),
    "content is the object": _said("value", json.loads),
    "byte order mark": _said("value", lambda good: f"\ufeff{good}"),
    "half characters": Fault(
        outcome="value", answer=lambda good: Response(body=json.dumps(completion(f"\ud83d {good}")))
    ),
    "whole at the limit": _beside("value", finish_reason="length"),
    "null": _said("empty", lambda _: None),
    "nothing": _said("empty", lambda _: ""),
    "blanks": _said("empty", lambda _: " \n\t"),
    "no parts": _said("empty", lambda _: []),
    "a tool call": _said("empty", lambda _: None, tool_calls=[{"function": {"name": FOREIGN, "arguments": "{}"}}]),
    "a refusal": _said("empty", lambda _: None, refusal=f"I will not. {FOREIGN}"),
    "filtered": _said("empty", lambda _: "", finish_reason="content_filter"),
    "a number": _said("not_json", lambda _: 7),
    "true": _said("not_json", lambda _: True),
    "prose": _said("not_json", lambda _: f"I am sorry, {FOREIGN}: error 503."),
    "a list": _said("not_json", lambda good: f"[{good}]" if good == "{}" else "[1, 2]"),
    "two objects": _said("not_json", lambda good: f'{good} or {{"action": "{FOREIGN}"}}'),
    "one key twice": _said("not_json", lambda good: f'{{"a": 1, "a": 2, {good[1:]}'),
    "NaN inside": _said("not_json", lambda good: f'{{"a": NaN, {good[1:]}'),
    "deep": _said("not_json", lambda good: f'{{"a": {_dig(120)}, {good[1:]}'),
    "a number of 50 digits": _said("not_json", lambda good: f'{{"a": {"7" * 50}, {good[1:]}'),
    "single quotes": _said("not_json", lambda _: "{'action': 'search'}"),
    "cut by the limit": _said("truncated", lambda good: good[: len(good) // 2], finish_reason="length"),
    "cut without a reason": _said("truncated", lambda good: good[:-1], finish_reason=None),
    "cut in silence": _said("not_json", lambda good: good[:-1]),
    "blanks without end": _said("degenerate", lambda _: "{" + " \n" * 2_000, finish_reason="length"),
    "one sentence 200 times": _said("degenerate", lambda _: f"The capital is {FOREIGN}. " * 200),
    "one thought 200 times": _said("degenerate", lambda _: "", reasoning=f"Wait, {FOREIGN}. " * 200),
    "one sentence 200 times in JSON": _said(
        "degenerate", lambda _: json.dumps({"summary": f"The capital is {FOREIGN}. " * 200})
    ),
}

USAGE: dict[str, Fault] = {
    f"usage {name}": _beside("value", usage=usage)
    for name, usage in {
        "null": None,
        "a text": "many",
        "a list": [1],
        "empty": {},
        "of the prompt alone": {"prompt_tokens": 5, "prompt_tokens_details": None},
        "negative": {"prompt_tokens": -5, "completion_tokens": -1},
        "texts": {"prompt_tokens": "120", "completion_tokens": "30"},
        "1e300": {"prompt_tokens": 1e300, "completion_tokens": 1e300},
        "of 29 digits": {"prompt_tokens": 10**28, "completion_tokens": 10**28},
        "true": {"prompt_tokens": True, "completion_tokens": {"a": 1}},
    }.items()
}

ENVELOPES: dict[str, Fault] = {
    "served as HTML": _wire("value", bytes, content_type="text/html"),
    "served as nothing": _wire("value", bytes, content_type=""),
    "in chunks": _wire("value", _chunked, transfer_encoding="chunked", content_length=""),
    "without a length": _wire("value", bytes, content_length=""),
    "compressed": _wire("value", gzip.compress, content_encoding="gzip"),
    "byte order mark before the body": _wire("value", lambda body: b"\xef\xbb\xbf" + body),
    "more than one choice": Fault(
        outcome="value",
        answer=lambda good: Response(
            json=completion(good, choices=[completion(one)["choices"][0] for one in (good, "")])
        ),
    ),
    "no choices": _sent("bad_envelope", Response(json={"id": FOREIGN, "choices": []})),
    "choices null": _sent("bad_envelope", Response(json={"id": FOREIGN, "choices": None})),
    "choices an object": _sent("bad_envelope", Response(json={"choices": {"0": FOREIGN}})),
    "a choice null": _sent("bad_envelope", Response(json={"choices": [None]})),
    "no message": _sent("bad_envelope", Response(json={"choices": [{"text": FOREIGN, "finish_reason": "stop"}]})),
    "an empty object": _sent("bad_envelope", Response(body="{}")),
    "an error in a 200": _sent("bad_request", Response(json=ERROR)),
    "an error text in a 200": _sent("bad_request", Response(json={"error": FOREIGN})),
    "an overload in a 200": _sent("server_error", Response(json={"error": {"message": FOREIGN, "code": 503}})),
    "an overflow in a 200": _sent(
        "context_overflow", Response(json={"object": "error", "message": f"{FOREIGN}: maximum context length is 8192"})
    ),
    "a page in a 200": _sent("bad_envelope", Response(body=PAGE, headers={"content-type": "text/html"})),
    "a list in a 200": _sent("bad_envelope", Response(json=[FOREIGN])),
    "a text in a 200": _sent("bad_envelope", Response(json=FOREIGN)),
    "nothing in a 200": _sent("bad_envelope", Response(body=""), retried=True),
    "nothing in a 204": _sent("bad_envelope", Response(status=204, body=""), retried=True),
    "prose in a 200": _sent("bad_envelope", Response(body=f"{FOREIGN} ok"), retried=True),
    "half an envelope": _wire("bad_envelope", lambda body: body[: len(body) // 2], retried=True),
    "two envelopes": _wire("bad_envelope", lambda body: body + body, retried=True),
    "events": _wire("bad_envelope", lambda body: b"data: " + body + b"\n\ndata: [DONE]\n\n", retried=True),
    "one key twice in the envelope": _wire("bad_envelope", lambda body: b'{"id": 1, ' + body[1:], retried=True),
    "NaN in the envelope": _wire("bad_envelope", lambda body: b'{"score": NaN, ' + body[1:], retried=True),
    "deep envelope": _wire(
        "bad_envelope", lambda body: b'{"score": ' + _dig(100_000).encode() + b", " + body[1:], retried=True
    ),
    "latin-1": _wire("bad_envelope", lambda body: b'{"note": "caf\xe9", ' + body[1:], retried=True),
    "UTF-16": _wire("bad_envelope", lambda body: body.decode().encode("utf-16"), retried=True),
    "bytes of no code": _sent("bad_envelope", Response(body=b"\x00\xff\xfe\x80"), retried=True),
    "not the gzip it says": _wire("connection", bytes, content_encoding="gzip", retried=True),
    "50 MB": _sent("bad_envelope", Response(body=b"[" * MEGABYTE, times=50), slow=True),
    "2 GB": _sent("bad_envelope", Response(body=b"[" * MEGABYTE, times=2_000), slow=True),
    "a gzip of 100 MB": Fault(outcome="bad_envelope", answer=gzip_bomb, slow=True),
}

REFUSALS: dict[str, Fault] = {
    "overflow of OpenAI": _refused(
        400, "context_overflow", {"error": {"message": f"{FOREIGN}: maximum context length is 8192 tokens."}}
    ),
    "overflow of SGLang": _refused(
        400, "context_overflow", {"object": "error", "message": f"{FOREIGN} is longer than the model's context length"}
    ),
    "overflow by code": _refused(
        400, "context_overflow", {"error": {"message": FOREIGN, "code": "context_length_exceeded"}}
    ),
    "max_tokens below 1": _refused(400, "context_overflow", {"message": f"{FOREIGN} max_tokens must be at least 1"}),
    "400 in prose": _refused(400, "bad_request", text=f"{FOREIGN} plain words"),
    "400 in nothing": _refused(400, "bad_request"),
    "400 of half an object": _refused(400, "bad_request", text='{"error": {"mess'),
    "400 deep": _refused(400, "bad_request", text=_dig(100_000)),
    "401": _refused(401, "unauthorized", ERROR),
    "403 page": _refused(403, "unauthorized", text=PAGE, content_type="text/html"),
    "404 of the model": _refused(404, "unknown_model", {"message": f"The model `{FOREIGN}` does not exist."}),
    "404 of the path": _refused(404, "bad_request", {"detail": f"Not Found {FOREIGN}"}),
    "413": _refused(413, "bad_request", text=f"{FOREIGN} too large"),
    "422": _refused(422, "bad_request", {"detail": [{"loc": ["body"], "msg": f"{FOREIGN} field required"}]}),
    "redirect to another host": _refused(307, "bad_request", location="http://192.0.2.1/v1/chat/completions"),
    "redirect to nowhere": _refused(302, "bad_request"),
    "redirect to no address": _refused(301, "bad_request", location="http://[::1"),
    "304": _refused(304, "bad_request"),
    "429 of no credit": _refused(429, "rate_limited", {"error": {"code": "insufficient_quota", "message": FOREIGN}}),
    "429": _refused(429, "rate_limited", ERROR, retried=True),
    "500 in prose": _refused(500, "server_error", text=f"{FOREIGN} oops", retried=True),
    "502 page": _refused(502, "server_error", text=PAGE, content_type="text/html", retried=True),
    "503": _refused(503, "server_error", {"message": f"{FOREIGN} The request queue is full."}, retried=True),
    "504 in nothing": _refused(504, "server_error", retried=True),
    "529": _refused(529, "server_error", ERROR, retried=True),
    "500 without end": _sent("bad_envelope", Response(status=500, body=b"x" * MEGABYTE, times=2_000), slow=True),
}
for _asked in ("2", "0.5", "Sun, 09 Sep 2001 01:46:40 GMT", "99999999", "1e400", "-5", "nan", "soon", ""):
    REFUSALS[f"429 with Retry-After {_asked!r}"] = _refused(
        429, "rate_limited", ERROR, retried=True, retry_after=_asked
    )

CONNECTIONS: dict[str, Fault] = {
    "reset at once": _sent("connection", Response(reset=True), retried=True),
    "closed after the headers": _sent("connection", Response(body=b"{" * 99, cut_after=0), retried=True),
    "closed in the body": _sent("connection", Response(json=completion("x"), cut_after=20), retried=True),
    "a chunk cut": _sent(
        "connection",
        Response(body=b"ff\r\n{", headers={"transfer-encoding": "chunked", "content-length": ""}),
        retried=True,
    ),
    "no HTTP": _sent("connection", Response(head=b"SSH-2.0-OpenSSH_9.6\r\n"), retried=True),
    "nothing at all": _sent("connection", Response(head=b""), retried=True),
    "a length of no number": _sent("connection", Response(body="{}", headers={"content-length": "many"}), retried=True),
    "headers without end": _sent(
        "connection", Response(head=b"HTTP/1.1 200 OK\r\n", body=b"x-a: " + b"a" * 995, times=2_000), retried=True
    ),
    "hangs": _sent("timeout", Response(delay_s=60), retried=True, slow=True),
    "drips": _sent("timeout", Response(body=b" " * 100_000, drip_s=0.02), retried=True, slow=True),
    "drips headers": _sent(
        "timeout",
        Response(head=b"HTTP/1.1 200 OK\r\n", body=b"x-a: b\r\n" * 9_000, drip_s=0.02),
        retried=True,
        slow=True,
    ),
}

FAULTS: dict[str, Fault] = THINKING | CONTENT | USAGE | ENVELOPES | REFUSALS | CONNECTIONS
"""By name."""
