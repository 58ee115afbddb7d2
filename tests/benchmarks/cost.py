"""What ReTree costs beside FlatUpdate: model calls and tokens, on the same questions over the same pages.

    PYTHONPATH=. python -m tests.benchmarks.cost [RESULTS ...]

Without results folders the model is scripted: it reads what a prompt shows and does the next thing that is needed, so
that both agents pay for their memory alone. Half of the questions are chains, where a wrong fact leads the search
astray, half ask for things that do not depend on one another, where a repair prunes facts that were right. In one
question of six a later page refutes an earlier one; in the paper's runs 9.6 to 17.5 % go back. Tokens are words and
signs of messages and replies. With results folders, their runs of both agents on the same questions are added up, as
their server counted them.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from retree_core import events as ev
from retree_core.calls import Call, Hit, ModelReply, Reply, SearchCall, SearchReply
from retree_core.drivers.course import start
from retree_core.settings import AgentName, Settings
from retree_core.trace import CallRecord, EventRecord, read_trace
from retree_core.trace.spent import Spent, spent
from tests.benchmarks.table import Row, lines

QUESTIONS, FEW_QUESTIONS = 240, 24
CONFLICT_EVERY = 6
MOST_CALLS, MOST_TOKENS = 1.11, 1.13
"""Of FlatUpdate's: the paper's upper ends (section 6)."""

LINKS = ("keeper", "teacher", "rival", "tailor", "lodger")
STARTS = ("Al", "Bir", "Cor", "Dor", "El", "Fen", "Gar", "Hol", "Im", "Jar", "Kel", "Lun")
NAMES = tuple(f"{start}{end}" for start in STARTS for end in ("bert", "dis", "gard", "mund", "rik", "wen"))
FILLER = "It was bought at a sale and has stood in the hall since then, beside the clock. " * 7
SENTENCE = re.compile(r"The [\w ]+? (?:is|weighs) [\w ]+\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question that takes `steps` searches, and what the pages say on the way."""

    number: int
    steps: int
    chain: bool
    """Each fact is about what the one before found; otherwise all are about the house."""
    refuted: int | None = None
    """The step whose first page is wrong."""
    refuting: int = 0
    """The step whose search finds that out."""

    @property
    def question(self) -> str:
        return f"What is to be found out about house {self.number}?"

    def page(self, topic: str, *, wrong: bool) -> str:
        """What the page about a topic states."""
        value = (crc32(topic.encode()) + 31 * wrong) % len(NAMES)
        return f"The {topic} is {NAMES[value]}." if self.chain else f"The {topic} weighs {10 + value} kg."

    def wanted(self, known: dict[str, str]) -> str | None:
        """The topic of the first fact that is still missing; None if the question can be answered."""
        about = f"house {self.number}"
        for link in LINKS[: self.steps]:
            topic = f"{link} of {about}"
            if topic not in known:
                return topic
            about = known[topic] if self.chain else about
        return None

    def found(self, topic: str) -> tuple[Hit, ...]:
        """The page about the topic, the one that refutes an earlier page if it is time, and three of no use."""
        step = next(place for place, link in enumerate(LINKS) if topic.startswith(link))
        first = f"{LINKS[self.refuted]} of " if self.refuted is not None else "-"
        pages = [self.page(topic, wrong=topic.startswith(first))]
        if self.refuted is not None and step == self.refuting:
            pages.append(self.page(self._topic(self.refuted), wrong=False))
        pages += [f"Nothing is said here about number {place}." for place in range(3)]
        return tuple(Hit(title=f"Page on {topic} {place}", text=f"{one} {FILLER}") for place, one in enumerate(pages))

    def _topic(self, step: int) -> str:
        """The topic of a step before which nothing is wrong."""
        known: dict[str, str] = {}
        for _ in range(step):
            topic = self.wanted(known)
            assert topic is not None
            known |= read(self.page(topic, wrong=False))
        topic = self.wanted(known)
        assert topic is not None
        return topic


def cases(count: int) -> Iterator[Case]:
    """Two to five steps, chains and lists in turn, and a refuted page in every sixth."""
    for place in range(count):
        turn = place // CONFLICT_EVERY
        steps, chain, number = 2 + (turn // 2) % 4, turn % 2 == 0, 100 + place
        if place % CONFLICT_EVERY:
            yield Case(number=number, steps=steps, chain=chain)
        else:
            refuting = 1 + turn // 8 % (steps - 1)
            yield Case(number=number, steps=steps, chain=chain, refuted=turn // 16 % refuting, refuting=refuting)


def read(text: str) -> dict[str, str]:
    """Topic to value of all that a text states; what stands later counts."""
    stated = (re.fullmatch(r"The (.*?) (?:is|weighs) (.*)\.", one) for one in SENTENCE.findall(text))
    return {one[1]: one[2] for one in stated if one}


class Model:
    """Answers calls about a case from what their prompts show, and its searches from its pages."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def reply(self, call: Call) -> Reply:
        if isinstance(call, SearchCall):
            return SearchReply(hits=self.case.found(call.query))
        said = json.dumps(getattr(self, call.role)(call.body["messages"][-1]["content"]))
        asked = sum(tokens(one["content"]) for one in call.body["messages"])
        choice = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        usage = {"prompt_tokens": asked, "completion_tokens": tokens(said)}
        return ModelReply(raw={"choices": [choice], "usage": usage})

    def policy(self, asked: str) -> dict[str, Any]:
        summary, _, shown = asked.partition("\nEvidence:\n")
        topic = self.case.wanted(read(summary) | read(shown))
        reason = f"The {topic} is missing." if topic else "Nothing is missing."
        chosen = {
            "action": "search" if topic else "answer",
            "query": topic or "",
            "evidence": [] if topic else [*facts(shown)],
        }
        return {"reason": reason, "missing": [], **chosen}

    def extract(self, asked: str) -> dict[str, Any]:
        stated = re.findall(rf"^Passage (\d+): .*\n({SENTENCE.pattern})", asked, re.MULTILINE)
        return {"facts": [{"passage": int(number), "quote": fact, "fact": fact} for number, fact in stated]}

    def conflict(self, asked: str) -> dict[str, Any]:
        stored, new = (facts(one) for one in asked.split("\nNew facts\n"))
        pairs = [(old, fresh) for old in stored for fresh in new if clash(read(stored[old]), read(new[fresh]))]
        return {"pairs": [{"reason": "They differ.", "stored": old, "new": fresh} for old, fresh in pairs]}

    def confirm(self, asked: str) -> dict[str, Any]:
        old, new, *_ = (next(iter(read(one).values())) for one in facts(asked).values())
        same = {"old": "", "new": "", "same": True}
        parts = dict.fromkeys(("entity", "attribute", "scope", "time"), same)
        verdict = {"reason": "Only one can be right.", "contradiction": True, "better": "new"}
        return {"question": "Which?", **parts, "value": {"old": old, "new": new, "same": False}, **verdict}

    def summarise(self, asked: str) -> dict[str, Any]:
        """Every topic once, by what is said of it last."""
        return {"summary": " ".join({next(iter(read(one))): one for one in SENTENCE.findall(asked)}.values())}

    def answer(self, asked: str) -> dict[str, Any]:
        claims = [{"text": fact, "evidence": [id_]} for id_, fact in facts(asked).items()]
        return {"claims": claims, "answer": claims[-1]["text"]}


def facts(text: str) -> dict[str, str]:
    """Id to fact of all that is listed."""
    return dict(re.findall(r"^\[(e\d+)\] (.*)$", text, re.MULTILINE))


def clash(old: dict[str, str], new: dict[str, str]) -> bool:
    return any(new.get(topic, value) != value for topic, value in old.items())


def tokens(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """One run."""

    cost: Spent
    repaired: bool


def run(case: Case, name: AgentName) -> Ended:
    """The run of an agent on a case."""
    model, course = Model(case), start(case.question, Settings(agent=name, model="scripted"))
    events: list[ev.Event] = []
    calls: list[CallRecord] = []
    while course.item is not None:
        made = course.record(len(calls), "")
        if made is None:
            (call,) = course.requests()
            calls.append(CallRecord(seq=len(calls) + 1, call=call, reply=model.reply(call)))
            course.give(len(calls), calls[-1].reply, course.read(calls[-1].reply))
        elif isinstance(made, EventRecord):
            events.append(made.event)
    assert "answered" in {one.status for one in events if isinstance(one, ev.RunEnded)}, (name, case)
    return ended(events, calls)


def ended(events: Iterable[ev.Event], calls: Iterable[CallRecord]) -> Ended:
    return Ended(
        cost=sum(spent(calls).values(), Spent()), repaired=any(isinstance(one, ev.EvidenceRepaired) for one in events)
    )


Pair = tuple[Ended, Ended]
"""A run of ReTree and one of FlatUpdate on the same question."""


def measure(short: bool) -> list[Row]:
    count = FEW_QUESTIONS if short else QUESTIONS
    pairs = [(run(one, "retree"), run(one, "flat")) for one in cases(count)]
    went_back = [one for one in pairs if one[0].repaired]
    share = f"{count} questions, {len(went_back) / count:.0%} go back"
    return [*compared(share, pairs, bounded=True), *compared("those that go back alone", went_back, bounded=False)]


def compared(what: str, pairs: Sequence[Pair], *, bounded: bool) -> list[Row]:
    """Calls and tokens of ReTree against FlatUpdate; without a bound nothing is wished for."""
    ours, flat = (sum((one[place].cost for one in pairs), Spent()) for place in (0, 1))
    return [
        _row(f"model calls, {what}", ours.calls, flat.calls, len(pairs), MOST_CALLS if bounded else None),
        _row(f"tokens, {what}", ours.tokens, flat.tokens, len(pairs), MOST_TOKENS if bounded else None),
    ]


def _row(what: str, ours: int, flat: int, runs: int, most: float | None) -> Row:
    ratio = ours / flat
    return Row(
        what=what,
        ours=f"{ours / runs:,.1f} a run",
        alternative=f"FlatUpdate: {flat / runs:,.1f} a run",
        ratio=ratio,
        target=f"at most {most}" if most else "shown",
        met=most is None or ratio <= most,
    )


def recorded(folder: Path) -> list[Pair]:
    """The pairs in a results folder: questions that both agents have a run of."""
    runs = [folder / "runs" / agent for agent in ("retree", "flat")]
    names = sorted({one.name for one in runs[0].glob("*.jsonl*")} & {one.name for one in runs[1].glob("*.jsonl*")})
    return [(_recorded(runs[0] / name), _recorded(runs[1] / name)) for name in names]


def _recorded(path: Path) -> Ended:
    trace = read_trace(path)
    return ended(trace.events, trace.calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="RESULTS", help="as retree eval writes them")
    args = parser.parse_args()
    pairs = [pair for one in args.folders for pair in recorded(one)]
    print(lines(compared(f"{len(pairs)} recorded questions", pairs, bounded=True) if pairs else measure(short=False)))


if __name__ == "__main__":
    main()
