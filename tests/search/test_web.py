"""Search providers against a real server (W01, W03 to W06, W13, W16, T22)."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from stubs import FakeClock, Response, StubServer

from retree_core.calls import Answered, CallFailed, Hit, SearchCall, SearchReply
from retree_core.errors import InputError, UsageError
from retree_core.search.backend import SearchBackend, open_search
from retree_core.search.google import Google
from retree_core.search.searxng import SearXNG
from retree_core.search.serper import Serper
from retree_core.search.web import Timing

KEY = "dummy-search-key-4711"

Opened = Callable[[str, Timing], SearchBackend]


def serper(url: str, timing: Timing) -> SearchBackend:
    return Serper(KEY, url=url, timing=timing)


def google(url: str, timing: Timing) -> SearchBackend:
    return Google(KEY, "engine", url=url, timing=timing)


def searxng(url: str, timing: Timing) -> SearchBackend:
    return SearXNG(url, timing=timing)


EVERY = pytest.mark.parametrize("opened", [serper, google, searxng])
KEYED = pytest.mark.parametrize("opened", [serper, google])


def ask(opened: Opened, server: StubServer, query: str = "capital of x", limit: int = 5, **limits: Any) -> Answered:
    clock = FakeClock()
    timing = Timing(clock=clock, sleep=clock.sleep, jitter=lambda: 0.0, **limits)

    async def work() -> Answered:
        backend = opened(server.url, timing)
        try:
            return await backend.search(SearchCall(query=query, limit=limit))
        finally:
            await backend.close()

    return asyncio.run(work())


def failure(answered: Answered) -> CallFailed:
    assert isinstance(answered.reply, CallFailed)
    assert KEY not in repr(answered)
    assert "\n" not in answered.reply.message
    return answered.reply


def hits(answered: Answered) -> tuple[Hit, ...]:
    assert isinstance(answered.reply, SearchReply), answered.reply
    assert KEY not in repr(answered)
    return answered.reply.hits


def results(opened: Opened, *entries: tuple[str, str, str]) -> dict[str, Any]:
    """A provider's body with (title, snippet, link) entries."""
    if opened is serper:
        return {"organic": [{"title": t, "snippet": s, "link": u} for t, s, u in entries]}
    if opened is google:
        return {"items": [{"title": t, "snippet": s, "link": u} for t, s, u in entries]}
    return {"results": [{"title": t, "content": s, "url": u} for t, s, u in entries]}


@EVERY
def test_results_in_the_providers_order(opened: Opened) -> None:
    body = results(opened, ("B &amp; C", "<b>two</b>", "https://b.org"), ("A", "one", "ftp://a.org"))
    with StubServer(Response(json=body)) as server:
        answered = ask(opened, server)
    assert hits(answered) == (Hit(title="B & C", text="two", url="https://b.org"), Hit(title="A", text="one"))
    assert answered.reply == SearchReply(hits=hits(answered), raw=body)


def test_what_goes_to_each_provider() -> None:
    with StubServer(Response(json={})) as server:
        ask(serper, server, "a&b=c 日本")
        ask(google, server, "a&b=c 日本")
        ask(searxng, server, "a&b=c 日本")
        first, second, third = server.seen
    assert (first.method, first.headers["x-api-key"], first.json) == ("POST", KEY, {"q": "a&b=c 日本", "num": 10})
    assert parse_qs(urlsplit(second.path).query) == {
        "key": [KEY],
        "cx": ["engine"],
        "q": ["a&b=c 日本"],
        "num": ["10"],
    }
    assert urlsplit(third.path).path == "/search"
    assert parse_qs(urlsplit(third.path).query) == {"q": ["a&b=c 日本"], "format": ["json"]}


@pytest.mark.parametrize(
    ("opened", "body"),
    [
        (google, {"searchInformation": {"totalResults": "0"}}),
        (google, {"kind": "customsearch#search"}),
        (google, {"items": []}),
        (serper, {"searchParameters": {"q": "x"}, "organic": []}),
        (serper, {"searchParameters": {"q": "x"}}),
        (searxng, {"query": "x", "results": [], "unresponsive_engines": []}),
    ],
)
def test_nothing_found_is_a_reply_w01(opened: Opened, body: dict[str, Any]) -> None:
    with StubServer(Response(json=body)) as server:
        assert hits(ask(opened, server)) == ()


@pytest.mark.parametrize(
    ("opened", "body", "kind", "words"),
    [
        (serper, {"error": "Invalid API key."}, "unauthorized", "Invalid API key."),
        (google, {"error": {"message": "backend failed"}}, "search_error", "backend failed"),
        (serper, {"message": "something broke"}, "search_error", "something broke"),
        (serper, {"message": "Not enough credits"}, "search_quota", "Not enough credits"),
        (searxng, {"hello": 1}, "search_error", "no message"),
        (
            searxng,
            {"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]},
            "search_error",
            "google",
        ),
    ],
)
def test_an_error_with_status_200_is_an_error_w03(opened: Opened, body: Any, kind: str, words: str) -> None:
    with StubServer(Response(json=body)) as server:
        found = failure(ask(opened, server))
        assert len(server.seen) == 1
    assert found.failure == kind
    assert words in found.message


def google_error(status: int, reason: str, message: str = "x") -> Response:
    return Response(status=status, json={"error": {"code": status, "message": message, "errors": [{"reason": reason}]}})


@pytest.mark.parametrize(
    ("opened", "response"),
    [
        (google, google_error(403, "dailyLimitExceeded")),
        (google, google_error(403, "quotaExceeded")),
        (google, google_error(429, "rateLimitExceeded", "Quota exceeded for metric 'Queries' and limit 'per day'")),
        (serper, Response(status=400, json={"message": "Not enough credits", "statusCode": 400})),
        (serper, Response(status=402, body="")),
        (serper, Response(status=432, json={"detail": {"error": "plan limit"}})),
    ],
)
def test_quota_is_no_evidence_and_no_reason_to_repeat_w04(opened: Opened, response: Response) -> None:
    with StubServer(response) as server:
        assert failure(ask(opened, server)).failure == "search_quota"
        assert len(server.seen) == 1


@EVERY
def test_too_many_requests_is_waited_for_then_quota_w04(opened: Opened) -> None:
    busy = Response(status=429, headers={"retry-after": "3"}, body="<html>slow down</html>")
    with StubServer(busy, Response(json=results(opened, ("t", "s", "https://a.org")))) as server:
        answered = ask(opened, server)
        assert len(hits(answered)) == 1
        assert [each.waited_s for each in answered.failed_attempts] == [3.0]
    with StubServer(busy) as server:
        assert failure(ask(opened, server)).failure == "search_quota"
        assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("opened", "response"),
    [
        (google, google_error(400, "badRequest", "API key not valid. Please pass a valid API key.")),
        (google, google_error(403, "accessNotConfigured")),
        (google, google_error(403, "forbidden")),
        (google, google_error(401, "x")),
        (serper, Response(status=403, json={"message": "Unauthorized.", "statusCode": 403})),
        (serper, Response(status=401, body=f"no such key {KEY}")),
    ],
)
def test_a_bad_key_is_asked_once_w05(opened: Opened, response: Response) -> None:
    with StubServer(response) as server:
        found = failure(ask(opened, server))
        assert len(server.seen) == 1
    assert found.failure == "unauthorized"
    assert "_API_KEY" in found.message or "401" in found.message


@pytest.mark.parametrize(
    "response",
    [
        Response(status=403, body="<!doctype html><title>403 Forbidden</title>"),
        Response(body="<!doctype html><p>results</p>", headers={"content-type": "text/html"}),
    ],
)
def test_searxng_without_json_is_explained_w06(response: Response) -> None:
    with StubServer(response) as server:
        found = failure(ask(searxng, server))
        assert len(server.seen) == 1
    assert found.failure == "search_error"
    assert "search.formats" in found.message
    assert "limiter" in found.message


@EVERY
def test_more_than_asked_and_repeats_w13(opened: Opened) -> None:
    entries = [(f"t{n}", f"text {n}", f"https://a.org/{n // 2}") for n in range(12)]
    with StubServer(Response(json=results(opened, *entries))) as server:
        assert [each.text for each in hits(ask(opened, server))] == [f"text {n}" for n in (0, 2, 4, 6, 8)]
    with StubServer(Response(json=results(opened, ("t", "s", "https://a.org")))) as server:
        assert len(hits(ask(opened, server))) == 1


@EVERY
def test_an_empty_body_is_tried_once_more_w16(opened: Opened) -> None:
    good = Response(json=results(opened, ("t", "s", "https://a.org")))
    with StubServer(Response(body=""), good) as server:
        assert len(hits(ask(opened, server))) == 1
    with StubServer(Response(body="")) as server:
        found = failure(ask(opened, server))
        assert (found.failure, len(server.seen)) == ("search_error", 2)
        assert "empty body" in found.message


@EVERY
@pytest.mark.parametrize(
    ("response", "requests"),
    [
        (Response(status=500, body="oops"), 3),
        (Response(status=503, json={"error": {"message": "later"}}), 3),
        (Response(reset=True), 3),
        (Response(json={"items": []}, cut_after=4), 3),
        (Response(body='{"items": ['), 2),
        (Response(json=[1]), 1),
        (Response(status=302, headers={"location": "http://169.254.169.254/latest"}), 1),
        (Response(body=b"x" * 5_000_001), 1),
        (Response(body=gzip.compress(b" " * 50_000_000), headers={"content-encoding": "gzip"}), 1),
        (Response(body=b"\x00\xff", headers={"content-encoding": "gzip"}), 3),
        (Response(json={"items": None, "organic": None, "results": None, "error": {"a": [{}]}}), 1),
        (Response(body="[" * 100_000), 2),
        (Response(status=404, body="<html>"), 1),
    ],
)
def test_every_other_failure_is_a_search_error(opened: Opened, response: Response, requests: int) -> None:
    with StubServer(response) as server:
        found = failure(ask(opened, server))
        assert len(server.seen) == requests
    assert found.failure == "search_error"


@EVERY
def test_a_provider_that_hangs_or_is_down(opened: Opened) -> None:
    with StubServer(Response(delay_s=60)) as server:
        found = failure(ask(opened, server, read_timeout_s=0.1, attempts=2))
    assert (found.failure, "in time" in found.message) == ("search_error", True)
    found = failure(ask(opened, server, attempts=2))
    assert (found.failure, "Connection refused" in found.message) == ("search_error", True)


@EVERY
def test_odd_entries_are_left_out(opened: Opened) -> None:
    body = results(opened, ("t", "s", "https://a.org"))
    entries = next(iter(body.values()))
    entries += [None, 7, {}, {"title": ["x"], "link": 5}]
    with StubServer(Response(json=body)) as server:
        assert len(hits(ask(opened, server))) == 1


@KEYED
def test_no_key_in_log_reply_or_failure_t22(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    echo = {"searchParameters": {"apiKey": KEY}, "echo": f"https://x.org?key={KEY}"}
    with caplog.at_level(0), StubServer(Response(json=echo)) as server:
        answered = ask(opened, server)
    assert hits(answered) == ()
    assert KEY not in caplog.text
    assert KEY not in json.dumps(answered.reply.raw if isinstance(answered.reply, SearchReply) else None)


def test_hostile_queries_are_sent() -> None:
    for opened in (serper, google, searxng):
        with StubServer(Response(json={"results": []})) as server:
            assert hits(ask(opened, server, "\ud83d \x00 \u202e & ? # %")) == ()


def test_dates() -> None:
    body = {"organic": [{"title": "t", "snippet": "s", "date": "Mar 3, 2024"}]}
    with StubServer(Response(json=body)) as server:
        assert hits(ask(serper, server))[0].published == "Mar 3, 2024"
    pagemap = {"metatags": [{"article:published_time": "2024-03-03"}]}
    with StubServer(Response(json={"items": [{"title": "t", "snippet": "s", "pagemap": pagemap}]})) as server:
        assert hits(ask(google, server))[0].published == "2024-03-03"
    body = {"results": [{"title": "t", "content": "s", "publishedDate": "2024-03-03T00:00:00"}]}
    with StubServer(Response(json=body)) as server:
        assert hits(ask(searxng, server))[0].published == "2024-03-03T00:00:00"


@pytest.mark.parametrize(
    ("spec", "env", "words"),
    [
        ("", {}, "expected corpus:PATH"),
        ("bing", {}, "unknown search 'bing'"),
        ("corpus:", {}, "expected corpus:PATH"),
        ("serper:x", {}, "unknown search"),
        ("serper", {}, "SERPER_API_KEY"),
        ("serper", {"SERPER_API_KEY": " "}, "SERPER_API_KEY"),
        ("serper", {"SERPER_API_KEY": "schlüssel"}, "SERPER_API_KEY"),
        ("google", {}, "GOOGLE_API_KEY"),
        ("google", {"GOOGLE_API_KEY": KEY}, "GOOGLE_CSE_ID"),
        ("searxng:", {}, "searxng:URL"),
        ("searxng:localhost:8080", {}, "http://HOST:PORT"),
        ("searxng:ftp://x", {}, "http://HOST:PORT"),
        ("searxng:http://x?q=1", {}, "http://HOST:PORT"),
    ],
)
def test_a_wrong_specification_is_a_usage_error(spec: str, env: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_search(spec, env=env)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_corpus_is_an_input_error() -> None:
    with pytest.raises(InputError, match="does-not-exist"):
        open_search("corpus:does-not-exist.jsonl", env={})


def test_descriptions_hold_no_key_t22() -> None:
    env = {"SERPER_API_KEY": KEY, "GOOGLE_API_KEY": KEY, "GOOGLE_CSE_ID": "engine"}
    assert open_search("serper", env=env).describe() == {"kind": "serper"}
    assert open_search("google", env=env).describe() == {"kind": "google"}
    found = open_search("searxng:http://me:secret@localhost:8080/search/", env={}).describe()
    assert found == {"kind": "searxng", "host": "localhost"}
