"""Everything that search providers are known to get wrong, each with what is to become of it.

`outcome` is `found` where the good results must be found all the same, `nothing` where the reply is one without hits,
and a `FailureKind` where the search fails. `good` is the text of a good body; it holds one list of results.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

from stubs.faults import ERROR, FOREIGN, MEGABYTE, PAGE, Fault, gzip_bomb
from stubs.server import Response

SERPER, GOOGLE, SEARXNG = "serper", "google", "searxng"
_FIELDS = {
    SERPER: ("organic", "title", "snippet", "link"),
    GOOGLE: ("items", "title", "snippet", "link"),
    SEARXNG: ("results", "title", "content", "url"),
}


def results(provider: str, *entries: tuple[Any, Any, Any], **more: Any) -> dict[str, Any]:
    """A provider's body with (title, snippet, link) entries; `more` is beside them."""
    listed, *names = _FIELDS[provider]
    return {listed: [dict(zip(names, entry, strict=True)) for entry in entries], **more}


def _sent(outcome: str, response: Response, *, retried: bool = False, slow: bool = False) -> Fault:
    return Fault(outcome=outcome, answer=lambda _: response, retried=retried, slow=slow)


def _refused(status: int, outcome: str, body: Any = None, *, text: str = "", retried: bool = False) -> Fault:
    return _sent(outcome, Response(status=status, json=body, body=text), retried=retried)


def _wire(outcome: str, encode: Callable[[bytes], bytes], *, retried: bool = False, **headers: str) -> Fault:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault(
        outcome=outcome, answer=lambda good: Response(body=encode(good.encode()), headers=named), retried=retried
    )


def _listed(outcome: str, change: Callable[[list[Any]], Any], **more: Any) -> Fault:
    """The good body with another list of results, and more beside it."""

    def answer(good: str) -> Response:
        ((name, entries),) = json.loads(good).items()
        return Response(body=json.dumps({name: change(entries), **more}))

    return Fault(outcome=outcome, answer=answer)


def _google_error(status: int, outcome: str, reason: str) -> Fault:
    return _refused(status, outcome, {"error": {"code": status, "message": FOREIGN, "errors": [{"reason": reason}]}})


ODD_ENTRIES: list[Any] = [
    None,
    7,
    [],
    "text",
    {},
    {"title": ["x"], "snippet": {"a": 1}, "content": 5, "link": 7, "url": []},
    {"title": "", "snippet": " ", "content": "\u00a0", "link": "https://a.org"},
]
HOSTILE_LINKS = (
    *(
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://a.org",
        "//a.org",
        "https://",
        "http://[",
    ),
    *("https://a.org/\u202ex", "https://a b", "\x1b]8;;https://a.org", "https://a.org/\nx"),
)
"""None of these may become the link of a passage."""

FAULTS: dict[str, Fault] = {
    "plain": _wire("found", bytes),
    "served as HTML": _wire("found", bytes, content_type="text/html"),
    "compressed": _wire("found", gzip.compress, content_encoding="gzip"),
    "byte order mark": _wire("found", lambda body: b"\xef\xbb\xbf" + body),
    "no results": _listed("nothing", lambda _: []),
    "odd entries alone": _listed("nothing", lambda _: ODD_ENTRIES),
    "odd entries among good ones": _listed("found", lambda good: [*ODD_ENTRIES, *good, *ODD_ENTRIES]),
    "every result three times": _listed("found", lambda good: [*good, *good, *good]),
    "odd fields beside": _listed("found", lambda good: good, searchInformation=None, pagemap=[], answerBox=7),
    "an error in a 200": _refused(200, "search_error", ERROR),
    "a key refused in a 200": _refused(200, "unauthorized", {"error": f"{FOREIGN} Invalid API key."}),
    "no credits in a 200": _refused(200, "search_quota", {"error": f"{FOREIGN} Not enough credits"}),
    "a page": _sent("search_error", Response(body=PAGE, headers={"content-type": "text/html"})),
    "a list": _sent("search_error", Response(json=[FOREIGN])),
    "a text": _sent("search_error", Response(json=FOREIGN)),
    "nothing": _sent("search_error", Response(body=""), retried=True),
    "prose": _sent("search_error", Response(body=f"{FOREIGN} ok"), retried=True),
    "half a body": _wire("search_error", lambda body: body[: len(body) // 2], retried=True),
    "one key twice": _wire("search_error", lambda body: b'{"a": 1, "a": 2, ' + body[1:], retried=True),
    "NaN": _wire("search_error", lambda body: b'{"score": NaN, ' + body[1:], retried=True),
    "deep": _wire("search_error", lambda body: b'{"a": ' + b"[" * 99_999 + b", " + body[1:], retried=True),
    "latin-1": _wire("search_error", lambda body: b'{"note": "caf\xe9", ' + body[1:], retried=True),
    "50 MB": _sent("search_error", Response(body=b" " * MEGABYTE, times=50), slow=True),
    "2 GB": _sent("search_error", Response(body=b"[" * MEGABYTE, times=2_000), slow=True),
    "500 without end": _sent("search_error", Response(status=500, body=b"x" * MEGABYTE, times=2_000), slow=True),
    "a gzip of 100 MB": Fault(outcome="search_error", answer=gzip_bomb, slow=True),
    "not the gzip it says": _wire("search_error", bytes, content_encoding="gzip", retried=True),
    "redirect to the cloud's own address": _sent(
        "search_error", Response(status=302, headers={"location": "http://169.254.169.254/latest/meta-data"})
    ),
    "redirect to no address": _sent(
        "search_error", Response(status=301, headers={"location": "http://[::1"}), retried=True
    ),
    "redirect to nowhere": _refused(303, "search_error"),
    "404 page": _refused(404, "search_error", text=PAGE),
    "400": _refused(400, "search_error", {"error": {"message": f"{FOREIGN} bad request"}}),
    "401": _refused(401, "unauthorized", ERROR),
    "402": _refused(402, "search_quota", ERROR),
    "432": _refused(432, "search_quota", {"detail": {"error": f"{FOREIGN} plan limit"}}),
    "daily limit": _google_error(403, "search_quota", "dailyLimitExceeded"),
    "key not enabled": _google_error(403, "unauthorized", "accessNotConfigured"),
    "429": _refused(429, "search_quota", text=PAGE, retried=True),
    "429 for years": _sent("search_quota", Response(status=429, headers={"retry-after": "1e99"}), retried=True),
    "429 for less than nothing": _sent(
        "search_quota", Response(status=429, headers={"retry-after": "-9"}), retried=True
    ),
    "500": _refused(500, "search_error", text=f"{FOREIGN} oops", retried=True),
    "503": _refused(503, "search_error", ERROR, retried=True),
    "reset": _sent("search_error", Response(reset=True), retried=True),
    "closed after the headers": _sent("search_error", Response(body=b"{" * 99, cut_after=0), retried=True),
    "no HTTP": _sent("search_error", Response(head=b"SSH-2.0-OpenSSH_9.6\r\n"), retried=True),
    "hangs": _sent("search_error", Response(delay_s=60), retried=True, slow=True),
    "drips": _sent("search_error", Response(body=b" " * 100_000, drip_s=0.02), retried=True, slow=True),
}
"""By name; for every provider alike."""
for _name, _value in {
    "an object": {"0": FOREIGN},
    "a text": FOREIGN,
    "a number": 7,
    "true": True,
}.items():
    FAULTS[f"results {_name}"] = _listed("search_error", lambda _, value=_value: value)  # type: ignore[misc]
