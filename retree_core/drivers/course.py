"""An agent on its way through a run: what comes next, and what it is given.

Every driver leads an agent through a Course. It renders requests, asks the installed rules, and makes the records of
all that nobody outside is asked for; who answers calls, and whether a record is followed, is up to the driver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from retree_core import __version__, prompts
from retree_core.adapters import adapter
from retree_core.agents import strategy_of
from retree_core.agents.loop import run
from retree_core.calls import Call, CallFailed, ModelCall, Reply, SearchCall
from retree_core.protocol import Ask, Boundary, Fault, Given, Happened, Item, RuleCall, Steps, Together
from retree_core.reading import Reading, plain, read
from retree_core.rendering import rendered
from retree_core.rules import answered, code_hash, rule_hash
from retree_core.settings import Settings
from retree_core.state import State
from retree_core.state_digests import StateDigests
from retree_core.trace.records import (
    BoundaryRecord,
    CallRecord,
    EventRecord,
    MakerRecord,
    PromptRecord,
    Record,
    RuleRecord,
)


def start(question: str, settings: Settings, state: State | None = None) -> Course:
    """The agent of some settings, before its first item; with a state, between two steps of a run that came so far.

    Raises UsageError where it is that of an imported record.
    """
    return Course(run(question, settings, strategy_of(settings), state), settings)


class Course:
    """An agent, or a part of one, on its way."""

    def __init__(self, steps: Steps[Any], settings: Settings) -> None:
        self.settings = settings
        self.prompts: dict[str, str] = {}
        """Prompts that the record holds so far, by name."""
        self.maker: MakerRecord | None = None
        """What makes the records from here on, as far as the record says."""
        self.calls = 0
        """Model calls made."""
        self.outcome: Any = None
        """What it came to, once there is no next item."""
        self._digests = StateDigests()
        self._steps = steps
        self.item: Item | None = None
        """What comes next; None at the end."""
        self._send(None)

    def _send(self, given: Given | None) -> None:
        try:
            self.item = self._steps.send(given)
        except StopIteration as end:
            self.item, self.outcome = None, end.value

    def resume_after(self, records: Iterable[Record]) -> None:
        """Takes note of what records before say, which lead to the state that the course has."""
        for one in records:
            if isinstance(one, MakerRecord):
                self.maker = one
            elif isinstance(one, PromptRecord):
                self.prompts[one.name] = one.text
            elif isinstance(one, CallRecord) and isinstance(one.call, ModelCall):
                self.calls += 1

    # What comes next.

    @property
    def name(self) -> str:
        """What comes next, in a word: an event's kind, a model call's role, `search`, a rule; empty at the end."""
        match self.item:
            case Happened():
                return self.item.event.kind
            case Ask():
                return self.item.role
            case SearchCall():
                return "search"
            case RuleCall():
                return f"rule {self.item.rule}"
            case Together():
                return " and ".join(one.role for one in self.item.asks)
            case Boundary():
                return "boundary"
            case _:
                return ""

    def requests(self) -> tuple[Call, ...]:
        """The calls that come next: one, or several side by side."""
        if isinstance(self.item, SearchCall):
            return (self.item,)
        asks = self.item.asks if isinstance(self.item, Together) else (self.item,)
        return tuple(self._rendered(one, place) for place, one in enumerate(asks) if isinstance(one, Ask))

    def _rendered(self, ask: Ask, place: int) -> Call:
        text = self.prompts.get(ask.prompt) or prompts.installed()[ask.prompt]
        return rendered(ask, self.settings, self.settings.model_of_call(self.calls + place), text)

    def digests(self) -> dict[str, str]:
        """Of the state at a boundary, by field."""
        assert isinstance(self.item, Boundary)
        return self._digests.of(self.item.state)

    # What it is given.

    def record(self, seq: int, at: str) -> Record | None:
        """The next record that nobody outside is asked for, which is taken; None before a call, and at the end."""
        if fresh := self._introduced(seq):
            return fresh
        item = self.item
        match item:
            case Happened():
                self._send(None)
                return EventRecord(seq=seq, event=item.event, at=at, because=item.because)
            case RuleCall():
                reply = answered(item)
                record = RuleRecord(seq=seq, rule=item.rule, hash=rule_hash(item.rule), inputs=item.digest, reply=reply)
                self.give_rule(seq, reply)
                return record
            case Boundary():
                boundary = BoundaryRecord(seq=seq, step=item.step, state=self.digests())
                self.go_on()
                return boundary
            case _:
                return None

    def _introduced(self, seq: int) -> Record | None:
        """What is to be said before the next item: who makes it, and with what prompt."""
        if self.item is None:
            return None
        if self.maker is None or not self.maker.same(_maker()):
            self.maker = maker(seq)
            return self.maker
        asks = self.item.asks if isinstance(self.item, Together) else (self.item,)
        for name in (one.prompt for one in asks if isinstance(one, Ask)):
            if name not in self.prompts:
                self.prompts[name] = text = prompts.installed()[name]
                return PromptRecord(seq=seq, name=name, text=text)
        return None

    def go_on(self) -> None:
        """Past an item that nothing is sent back for."""
        self._send(None)

    def give_rule(self, seq: int, reply: Mapping[str, Any]) -> None:
        """The answer of a rule, which stands in record `seq`."""
        self._send(Given(seq=seq, value=reply))

    def give(self, seq: int, reply: Reply, reading: Reading | None) -> None:
        """The reply to a call, which stands in record `seq`; of a model also what was made of it."""
        if reading is not None:
            self.calls += 1
            self._send(reading.given(seq))
        else:
            failed = reply if isinstance(reply, CallFailed) else None
            self._send(Given(seq=seq, value=reply, failed=failed))

    def read(self, reply: Reply) -> Reading | None:
        """What is made of a reply to the next call; None for that of a search."""
        return read(self.item, reply, self.settings) if isinstance(self.item, Ask) else None


def recorded_reading(record: CallRecord) -> Reading | None:
    """What was made of a reply, as its record says; None for that of a search."""
    if not isinstance(record.call, ModelCall):
        return None
    if isinstance(record.reply, CallFailed):
        return Reading(failed=record.reply)
    said = record.read or {}
    if fault := said.get("fault"):
        return Reading(fault=Fault(kind=str(fault["kind"]), text=str(fault["text"])))
    if failed := said.get("failed"):
        return Reading(failed=adapter(CallFailed).validate_python(failed))
    return Reading(value=said["value"] if "value" in said else plain(record.reply))


def reading_json(reading: Reading | None, reply: Reply) -> dict[str, Any] | None:
    """What a record says of a reading; None where the reply says it."""
    if reading is None or isinstance(reply, CallFailed):
        return None
    if reading.fault:
        return {"fault": asdict(reading.fault)}
    if reading.failed:
        return {"failed": asdict(reading.failed)}
    return None if reading.value == plain(reply) else {"value": reading.value}


@cache
def _maker() -> MakerRecord:
    return MakerRecord(
        seq=0,
        package=__version__,
        engine=code_hash(*sorted(_agents()), "retree_core.folding", apart=ASKED),
        renderer=code_hash("retree_core.rendering"),
        reader=code_hash("retree_core.reading", apart=("retree_core.rendering",)),
    )


def _agents() -> Iterator[str]:
    return (f"retree_core.agents.{one.stem}" for one in (Path(__file__).parents[1] / "agents").glob("[a-z]*.py"))


ASKED = (
    "retree_core.judging",
    "retree_core.text",
    "retree_core.rendering",
    "retree_core.rules.retrieval",
    "retree_core.rules.summaries",
)
"""What agents import for their bounds and indexes alone: what it decides is asked for and recorded."""


def maker(seq: int) -> MakerRecord:
    """The code that makes records now."""
    return replace(_maker(), seq=seq)
