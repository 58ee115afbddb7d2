"""Two runs side by side: where they part, and how their memories, answers and costs differ."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from retree_core import events as ev
from retree_core.compare.answers import Answers, answers
from retree_core.compare.metrics import Metric, metrics
from retree_core.compare.parting import Parting, parting
from retree_core.compare.trees import Trees, trees
from retree_core.state import State, fold
from retree_core.trace.reader import Trace
from retree_core.trace.records import Header


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that two runs have in common and apart. A is the first, B the second."""

    a: Trace
    b: Trace
    last: tuple[State, State]
    """Their final states."""
    relation: str
    """`B is a fork of A at event 24 (verdict=reject at event 25)`, or empty."""
    settings: tuple[tuple[str, str, str], ...]
    """Settings that differ: name, in A, in B."""
    parting: Parting
    trees: Trees
    answers: Answers
    metrics: tuple[Metric, ...]

    @property
    def agents(self) -> tuple[str, str]:
        return agent_of(self.a), agent_of(self.b)

    @property
    def one_question(self) -> bool:
        return self.a.header.question.split() == self.b.header.question.split()


def compare(a: Trace, b: Trace, last: tuple[State, State] | None = None) -> Comparison:
    """Two runs side by side, whatever their agents, questions or origins; `last`: their final states, if known."""
    last = last or (fold(a.events), fold(b.events))
    found = parting(a, b)
    said = answers(a.events, b.events, last)
    return Comparison(
        a=a,
        b=b,
        last=last,
        relation=_relation(a.header, b.header, found.equal),
        settings=_settings(a.header, b.header),
        parting=found,
        trees=trees(*last, shared_evidence(a, found.events)),
        answers=said,
        metrics=metrics(a, b, last, said),
    )


def agent_of(trace: Trace) -> str:
    """The agent as the run names it."""
    return next((one.agent for one in trace.events if isinstance(one, ev.RunStarted)), trace.header.settings.agent)


def shared_evidence(trace: Trace, events: int) -> frozenset[str]:
    """Ids of the facts extracted in the first `events` events."""
    extracted = (one.facts for one in trace.events[:events] if isinstance(one, ev.FactsExtracted))
    return frozenset(fact.id for facts in extracted for fact in facts)


def _relation(a: Header, b: Header, equal: bool) -> str:
    if a.run_id == b.run_id:
        return "A and B are one run" if equal else ""
    for name, child, parent, other in (("B", b, a, "A"), ("A", a, b, "B")):
        if child.fork and child.fork.run_id == parent.run_id:
            return f"{name} is a fork of {other} at event {child.fork.moment} ({child.fork.edit})"
    if a.fork and b.fork and a.fork.run_id == b.fork.run_id:
        return f"A and B are forks of one run: {a.fork.edit}; {b.fork.edit}"
    return ""


def _settings(a: Header, b: Header) -> tuple[tuple[str, str, str], ...]:
    """Settings that differ; a fork's own decision is told by its relation."""
    ours, theirs = _flat(a), _flat(b)
    return tuple((name, str(ours[name]), str(theirs[name])) for name in ours if ours[name] != theirs[name])


def _flat(header: Header) -> dict[str, object]:
    known = asdict(header.settings)
    sampling = known.pop("sampling")
    known.pop("forced")
    return {**known, **sampling, "recorded_with": header.recorded_with, "search": header.search_spec}
