"""What a whole run ever puts in its tree, and when: the union of all moments, so that nothing has to move.

A card is a search state (node), a search that made no node (a repairing, failed or fruitless one), the answer,
a step of an imported record, or a placeholder for what the record refers to and does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from retree_core import events as ev
from retree_core.events import Event
from retree_core.state import ROOT, State, apply
from retree_core.why.returns import Former

Moment = int
"""Number of events applied; the first event makes moment 1."""

CardKind = Literal["node", "search", "answer", "step", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One card of the union."""

    id: str
    """`node:n3`, `search:6`, `answer:1`, `step:4`, `missing:n99`."""
    kind: CardKind
    key: str
    """The id in the trace: `n3`, `6`, `1`, `n99`; of a step, its moment."""
    parent: str | None
    """Id of the parent's card; None at the top."""
    starts: Moment
    """When it first has something to show; a node's search is chosen before the node is added."""
    arrives: Moment
    """When it is what it is."""
    gone: Moment | None = None
    """When it was pruned."""
    search: int = 0
    note: str = ""
    """For a placeholder: what is wrong, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One challenge of a shown fact by a new one."""

    old: str
    new: str
    revision: int
    """The challenged revision of `old`."""
    proposed: Moment
    decided: Moment | None = None
    verdict: Literal["open", "confirmed", "rejected"] = "open"
    until: Moment | None = None
    """When the next search is chosen or the run goes on to its answer; after that it is past."""


@dataclass(slots=True)
class Chronicle:
    """Moments by id. Filled by `chronicle`, never changed afterwards."""

    cards: dict[str, Card] = field(default_factory=dict)
    """By card id; parents need not come first."""
    conflicts: list[Conflict] = field(default_factory=list)
    card_of_evidence: dict[str, str] = field(default_factory=dict)
    card_of_search: dict[int, str] = field(default_factory=dict)
    facts: dict[int, list[str]] = field(default_factory=dict)
    """Search to all its facts."""
    loose: dict[str, list[str]] = field(default_factory=dict)
    """Card id to the facts of its search that are on no node, in order."""
    summaries: dict[str, list[tuple[Moment, str]]] = field(default_factory=dict)
    """Node id to when and how its summary was written."""
    repairs: dict[str, list[tuple[Moment, str]]] = field(default_factory=dict)
    """Evidence id to when it was repaired and by which fact."""
    repaired_by: dict[int, str] = field(default_factory=dict)
    """Search that brought a repair to the repaired node."""
    first_passages: dict[str, tuple[str, Moment]] = field(default_factory=dict)
    """Passage id to the card of the search that found it first, and when."""
    forced: set[int] = field(default_factory=set)
    """Searches that were forced."""
    returned: Mapping[str, Former] = field(default_factory=dict)
    """Facts that restate one given up before."""
    returning: dict[str, str] = field(default_factory=dict)
    """The other way round."""
    steps: dict[str, ev.StepTaken] = field(default_factory=dict)
    """Card id to the step of an imported record."""


@dataclass(slots=True)
class _Notes:
    """What one pass over the events collects."""

    chosen: dict[int, tuple[Moment, str]] = field(default_factory=dict)
    """Search to when it was chosen and the node that was current."""
    node_of: dict[int, str] = field(default_factory=dict)
    repairing: dict[int, str] = field(default_factory=dict)
    """Search to the node that a repair by one of its facts changed."""
    answered: tuple[Moment, str] | None = None
    steps: list[Card] = field(default_factory=list)
    passages: dict[str, tuple[int, Moment]] = field(default_factory=dict)
    search: int = 0


def chronicle(events: Sequence[Event], last: State) -> Chronicle:
    """The union of all moments of a run; `last` is its final state."""
    story, notes, state = Chronicle(), _Notes(), State()
    for event in events:
        before, state = state, apply(state, event)
        _note(event, before, state, story, notes)
    for card in [*_node_cards(last, notes), *_search_cards(notes), *notes.steps]:
        story.cards[card.id] = card
    _place_facts(last, story, notes)
    if notes.answered:
        moment, node = notes.answered
        parent = _last_search(node, story, notes) or _last_step(moment, notes) or f"node:{node}"
        story.cards["answer:1"] = Card(
            id="answer:1", kind="answer", key="1", parent=parent, starts=moment, arrives=moment
        )
    _place_passages(story, notes)
    _hang_strays(story.cards)
    story.repaired_by = notes.repairing
    return story


def _note(event: Event, before: State, after: State, story: Chronicle, notes: _Notes) -> None:
    moment = after.moment
    match event:
        case ev.SearchChosen():
            notes.chosen.setdefault(event.search, (moment, after.current))
            notes.search = event.search
            if event.origin == "forced":
                story.forced.add(event.search)
            _close(story.conflicts, moment)
        case ev.NodeAdded():
            notes.node_of.setdefault(event.search, after.current)
        case ev.PassagesRetrieved():
            for one in event.passages:
                notes.passages.setdefault(one.id, (event.search, moment))
        case ev.ConflictProposed():
            story.conflicts.append(_conflict(event, before, moment))
        case ev.ConflictRejected():
            _decide(story.conflicts, event, before, moment, "rejected")
        case ev.ConflictConfirmed():
            _decide(story.conflicts, event, before, moment, "confirmed")
        case ev.EvidenceRepaired():
            notes.repairing.setdefault(notes.search, event.node)
            story.repairs.setdefault(event.evidence, []).append((moment, event.by))
        case ev.SummaryWritten():
            story.summaries.setdefault(event.node, []).append((moment, event.origin))
        case ev.Answered():
            notes.answered = notes.answered or (moment, after.current)
            _close(story.conflicts, moment)
        case ev.StepTaken():
            parent = _last_step(moment, notes) or f"node:{after.current}"
            step = Card(id=f"step:{moment}", kind="step", key=str(moment), parent=parent, starts=moment, arrives=moment)
            notes.steps.append(step)
            story.steps[step.id] = event


def _conflict(
    event: ev.ConflictProposed | ev.ConflictRejected | ev.ConflictConfirmed, before: State, moment: Moment
) -> Conflict:
    old = before.evidence.get(event.old)
    return Conflict(old=event.old, new=event.new, revision=old.current.number if old else 1, proposed=moment)


def _decide(
    conflicts: list[Conflict],
    event: ev.ConflictRejected | ev.ConflictConfirmed,
    before: State,
    moment: Moment,
    verdict: Literal["confirmed", "rejected"],
) -> None:
    """Settle the open proposal; a decision that nobody proposed (a fork, a limit) stands by itself."""
    for place in range(len(conflicts) - 1, -1, -1):
        one = conflicts[place]
        if (one.old, one.new, one.verdict) == (event.old, event.new, "open"):
            conflicts[place] = replace(one, decided=moment, verdict=verdict)
            return
    conflicts.append(replace(_conflict(event, before, moment), decided=moment, verdict=verdict))


def _close(conflicts: list[Conflict], moment: Moment) -> None:
    for place in range(len(conflicts) - 1, -1, -1):
        if conflicts[place].until is not None:
            return
        conflicts[place] = replace(conflicts[place], until=moment)


def _node_cards(last: State, notes: _Notes) -> Iterable[Card]:
    first = {node: search for search, node in notes.node_of.items() if search not in notes.repairing}
    for id_, node in last.nodes.items():
        chosen = notes.chosen.get(first.get(id_, -1))
        early = chosen is not None and chosen[1] == node.parent and chosen[0] <= node.added_at
        yield Card(
            id=f"node:{id_}",
            kind="node",
            key=id_,
            parent=None if node.parent is None else f"node:{node.parent}",
            starts=chosen[0] if chosen and early else node.added_at,
            arrives=node.added_at,
            gone=node.pruned_at,
            search=node.search,
        )


def _search_cards(notes: _Notes) -> Iterable[Card]:
    """Searches that made no node, or made a repair; several in a row at one node make a chain."""
    previous: Card | None = None
    for search, (moment, node) in notes.chosen.items():
        if search in notes.node_of and search not in notes.repairing:
            previous = None
            continue
        parent = f"node:{node}"
        follows = previous and previous.search not in notes.repairing and notes.chosen[previous.search][1] == node
        card = Card(
            id=f"search:{search}",
            kind="search",
            key=str(search),
            parent=previous.id if previous and follows else parent,
            starts=moment,
            arrives=moment,
            search=search,
        )
        previous = card
        yield card


def _last_search(node: str, story: Chronicle, notes: _Notes) -> str | None:
    """The card of the last search, where it has one at this node: the answer comes after it."""
    last = next(reversed(notes.chosen), None)
    card = f"search:{last}"
    plain = last is not None and last not in notes.repairing and notes.chosen[last][1] == node
    return card if plain and card in story.cards else None


def _last_step(moment: Moment, notes: _Notes) -> str | None:
    """The card of the last step before a moment; steps make a chain."""
    return next((one.id for one in reversed(notes.steps) if one.starts < moment), None)


def _place_facts(last: State, story: Chronicle, notes: _Notes) -> None:
    """Say for every fact on which card it is; a fact nobody can place gets a placeholder's card."""
    for id_, node in last.nodes.items():
        for fact in node.evidence:
            story.card_of_evidence.setdefault(fact, f"node:{id_}")
    for search in {*notes.chosen, *notes.node_of}:
        own = f"search:{search}"
        story.card_of_search[search] = own if own in story.cards else f"node:{notes.node_of.get(search, ROOT)}"
    for id_, one in last.evidence.items():
        story.facts.setdefault(one.search, []).append(id_)
        if id_ in story.card_of_evidence:
            continue
        card = story.card_of_search.get(one.search) or f"missing:search {one.search}"
        story.card_of_evidence[id_] = card
        story.loose.setdefault(card, []).append(id_)
        if card not in story.cards:
            story.cards[card] = _placeholder(card, "facts of a search that is not in the record")


def _place_passages(story: Chronicle, notes: _Notes) -> None:
    """Say for every passage on which card it is; where the record lacks that too, it gets a placeholder's card."""
    for id_, (search, moment) in notes.passages.items():
        card = story.card_of_search.get(search, f"node:{ROOT}")
        story.first_passages[id_] = (card, moment)
        if card not in story.cards:
            story.cards[card] = _placeholder(card, "passages of a search that is not in the record")


def _placeholder(card: str, note: str) -> Card:
    return Card(id=card, kind="missing", key=card.partition(":")[2], parent=None, starts=0, arrives=0, note=note)


def _hang_strays(cards: dict[str, Card]) -> None:
    """Give every card whose line of parents does not end at the top a placeholder to hang from."""
    for id_, card in list(cards.items()):
        if card.parent is not None and card.parent not in cards:
            absent = f"missing:{card.parent.partition(':')[2]}"
            if absent not in cards:
                cards[absent] = _placeholder(absent, "not in the record")
            cards[id_] = replace(card, parent=absent)
    settled: set[str] = set()
    for start in list(cards):
        trail: dict[str, None] = {}
        step: str | None = start
        while step is not None and step not in settled and step not in trail:
            trail[step] = None
            step = cards[step].parent
        if step is not None and step in trail:
            ring = f"missing:above {cards[step].key}"
            cards[ring] = _placeholder(ring, "this line of parents comes back to itself")
            cards[step] = replace(cards[step], parent=ring)
        settled.update(trail)
