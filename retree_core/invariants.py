"""What holds in every run of ours, whatever the model says (paper, sections 4 and 5.2).

Each rule is a small function over an event and the states around it; `broken` names every breach.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from retree_core import events as ev
from retree_core.calls import ModelCall
from retree_core.memory import Evidence, Revision
from retree_core.settings import Settings
from retree_core.state import State, active_path, apply, descendants
from retree_core.trace.reader import Trace
from retree_core.trace.recorded import context_bound
from retree_core.trace.records import CallRecord, EventRecord, Record

TREE_AGENTS = ("retree",)
"""Agents with an evidence tree that is repaired at the introducer."""
PAGE_AGENTS = ("react", "report")
"""Agents that keep no facts: their policy, stops and claims name passages."""
_SHOWN_FACT = re.compile(r"^\[(e\d+)\] ", re.MULTILINE)
"""A fact as prompts list it; outside text never starts a line of a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One rule that does not hold."""

    moment: int
    """The event it shows at; 0 for the run as a whole."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """An event with the states around it and what else rules look at."""

    event: ev.Event
    before: State
    after: State
    last: ev.Event | None
    """The event before it."""
    settings: Settings
    bound: int | None
    """No policy context may be longer, characters."""


Rule = Callable[[Moment], Iterator[str]]


def broken(trace: Trace) -> Iterator[Breach]:
    """Every breach of a rule, in the order of the run."""
    state, last = State(), None
    seqs: set[int] = set()
    settings, bound = trace.header.settings, context_bound(trace.header)
    former: Record | None = None
    for record in trace.records:
        if record.seq in seqs:
            yield Breach(moment=state.moment, text=f"record number {record.seq} is used twice")
        seqs.add(record.seq)
        if isinstance(record, CallRecord):
            about = (*_prompt(record, state), *_beside(record, former))
            yield from (Breach(moment=state.moment, text=text) for text in about)
        elif isinstance(record, EventRecord):
            after = apply(state, record.event)
            now = Moment(event=record.event, before=state, after=after, last=last, settings=settings, bound=bound)
            yield from (Breach(moment=after.moment, text=text) for rule in RULES for text in rule(now))
            state, last = after, record.event
        former = record
    yield from (Breach(moment=0, text=text) for text in _at_the_end(state))


def _prompt(record: CallRecord, state: State) -> Iterator[str]:
    """No prompt lists a fact that was pruned or put aside."""
    if not isinstance(record.call, ModelCall) or not isinstance(messages := record.call.body.get("messages"), list):
        return
    content = "\n".join(str(one.get("content")) for one in messages if isinstance(one, dict))
    for id_ in dict.fromkeys(_SHOWN_FACT.findall(content)):
        one = state.evidence.get(id_)
        if one and one.fate in ("pruned", "set_aside"):
            yield f"the {record.call.role} prompt in record {record.seq} shows {id_}, which is {_fate(one)}"


def _beside(record: CallRecord, former: Record | None) -> Iterator[str]:
    """Calls that were made side by side stand together."""
    together = isinstance(former, CallRecord) and former.seq == record.beside
    if record.beside is not None and not together:
        yield f"record {record.seq} is beside record {record.beside}, which is not the call before it"


def _fate(one: Evidence) -> str:
    return one.fate.replace("_", " ")


def _order(now: Moment) -> Iterator[str]:
    started = isinstance(now.event, ev.RunStarted)
    if started != (now.last is None):
        yield "a run starts once" if started else f"the first event is {now.event.kind}, not run_started"
    if isinstance(now.last, ev.RunEnded):
        yield f"{now.event.kind} comes after the end of the run"


def _searches(now: Moment) -> Iterator[str]:
    if isinstance(now.event, ev.SearchChosen):
        made = len(now.before.searches)
        if now.event.search != made + 1:
            yield f"search {now.event.search} follows search {made}"
        if made >= now.settings.max_searches:
            yield f"search {now.event.search} is over the budget of {now.settings.max_searches}"


def _counts(now: Moment) -> Iterator[str]:
    limits = now.settings
    if isinstance(now.event, ev.PassagesRetrieved) and len(now.event.passages) > limits.passages_per_search:
        yield f"{len(now.event.passages)} passages in one search, at most {limits.passages_per_search} are taken"
    if isinstance(now.event, ev.FactsExtracted) and len(now.event.facts) > limits.facts_per_search:
        yield f"{len(now.event.facts)} facts from one search, at most {limits.facts_per_search} are taken"


def _shown(now: Moment) -> Iterator[str]:
    """Contexts and answers show evidence in force on the active path, and nothing else."""
    match now.event:
        case ev.ContextBuilt():
            shown = now.event.evidence
        case ev.Answered():
            shown = now.event.shown
        case _:
            return
    known = _in_force(now)
    for id_ in shown:
        if id_ not in known:
            one = now.before.evidence.get(id_)
            yield f"shows {id_}, which is {_fate(one) if one else 'unknown'} and not on the active path"


def _in_force(now: Moment) -> set[str]:
    """What the agent may name: facts on the active path, or passages."""
    if now.settings.agent in PAGE_AGENTS:
        return set(now.before.passages)
    return {one.id for one in active_path(now.before)}


def _context(now: Moment) -> Iterator[str]:
    if not isinstance(now.event, ev.ContextBuilt):
        return
    if now.bound is not None and now.event.characters > now.bound:
        yield f"the policy context has {now.event.characters} characters, the bound is {now.bound}"
    if now.settings.agent not in PAGE_AGENTS and len(now.event.evidence) > now.settings.shown_evidence:
        yield f"the policy sees {len(now.event.evidence)} facts, at most {now.settings.shown_evidence} are shown"
    if now.event.node != now.before.current:
        yield f"the context is that of {now.event.node}; the current node is {now.before.current}"


def _summary(now: Moment) -> Iterator[str]:
    if isinstance(now.event, ev.SummaryWritten):
        words = len(now.event.text.split())
        most = now.settings.report_words if now.settings.agent == "report" else now.settings.summary_words
        if words > most:
            yield f"the summary of {now.event.node} has {words} words, the bound is {most}"


def _stop(now: Moment) -> Iterator[str]:
    if isinstance(now.event, ev.StopChosen):
        if not any(one.passages for one in now.before.searches):
            yield "the policy stopped before anything was retrieved"
        if not _in_force(now).intersection(now.event.evidence):
            yield "the policy stopped without valid supporting evidence"


def _new_node(now: Moment) -> Iterator[str]:
    if not isinstance(now.event, ev.NodeAdded):
        return
    if now.event.parent != now.before.current:
        yield f"{now.event.node} hangs from {now.event.parent}; the current node is {now.before.current}"
    for id_ in now.event.evidence:
        one = now.before.evidence.get(id_)
        if one and one.fate != "new":
            yield f"{id_} is added to {now.event.node}, but it is {_fate(one)} already"


def _repair(now: Moment) -> Iterator[str]:
    if not isinstance(now.event, ev.EvidenceRepaired):
        return
    one, event = now.before.evidence.get(now.event.evidence), now.event
    confirmed = isinstance(now.last, ev.ConflictConfirmed) and (now.last.old, now.last.new) == (
        event.evidence,
        event.by,
    )
    if not confirmed:
        yield f"{event.evidence} is repaired without a confirmation just before"
    if one is None:
        return
    if event.revision != one.current.number + 1:
        yield f"{event.evidence} goes from revision {one.current.number} to {event.revision}"
    if event.node != one.node:
        yield f"{event.evidence} is repaired at {event.node}; its introducer is {one.node}"
    decided_by_hand = isinstance(now.last, ev.ConflictConfirmed) and now.last.by == "fork"
    if len(one.revisions) > now.settings.repairs_per_fact and not decided_by_hand:
        yield f"{event.evidence} is repaired more than {now.settings.repairs_per_fact} times"


def _pruned(now: Moment) -> Iterator[str]:
    """After a repair every live descendant of the introducer goes, and the search resumes there."""
    if now.settings.agent not in TREE_AGENTS or not isinstance(now.last, ev.EvidenceRepaired):
        return
    below = set(descendants(now.before, now.last.node))
    gone = set(now.event.nodes) if isinstance(now.event, ev.NodesPruned) else set()
    if gone != below:
        yield f"pruned {_list(gone)}; the descendants of {now.last.node} are {_list(below)}"


def _resumed(now: Moment) -> Iterator[str]:
    if isinstance(now.event, ev.SearchResumed):
        node = now.before.nodes.get(now.event.node)
        if node is None or not node.repairs:
            yield f"the search resumes at {now.event.node}, which was not repaired"


def _discarded(now: Moment) -> Iterator[str]:
    """A summary is discarded where it was asked for ahead, and only for a repair."""
    if not isinstance(now.event, ev.SummaryDiscarded):
        return
    if now.settings.summary_call != "beside":
        yield "a summary is discarded, though none is asked for ahead"
    if not isinstance(now.last, ev.SearchResumed) or now.event.evidence not in _repaired_at(now.before):
        yield f"the summary for a child of {now.event.parent} is discarded without a repair just before"


def _repaired_at(state: State) -> tuple[str, ...]:
    """What was repaired at the current node."""
    node = state.nodes.get(state.current)
    return tuple(evidence for evidence, _ in node.repairs) if node else ()


def _list(ids: set[str]) -> str:
    return ", ".join(sorted(ids)) or "nothing"


def _at_the_end(state: State) -> Iterator[str]:
    """Every fact has one fate, held by a live node; at most one repair a search."""
    whole = state.ended is not None and state.answer is not None
    for one in state.evidence.values():
        if one.fate == "new" and whole:
            yield f"{one.id} was extracted and nothing became of it"
        node = state.nodes.get(one.node or "")
        if one.fate == "active" and (node is None or node.pruned_at is not None or one.id not in node.evidence):
            yield f"{one.id} is active, but no live node holds it"
        if one.fate == "pruned" and node and node.pruned_at is None:
            yield f"{one.id} is pruned, but its node {one.node} is not"
    repairing = [state.evidence[each.by].search for each in _repairs(state) if each.by and each.by in state.evidence]
    for search in dict.fromkeys(one for one in repairing if repairing.count(one) > 1):
        yield f"search {search} repaired more than one fact"


def _repairs(state: State) -> list[Revision]:
    return [revision for one in state.evidence.values() for revision in one.revisions[1:]]


RULES: tuple[Rule, ...] = (
    _order,
    _searches,
    _counts,
    _shown,
    _context,
    _summary,
    _stop,
    _new_node,
    _repair,
    _pruned,
    _resumed,
    _discarded,
)
