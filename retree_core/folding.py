"""What events do to a memory, one method an event.

It never fails: an event that does not fit (a trace may come from anywhere) changes what it can and leaves a line in
`problems`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from retree_core import events as ev
from retree_core.growing import put, put_all
from retree_core.memory import Evidence, Node, Passage, Revision, Search

ROOT = "root"
T = TypeVar("T")


class Folding:
    """A memory that changes with every event; a frozen one at each of them would cost more than the event.

    `retree_core.state.State`, which has the same fields, says what each is.
    """

    moment: int
    question: str
    agent: str
    nodes: Mapping[str, Node]
    evidence: Mapping[str, Evidence]
    passages: Mapping[str, Passage]
    searches: tuple[Search, ...]
    current: str
    context: ev.ContextBuilt | None
    answer: ev.Answered | None
    ended: ev.RunEnded | None
    steps: tuple[ev.StepTaken, ...]
    problems: tuple[str, ...]

    def __init__(self, state: Any) -> None:
        for name in NAMES:
            setattr(self, name, getattr(state, name))

    def take(self, event: ev.Event) -> None:
        """Applies one event."""
        self.moment += 1
        change = _CHANGES.get(type(event))
        if change is not None:
            change(self, event)

    def _begin(self, event: ev.RunStarted) -> None:
        self.question, self.agent = event.question, event.agent
        root = Node(id=ROOT, parent=None, search=0, query=event.question, added_at=self.moment)
        self.nodes = put(self.nodes, ROOT, root)

    def _build_context(self, event: ev.ContextBuilt) -> None:
        self.context = event

    def _choose_search(self, event: ev.SearchChosen) -> None:
        search = Search(
            number=event.search, query=event.query, origin=event.origin, reason=event.reason, missing=event.missing
        )
        self.searches = (*self.searches, search)

    def _retrieve(self, event: ev.PassagesRetrieved) -> None:
        """A passage of an id that is known already stays as it was first retrieved."""
        new = {one.id: one for one in event.passages if one.id not in self.passages}
        self.passages = put_all(self.passages, new.items())
        ids = tuple(one.id for one in event.passages)
        self._change_search(event.search, passages=ids, repeat_of=event.repeat_of)

    def _fail_search(self, event: ev.SearchFailed) -> None:
        self._change_search(event.search, failure=event.failure)

    def _extract(self, event: ev.FactsExtracted) -> None:
        new: dict[str, Evidence] = {}
        for fact in event.facts:
            id_ = _unused(fact.id, self.evidence, new)
            if id_ != fact.id:
                self._problem(f"evidence {fact.id} exists already; this one is shown as {id_}")
            first = Revision(number=1, text=fact.text, sources=(fact.source,))
            new[id_] = Evidence(id=id_, search=event.search, revisions=(first,))
            if fact.source.passage not in self.passages:
                self._problem(f"{id_} cites passage {fact.source.passage}, which is not in the record")
        self.evidence = put_all(self.evidence, new.items())

    def _find_duplicate(self, event: ev.DuplicateFound) -> None:
        fact, known = self.evidence.get(event.fact), self.evidence.get(event.of)
        if fact is None or known is None:
            self._problem(f"{event.fact} cannot be a duplicate of {event.of}: one of them does not exist")
            return
        now = known.current
        held = {one.passage for one in now.sources}
        extra = tuple(one for one in fact.current.sources if one.passage not in held)
        now = changed(now, sources=(*now.sources, *extra))
        self._change_evidence(event.of, revisions=(*known.revisions[:-1], now))
        self._change_evidence(event.fact, fate="duplicate", other=event.of)

    def _reject(self, event: ev.ConflictRejected) -> None:
        old = self.evidence.get(event.old)
        self._change_evidence(event.old, contested_by=(*old.contested_by, event.new) if old else ())

    def _repair(self, event: ev.EvidenceRepaired) -> None:
        old, new = self.evidence.get(event.evidence), self.evidence.get(event.by)
        if old is None:
            self._problem(f"there is no evidence {event.evidence} to repair")
            return
        sources = new.current.sources if new else ()
        revision = Revision(
            number=event.revision, text=event.new_text, sources=sources, by=event.by, reason=event.reason
        )
        self._change_evidence(event.evidence, revisions=(*old.revisions, revision))
        self._change_evidence(event.by, fate="absorbed", other=event.evidence)
        node = self.nodes.get(event.node)
        repairs = (*(node.repairs if node else ()), (event.evidence, event.revision))
        self._change_node(event.node, repairs=repairs)

    def _write_summary(self, event: ev.SummaryWritten) -> None:
        self._change_node(event.node, summary=event.text)

    def _prune(self, event: ev.NodesPruned) -> None:
        gone = set(event.nodes)
        for id_ in event.nodes:
            self._change_node(id_, pruned_at=self.moment, pruned_for=event.evidence)
        lost = [id_ for id_, one in self.evidence.items() if one.node in gone and one.fate == "active"]
        self._change_evidence(*lost, fate="pruned", pruned_at=self.moment)

    def _resume(self, event: ev.SearchResumed) -> None:
        self.current = event.node
        if event.node not in self.nodes:
            self._problem(f"search resumes at {event.node}, which does not exist")

    def _set_aside(self, event: ev.FactsSetAside) -> None:
        self._change_evidence(*event.facts, fate="set_aside")

    def _add_facts(self, event: ev.FactsAdded) -> None:
        """A flat list is the evidence of one node that never changes."""
        node = self.nodes.get(self.current)
        self._change_evidence(*event.facts, fate="active", node=self.current)
        self._change_node(self.current, evidence=(*(node.evidence if node else ()), *event.facts))

    def _add_node(self, event: ev.NodeAdded) -> None:
        id_ = _unused(event.node, self.nodes)
        if id_ != event.node:
            self._problem(f"node {event.node} exists already; this one is shown as {id_}")
        if event.parent not in self.nodes:
            self._problem(f"node {id_} hangs from {event.parent}, which does not exist")
        self._change_evidence(*event.evidence, fate="active", node=id_)
        node = Node(
            id=id_,
            parent=event.parent,
            search=event.search,
            query=event.query,
            evidence=event.evidence,
            added_at=self.moment,
        )
        self.nodes, self.current = put(self.nodes, id_, node), id_

    def _answer(self, event: ev.Answered) -> None:
        self.answer = event

    def _end(self, event: ev.RunEnded) -> None:
        self.ended = event

    def _take_step(self, event: ev.StepTaken) -> None:
        self.steps = (*self.steps, event)

    def _problem(self, text: str) -> None:
        self.problems = (*self.problems, f"event {self.moment}: {text}")

    def _change_evidence(self, *ids: str, **changes: Any) -> None:
        new: dict[str, Evidence] = {}
        for id_ in ids:
            one = self.evidence.get(id_)
            if one is None:
                self._problem(f"there is no evidence {id_}")
            else:
                new[id_] = changed(one, **changes)
        self.evidence = put_all(self.evidence, new.items())

    def _change_node(self, id_: str, **changes: Any) -> None:
        one = self.nodes.get(id_)
        if one is None:
            self._problem(f"there is no node {id_}")
        else:
            self.nodes = put(self.nodes, id_, changed(one, **changes))

    def _change_search(self, number: int, **changes: Any) -> None:
        """The last search of this number; a number should come once, but a trace may come from anywhere."""
        searches = self.searches
        place = next((at for at in range(len(searches) - 1, -1, -1) if searches[at].number == number), None)
        if place is None:
            self._problem(f"search {number} was never chosen")
        else:
            self.searches = (*searches[:place], changed(searches[place], **changes), *searches[place + 1 :])


NAMES = tuple(Folding.__annotations__)
"""Fields of a memory."""
_CHANGES: dict[type[Any], Callable[[Folding, Any], None]] = {
    ev.RunStarted: Folding._begin,
    ev.ContextBuilt: Folding._build_context,
    ev.SearchChosen: Folding._choose_search,
    ev.PassagesRetrieved: Folding._retrieve,
    ev.SearchFailed: Folding._fail_search,
    ev.FactsExtracted: Folding._extract,
    ev.DuplicateFound: Folding._find_duplicate,
    ev.ConflictRejected: Folding._reject,
    ev.EvidenceRepaired: Folding._repair,
    ev.SummaryWritten: Folding._write_summary,
    ev.NodesPruned: Folding._prune,
    ev.SearchResumed: Folding._resume,
    ev.FactsSetAside: Folding._set_aside,
    ev.FactsAdded: Folding._add_facts,
    ev.NodeAdded: Folding._add_node,
    ev.Answered: Folding._answer,
    ev.RunEnded: Folding._end,
    ev.StepTaken: Folding._take_step,
}
"""Events that change nothing are not here."""


def changed(value: T, **changes: Any) -> T:
    """As `dataclasses.replace`, for frozen slotted values that check nothing; it is most of what an event costs."""
    type_ = type(value)
    made: T = object.__new__(type_)
    for name, get, put_in in _slots(type_):  # type: ignore[arg-type]  # a type is hashable
        put_in(made, changes[name] if name in changes else get(value))
    return made


@cache
def _slots(type_: type[Any]) -> tuple[tuple[str, Callable[[Any], Any], Callable[[Any, Any], None]], ...]:
    """Of each field its name, and what reads and writes it past the check that forbids writing."""
    fields = ((name, type_.__dict__[name]) for name in type_.__slots__)
    return tuple((name, slot.__get__, slot.__set__) for name, slot in fields)


def _unused(id_: str, *taken: Mapping[str, object]) -> str:
    """The id itself, or with the first free suffix (`n1~2`)."""
    name, count = id_, 2
    while any(name in one for one in taken):
        name, count = f"{id_}~{count}", count + 1
    return name
