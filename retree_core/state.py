"""The memory at a moment: a pure fold of events.

`apply` never fails: an event that does not fit (a trace may come from anywhere) changes what it can and
leaves a line in `State.problems`. A run of our own leaves none, which `retree verify` checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from retree_core import events as ev
from retree_core.folding import NAMES, Folding
from retree_core.folding import ROOT as ROOT
from retree_core.growing import Growing
from retree_core.memory import Claim, Evidence, Node, Passage, Search, Source
from retree_core.settings import WITHOUT_TREE


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


def apply(state: State, event: ev.Event) -> State:
    """The state after one more event."""
    return fold((event,), state)


def fold(events: Iterable[ev.Event], start: State | None = None) -> State:
    """The state after `events`.

    >>> fold([ev.RunStarted(question="Who?", agent="retree")]).current
    'root'
    """
    folding = Folding(start or State())
    for event in events:
        folding.take(event)
    return _reached(folding)


def states(events: Iterable[ev.Event], start: State | None = None, *, every: int = 1) -> Iterator[State]:
    """The state after each event, or after each so many, in order."""
    folding = Folding(start or State())
    for number, event in enumerate(events, 1):
        folding.take(event)
        if number % every == 0:
            yield _reached(folding)


def _reached(folding: Folding) -> State:
    return State(**{name: getattr(folding, name) for name in NAMES})


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
