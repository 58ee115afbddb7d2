"""How many sessions one client process keeps busy: whole runs against a model server of a fixed latency.

The server is an asyncio process of its own. Runs of three to five searches wait in a queue, and each session takes the
next one when it has made one; with nothing but the latency that would take as long as the busiest session's calls. The
share of it is what is printed, and beside it the share that is reached when the same calls go through the openai SDK.
"""

from __future__ import annotations

import asyncio
import heapq
import json
import multiprocessing
import re
import resource
import statistics
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import openai

from retree_core.calls import Answered, Hit, ModelCall, ModelReply
from retree_core.evaluation.batch import Plan, Progress, collect_less_garbage, run_batch
from retree_core.evaluation.questions import Question
from retree_core.llm import strict_json
from retree_core.llm.client import ModelClient
from retree_core.settings import Settings
from retree_core.trace import read_trace
from tests.benchmarks.table import Row

LATENCY_S = 0.2
SIZES = (1, 16, 64, 128, 256, 512)
RUNS = 4
"""Of a session, so that what begins and ends a run counts as in an evaluation."""
WORDS = ("anvil", "barrel", "candle", "dagger", "easel", "funnel", "goblet", "hammer")


def passages(number: int) -> tuple[Hit, ...]:
    """Passages of a question, each of a length that searches bring."""
    filler = "It was bought at a sale and has stood in the hall since then, beside the clock. " * 8
    return tuple(
        Hit(title=f"Inventory {place}", text=f"The {word} weighs {number + place + 2} kg. {filler}")
        for place, word in enumerate(WORDS)
    )


class ModelServer(asyncio.Protocol):
    """One keep-alive connection of a chat-completions server that knows the next step from the request."""

    def __init__(self) -> None:
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, body = self.buffer.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        size = int(length[1]) if length else 0
        if not found or len(body) < size:
            return
        self.buffer = body[size:]
        asyncio.get_running_loop().call_later(LATENCY_S, self.send, reply(body[:size]))

    def send(self, content: str) -> None:
        usage = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        envelope = {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage}
        body = json.dumps(envelope).encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
        self.transport.write(head + body)


def reply(body: bytes) -> str:
    role = re.search(rb'"name": ?"retree_(\w+)"', body)
    said = re.findall(r"The (\w+ weighs \d+ kg)", body.rpartition(b'"role"')[2].decode())
    ids = re.findall(rb"\b([ep]\d+)\b", body)
    match role[1] if role else b"":
        case b"policy":
            house = re.search(rb"house (\d+)", body)
            wanted = 3 + int(house[1] if house else 0) % 3
            return policy(len(set(said)) >= wanted, len(set(said)), sorted({one.decode() for one in ids}))
        case b"extract":
            query = re.search(rb"where is the (\w+)", body)
            fact = next((one for one in said if query and one.startswith(query[1].decode())), said[0])
            passage = said.index(fact) + 1
            return json.dumps({"facts": [{"passage": passage, "quote": f"The {fact}", "fact": f"The {fact}."}]})
        case b"conflict":
            return '{"pairs": []}'
        case b"summarise":
            return json.dumps({"summary": " ".join(f"The {one}." for one in dict.fromkeys(said))})
        case b"report":
            return json.dumps({"report": " ".join(f"The {one}." for one in dict.fromkeys(said))})
        case _:
            cited = [ids[-1].decode()] if ids else []
            return json.dumps({"claims": [{"text": f"The {said[0]}.", "evidence": cited}], "answer": said[0]})


def policy(enough: bool, known: int, ids: list[str]) -> str:
    action = "answer" if enough and ids else "search"
    query = "" if action == "answer" else f"where is the {WORDS[min(known, len(WORDS) - 1)]}"
    evidence = ids[:1] if action == "answer" else []
    return json.dumps({"reason": "next", "missing": [], "action": action, "query": query, "evidence": evidence})


def serve(ready: Connection) -> None:
    """Serves until the process is ended; tells its port."""

    async def forever() -> None:
        server = await asyncio.get_running_loop().create_server(ModelServer, "127.0.0.1", 0, backlog=1024)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(forever())


class SdkClient:
    """The alternative: the same calls through the openai SDK, one try each."""

    def __init__(self, base_url: str, api_key: str) -> None:
        self._sdk = openai.AsyncOpenAI(base_url=base_url, api_key=api_key, max_retries=0)

    async def complete(self, call: ModelCall) -> Answered:
        data = await self._sdk.post("/chat/completions", cast_to=bytes, body=dict(call.body))
        return Answered(reply=ModelReply(raw=strict_json.loads(data)), seconds=0.0)

    async def close(self) -> None:
        await self._sdk.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What the runs of some sessions took."""

    calls: int
    cpu_s: float
    """Of the client's process."""
    share: float
    """The time that latency alone would take, of the time that it took."""


def taken(port: int, sessions: int, client_type: type[ModelClient] | type[SdkClient], runs: int) -> Taken:
    questions = tuple(
        Question(id=f"q{n}", text=f"How heavy are the things of house {n}?", answers=("x",), passages=passages(n))
        for n in range(sessions * runs)
    )
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(
            questions=questions,
            agents=("retree",),
            settings=Settings(model="m"),
            search_spec="own",
            out=Path(folder),
            concurrency=sessions,
        )

        async def run() -> None:
            client = client_type(f"http://127.0.0.1:{port}/v1", "EMPTY")
            await run_batch(plan, client, {}, None, ended)
            await client.close()

        cpu_s, started = time.process_time(), time.monotonic()
        asyncio.run(run())
        elapsed_s, cpu_s = time.monotonic() - started, time.process_time() - cpu_s
        calls = [sum(hasattr(one.call, "role") for one in read_trace(task.path).calls) for task in plan.tasks()]
    return Taken(calls=sum(calls), cpu_s=cpu_s, share=in_a_row(calls, sessions) * LATENCY_S / elapsed_s)


def in_a_row(calls: list[int], sessions: int) -> int:
    """Calls of the busiest session, where each takes the next run as soon as it has made one."""
    busy = [0] * sessions
    for one in calls:
        heapq.heapreplace(busy, busy[0] + one)
    return max(busy)


def ended(one: Progress) -> None:
    assert one.status == "answered", f"{one.status}: {one.detail}"


def resident_mb() -> float:
    """The most memory that the process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(short: bool) -> list[Row]:
    """Shares of what latency allows, the middle of three (through the SDK of one); memory a session."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    port = here.recv()
    for client_type in (ModelClient, SdkClient):
        taken(port, 1, client_type, 1)  # imports and first uses, which an evaluation has behind it
    collect_less_garbage()
    sizes = SIZES[:3] if short else SIZES
    before = resident_mb()
    tries = {size: [taken(port, size, ModelClient, RUNS) for _ in range(1 if short else 3)] for size in sizes}
    a_session = (resident_mb() - before) / (sizes[-1] - 1)
    rows = [_row(size, tries[size], taken(port, size, SdkClient, RUNS)) for size in sizes]
    server.terminate()
    memory = Row(
        what=f"memory a session, {sizes[-1]} sessions",
        ours=f"{a_session:.2f} MB",
        alternative="the bound, 2 MB",
        ratio=2 / a_session,
        target="under 2 MB",
        met=a_session < 2,
    )
    return [*rows, memory]


def _row(sessions: int, ours: list[Taken], sdk: Taken) -> Row:
    share = statistics.median(one.share for one in ours)
    cpu_ms = statistics.median(1000 * one.cpu_s / one.calls for one in ours)
    return Row(
        what=f"{sessions} sessions, {LATENCY_S * 1000:.0f} ms a call",
        ours=f"{share:.1%} of what latency allows, {cpu_ms:.2f} ms CPU a call",
        alternative=f"openai SDK {sdk.share:.1%}, {1000 * sdk.cpu_s / sdk.calls:.2f} ms",
        ratio=share / sdk.share,
        target="at least 95 % up to 256" if sessions <= 256 else "shown",
        met=share >= 0.95 or sessions > 256,
    )
