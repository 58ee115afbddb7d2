"""The memory at scale: what is chosen from many facts and what a step costs, beside a look at all of them."""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from retree_core import prompts
from retree_core.calls import Answered, Hit, ModelCall, ModelReply, SearchCall, SearchReply
from retree_core.drivers.course import start
from retree_core.drivers.live import Backends, live
from retree_core.drivers.session import carry_on
from retree_core.events import FactsExtracted, NewFact, NodeAdded, PassagesRetrieved, RunStarted, SearchChosen
from retree_core.judging.duplicates import is_duplicate
from retree_core.memory import Passage, Source
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings
from retree_core.state import State, active_path, path
from retree_core.text.overlap_index import OverlapIndex
from retree_core.text.ranking import top_k
from retree_core.trace.records import Header
from retree_core.trace.writer import TraceWriter
from tests.benchmarks.table import Row

QUESTION = "Where was the designer of the airship Norge born, and what else did he build there?"
SIZES, FEW_SIZES = (100, 1_000, 10_000, 100_000), (100, 1_000)
FACTS = 10
"""New ones a search."""
SHOWN = 5
LAST = 50
"""Steps whose median counts."""
SYLLABLES = ("ba", "ko", "ri", "mu", "ten", "sal", "vor", "ly", "dra", "pe", "fin", "ost")


class Writing:
    """Facts and passages in words as frequent as those of a language, the same ones each time."""

    def __init__(self) -> None:
        self._chance = random.Random(6)
        self._words = ["".join(self._chance.choices(SYLLABLES, k=self._chance.randint(2, 4))) for _ in range(20_000)]

    def word(self) -> str:
        return self._words[min(int(self._chance.paretovariate(0.9)), len(self._words)) - 1]

    def fact(self) -> str:
        who, where, year = (
            f"{self.word()} {self.word()}".title(),
            self.word().title(),
            self._chance.randrange(1000, 2000),
        )
        return f"{who} built the {self.word()} {self.word()} of {where} in {year} with {self.word()} and {self.word()}."

    def text(self, facts: list[str]) -> str:
        return " ".join([*facts, " ".join(self.word() for _ in range(60)).capitalize() + "."])


@dataclass(frozen=True)
class Placed:
    """A fact as `top_k` takes it."""

    id: str
    text: str
    order: int


def chosen(facts: int, writing: Writing) -> tuple[float, float]:
    """Milliseconds of one choice of the five closest facts: from the index, from a scan."""
    texts = [writing.fact() for _ in range(facts)]
    index = OverlapIndex()
    for text in texts:
        index.append(text)
    items = [Placed(f"e{place}", text, place) for place, text in enumerate(texts)]
    ours, scan = [], []
    for _ in range(3 if facts > 10_000 else 7):
        queries = [QUESTION, *(writing.fact() for _ in range(6))]
        top_k(queries, [], SHOWN)  # both find the queries read
        ours.append(timed(lambda: index.best(queries, SHOWN)))  # noqa: B023
        scan.append(timed(lambda: top_k(queries, items, SHOWN)))  # noqa: B023
        assert [place for place, _ in index.best(queries, SHOWN)] == [one.order for one in top_k(queries, items, SHOWN)]
    return statistics.median(ours), statistics.median(scan)


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def grown(facts: int, writing: Writing) -> WorkingMemory:
    """The memory of a run that found so many facts, ten a search, and repaired none."""
    memory = WorkingMemory(State())
    memory.add(RunStarted(question=QUESTION, agent="retree"))
    for search in range(1, facts // FACTS + 1):
        found = [f"e{FACTS * (search - 1) + place}" for place in range(1, FACTS + 1)]
        passage = Passage(id=f"p{search}", title="", text=f"Page {search}")
        new = tuple(NewFact(id=id_, text=writing.fact(), source=Source(passage=passage.id, quote="")) for id_ in found)
        parent = f"n{search - 1}" if search > 1 else "root"
        memory.add(SearchChosen(search=search, query=f"query {search}", origin="policy"))
        memory.add(PassagesRetrieved(search=search, passages=(passage,)))
        memory.add(FactsExtracted(search=search, facts=new))
        memory.add(NodeAdded(node=f"n{search}", parent=parent, search=search, query="", evidence=tuple(found)))
    return memory


def introducer_by_scan(state: State, id_: str) -> int:
    """Depth of the node that introduced a fact, from a look at each node of the path."""
    return next(depth for depth, node in enumerate(path(state)) if id_ in state.nodes[node].evidence)


def introduced(memory: WorkingMemory, facts: int) -> tuple[float, float]:
    """Milliseconds of finding where a fact came in: by its id, and by a scan of the path."""
    chance = random.Random(3)
    ours, scan = [], []
    for id_ in (f"e{chance.randint(1, facts)}" for _ in range(9)):
        ours.append(timed(lambda: memory.path.depth(memory.state.evidence[id_].node or "")))  # noqa: B023
        scan.append(timed(lambda: introducer_by_scan(memory.state, id_)))  # noqa: B023
    return statistics.median(ours), statistics.median(scan)


@dataclass
class World:
    """Answers at once, and notes what passes between its answers: that is the engine, and the record it writes."""

    nodes: int
    writing: Writing
    steps: list[float] = field(default_factory=list)
    """Milliseconds of processor time of each: other work on the machine counts less."""
    _new: list[str] = field(default_factory=list)
    _spent: float = 0.0
    _answered: float = field(default_factory=time.thread_time)

    async def complete(self, call: ModelCall) -> Answered:
        self._spent += time.thread_time() - self._answered
        if call.role == "policy":
            self.steps.append(1000 * self._spent)
            self._spent = 0.0
        said = json.dumps(self._said(call))
        choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        raw = {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice]}
        self._answered = time.thread_time()
        return Answered(reply=ModelReply(raw=raw), seconds=0.0)

    async def search(self, call: SearchCall) -> Answered:
        self._spent += time.thread_time() - self._answered
        self._new = [self.writing.fact() for _ in range(FACTS)]
        texts = [self.writing.text(self._new[place::5]) for place in range(5)]
        hits = tuple(Hit(title=f"Page {place}", text=text) for place, text in enumerate(texts, 1))
        self._answered = time.thread_time()
        return Answered(reply=SearchReply(hits=hits), seconds=0.0)

    def _said(self, call: ModelCall) -> object:
        match call.role:
            case "policy":
                stop = len(self.steps) > self.nodes
                ids = re.findall(r"\[(e\d+)\]", call.body["messages"][-1]["content"])[:1] if stop else []
                query = f"where is {self.writing.word()} {len(self.steps)}"
                action = "answer" if stop else "search"
                return {"reason": "next", "missing": [], "action": action, "query": query, "evidence": ids}
            case "extract":
                return {"facts": [{"passage": n % 5 + 1, "quote": one, "fact": one} for n, one in enumerate(self._new)]}
            case "conflict":
                return {"pairs": []}
            case "summarise":
                return {"summary": " ".join(self._new[:3])}
            case _:
                return {"claims": [], "answer": "there"}


def steps(nodes: int) -> list[float]:
    """Milliseconds of processor of every step of a whole run, all but its calls, its record on disk included."""
    settings = Settings(model="m", max_searches=nodes + 1, facts_per_search=FACTS)
    world = World(nodes=nodes, writing=Writing())
    header = Header(
        run_id="x",
        created_at="2026-01-01T00:00:00.000Z",
        question=QUESTION,
        settings=settings,
        recorded_with="scripted",
        server={},
        search={},
        search_spec="",
        package_version="",
        prompts=prompts.hashes(),
    )

    async def make(out: Path) -> None:
        course = start(QUESTION, settings)
        with TraceWriter.create(out, header, redact=lambda value: value) as writer:
            records = live(course, Backends(model=world, search=world), seq=1)
            await carry_on(records, writer, lambda _: None)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(make(Path(folder) / "run.jsonl"))
    return world.steps[1:]


def by_scan(memory: WorkingMemory, writing: Writing) -> float:
    """Milliseconds that a step's choices and duplicate checks take where each looks at all facts in force."""
    state, new = memory.state, [writing.fact() for _ in range(FACTS)]
    facts = [Placed(one.id, one.text, place) for place, one in enumerate(active_path(state))]
    shown = timed(lambda: (top_k([QUESTION], facts, SHOWN), top_k(new, facts, SHOWN)))
    one = timed(lambda: next((one for one in state.evidence.values() if is_duplicate(one.text, new[0])), None))
    return shown + FACTS * one


def measure(short: bool) -> list[Row]:
    return [*_choices(short), *_introducers(short), _step(short)]


def _choices(short: bool) -> Iterator[Row]:
    writing = Writing()
    before, fewer = math.inf, 1
    for facts in FEW_SIZES if short else SIZES:
        ours, scan = chosen(facts, writing)
        yield Row(
            what=f"five closest of {facts:,} facts",
            ours=f"{ours:.3f} ms",
            alternative=f"scan of all {scan:.2f} ms",
            ratio=scan / ours,
            target="under 1 ms at 10,000, growth sub-linear",
            met=(ours < 1 or facts > 10_000) and ours / before < facts / fewer,
        )
        before, fewer = ours, facts


def _introducers(short: bool) -> Iterator[Row]:
    for facts in FEW_SIZES if short else SIZES[:3]:
        ours, scan = introduced(grown(facts, Writing()), facts)
        yield Row(
            what=f"introducer of one of {facts:,} facts",
            ours=f"{1000 * ours:.1f} us",
            alternative=f"scan of the path {1000 * scan:.1f} us",
            ratio=scan / ours,
            target="under 1 ms at 10,000",
            met=ours < 1,
        )


def _step(short: bool) -> Row:
    nodes = 20 if short else 1_000
    ours = statistics.median(steps(nodes)[-LAST:])
    scan = by_scan(grown(nodes * FACTS, Writing()), Writing())
    return Row(
        what=f"a step at {nodes * FACTS:,} facts and {nodes:,} nodes, {FACTS} new facts, all but calls",
        ours=f"{ours:.2f} ms of processor",
        alternative=f"its choices and duplicate checks by scan {scan:,.0f} ms",
        ratio=scan / ours,
        target="under 5 ms",
        met=ours < 5,
    )
