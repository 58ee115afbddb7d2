"""Whole runs of the engine over pages of realistic length, and runs that are made long by joining them."""

from __future__ import annotations

import asyncio
import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

from worlds import World, answer, confirm, conflict, facts, hit, prompt, scripted_header, search, stop, summary

from retree_core.calls import Hit, ModelCall, SearchCall
from retree_core.drivers.course import start
from retree_core.drivers.live import Backends, live
from retree_core.drivers.session import carry_on
from retree_core.settings import AgentName, Settings
from retree_core.trace import TraceWriter
from retree_core.trace.records import line, sealed

QUESTION = "In which year was the observatory of the last surveyor on the northern line built?"
CORPUS = Path(__file__).parents[1] / "sample_runs" / "corpus.jsonl"
KEY = r"Survey station [\d-]+ on the northern line was built in \d+\."
CLASH_EVERY = 12
"""Searches from one contradiction to the next."""


@cache
def sentences() -> tuple[str, ...]:
    """Sentences of the samples' passages."""
    texts = [json.loads(one)["text"] for one in CORPUS.read_text(encoding="utf-8").splitlines()]
    return tuple(one for text in texts for one in re.split(r"(?<=[.!?]) ", text))


def key_sentence(number: int, place: int, value: int) -> str:
    return f"Survey station {number}-{place} on the northern line was built in {value}."


def pages(number: int) -> tuple[Hit, ...]:
    """Five pages of some 900 characters, each with a sentence of its own; in every twelfth search the first one
    contradicts the one before."""
    chance = random.Random(number)
    found = []
    for place in range(1, 6):
        clashes = place == 1 and number % CLASH_EVERY == 0
        own = key_sentence(number - clashes, place, 1900 + number % 90 + 7 * clashes)
        around = chance.choices(sentences(), k=9)
        around.insert(chance.randrange(9), own)
        title = f"Record of station {number}-{place}"
        found.append(hit(" ".join(around), title, url=f"https://records.example/{number}/{place}"))
    return tuple(found)


class LongWorld(World):
    """Makes so many searches and then stops."""

    def __init__(self, searches: int) -> None:
        self._searches, self._made = searches, 0
        script = {"policy": self._policy, "extract": self._extract, "conflict": self._conflict, "answer": self._answer}
        script |= {"confirm": lambda _: confirm(reason="The newer record gives another year for the same station.")}
        script |= {"summarise": self._summary, "report": lambda call: {"report": self._text(call)}}
        super().__init__(script, self._find)

    def _policy(self, call: ModelCall) -> object:
        if self._made < self._searches:
            self._made += 1
            reason = "The stations known so far do not name the last surveyor, so the next record has to be read."
            return search(f"survey station {self._made} northern line year built", reason=reason)
        return stop(*re.findall(r"\b[ep]\d+\b", prompt(call).rpartition("\nEvidence")[2])[:2])

    def _find(self, call: SearchCall) -> tuple[Hit, ...]:
        return pages(self._made)

    def _extract(self, call: ModelCall) -> object:
        found = re.findall(rf"^Passage (\d+): .*\n.*?({KEY})", prompt(call), re.MULTILINE)
        return facts(*((int(number), said) for number, said in found[:3]))

    def _conflict(self, call: ModelCall) -> object:
        stored, _, new = prompt(call).partition("\nNew facts\n")
        known = dict(re.findall(r"^\[(e\d+)\] (Survey station [\d-]+) ", stored, re.MULTILINE))
        fresh = {name: id_ for id_, name in re.findall(r"^\[(e\d+)\] (Survey station [\d-]+) ", new, re.MULTILINE)}
        pairs = [(id_, fresh[name], "Two years for one station.") for id_, name in known.items() if name in fresh]
        return conflict(*pairs[:1])

    def _summary(self, call: ModelCall) -> object:
        return summary(self._text(call))

    def _text(self, call: ModelCall) -> str:
        said = re.findall(KEY, prompt(call))
        return " ".join(dict.fromkeys(said[-6:]))

    def _answer(self, call: ModelCall) -> object:
        ids = re.findall(r"\b[ep]\d+\b", prompt(call).rpartition("\nEvidence")[2])[:2]
        return answer("It was built in 1950.", ("It was built in 1950.", ids))


def write_run(path: Path, searches: int, agent: AgentName = "retree") -> Path:
    """A whole run of that many searches, as a live run writes it."""
    settings = Settings(model="scripted", agent=agent, max_searches=searches + 1)
    world = LongWorld(searches)

    async def make() -> None:
        run = start(QUESTION, settings)
        with TraceWriter.create(path, scripted_header(QUESTION, settings), redact=lambda value: value) as writer:
            records = live(run, Backends(model=world, search=world), seq=1)
            await carry_on(records, writer, lambda _: None)

    asyncio.run(make())
    return path


def write_joined(path: Path, run: Path, size: int) -> Path:
    """A trace of about so many bytes: the run again and again, each time from where it was left.

    What it finds is numbered on, so that it folds into one tree; it cannot be replayed.
    """
    header, *lines = (json.loads(one) for one in run.read_bytes().splitlines())
    kinds = [one["event"]["kind"] if one["record"] == "event" else "" for one in lines]
    begun, ended = kinds.index("run_started") + 1, kinds.index("run_ended")
    middle = lines[begun:ended]
    held = dict.fromkeys("enps", 0)
    numbers = {one["seq"]: one["seq"] for one in lines[:begun]}
    node, digest, written = "root", "", 0
    with path.open("wb") as file:

        def put(raw: dict[str, Any]) -> int:
            nonlocal digest
            (sealed_raw,) = sealed((raw,), digest)
            digest = sealed_raw["digest"]
            return file.write(line(sealed_raw))

        for one in (header, *lines[:begun]):
            put(one)
        seq = begun + 1
        while written < size:
            for one in middle:
                if written >= size:
                    break
                if one["record"] == "event" and one["event"]["kind"] in ENDS:
                    continue
                numbers[one["seq"]] = seq
                moved = {**one, "seq": seq}
                if "because" in one:
                    moved["because"] = [numbers[cause] for cause in one["because"]]
                if "beside" in one:
                    moved["beside"] = numbers[one["beside"]]
                if one["record"] == "event":
                    moved["event"] = _moved(one["event"], held, node)
                written += put(moved)
                seq += 1
            node = f"n{held['n'] + _most(middle, 'n')}"
            held = {kind: count + _most(middle, kind) for kind, count in held.items()}
        put({**lines[ended], "seq": seq, "because": []})
    return path


ENDS = ("stop_chosen", "answered")


def _moved(value: Any, held: dict[str, int], root: str) -> Any:
    """An event whose ids and search numbers stand behind those before."""
    if isinstance(value, dict):
        moved = {key: _moved(one, held, root) for key, one in value.items()}
        return {**moved, "search": moved["search"] + held["s"]} if "search" in moved else moved
    if isinstance(value, list):
        return [_moved(one, held, root) for one in value]
    if isinstance(value, str) and (found := re.fullmatch(r"([enp])(\d+)", value)):
        return f"{found[1]}{int(found[2]) + held[found[1]]}"
    return root if value == "root" else value


def _most(records: list[dict[str, Any]], kind: str) -> int:
    """The largest number of an id, or of a search, in a run."""
    if kind == "s":
        return max(one["event"].get("search", 0) for one in records if one["record"] == "event")
    text = json.dumps([one["event"] for one in records if one["record"] == "event"])
    return max((int(one) for one in re.findall(rf'"{kind}(\d+)"', text)), default=0)
