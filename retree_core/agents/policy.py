"""The next step: search, or stop if stopping is allowed (paper, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from retree_core.agents.asking import ask, consult
from retree_core.agents.strategy import MemoryStrategy
from retree_core.events import ContextBuilt, StopChosen, StopRefused
from retree_core.protocol import Given, Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings
from retree_core.state import State, resolve

Inputs = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search to make."""

    query: str
    origin: Literal["policy", "forced"]
    reason: str
    missing: tuple[str, ...]
    earlier: int | None
    """The search that asked the same before."""
    because: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The policy may stop."""

    evidence: tuple[str, ...]


def choose(memory: WorkingMemory, settings: Settings, strategy: MemoryStrategy) -> Steps[Search | Stop]:
    """The next search, or the evidence to stop on. A stop not allowed is refused, asked again once, then overruled."""
    state = memory.state
    notice = _outcome(state, strategy)
    missing = state.searches[-1].missing if state.searches else ()
    for refusals in (1, 2):
        given = yield from _decision(memory, settings, strategy, notice, missing)
        missing = tuple(one for one in given.value["missing"] if one.strip())
        if given.value["action"] == "search":
            return (yield from _search(memory, given, missing))
        cited = tuple(given.value["evidence"])
        retrieved = any(one.passages for one in state.searches)
        supporting = tuple(one for one in cited if one in strategy.citable(memory))
        if retrieved and supporting:
            yield memory.add(StopChosen(evidence=supporting, reason=given.value["reason"]), given.seq)
            return Stop(evidence=supporting)
        asked = {"cited": list(cited), "retrieved": retrieved, "refusals": refusals}
        refusal = yield from consult("refusal", asked, memory)
        why = refusal.value["why"]
        yield memory.add(StopRefused(evidence=cited, reason=why), given.seq, refusal.seq)
        notice = {"what": "refused", "why": why}
    return (yield from _forced(memory, refusal.value["instead"], missing, given.seq, refusal.seq))


def _decision(
    memory: WorkingMemory, settings: Settings, strategy: MemoryStrategy, notice: Inputs | None, missing: tuple[str, ...]
) -> Steps[Given]:
    state = memory.state
    context = yield from strategy.context(memory, settings, missing)
    built = ContextBuilt(node=state.current, evidence=context.ids, characters=context.characters)
    yield memory.add(built, *context.because)
    inputs = {"question": state.question, "memory": context.memory, "ids": list(context.ids), "notice": notice}
    return (yield from ask(settings, "policy", strategy.prompt, inputs))


def _search(memory: WorkingMemory, given: Given, missing: tuple[str, ...]) -> Steps[Search]:
    """The search that the policy asks for, or the question itself where it goes in circles."""
    query = " ".join(given.value["query"].split())
    repeated = yield from consult("repeated", {"query": query}, memory)
    if circles := repeated.value.get("circles"):
        return (yield from _forced(memory, circles, missing, given.seq, repeated.seq))
    return Search(
        query=query,
        origin="policy",
        reason=given.value["reason"],
        missing=missing,
        earlier=repeated.value.get("earlier"),
        because=(given.seq, repeated.seq),
    )


def _forced(memory: WorkingMemory, reason: str, missing: tuple[str, ...], *because: int) -> Steps[Search]:
    query = memory.state.question
    repeated = yield from consult("repeated", {"query": query}, memory)
    return Search(
        query=query,
        origin="forced",
        reason=reason,
        missing=missing,
        earlier=repeated.value.get("earlier"),
        because=(*because, repeated.seq),
    )


def _outcome(state: State, strategy: MemoryStrategy) -> Inputs | None:
    """What the policy is told of the last search, where it brought nothing."""
    last = state.searches[-1] if state.searches else None
    if last is None:
        return None
    if not last.passages:
        return {"what": "no_passage", "query": last.query}
    if tells_nothing_new(state):
        return {"what": "made_before", "queries": [one.query for one in state.searches]}
    return None if strategy.brought_something(state) else {"what": "nothing_new", "query": last.query}


def tells_nothing_new(state: State) -> bool:
    """The last search repeats an earlier one whose facts are all still known: reading it again can bring nothing."""
    earlier = state.searches[-1].repeat_of
    return earlier is not None and not any(
        resolve(state, id_).standing == "stale" for id_, one in state.evidence.items() if one.search == earlier
    )
