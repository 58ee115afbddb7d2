"""How many sessions one client process keeps busy: whole runs against a model server of a fixed latency.

    python tests/benchmarks/sessions.py [--sessions 1 16 64 256] [--latency 0.2] [--runs 4] [--agent retree]

The server is an asyncio process of its own. Each session makes `--runs` runs, one after the other; with nothing but
the latency they would take calls a session x latency. The share of that is what is printed, and beside it the share
that is reached when the same calls go through the openai SDK.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import multiprocessing
import pstats
import re
import resource
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import openai

from retree_core.calls import Answered, Hit, ModelCall, ModelReply
from retree_core.evaluation.batch import Plan, Progress, collect_less_garbage, run_batch
from retree_core.evaluation.questions import Question
from retree_core.llm import strict_json
from retree_core.llm.client import ModelClient
from retree_core.settings import AgentName, Settings
from retree_core.trace import read_trace

WORDS = ("anvil", "barrel", "candle", "dagger", "easel", "funnel", "goblet", "hammer")
SEARCHES = 4


def passages(number: int) -> tuple[Hit, ...]:
    """Passages of a question, each of a length that searches bring."""
    filler = "It was bought at a sale and has stood in the hall since then, beside the clock. " * 8
    return tuple(
        Hit(title=f"Inventory {place}", text=f"The {word} weighs {number + place + 2} kg. {filler}")
        for place, word in enumerate(WORDS)
    )


class ModelServer(asyncio.Protocol):
    """One keep-alive connection of a chat-completions server that knows the next step from the request."""

    latency_s = 0.2

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
        asyncio.get_running_loop().call_later(self.latency_s, self.send, reply(body[:size]))

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
            return policy(len(set(said)), sorted({one.decode() for one in ids}))
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


def policy(known: int, ids: list[str]) -> str:
    action = "answer" if known >= SEARCHES and ids else "search"
    query = "" if action == "answer" else f"where is the {WORDS[min(known, len(WORDS) - 1)]}"
    evidence = ids[:1] if action == "answer" else []
    return json.dumps({"reason": "next", "missing": [], "action": action, "query": query, "evidence": evidence})


def serve(latency_s: float, ready: Connection) -> None:
    """Serves until the process is ended; tells its port."""
    ModelServer.latency_s = latency_s

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


Client = type[ModelClient] | type[SdkClient]


def measure(port: int, args: argparse.Namespace, sessions: int, client_type: Client) -> tuple[float, float, int]:
    """Elapsed and CPU seconds of the client, and calls made."""
    questions = tuple(
        Question(id=f"q{n}", text=f"How heavy are the things of house {n}?", answers=("x",), passages=passages(n))
        for n in range(sessions * args.runs)
    )
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(
            questions=questions,
            agents=(args.agent,),
            settings=Settings(model="m"),
            search_spec="own",
            out=Path(folder),
            concurrency=sessions,
        )

        async def run() -> None:
            client = client_type(f"http://127.0.0.1:{port}/v1", "EMPTY")
            await run_batch(plan, client, {}, None, ended)
            await client.close()

        before, started = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        asyncio.run(run())
        elapsed = time.monotonic() - started
        after = resource.getrusage(resource.RUSAGE_SELF)
        calls = sum(sum(hasattr(one.call, "role") for one in read_trace(task.path).calls) for task in plan.tasks())
    return elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, calls


def ended(one: Progress) -> None:
    assert one.status == "answered", f"{one.status}: {one.detail}"


def profiled(work: Callable[[], object]) -> None:
    profile = cProfile.Profile()
    profile.runcall(work)
    pstats.Stats(profile).sort_stats("tottime").print_stats(40)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 16, 64, 256])
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--agent", choices=AgentName.__args__, default="retree")
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(args.latency, there), daemon=True)
    server.start()
    port = here.recv()
    print(f"{args.agent}, {args.latency * 1000:.0f} ms a call")
    print("sessions  calls  calls/s  of what latency allows  client CPU ms/call    by the SDK  CPU ms/call  ratio")
    for client_type in (ModelClient, SdkClient):
        measure(port, args, 1, client_type)  # imports and first uses, which an evaluation has behind it
    collect_less_garbage()
    for sessions in args.sessions:
        if args.profile:
            profiled(lambda: measure(port, args, sessions, ModelClient))  # noqa: B023
            continue
        elapsed, cpu, calls = measure(port, args, sessions, ModelClient)
        share = calls / sessions * args.latency / elapsed
        other_elapsed, other_cpu, _ = measure(port, args, sessions, SdkClient)
        other = calls / sessions * args.latency / other_elapsed
        print(
            f"{sessions:8}  {calls:5}  {calls / elapsed:7.0f}  {share:22.1%}  {1000 * cpu / calls:18.2f}"
            f"    {other:10.1%}  {1000 * other_cpu / calls:11.2f}  {share / other:5.2f}",
            flush=True,
        )
    server.terminate()


if __name__ == "__main__":
    main()
