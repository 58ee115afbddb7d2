"""What rests on a fact: the searches that were chosen while it was in view, and all that came of them.

A fact is in view of a search where the policy context that led to the search shows it among its evidence, or
where the summary in that context has a word that only this fact explains: one that neither the question nor
another fact on the active path holds. What the search brought, its facts and its node, then depends on the fact
*directly*. A fact that became a revision of another hands on to it: the repaired fact and what it leads to from
then on. A claim depends on what it cites. All of this goes on *transitively*: what depends on a dependent fact
depends on the first one too.

The rule is generous, as pruning is (section 4.3): a search may have had a fact in view and not used it. It says
what could be different, not what would be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from retree_core import events as ev
from retree_core.memory import Claim
from retree_core.state import ROOT, State, resolve
from retree_core.text import LONGEST_READ, tokens
from retree_core.why.ledger import Ledger

MOST_HOLDERS = 16
"""A word that so many facts of a run hold is nobody's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependents:
    """All that depends on a piece of evidence, in order of arrival."""

    nodes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    claims: tuple[int, ...] = ()
    """Numbers of the answer's claims, from 1."""
    direct: frozenset[str] = frozenset()
    """Those of them that do not depend on it through another fact; claims as `c1`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Yield:
    """What a search brought."""

    facts: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """Which fact was in view of which search, for a whole run. Closures over it are quick."""

    views: Mapping[str, tuple[tuple[int, int], ...]]
    """Fact to the moments of the contexts that had it in view, each with the search it led to."""
    yields: Mapping[int, Yield]
    heirs: Mapping[str, tuple[int, str]]
    """Absorbed fact to the moment of the repair and the fact that has its value since."""
    citing: Mapping[str, tuple[int, ...]]
    """Fact, or passage where an agent has no facts, to the claims whose citations resolve to it."""

    def of(self, evidence: str, since: int = 0) -> Dependents:
        """What depends on a fact by way of contexts built after moment `since`; nothing where it is unknown."""
        reached = {evidence: since}
        nodes: dict[str, None] = {}
        waiting = [evidence]
        while waiting:
            one = waiting.pop()
            for brought in self._after(one, reached[one]):
                nodes.update(dict.fromkeys(brought.nodes))
            for fact, moment in self._next(one, reached[one]):
                if moment < reached.get(fact, moment + 1):
                    reached[fact] = moment
                    waiting.append(fact)
        del reached[evidence]
        claims = {number for one in (evidence, *reached) for number in self.citing.get(one, ())}
        return Dependents(
            nodes=tuple(sorted(nodes, key=_order)),
            facts=tuple(sorted(reached, key=_order)),
            claims=tuple(sorted(claims)),
            direct=self._direct(evidence, since),
        )

    def _after(self, fact: str, since: int) -> Iterable[Yield]:
        return (self.yields.get(search, Yield()) for at, search in self.views.get(fact, ()) if at > since)

    def _next(self, fact: str, since: int) -> Iterable[tuple[str, int]]:
        """Facts that follow from one, each with the moment from which it counts."""
        for brought in self._after(fact, since):
            yield from ((one, 0) for one in brought.facts)
        if fact in self.heirs:
            moment, heir = self.heirs[fact]
            yield heir, moment

    def _direct(self, fact: str, since: int) -> frozenset[str]:
        found = [one for brought in self._after(fact, since) for one in (*brought.facts, *brought.nodes)]
        found += [self.heirs[fact][1]] if fact in self.heirs else []
        return frozenset({*found, *(f"c{number}" for number in self.citing.get(fact, ()))} - {fact})


def dependents(ledger: Ledger, evidence_id: str, since: int = 0) -> Dependents:
    """All that depends on a fact, or what does so by way of contexts built after moment `since`."""
    return dependence(ledger.events, ledger.last).of(evidence_id, since)


def dependence(events: Sequence[ev.Event], last: State) -> Dependence:
    """The dependence between all facts of a run; `last` is its final state."""
    notes = _Notes(common=frozenset(tokens(last.question)))
    for moment, event in enumerate(events, 1):
        notes.add(moment, event)
    return Dependence(
        views={fact: tuple(seen) for fact, seen in notes.views.items()},
        yields={
            search: Yield(facts=tuple(notes.facts.get(search, ())), nodes=tuple(notes.nodes.get(search, ())))
            for search in {*notes.facts, *notes.nodes}
        },
        heirs=notes.heirs,
        citing=_citing(last, last.answer.claims if last.answer else ()),
    )


def _citing(last: State, claims: Sequence[Claim]) -> Mapping[str, tuple[int, ...]]:
    found: dict[str, dict[int, None]] = {}
    for number, claim in enumerate(claims, 1):
        for id_ in claim.cites:
            found.setdefault(resolve(last, id_).evidence or id_, {})[number] = None
    return {id_: tuple(numbers) for id_, numbers in found.items()}


def _order(id_: str) -> tuple[int, str]:
    digits = "".join(one for one in id_ if one.isascii() and one.isdigit())
    return int(digits[:9] or 0), id_


@dataclass(slots=True)
class _Notes:
    """What one pass over the events collects; lighter than a fold, as only the way to the root is needed."""

    common: frozenset[str]
    """Words of the question."""
    views: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    facts: dict[int, list[str]] = field(default_factory=dict)
    nodes: dict[int, list[str]] = field(default_factory=dict)
    heirs: dict[str, tuple[int, str]] = field(default_factory=dict)
    context: tuple[int, frozenset[str]] = (0, frozenset())
    """Moment of the last context, and the facts it had in view."""
    parents: dict[str, str] = field(default_factory=dict)
    way: dict[str, None] = field(default_factory=lambda: {ROOT: None})
    """Nodes from the root to the current one."""
    home: dict[str, str] = field(default_factory=dict)
    """Fact to the node it was added with."""
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    """Fact to the telling words of its text in force."""
    holders: dict[str, dict[str, None]] = field(default_factory=dict)
    """Word to the facts that hold it."""
    summaries: dict[str, str] = field(default_factory=dict)

    def add(self, moment: int, event: ev.Event) -> None:
        match event:
            case ev.ContextBuilt():
                self.context = moment, frozenset({*event.evidence, *self._told(self.summaries.get(event.node, ""))})
            case ev.SearchChosen():
                for fact in self.context[1]:
                    self.views.setdefault(fact, []).append((self.context[0], event.search))
            case ev.FactsExtracted():
                self.facts.setdefault(event.search, []).extend(one.id for one in event.facts)
                for one in event.facts:
                    self._read(one.id, one.text)
            case ev.NodeAdded():
                self.nodes.setdefault(event.search, []).append(event.node)
                self.home.update(dict.fromkeys(event.evidence, event.node))
                self.parents[event.node] = event.parent
                self._go(event.node)
            case ev.FactsAdded():
                self.home.update(dict.fromkeys(event.facts, next(reversed(self.way), ROOT)))
            case ev.EvidenceRepaired():
                self.heirs[event.by] = moment, event.evidence
                self._read(event.evidence, event.new_text)
            case ev.SummaryWritten():
                self.summaries[event.node] = event.text
            case ev.SearchResumed():
                self._go(event.node)

    def _read(self, fact: str, text: str) -> None:
        """Take note of the words of a fact's text; those of a former text are no longer its own."""
        for word in self.words.get(fact, ()):
            self.holders.get(word, {}).pop(fact, None)
        own = (one for one in tokens(text[:LONGEST_READ]) if len(one) > 3 or one.isdigit())
        self.words[fact] = frozenset(own) - self.common
        for word in self.words[fact]:
            self.holders.setdefault(word, {})[fact] = None

    def _go(self, node: str) -> None:
        """Make a node the current one."""
        if self.parents.get(node) == next(reversed(self.way), None):
            self.way[node] = None
            return
        line: dict[str, None] = {}
        step: str | None = node
        while step is not None and step not in line:
            line[step] = None
            step = self.parents.get(step)
        self.way = dict.fromkeys(reversed(line))

    def _told(self, summary: str) -> Iterable[str]:
        """Facts on the active path that alone explain a word of a summary."""
        for word in set(tokens(summary[:LONGEST_READ])):
            holders = self.holders.get(word, {})
            if 0 < len(holders) <= MOST_HOLDERS:
                present = [one for one in holders if self.home.get(one) in self.way]
                if len(present) == 1:
                    yield present[0]
