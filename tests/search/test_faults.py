"""Everything that search providers are known to get wrong, over a real connection (W01 to W06, W13, W14, W16)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from stubs import FakeClock, Response, StubServer
from stubs.faults import MEGABYTE
from stubs.search_faults import FAULTS, GOOGLE, HOSTILE_LINKS, SEARXNG, SERPER, results

from retree_core.calls import Answered, CallFailed, Hit, SearchCall, SearchReply
from retree_core.search.backend import SearchBackend
from retree_core.search.google import Google
from retree_core.search.searxng import SearXNG
from retree_core.search.serper import Serper
from retree_core.search.web import Timing

KEY = "dummy-search-key-4711"
HITS = (Hit(title="B & C", text="two", url="https://b.org"), Hit(title="A", text="one", url="https://a.org/x"))
QUICK = [name for name, fault in FAULTS.items() if not fault.slow]
EVERY = pytest.mark.parametrize("provider", [SERPER, GOOGLE, SEARXNG])


def good(provider: str) -> dict[str, Any]:
    return results(provider, ("B &amp; C", "<b>two</b>", "https://b.org"), ("A", "one", "https://a.org/x"))


def opened(provider: str, url: str, timing: Timing) -> SearchBackend:
    if provider == SERPER:
        return Serper(KEY, url=url, timing=timing)
    return Google(KEY, "engine", url=url, timing=timing) if provider == GOOGLE else SearXNG(url, timing=timing)


def ask(provider: str, server: StubServer, limit: int = 5, **limits: Any) -> Answered:
    async def work() -> Answered:
        clock = FakeClock()
        timing = Timing(clock=clock, sleep=clock.sleep, jitter=lambda: 0.0, **limits)
        backend = opened(provider, server.url, timing)
        try:
            return await backend.search(SearchCall(query="capital of x", limit=limit))
        finally:
            await backend.close()

    return asyncio.run(work())


def outcome(answered: Answered) -> str:
    reply = answered.reply
    if isinstance(reply, CallFailed):
        assert "\n" not in reply.message
        assert len(reply.message) < 600
        return reply.failure
    assert isinstance(reply, SearchReply)
    return "found" if reply.hits == HITS else "nothing" if not reply.hits else "something else"


@EVERY
@pytest.mark.parametrize("name", QUICK)
def test_every_fault_ends_as_what_it_is(provider: str, name: str) -> None:
    with StubServer(lambda _: FAULTS[name].answer(json.dumps(good(provider)))) as server:
        answered = ask(provider, server, attempts=2)
    assert outcome(answered) == FAULTS[name].outcome
    assert KEY not in repr(answered)


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in QUICK])
def test_what_takes_for_ever_ends_in_time(name: str) -> None:
    with StubServer(FAULTS[name].answer("")) as server:
        answered = ask(SERPER, server, read_timeout_s=0.2, total_timeout_s=0.6, attempts=2)
    assert outcome(answered) == FAULTS[name].outcome


@pytest.mark.parametrize("name", QUICK)
def test_what_may_pass_is_asked_again_and_nothing_else(name: str) -> None:
    def answer(_: object) -> Response:
        first = len(server.seen) == 1
        return FAULTS[name].answer(json.dumps(good(SERPER))) if first else Response(json=good(SERPER))

    with StubServer(answer) as server:
        answered = ask(SERPER, server)
    assert len(server.seen) == 1 + FAULTS[name].retried
    assert outcome(answered) == ("found" if FAULTS[name].retried else FAULTS[name].outcome)


@pytest.mark.parametrize("name", ["50 MB", "2 GB", "a gzip of 100 MB", "500 without end"])
def test_a_body_without_end_is_not_read_to_its_end(name: str) -> None:
    with StubServer(FAULTS[name].answer("")) as server:
        assert outcome(ask(SERPER, server, attempts=1)) == "search_error"
    assert server.sent < 40 * MEGABYTE


@EVERY
def test_a_redirect_is_not_followed_to_another_host_w14(provider: str) -> None:
    with StubServer(Response(json=good(provider))) as other:
        for status in (301, 302, 303, 307, 308):
            with StubServer(Response(status=status, headers={"location": f"{other.url}/?key={KEY}"})) as server:
                found = ask(provider, server)
            assert outcome(found) == "search_error"
            assert KEY not in repr(found)
        assert other.seen == []


@EVERY
def test_no_hostile_link_becomes_a_passages_link_w14(provider: str) -> None:
    entries = [(f"t{number}", f"text {number}", url) for number, url in enumerate(HOSTILE_LINKS)]
    with StubServer(Response(json=results(provider, *entries))) as server:
        reply = ask(provider, server, limit=20).reply
    assert isinstance(reply, SearchReply)
    assert [(one.title, one.text, one.url) for one in reply.hits] == [(*entry[:2], None) for entry in entries]


@EVERY
def test_no_control_character_of_a_result_is_kept_w11(provider: str) -> None:
    entry = ("a\x00b\x1b[31mred", "x\x07y\x9bz\x7f &#27;[2J &#0; \u2028end", "https://a.org")
    with StubServer(Response(json=results(provider, entry))) as server:
        reply = ask(provider, server).reply
    assert isinstance(reply, SearchReply)
    assert reply.hits == (Hit(title="ab[31mred", text="xyz [2J \ufffd end", url="https://a.org"),)


@pytest.mark.parametrize(
    ("provider", "expected"), [(SERPER, "nothing"), (GOOGLE, "nothing"), (SEARXNG, "search_error")]
)
@pytest.mark.parametrize("more", [{}, {"searchInformation": {"totalResults": "0"}}, {"searchParameters": {"q": "x"}}])
def test_results_that_are_null_are_as_if_left_out_w01(provider: str, expected: str, more: dict[str, Any]) -> None:
    (listed,) = good(provider)
    for body in (more, {listed: None, **more}):
        with StubServer(Response(json=body)) as server:
            assert outcome(ask(provider, server)) == expected
