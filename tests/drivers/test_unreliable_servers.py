"""Whole runs between a model server and a search provider that may answer every call in any wrong way.

RETREE_FULL=1 makes 2,000 runs. A run is told by its seed, which is the name of its test.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from stubs import ChatServer, FakeClock, Response, StubServer, role_of, search_faults
from stubs import faults as model_faults
from stubs.faults import FOREIGN, Fault
from worlds import DEFAULTS, SETTINGS, answer, confirm, prompt

from retree_core.calls import ModelCall
from retree_core.drivers.live import Backends
from retree_core.drivers.session import Job, write_run
from retree_core.llm.client import ModelClient
from retree_core.memory import RunStatus
from retree_core.search.backend import SearchBackend
from retree_core.search.google import Google
from retree_core.search.searxng import SearXNG
from retree_core.search.serper import Serper
from retree_core.search.web import Timing
from retree_core.settings import AgentName, Settings
from retree_core.trace import Trace, read_trace
from retree_core.trace.records import CallRecord, EventRecord, record_json
from retree_core.verify import verify

MODEL_KEY = "dummy-model-key-4711-do-not-show"
SEARCH_KEY = "dummy-search-key-4712-do-not-show"
AGENTS: tuple[AgentName, ...] = get_args(AgentName)
PROVIDERS = (search_faults.SERPER, search_faults.GOOGLE, search_faults.SEARXNG)
TRIES = 3
"""Of one call."""
RUNS_A_TEST = 10
SEEDS = range(2_000 if os.environ.get("RETREE_FULL") else 40)
QUESTION = "In which town was the mayor of the capital of Alvonia born?"
TOWNS = ("Velmora", "Dresk", "Tarn", "Sorrel")
WORDS = ("capital", "mayor", "river", "bridge")


class Unreliable:
    """Answers well as often as `goodness` says, and otherwise in any wrong way; all is decided by a seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.goodness = self.chance.choice([0.0, 0.5, 0.8, 0.9, 0.97])
        self.keys = (MODEL_KEY, SEARCH_KEY)

    def model(self, body: Mapping[str, Any]) -> Response:
        good = json.dumps(self._reply(ModelCall(role=role_of(body).removeprefix("retree_"), body=body)))  # type: ignore[arg-type]
        return self._answer(good, model_faults.FAULTS)

    def search(self, provider: str) -> Response:
        entries = [self._page() for _ in range(self.chance.randint(0, 4))]
        good = json.dumps(search_faults.results(provider, *entries))
        return self._answer(good, search_faults.FAULTS)

    def _answer(self, good: str, faults: Mapping[str, Fault]) -> Response:
        if self.chance.random() < self.goodness:
            return faults["plain"].answer(good)
        if self.chance.random() < 0.05:
            return self._with_the_keys()
        fault = faults[self.chance.choice(list(faults))]
        seldom = fault.slow and self.chance.random() < 0.9
        return (faults["plain"] if seldom else fault).answer(good)

    def _with_the_keys(self) -> Response:
        """A refusal that quotes what was sent."""
        status = self.chance.choice([200, 400, 401, 429, 500])
        return Response(
            status=status, json={"error": {"message": f"{FOREIGN} {' '.join(self.keys)}", "key": self.keys}}
        )

    def _page(self) -> tuple[str, str, str]:
        word, town, number = self.chance.choice(WORDS), self.chance.choice(TOWNS), self.chance.randint(1, 40)
        link = self.chance.choice(["https://a.org/", "http://b.org/?n=", *search_faults.HOSTILE_LINKS])
        return f"Page {number}", f"The {word} of Alvonia is {town}. It is {number} years old.", f"{link}{number}"

    def _reply(self, call: ModelCall) -> Any:
        if call.role == "policy":
            return self._step(call)
        if call.role == "conflict":
            stored, new = _allowed(call, "pairs", "stored"), _allowed(call, "pairs", "new")
            pairs = [(self.chance.choice(stored), self.chance.choice(new)) for _ in range(self.chance.randint(0, 4))]
            return {"pairs": [{"reason": "they differ", "stored": old, "new": fresh} for old, fresh in pairs]}
        if call.role == "confirm":
            return confirm(self.chance.random() < 0.8, question="Which one?")
        if call.role == "report":
            return {"report": f"The {self.chance.choice(WORDS)} of Alvonia is {self.chance.choice(TOWNS)}."}
        if call.role == "answer":
            cited = _allowed(call, "claims", "evidence")
            return answer(self.chance.choice(TOWNS), ("So it is said.", self.chance.sample(cited, 1)))
        return DEFAULTS[call.role](call)  # type: ignore[operator]

    def _step(self, call: ModelCall) -> Any:
        cited = _allowed(call, "evidence")
        stop = bool(cited) and self.chance.random() < 0.3
        query = f"{self.chance.choice(WORDS)} {self.chance.choice(TOWNS)}"
        return {
            "reason": "so",
            "missing": [],
            "action": "answer" if stop else "search",
            "query": "" if stop else query,
            "evidence": self.chance.sample(cited, 1) if stop else [],
        }


def _allowed(call: ModelCall, *path: str) -> list[str]:
    """The ids that the schema of a call allows at a place; none where it allows none."""
    node = call.body["response_format"]["json_schema"]["schema"]
    for name in path:
        node = node["properties"][name]
        node = node.get("items", node)
    return node.get("enum", [])


def opened(provider: str, url: str, timing: Timing) -> SearchBackend:
    if provider == search_faults.SERPER:
        return Serper(SEARCH_KEY, url=url, timing=timing)
    return Google(SEARCH_KEY, "engine", url=url, timing=timing) if provider == "google" else SearXNG(url, timing=timing)


def run(seed: int, folder: Path) -> tuple[Trace, int]:
    """A whole run and how many requests it sent."""
    servers, clock = Unreliable(seed), FakeClock()
    provider = servers.chance.choice(PROVIDERS)
    settings = Settings(
        agent=AGENTS[seed % len(AGENTS)],
        model=SETTINGS.model,
        judge=servers.chance.choice(["guarded", "paper"]),
        on_repair=servers.chance.choice(["set_aside", "keep_facts"]),
        max_searches=servers.chance.randint(1, 5),
    )
    job = Job(question=QUESTION, settings=settings, search_spec=provider, out=folder / f"{seed}.jsonl")

    async def work(models: ChatServer, pages: StubServer) -> Trace:
        timing = Timing(clock=clock, sleep=clock.sleep, read_timeout_s=0.3, attempts=TRIES, jitter=lambda: 0.0)
        search = opened(provider, pages.url, timing)
        limits = {"read_timeout_s": 0.3, "total_timeout_s": 60.0, "attempts": TRIES, "jitter": lambda: 0.0}
        model = ModelClient(models.base_url, MODEL_KEY, clock=clock, sleep=clock.sleep, **limits)  # type: ignore[arg-type]
        try:
            await write_run(job, (Backends(model=model, search=search), {}, search.describe()))
            return read_trace(job.out)
        finally:
            await model.close()
            await search.close()

    with ChatServer(servers.model) as models, StubServer(lambda _: servers.search(provider)) as pages:
        return asyncio.run(work(models, pages)), len(models.seen) + len(pages.seen)


def most_calls(settings: Settings) -> int:
    """To a model, in the worst run: two decisions a search, a stop, an answer, and what a search can lead to."""
    searched = 1 + 1 + 4 + 2 + 1  # extraction, proposal, confirmations, a summary again, a summary or report
    replies = 2 * (settings.max_searches + 1) + searched * settings.max_searches + 1
    return settings.reply_attempts * replies


def check(trace: Trace, requests: int, path: Path) -> str:
    """What holds whatever the servers do; the status of the run."""
    report = verify(path)
    assert (report.status, report.findings) == ("ok", ())
    models = [one for one in trace.calls if isinstance(one.call, ModelCall)]
    searches = [one for one in trace.calls if not isinstance(one.call, ModelCall)]
    settings = trace.header.settings
    assert len(models) <= most_calls(settings)
    assert len(searches) <= settings.max_searches
    assert requests <= sum(1 + len(one.failed_attempts) for one in trace.calls) <= TRIES * len(trace.calls)
    assert all(one.seconds <= 60 for one in trace.calls)
    assert [one for one in models if FOREIGN in prompt(one)] == []
    assert [one for one in searches if FOREIGN in one.call.query] == []  # type: ignore[union-attr]
    assert [one for one in map(said, trace.records) if FOREIGN in one] == []
    assert all(key not in path.read_text() for key in (MODEL_KEY, SEARCH_KEY))
    assert report.ended in get_args(RunStatus)
    return report.ended


def said(record: Any) -> str:
    """What a record says that is no failure's own account; nothing of a call, which keeps what was sent as it is."""
    accounts = ("run_ended", "search_failed", "reply_rejected")
    if isinstance(record, CallRecord):
        return ""
    own = isinstance(record, EventRecord) and record.event.kind in accounts
    return "" if own else json.dumps(record_json(record))


@pytest.mark.parametrize("first", SEEDS[::RUNS_A_TEST])
def test_a_run_between_unreliable_servers_ends_with_a_status_and_a_valid_trace(first: int, tmp_path: Path) -> None:
    ends: Counter[str] = Counter()
    for seed in range(first, first + RUNS_A_TEST):
        print(f"seed {seed}")
        trace, requests = run(seed, tmp_path)
        ends[f"{trace.header.settings.agent} {check(trace, requests, tmp_path / f'{seed}.jsonl')}"] += 1
    print(dict(ends))
