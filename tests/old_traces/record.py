"""Recorded the traces in `0.1` as release 0.1 writes them: `python tests/old_traces/record.py FOLDER`.

It needs the engine of release 0.1 (commit a4f8136) and is kept to tell how the traces came to be; those in the
repository are never recorded anew, for their worth is that they are old.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from random_worlds import QUESTION as CHAOTIC
from random_worlds import Chaos
from stubs import ChatServer, completion
from worlds import (
    DRESK,
    KORN,
    LIND,
    MIND,
    QUESTION,
    SETTINGS,
    SORREL,
    TARN,
    VELMORA,
    World,
    answer,
    asking,
    clashing,
    confirm,
    conflict,
    corpus,
    cut,
    facts,
    failed,
    finding,
    hit,
    part,
    prompt,
    run_in,
    run_scripted,
    scripted_header,
    search,
    served,
    stop,
    summary,
    write_trace,
)

from retree_core.agents import start
from retree_core.calls import Answered, Call, ModelCall, ModelReply, SearchCall
from retree_core.drivers.edits import Edit
from retree_core.drivers.fork import fork
from retree_core.drivers.live import Backends, live
from retree_core.drivers.replay import follow
from retree_core.drivers.session import Job, carry_on, resume_run, start_run
from retree_core.secrets import redact_json
from retree_core.settings import AgentName, Sampling, Settings
from retree_core.trace import CallRecord, EventRecord, Trace, TraceWriter, read_trace, save_document
from retree_core.trace.records import VERSION, Record
from retree_core.verify import traces_in, verify

SAMPLES = Path(__file__).parents[2] / "sample_runs"
LARGE = 28_000
"""Bytes from which a file is gzipped."""
RANDOM_WORLDS = 24

BOTH = f"{DRESK} Ilse Korn was born in Pell."
PELL = "Ilse Korn was born in Pell."
TWO_PROPOSALS = {
    "policy": asking(3, "e1"),
    "extract": [facts((1, VELMORA)), facts((1, TARN)), facts((1, PELL), (1, DRESK))],
    "conflict": [conflict(), conflict(("e2", "e3"), ("e1", "e4"))],
}
FLIPS = clashing(("e1", "e2"), ("e1", "e3"), ("e1", "e4"), ("e1", "e5"), ("e1", "e6"))
REPAIRED = {"policy": asking(6, "e6"), "conflict": clashing(("e1", "e4"))}
REPAIRING = finding(VELMORA, KORN, TARN, DRESK, LIND, SORREL)
COMPANY = {
    "policy": asking(3, "e1"),
    "conflict": clashing(("e1", "e4")),
    "extract": [facts((1, VELMORA)), facts((1, KORN)), facts((1, LIND), (1, DRESK), (1, "Alvonia is a kingdom."))],
}
TOGETHER = [*finding(VELMORA, KORN), [hit(f"{LIND} {DRESK} Alvonia is a kingdom.")]]
POPULATION = "How many people live in Velmora?"


def with_agent(agent: AgentName) -> Settings:
    return replace(SETTINGS, agent=agent)


def reporting(call: ModelCall) -> Any:
    """A report that grows by what each page says."""
    former = prompt(call).split("Former report\n")[1].split("\n\nQuery")[0]
    page = prompt(call).rsplit("\n", 1)[1]
    return {"report": page if former == "(nothing yet)" else f"{former} {page}"}


def summaries(*texts: str) -> Callable[[ModelCall], Any]:
    said = iter(texts)
    return lambda _: summary(next(said))


def scripted() -> dict[str, Trace]:
    """Runs in scripted worlds, one for each thing that may happen in a run."""
    made: dict[str, Trace] = {}

    def run(name: str, script: Any, finds: Any, settings: Settings = SETTINGS, question: str = QUESTION) -> None:
        run_id = hashlib.sha256(f"old {name}".encode()).hexdigest()[:16]
        made[name] = run_scripted(question, script, finds, settings, run_id=run_id)

    beside = replace(SETTINGS, summary_call="beside")
    paper = replace(SETTINGS, judge="paper")
    apply = {"reason": "better supported", "apply": True}
    pages = {"answer": lambda _: answer("Tarn", ("The mayor was born in Tarn.", ["p3"]))}
    run("repaired", REPAIRED, REPAIRING)
    run("rejected", REPAIRED | {"confirm": [confirm(False, reason="one is a district of the other")]}, REPAIRING)
    run("beside", REPAIRED, REPAIRING, beside)
    run("beside-asked-again", BESIDE_AGAIN, finding(VELMORA, KORN), beside)
    run("keep-facts", COMPANY, TOGETHER, replace(SETTINGS, on_repair="keep_facts"))
    run("set-aside", COMPANY, TOGETHER)
    run("paper", REPAIRED | {"confirm": [apply]}, REPAIRING, paper)
    run("paper-rejected", REPAIRED | {"confirm": [apply | {"apply": False}]}, REPAIRING, paper)
    run("flat", REPAIRED, REPAIRING, with_agent("flat"))
    run("react", pages | {"policy": [search("a", reason="First."), *asking(2, "p3")]}, REPAIRING, with_agent("react"))
    run("report", pages | {"policy": asking(3, "p3"), "report": reporting}, REPAIRING, with_agent("report"))
    run("rejected-replies", REJECTED, finding(VELMORA, KORN))
    run("truncated-replies", TRUNCATED, finding(VELMORA, DRESK))
    run("thinking", THINKING, finding(VELMORA), replace(SETTINGS, sampling=Sampling(thinking=True)))
    run("no-valid-reply", {"policy": ["one", "two", "three"]}, [])
    run("failed-search", {"policy": asking(2, "e1")}, [failed("timeout", "no reply in 20 s"), *finding(VELMORA)])
    run("no-more-searches", {"policy": asking(2, "e1")}, [*finding(VELMORA), failed("search_quota", "spent")])
    run("forced-search", {"policy": [stop(), stop("e1"), search("mayor"), stop("e1")]}, finding(VELMORA, KORN))
    run("budget", {"policy": asking(9)[:9]}, finding(VELMORA, KORN), replace(SETTINGS, max_searches=2))
    run("stale-summary", REPAIRED | {"summarise": STALE}, REPAIRING)
    run("stale-twice", REPAIRED | {"summarise": STALE_TWICE}, REPAIRING)
    run("rebound-and-dropped", REBOUND, [[hit("Velmora lies on the Ost."), hit(f"News. {KORN}")]])
    run("duplicates", DUPLICATES, [[hit(f"{VELMORA} A."), hit(f"{VELMORA} B.")], *finding(f"Atlas. {VELMORA}")])
    run("repeated-search", {"policy": REPEATED, "conflict": clashing(("e1", "e4"))}, REPEATING)
    run("old-value-returns", {"policy": asking(3, "e1"), "conflict": FLIPS}, finding(VELMORA, DRESK, VELMORA))
    run("repaired-three-times", {"policy": asking(6, "e1"), "conflict": FLIPS}, finding(*EDITIONS))
    run("two-proposals", TWO_PROPOSALS, [*finding(VELMORA, TARN), [hit(BOTH)]])
    run(
        "second-proposal",
        TWO_PROPOSALS | {"confirm": [confirm(False), confirm()]},
        [*finding(VELMORA, TARN), [hit(BOTH)]],
    )
    guarded = {"policy": asking(2, "e2"), "conflict": clashing(("e1", "e2"))}
    run("guard-before", guarded, finding(*SCOPES), question=POPULATION)
    counted = confirm(value=part("5,000", "6,100", same=False))
    run("guard-after", guarded | {"confirm": [counted]}, finding(*YEARS), question=POPULATION)
    run("stored-is-better", REPAIRED | {"confirm": [confirm(better="stored")]}, REPAIRING)
    failing = REPAIRED | {"answer": [failed("timeout", "late")]}
    run("repaired.cut-by-a-failed-call", failing, REPAIRING)
    return made


BESIDE_AGAIN = {
    "policy": asking(2, "e2"),
    "conflict": ["no JSON", conflict()],
    "summarise": [summary("No mayor yet."), "nor this", "nor that", summary("Still no mayor.")],
}
REJECTED = {
    "policy": [{**search("x"), "action": "dance"}, search("  "), *asking(2, "e2")],
    "extract": ["none", facts((1, VELMORA)), {"facts": 1}, facts((1, KORN))],
    "conflict": [conflict(("e99", "e2")), conflict()],
    "summarise": ["", "", "", summary("Velmora. Its mayor is Ilse Korn.")],
    "answer": [answer(" "), answer("Velmora", ("Ilse Korn leads it.", ["e2", "E2", "e7"]))],
}
TRUNCATED = {
    "policy": [cut('{"reason": "I should'), *asking(2, "e1")],
    "conflict": [cut('{"pairs": ['), conflict(("e1", "e2"))],
    "confirm": ["no idea", cut("{"), "still none"],
}
THINKING = {
    "policy": [
        ModelReply(raw=completion("", reasoning_content="Which country? Alvonia.")),
        '<think>{"action": "answer"} or not?</think>\n'
        '{"reason": "", "missing": [], "action": "search", "query": "capital of Alvonia", "evidence": []}',
        stop("e1"),
    ]
}
STALE = summaries("a", "b", "c", "The capital is Velmora.", "The capital is Dresk.", "five", "six")
STALE_TWICE = summaries("a", "b", "c", "The capital is Velmora.", "Velmora, as before.", "five", "six")
REBOUND = {
    "policy": asking(1, "e1"),
    "extract": [facts((1, KORN), (1, "The mayor of Velmora is Anton Breuk."), (9, VELMORA), (1, "Velmora lies."))],
}
DUPLICATES = {"policy": asking(2, "e1")}
REPEATED = [search("capital"), search("mayor"), search("Korn"), search("Mayor "), search("seat"), search("korn")]
REPEATED += [stop("e1")]
REPEATING = finding(VELMORA, KORN, f"{KORN} Again.", DRESK)
EDITIONS = [f"{(VELMORA, DRESK)[number % 2]} Edition {number} says so." for number in range(6)]
SCOPES = ("The city of Velmora has 5,000 inhabitants.", "The metropolitan area of Velmora has 9,000 inhabitants.")
YEARS = ("In 2010 Velmora had 5,000 inhabitants.", "In 2020 Velmora had 6,100 inhabitants.")


def chaotic() -> dict[str, Trace]:
    """Runs in random worlds."""
    made = {}
    for number in range(RANDOM_WORLDS):
        chaos = Chaos(random.Random(f"old {number}").randbytes(400))
        made[f"random-{number:02}"] = run_in(chaos.world(), CHAOTIC, chaos.settings)
    return made


FORKS = (
    ("fork-verdict", "repaired", "conflict_confirmed", ["verdict=reject"]),
    ("fork-verdict-of-fork", "fork-verdict", "conflict_rejected", ["verdict=repair"]),
    ("fork-overruled-guard", "guard-before", "conflict_rejected", ["verdict=repair"]),
    ("fork-query", "repaired", "search_chosen", ["query=who is mayor"]),
    ("fork-fact", "repaired", "facts_extracted", ["fact=e1:Velmora is the capital of Alvonia."]),
    ("fork-fact-gone", "keep-facts", None, ["fact=e3:", "fact=e5:"]),
    ("fork-passage", "repaired", None, [f"passage=p2:{LIND}"]),
    ("fork-passage-gone", "duplicates", None, ["passage=p1:"]),
    ("fork-reply", "repaired", "evidence_repaired", ['reply={"contradiction": false}']),
    ("fork-reply-of-answer", "repaired", "answered", ['reply={"claims": [], "answer": "Pell"}']),
    ("fork-beside", "beside", "conflict_confirmed", ["verdict=reject"]),
    ("fork-flat", "flat", "conflict_confirmed", ["verdict=reject"]),
    ("fork-react", "react", "search_chosen", ["query=where was she born"]),
    ("fork-paper", "paper", "conflict_confirmed", ["verdict=repair"]),
)
"""Name, parent, kind of the event that is edited (the first one), and edits."""

Where = Callable[[Sequence[Record]], int]


def after_search(number: int) -> Where:
    """The records up to the reply of a search."""

    def place(records: Sequence[Record]) -> int:
        made = [at for at, one in enumerate(records, 1) if isinstance(getattr(one, "call", None), SearchCall)]
        return made[number - 1]

    return place


def after_event(kind: str, nth: int = 1) -> Where:
    def place(records: Sequence[Record]) -> int:
        return [at for at, one in enumerate(records, 1) if isinstance(one, EventRecord) and one.event.kind == kind][
            nth - 1
        ]

    return place


def between_two_calls(records: Sequence[Record]) -> int:
    """The records up to the first of two calls that were made side by side."""
    return next(at for at, one in enumerate(records) if isinstance(one, CallRecord) and one.beside is not None)


CUTS = (
    ("repaired", "after-header", lambda _: 0),
    ("repaired", "after-second-search", after_search(2)),
    ("repaired", "after-second-step", after_event("summary_written", 2)),
    ("repaired", "after-proposal", after_event("conflict_proposed")),
    ("repaired", "after-confirmation", after_event("conflict_confirmed")),
    ("repaired", "after-repair", after_event("evidence_repaired")),
    ("repaired", "after-resuming", after_event("search_resumed")),
    ("repaired", "after-stop", after_event("stop_chosen")),
    ("repaired", "before-its-end", after_event("answered")),
    ("beside", "after-second-search", after_search(2)),
    ("beside", "between-two-calls", between_two_calls),
    ("beside-asked-again", "after-rejection", after_event("reply_rejected")),
    ("keep-facts", "after-repair", after_event("evidence_repaired")),
    ("paper", "after-second-search", after_search(2)),
    ("flat", "after-second-search", after_search(2)),
    ("flat", "after-repair", after_event("evidence_repaired")),
    ("react", "after-second-search", after_search(2)),
    ("report", "after-second-search", after_search(2)),
    ("rejected-replies", "after-rejection", after_event("reply_rejected")),
    ("rejected-replies", "after-second-rejection", after_event("reply_rejected", 2)),
    ("truncated-replies", "after-rejection", after_event("reply_rejected")),
    ("stale-twice", "after-stale-summary", after_event("summary_stale")),
    ("forced-search", "after-refused-stop", after_event("stop_refused")),
    ("forced-search", "after-forced-choice", after_event("search_chosen")),
    ("repeated-search", "after-repeated-search", after_event("passages_retrieved", 4)),
    ("second-proposal", "after-first-rejection", after_event("conflict_rejected")),
    ("scripted-two-repairs-toy-symphony", "after-second-search", after_search(2)),
    ("scripted-flip-back-clifton-bridge", "between-two-calls", between_two_calls),
    ("real-ytterbium", "after-second-search", after_search(2)),
)
"""Runs, and where they were broken off."""


class Interrupting:
    """A world that is interrupted in its call of some number."""

    def __init__(self, world: World, calls: int) -> None:
        self._world, self._left = world, calls

    async def complete(self, call: Call) -> Answered:
        self._left -= 1
        if self._left < 0:
            raise asyncio.CancelledError
        return Answered(reply=self._world.answer(call), seconds=0.0)

    search = complete


async def interrupted(path: Path) -> None:
    """A live run that its user interrupts: its last record says so."""
    world = Interrupting(World(REPAIRED, REPAIRING), 9)
    agent = start(QUESTION, SETTINGS)
    backends = Backends(model=world, search=world)
    with (
        suppress(asyncio.CancelledError),
        TraceWriter.create(path, scripted_header(QUESTION), redact=redact_json) as writer,
    ):
        await carry_on(live(agent, follow(agent, ()), backends, seq=1), writer, lambda _: None)


async def served_runs(folder: Path) -> None:
    """Runs against a model server and a corpus: live, stopped and resumed, handed over, forked live."""
    corpus(Path("corpus.jsonl"))
    with ChatServer(served(MIND), models=("scripted", "another")) as server:
        job = Job(
            question=QUESTION,
            settings=SETTINGS,
            search_spec="corpus:corpus.jsonl",
            out=folder / "live.jsonl.gz",
            base_url=server.base_url,
        )
        whole = await start_run(job)
        torn = (folder / "live.jsonl.gz").read_bytes()
        (folder / "live.cut-torn.jsonl.gz").write_bytes(torn[: len(torn) * 2 // 3])
        for name, by, model in (("resumed", "scripted", None), ("handed-over", "", "another")):
            out = folder / f"{name}.jsonl"
            await start_run(replace(job, out=out, recorded_with=by))
            out.write_bytes(b"".join(out.read_bytes().splitlines(keepends=True)[:24]))
            await resume_run(out, base_url=server.base_url, model=model)
        moment = [one.kind for one in whole.events].index("conflict_confirmed") + 1
        reject = [Edit.parse("verdict=reject")]
        for name, model in (("fork-live", None), ("fork-handed-over", "another")):
            out = folder / f"{name}.jsonl"
            await fork(whole, moment, reject, out, live_model=True, base_url=server.base_url, model=model)


def forked(parent: Trace, kind: str | None, edits: list[str], out: Path) -> None:
    moment = [one.kind for one in parent.events].index(kind) + 1 if kind else None
    asyncio.run(fork(parent, moment, [Edit.parse(one) for one in edits], out, live_model=False))


def record(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(SAMPLES.glob("*.jsonl")):
        if path.name != "corpus.jsonl":
            (folder / path.name).write_bytes(path.read_bytes())
    for name, trace in {**scripted(), **chaotic()}.items():
        write_trace(trace, folder / f"{name}.jsonl{'.gz' if name.startswith('random') else ''}")
    for name, parent, kind, edits in FORKS:
        forked(read_trace(folder / f"{parent}.jsonl"), kind, edits, folder / f"{name}.jsonl")
    for name, where, place in CUTS:
        path = folder / f"{name}.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        (folder / f"{name}.cut-{where}.jsonl").write_bytes(b"".join(lines[: 1 + place(read_trace(path).records)]))
    data = (folder / "repaired.jsonl").read_bytes()
    (folder / "repaired.cut-torn.jsonl").write_bytes(data[: len(data) // 3])
    asyncio.run(interrupted(folder / "repaired.cut-interrupted.jsonl"))
    save_document(read_trace(folder / "keep-facts.jsonl"), folder / "document.json")
    save_document(read_trace(folder / "flat.jsonl"), folder / "document.json.gz")
    asyncio.run(served_runs(folder))
    for path in sorted(folder.glob("*.jsonl")):
        if path.stat().st_size > LARGE:
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            path.unlink()


def main(folder: Path) -> None:
    assert VERSION == 1, "these traces are those of release 0.1"
    folder = folder.resolve()
    with TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)
        record(folder)
    reports = [verify(one) for one in traces_in(folder)]
    lines = (f"{one.path.name} {one.status} {one.events} {one.calls} {one.searches} {one.repairs}\n" for one in reports)
    (folder / "verified.txt").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
