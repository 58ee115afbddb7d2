"""What two runs cost and came to, number beside number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from retree_core import events as ev
from retree_core.calls import Role
from retree_core.compare.answers import Answers
from retree_core.memory import KEEPS_FACTS
from retree_core.state import State, citations
from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord, EventRecord, OtherRecord
from retree_core.trace.spent import usage

Value = int | float | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One line of the table."""

    name: str
    """As in JSON, such as `tokens_prompt`; calls of a role are `calls_policy`."""
    a: Value
    """None: the record does not say, or the agent has no such thing."""
    b: Value

    @property
    def difference(self) -> int | float | None:
        """A minus B, where both are numbers."""
        if isinstance(self.a, int | float) and isinstance(self.b, int | float):
            return round(self.a - self.b, 3)
        return None


def metrics(a: Trace, b: Trace, last: tuple[State, State], found: Answers) -> tuple[Metric, ...]:
    """Every metric of two runs; roles that neither calls are left out, and discarded summaries where there are none."""
    ours, theirs = dict(numbers(a, last[0])), dict(numbers(b, last[1]))
    ours["claims_at_fault"] = sum(bool(one.a and one.a.faults) for one in found.claims)
    theirs["claims_at_fault"] = sum(bool(one.b and one.b.faults) for one in found.claims)
    lines = (Metric(name=name, a=ours[name], b=theirs[name]) for name in ours)
    return tuple(one for one in lines if not one.name.startswith(("calls_", "summaries_")) or one.a or one.b)


def numbers(trace: Trace, last: State) -> Iterator[tuple[str, Value]]:
    """Name and value of every metric of one run; `last` is its last state."""
    kinds = Counter(one.kind for one in trace.events)
    sizes = [one.characters for one in trace.events if isinstance(one, ev.ContextBuilt)]
    yield "status", last.ended.status if last.ended else "unfinished"
    yield "answer", last.answer.text if last.answer else None
    yield from _claims(last)
    keeps_facts = last.agent in KEEPS_FACTS
    yield "repairs", _counted(kinds["evidence_repaired"], keeps_facts)
    yield "nodes_pruned", _counted(sum(one.pruned_at is not None for one in last.nodes.values()), last.has_tree)
    yield "conflicts_rejected", _counted(kinds["conflict_rejected"], keeps_facts)
    yield "summaries_discarded", kinds["summary_discarded"]
    yield "stops_refused", kinds["stop_refused"]
    yield "searches", len(last.searches)
    yield from _calls(trace.calls)
    yield "seconds_from_first_to_last", _wall_seconds(trace)
    yield "context_max", max(sizes, default=None)
    yield "context_mean", round(sum(sizes) / len(sizes)) if sizes else None


def _counted(number: int, can_be: bool) -> int | None:
    """None where there is none because there cannot be any."""
    return number if number or can_be else None


def _calls(calls: tuple[CallRecord, ...]) -> Iterator[tuple[str, Value]]:
    roles = Counter(one.role for one in calls)
    model_calls = roles.total() - roles["search"]
    yield "model_calls", model_calls
    yield "model_calls_in_a_row", model_calls - sum(one.beside is not None for one in calls)
    for role in get_args(Role):
        yield f"calls_{role}", roles[role]
    yield from _tokens(calls)
    yield "seconds_in_calls", round(sum(one.seconds for one in calls), 1)


def _wall_seconds(trace: Trace) -> float | None:
    """From the first record to the last; None where a time is not said, and where the run was not made in one go."""
    times = [one.at for one in trace.records if isinstance(one, EventRecord | CallRecord)]
    aside = any(isinstance(one, OtherRecord) for one in trace.records)
    if trace.header.fork or not times or aside:
        return None
    try:
        begun, ended = (datetime.fromisoformat(at.replace("Z", "+00:00")) for at in (times[0], times[-1]))
        return round((ended - begun).total_seconds(), 1)
    except (ValueError, TypeError, OverflowError):
        return None


def _tokens(calls: tuple[CallRecord, ...]) -> Iterator[tuple[str, Value]]:
    """Token sums as the servers counted them; lower bounds where a reply has no count."""
    used = [found for one in calls if (found := usage(one))]
    for name in ("prompt", "cached", "completion"):
        counts = [number for one in used if (number := getattr(one, f"{name}_tokens")) is not None]
        yield f"tokens_{name}", sum(counts) if counts else None


def _claims(last: State) -> Iterator[tuple[str, Value]]:
    claims = last.answer.claims if last.answer else ()
    standings = Counter(cited.standing for claim in claims for cited in citations(last, claim))
    yield "claims", len(claims)
    yield "claims_at_fault", None  # told by both runs together
    yield "citations_stale", standings["stale"]
    yield "citations_missing", standings["missing"]
