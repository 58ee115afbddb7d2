"""The memory at a moment: a pure fold of events.

`apply` never fails: an event that does not fit (a trace may come from anywhere) changes what it can and
leaves a line in `State.problems`. A run of our own leaves none, which `retree verify` checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from retree_core import events as ev
from retree_core.growing import Growing, put
from retree_core.memory import Claim, Evidence, Node, Passage, Revision, Search, Source
from retree_core.settings import WITHOUT_TREE

ROOT = "root"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything the memory holds after `moment` events. Mappings are never changed in place; moments share them."""

    moment: int = 0
    question: str = ""
    agent: str = ""
    nodes: Mapping[str, Node] = field(default_factory=Growing)
    """In order of creation, pruned ones included."""
    evidence: Mapping[str, Evidence] = field(default_factory=Growing)
    """In order of extraction, whatever became of it."""
    passages: Mapping[str, Passage] = field(default_factory=Growing)
    searches: tuple[Search, ...] = ()
    current: str = ROOT
    context: ev.ContextBuilt | None = None
    answer: ev.Answered | None = None
    ended: ev.RunEnded | None = None
    steps: tuple[ev.StepTaken, ...] = ()
    """Of an imported record."""
    problems: tuple[str, ...] = ()
    """What did not fit, in words."""

    @property
    def has_tree(self) -> bool:
        """Whether the memory is a tree, or a chain of imported steps; else a list, a transcript or a report."""
        return self.agent not in WITHOUT_TREE or len(self.nodes) > 1

    @property
    def summary(self) -> str:
        """Summary of the current node."""
        node = self.nodes.get(self.current)
        return node.summary if node else ""


def fold(events: Iterable[ev.Event], start: State | None = None) -> State:
    """The state after `events`.

    >>> fold([ev.RunStarted(question="Who?", agent="retree")]).current
    'root'
    """
    return reduce(apply, events, start or State())


def states(events: Iterable[ev.Event]) -> Iterator[State]:
    """The state after each event, in order."""
    state = State()
    for event in events:
        state = apply(state, event)
        yield state


def path(state: State, node: str | None = None) -> tuple[str, ...]:
    """Node ids from the root to `node` (default: the current one); stops at a missing parent or a cycle."""
    seen: dict[str, None] = {}
    step: str | None = node or state.current
    while step is not None and step not in seen and (one := state.nodes.get(step)):
        seen[step] = None
        step = one.parent
    return tuple(reversed(seen))


def active_path(state: State) -> tuple[Evidence, ...]:
    """A(n): the evidence from the root to the current node, current revisions, in order of arrival (section 4.1)."""
    found = (state.evidence.get(id_) for step in path(state) for id_ in state.nodes[step].evidence)
    return tuple(one for one in found if one is not None and one.fate == "active")


def descendants(state: State, node: str) -> tuple[str, ...]:
    """Ids of all live nodes below `node`, parents first."""
    below = {node}
    for id_, one in state.nodes.items():
        if one.parent in below and one.pruned_at is None:
            below.add(id_)
    return tuple(id_ for id_ in state.nodes if id_ in below and id_ != node)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One cited id, resolved to the current revision and its passage (section 4.4)."""

    id: str
    standing: str
    """`current`; `repaired` (current, but not the first value); `stale` (pruned, set aside or never in
    force); `missing` (no such evidence)."""
    evidence: str | None = None
    """The id it resolves to: a duplicate or absorbed fact leads to the one that holds its text; None for a passage."""
    revision: int = 0
    sources: tuple[Source, ...] = ()


def resolve(state: State, cited: str) -> Citation:
    """Follow a cited id to the evidence in force, or to the passage where an agent without facts cites one."""
    one = state.evidence.get(cited)
    if one is None and cited in state.passages:
        return Citation(id=cited, standing="current", sources=(Source(passage=cited, quote=""),))
    hops = 0
    while one is not None and one.fate in ("duplicate", "absorbed") and one.other and hops < len(state.evidence):
        one, hops = state.evidence.get(one.other), hops + 1
    if one is None:
        return Citation(id=cited, standing="missing")
    now = one.current
    standing = "stale" if one.fate != "active" else "repaired" if now.number > 1 else "current"
    return Citation(id=cited, standing=standing, evidence=one.id, revision=now.number, sources=now.sources)


def citations(state: State, claim: Claim) -> tuple[Citation, ...]:
    """All citations of a claim, resolved."""
    return tuple(resolve(state, id_) for id_ in claim.cites)


def apply(state: State, event: ev.Event) -> State:
    """The state after one more event."""
    state = replace(state, moment=state.moment + 1)
    match event:
        case ev.RunStarted():
            root = Node(id=ROOT, parent=None, search=0, query=event.question, added_at=state.moment)
            return replace(state, question=event.question, agent=event.agent, nodes=put(state.nodes, ROOT, root))
        case ev.ContextBuilt():
            return replace(state, context=event)
        case ev.SearchChosen():
            search = Search(number=event.search, query=event.query, origin=event.origin, reason=event.reason)
            return replace(state, searches=(*state.searches, search))
        case ev.PassagesRetrieved():
            return _with_passages(state, event)
        case ev.SearchFailed():
            return _with_search(state, event.search, failure=event.failure)
        case ev.FactsExtracted():
            return _with_facts(state, event)
        case ev.DuplicateFound():
            return _with_duplicate(state, event)
        case ev.ConflictRejected():
            old = state.evidence.get(event.old)
            contested = (*old.contested_by, event.new) if old else ()
            return _with_evidence(state, event.old, contested_by=contested)
        case ev.EvidenceRepaired():
            return _with_repair(state, event)
        case ev.SummaryWritten():
            return _with_node(state, event.node, summary=event.text)
        case ev.NodesPruned():
            return _without_nodes(state, event)
        case ev.SearchResumed():
            return _resumed(state, event.node)
        case ev.FactsSetAside():
            for id_ in event.facts:
                state = _with_evidence(state, id_, fate="set_aside")
            return state
        case ev.FactsAdded():
            return _with_more_facts(state, event)
        case ev.NodeAdded():
            return _with_new_node(state, event)
        case ev.Answered():
            return replace(state, answer=event)
        case ev.RunEnded():
            return replace(state, ended=event)
        case ev.StepTaken():
            return replace(state, steps=(*state.steps, event))
        case _:
            return state


def _problem(state: State, text: str) -> State:
    return replace(state, problems=(*state.problems, f"event {state.moment}: {text}"))


def _with_evidence(state: State, id_: str, **changes: Any) -> State:
    if id_ not in state.evidence:
        return _problem(state, f"there is no evidence {id_}")
    return replace(state, evidence=put(state.evidence, id_, replace(state.evidence[id_], **changes)))


def _with_node(state: State, id_: str, **changes: Any) -> State:
    if id_ not in state.nodes:
        return _problem(state, f"there is no node {id_}")
    return replace(state, nodes=put(state.nodes, id_, replace(state.nodes[id_], **changes)))


def _with_search(state: State, number: int, **changes: Any) -> State:
    """The last search of this number changed; a number should come once, but a trace may come from anywhere."""
    searches = state.searches
    place = next((at for at in range(len(searches) - 1, -1, -1) if searches[at].number == number), None)
    if place is None:
        return _problem(state, f"search {number} was never chosen")
    changed = replace(searches[place], **changes)
    return replace(state, searches=(*searches[:place], changed, *searches[place + 1 :]))


def _with_passages(state: State, event: ev.PassagesRetrieved) -> State:
    """A passage of an id that is known already stays as it was first retrieved."""
    passages = state.passages
    for one in event.passages:
        passages = passages if one.id in state.passages else put(passages, one.id, one)
    ids = tuple(one.id for one in event.passages)
    return _with_search(replace(state, passages=passages), event.search, passages=ids, repeat_of=event.repeat_of)


def _with_facts(state: State, event: ev.FactsExtracted) -> State:
    evidence = state.evidence
    for fact in event.facts:
        id_ = _unused(fact.id, evidence)
        if id_ != fact.id:
            state = _problem(state, f"evidence {fact.id} exists already; this one is shown as {id_}")
        first = Revision(number=1, text=fact.text, sources=(fact.source,))
        evidence = put(evidence, id_, Evidence(id=id_, search=event.search, revisions=(first,)))
        if fact.source.passage not in state.passages:
            state = _problem(state, f"{id_} cites passage {fact.source.passage}, which is not in the record")
    return replace(state, evidence=evidence)


def _unused(id_: str, taken: Mapping[str, object]) -> str:
    """The id itself, or with the first free suffix (`n1~2`)."""
    if id_ not in taken:
        return id_
    count = 2
    while f"{id_}~{count}" in taken:
        count += 1
    return f"{id_}~{count}"


def _with_duplicate(state: State, event: ev.DuplicateFound) -> State:
    fact, known = state.evidence.get(event.fact), state.evidence.get(event.of)
    if fact is None or known is None:
        return _problem(state, f"{event.fact} cannot be a duplicate of {event.of}: one of them does not exist")
    now = known.current
    held = {one.passage for one in now.sources}
    extra = tuple(one for one in fact.current.sources if one.passage not in held)
    now = replace(now, sources=(*now.sources, *extra))
    state = _with_evidence(state, event.of, revisions=(*known.revisions[:-1], now))
    return _with_evidence(state, event.fact, fate="duplicate", other=event.of)


def _with_repair(state: State, event: ev.EvidenceRepaired) -> State:
    old, new = state.evidence.get(event.evidence), state.evidence.get(event.by)
    if old is None:
        return _problem(state, f"there is no evidence {event.evidence} to repair")
    sources = new.current.sources if new else ()
    revision = Revision(number=event.revision, text=event.new_text, sources=sources, by=event.by, reason=event.reason)
    state = _with_evidence(state, event.evidence, revisions=(*old.revisions, revision))
    state = _with_evidence(state, event.by, fate="absorbed", other=event.evidence)
    node = state.nodes.get(event.node)
    return _with_node(state, event.node, repairs=(*(node.repairs if node else ()), (event.evidence, event.revision)))


def _without_nodes(state: State, event: ev.NodesPruned) -> State:
    gone = set(event.nodes)
    for id_ in event.nodes:
        state = _with_node(state, id_, pruned_at=state.moment, pruned_for=event.evidence)
    evidence = state.evidence
    for id_, one in state.evidence.items():
        if one.node in gone and one.fate == "active":
            evidence = put(evidence, id_, replace(one, fate="pruned", pruned_at=state.moment))
    return replace(state, evidence=evidence)


def _resumed(state: State, node: str) -> State:
    state = replace(state, current=node)
    return state if node in state.nodes else _problem(state, f"search resumes at {node}, which does not exist")


def _with_more_facts(state: State, event: ev.FactsAdded) -> State:
    """A flat list is the evidence of one node that never changes."""
    node = state.nodes.get(state.current)
    for id_ in event.facts:
        state = _with_evidence(state, id_, fate="active", node=state.current)
    return _with_node(state, state.current, evidence=(*(node.evidence if node else ()), *event.facts))


def _with_new_node(state: State, event: ev.NodeAdded) -> State:
    id_ = _unused(event.node, state.nodes)
    if id_ != event.node:
        state = _problem(state, f"node {event.node} exists already; this one is shown as {id_}")
    if event.parent not in state.nodes:
        state = _problem(state, f"node {id_} hangs from {event.parent}, which does not exist")
    node = Node(
        id=id_,
        parent=event.parent,
        search=event.search,
        query=event.query,
        evidence=event.evidence,
        added_at=state.moment,
    )
    for one in event.evidence:
        state = _with_evidence(state, one, fate="active", node=id_)
    return replace(state, nodes=put(state.nodes, id_, node), current=id_)
