"""A step is a function of the state: from every boundary a run goes on as it did, and an agent knows nothing else."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from random_worlds import QUESTION, Chaos, worlds
from worlds import SETTINGS, answer, asking, finding, repaired_run, run_in, run_scripted

from retree_core.agents import strategy_of
from retree_core.agents.loop import run
from retree_core.drivers.course import recorded_reading
from retree_core.drivers.replay import replay
from retree_core.events import Event
from retree_core.protocol import Ask, Boundary, Given, Happened, RuleCall, Together
from retree_core.trace import CallRecord, EventRecord, Trace
from retree_core.trace.records import BoundaryRecord, RuleRecord

WORLDS = 200
OWN = ("retree_core.agents", "retree_core.protocol", "retree_core.events", "retree_core.memory", "retree_core.state")
OWN += (
    "retree_core.folding",
    "retree_core.growing",
    "retree_core.settings",
    "retree_core.calls",
    "retree_core.verdicts",
)
OWN += ("retree_core.rules.memory", "retree_core.rules.recall")
"""What an agent is made of: its own steps, values, the fold, and indexes into the state."""
INDEXES = ("retree_core.text", "retree_core.judging")
"""What the indexes are made with; the agent sees none of it."""


def test_a_run_goes_on_from_every_boundary_as_it_did() -> None:
    seen: Counter[str] = Counter()

    @worlds(WORLDS)
    def holds(data: bytes) -> None:
        chaos = Chaos(data)
        made = run_in(chaos.world(), QUESTION, chaos.settings)
        before = zip(made.records, made.records[1:], strict=False)
        every = tuple(one.seq for one, after in before if isinstance(after, BoundaryRecord))
        again = replace(made, header=replace(made.header, boundaries=every))
        assert replay(again) == made.events
        seen.update({chaos.settings.agent: len(every)})

    holds()
    assert all(seen[agent] > 50 for agent in ("retree", "flat", "react", "report"))


def runs() -> dict[str, Trace]:
    """A run of each agent."""
    made = {"retree": repaired_run(), "beside": repaired_run(settings=replace(SETTINGS, summary_call="beside"))}
    made["flat"] = repaired_run(settings=replace(SETTINGS, agent="flat"))
    script = {"policy": asking(2, "p1"), "answer": [answer("Tarn", ("Tarn.", ["p1"]))]}
    script["report"] = lambda _: {"report": "All is known."}
    for agent in ("react", "report"):
        settings = replace(SETTINGS, agent=agent)
        made[agent] = run_scripted(QUESTION, script, finding("One thing.", "Another thing."), settings)
    return made


class Trap:
    """Stands for everything outside of an agent."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"an agent looks at {object.__getattribute__(self, '_name')}")

    def __call__(self, *_: object, **__: object) -> Any:
        raise AssertionError(f"an agent calls {object.__getattribute__(self, '_name')}")


def outside(module: str) -> bool:
    return not any(module == one or module.startswith(f"{one}.") for one in (*OWN, *INDEXES))


def trap(monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent reaches a module but its own: what others hold is a trap, and so is what was imported from them."""
    own = [one for name, one in sys.modules.items() if isinstance(one, ModuleType) and name.startswith(OWN)]
    for module in own:
        for name, held in list(vars(module).items()):
            home = held.__name__ if inspect.ismodule(held) else getattr(held, "__module__", "") or ""
            if callable(held) and home.startswith("retree_core") and outside(home):
                monkeypatch.setattr(module, name, Trap(f"{home}.{name}"))
    for name in ("os.environ", "time.time", "time.time_ns", "random.random", "socket.socket", "builtins.open"):
        monkeypatch.setattr(name, Trap(name))


@pytest.mark.parametrize("name", ["retree", "beside", "flat", "react", "report"])
def test_an_agent_makes_its_run_with_traps_in_place_of_all_else(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = runs()[name]
    replies = {one.seq: reply_of(one) for one in recorded.records if isinstance(one, CallRecord | RuleRecord)}
    agent = run(recorded.header.question, recorded.header.settings, strategy_of(recorded.header.settings))
    with monkeypatch.context() as patched:
        trap(patched)
        events = made(agent, iter(replies.values()))
    assert events == recorded.events


def reply_of(record: CallRecord | RuleRecord) -> Given:
    if isinstance(record, RuleRecord):
        return Given(seq=record.seq, value=record.reply)
    reading = recorded_reading(record)
    return reading.given(record.seq) if reading else Given(seq=record.seq, value=record.reply)


def made(agent: Any, replies: Any) -> tuple[Event, ...]:
    """The events of an agent that is given replies in order."""
    events, given = [], None
    while True:
        try:
            item = agent.send(given)
        except StopIteration:
            return tuple(events)
        if isinstance(item, Happened):
            events.append(item.event)
        given = None if isinstance(item, Happened | Together | Boundary) else next(replies)
        assert given is None or isinstance(item, Ask | RuleCall) or item.query


def test_an_event_says_what_it_comes_from() -> None:
    trace = repaired_run()
    kinds = {
        one.seq: one.role if isinstance(one, CallRecord) else one.rule
        for one in trace.records
        if isinstance(one, CallRecord | RuleRecord)
    }
    causes = {
        one.event.kind: [kinds[seq] for seq in one.because] for one in trace.records if isinstance(one, EventRecord)
    }
    assert causes == {
        "run_started": [],
        "context_built": ["context"],
        "search_chosen": ["policy", "repeated"],
        "passages_retrieved": ["search", "passages"],
        "facts_extracted": ["extract", "facts"],
        "node_added": ["related", "conflict"],
        "summary_written": ["summarise", "bound"],
        "conflict_proposed": ["related", "conflict"],
        "conflict_confirmed": ["limit", "text_guards", "confirm", "part_guards"],
        "evidence_repaired": ["limit", "text_guards", "confirm", "part_guards"],
        "nodes_pruned": ["limit", "text_guards", "confirm", "part_guards"],
        "search_resumed": ["limit", "text_guards", "confirm", "part_guards"],
        "stop_chosen": ["policy"],
        "answered": ["basis", "answer"],
        "run_ended": [],
    }
