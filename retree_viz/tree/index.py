"""One run's tree, worked out once: every card it ever has, the size each needs at its largest, and where it goes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import count
from typing import Any, Protocol

from retree_core.events import Event
from retree_core.memory import Evidence, Node, Search
from retree_core.state import State, states
from retree_core.why.dependence import Dependence
from retree_core.why.returns import Former
from retree_viz.packed import packed
from retree_viz.tree.cards import Drawn, card_width, drawn
from retree_viz.tree.chronicle import Card, Chronicle, Moment, chronicle
from retree_viz.tree.faces import Face, face
from retree_viz.tree.folding import LIMIT, Shown, everything
from retree_viz.tree.layout import GAP, Box, Spot, layout
from retree_viz.tree.links import links
from retree_viz.tree.text import shown
from retree_viz.tree.touches import open_marks, touched

PASSAGE_HEIGHT = 22.0
STUB_WIDTH, STUB_HEIGHT = 96.0, 24.0
PASSAGE_STEP = 26.0
LARGE = 150
CONFLICT_ROOM = 52.0
"""Free space after a card that a conflict's line will reach."""


_SERIALS = count(1)


class Placed:
    """A card as the browser gets it."""

    def __init__(self, data: dict[str, Any], said: str) -> None:
        self.data = data
        self.said = said
        """The card in words."""
        self.hash = blake2b(json.dumps(data).encode(), digest_size=6).hexdigest()


class Moments(Protocol):
    """A run that can be looked at: `retree_viz.run.Run`."""

    @property
    def events(self) -> Sequence[Event]: ...

    @property
    def last(self) -> State: ...

    @property
    def returns(self) -> Mapping[str, Former]: ...

    @property
    def came_back(self) -> dict[str, str]: ...

    @property
    def dependence(self) -> Dependence: ...

    def at(self, moment: int) -> State: ...


class TreeIndex:
    """What the tree of one run needs at every moment. Make it once per run and keep it; sessions may share it.

    Costs two folds of the events; after that a moment costs about as much as what it shows.
    """

    def __init__(self, run: Moments) -> None:
        self.run = run
        self.last = run.last
        header = getattr(getattr(run, "trace", None), "header", None)
        self.name: str = getattr(header, "run_id", "") or run.last.question
        """Tells the browser whether it still draws the same run."""
        self.serial = next(_SERIALS)
        """Of this process: tells apart what two runs of one name, or one run before and after it grew, sent."""
        self.blocks: dict[tuple[Any, int], bytes] = {}
        """What `retree_viz.tree.around` worked out of it."""
        self.story: Chronicle = chronicle(run.events, run.last)
        self.story.returned, self.story.returning = run.returns, run.came_back
        self.order = {id_: place for place, id_ in enumerate(self._sorted())}
        """Card id to its place in the order of arrival; placeholders first."""
        self.children: dict[str, list[str]] = {}
        for id_ in self.order:
            parent = self.story.cards[id_].parent
            if parent is not None:
                self.children.setdefault(parent, []).append(id_)
        self.repaired = {f"node:{id_}" for id_, node in run.last.nodes.items() if node.repairs}
        self.challenged = {self.story.card_of_evidence.get(one.old, "") for one in self.story.conflicts}
        self.passages_of: dict[str, list[str]] = {}
        for passage, (card, _) in self.story.first_passages.items():
            self.passages_of.setdefault(card, []).append(passage)
        self.heights: dict[str, float] = {}
        """Of each card at its highest."""
        self.placed: dict[str, tuple[tuple[Any, ...], Placed]] = {}
        """What `tree_view` made last of each card, and of what."""
        self._arrived: dict[str, Face] = {}
        self._faces: dict[str, tuple[tuple[object, ...], Face]] = {}
        self._drawn: dict[tuple[str, str], tuple[Face, Drawn]] = {}
        self._layouts: dict[tuple[frozenset[str] | None, bool], Mapping[str, Spot]] = {}
        self._measure()

    def _sorted(self) -> Iterable[str]:
        cards = self.story.cards
        rank = {"node": 0, "search": 1, "step": 1, "answer": 2, "missing": 3}
        return sorted(cards, key=lambda id_: (cards[id_].kind == "missing", rank[cards[id_].kind], cards[id_].starts))

    def _measure(self) -> None:
        """Walk through the run once, drawing what each event changes."""
        for state, event in zip(states(self.run.events), self.run.events, strict=True):
            for id_ in touched(event, state, self.story)[0]:
                card = self.story.cards[id_]
                words = self._faces_now(state, card, {})
                self.heights[id_] = max(self._height(card, words), self.heights.get(id_, 0.0))
                if id_ not in self._arrived or state.moment <= self._settled(card):
                    self._arrived[id_] = words
        for id_, card in self.story.cards.items():
            if id_ not in self.heights:
                self._arrived[id_] = face(self.last, card, self.story, {})
                self.heights[id_] = self._height(card, self._arrived[id_])
            elif card.kind == "search":  # the end of the run may decide what came of the last one
                self._arrived[id_] = self._faces_now(self.last, card, {})
                self.heights[id_] = max(self.heights[id_], self._height(card, self._arrived[id_]))

    def _settled(self, card: Card) -> Moment:
        """The moment whose words stand for a card that is still to come: when a node's first summary is written."""
        if card.kind != "node":
            return len(self.run.events)
        return next((at for at, _ in self.story.summaries.get(card.key, ()) if at >= card.arrives), card.arrives)

    @property
    def large(self) -> bool:
        """So many cards that what is sent of each has to be short."""
        return len(self.story.cards) > LARGE

    @cached_property
    def total(self) -> dict[str, int]:
        """How many cards, facts and passages the whole run has."""
        return {
            "cards": len(self.story.cards),
            "facts": len(self.last.evidence),
            "passages": len(self.story.first_passages),
        }

    @cached_property
    def kinds(self) -> list[str]:
        """What occurs in the run, of all that the legend explains."""
        found: set[str] = {one.kind for one in self.run.events}
        holds = {
            "card": bool(self.story.cards),
            "claims": bool(self.last.answer and self.last.answer.claims),
            "facts": bool(self.last.evidence),
            "came_back": bool(self.run.came_back),
            "missing": any(one.kind == "missing" for one in self.story.cards.values()),
            "many": len(self.story.cards) > LIMIT,
        }
        return sorted({*found, *(name for name, true in holds.items() if true)})

    @cached_property
    def links(self) -> bytes:
        """What rests on what, as JSON for the browser: written once, since Streamlit would do so at every step."""
        found = links(self.name, self.last, self.story, self.run.dependence, short=self.large)
        return packed(found)

    @cached_property
    def pruned(self) -> dict[Moment, tuple[int, int]]:
        """How many nodes and facts each pruning took."""
        nodes = Counter(one.pruned_at for one in self.last.nodes.values())
        facts = Counter(one.pruned_at for one in self.last.evidence.values())
        return {at: (number, facts[at]) for at, number in nodes.items() if at is not None}

    @cached_property
    def whole(self) -> Shown:
        """All cards."""
        return everything(self.order, self.story.cards)

    @cached_property
    def below(self) -> frozenset[str]:
        """Cards that start a row below their parent: what a repair at it pruned, and searches that repaired it."""
        cards = self.story.cards
        below = set()
        for id_, card in cards.items():
            if card.parent is None or card.parent not in cards:
                continue
            above = cards[card.parent]
            pruned = card.gone is not None and above.gone != card.gone
            if pruned or (card.kind == "search" and self.story.repaired_by.get(card.search) == above.key):
                below.add(id_)
        return frozenset(below)

    def face(self, card: Card, state: State, marks: Mapping[str, str]) -> Face:
        """The words of a card at a moment; of one still to come, those it will arrive with."""
        return self._arrived[card.id] if state.moment < card.starts else self._faces_now(state, card, marks)

    def _faces_now(self, state: State, card: Card, marks: Mapping[str, str]) -> Face:
        """As `face`, remembering the last answer for as long as nothing that it is made of changed."""
        made_of = self._made_of(state, card, marks)
        known = self._faces.get(card.id)
        if known and len(known[0]) == len(made_of) and all(a is b for a, b in zip(known[0], made_of, strict=True)):
            return known[1]
        now = face(state, card, self.story, marks)
        self._faces[card.id] = (made_of, now)
        return now

    def _made_of(self, state: State, card: Card, marks: Mapping[str, str]) -> tuple[object, ...]:
        node: Node | None = state.nodes.get(card.key) if card.kind == "node" else None
        story = self.story
        own = [*node.evidence, *(one for one, _ in node.repairs)] if node else story.facts.get(card.search, ())
        facts = [*own, *story.loose.get(card.id, ())]
        evidence: list[Evidence | None] = [state.evidence.get(one) for one in facts]
        noted = [marks.get(one) for one in facts] if marks else []
        search: Search | None = None
        if node is None and 0 < card.search <= len(state.searches):
            search = state.searches[card.search - 1]
        still = search is not None and card.search == len(state.searches) and (state.answer or state.ended) is None
        written = len([1 for at, _ in story.summaries.get(card.key, ()) if at <= state.moment]) if node else 0
        return (node, search, still, state.answer if card.kind == "answer" else None, written, *evidence, *noted)

    def draw(self, card: Card, words: Face, right: str, *, signed: bool) -> Drawn:
        """The card set out, remembered for as long as its words are the same."""
        known = self._drawn.get((card.id, right))
        if known and known[0] is words:
            return known[1]
        now = drawn(words, card, self.width(card), right, signed=signed)
        self._drawn[(card.id, right)] = (words, now)
        return now

    def _height(self, card: Card, words: Face) -> float:
        return drawn(words, card, self.width(card)).height

    def width(self, card: Card) -> float:
        text = self.last.answer.text if card.kind == "answer" and self.last.answer else ""
        return card_width(card, repaired=card.id in self.repaired, title=text)

    def spots(self, view: Shown, *, passages: bool) -> Mapping[str, Spot]:
        """Where the cards go. While all are shown, that is the same at every moment."""
        key = (view.kept, passages)
        known = self._layouts.get(key)
        if known is None:
            known = layout([self._box(id_, parent, passages) for id_, parent in view.parents.items()])
            if len(self._layouts) > 8:
                self._layouts = {}
            self._layouts[key] = known
        return known

    def _box(self, id_: str, parent: str | None, passages: bool) -> Box:
        card = self.story.cards.get(id_)
        if card is None:
            return Box(id=id_, parent=parent, width=STUB_WIDTH, height=STUB_HEIGHT)
        stack = PASSAGE_STEP * len(self.passages_of.get(id_, ())) if passages else 0.0
        return Box(
            id=id_,
            parent=parent,
            width=self.width(card),
            height=self.heights[id_] + (stack + 8 if stack else 0),
            below=id_ in self.below and parent == card.parent,
            room=CONFLICT_ROOM if id_ in self.challenged else GAP,
        )

    def marks(self, moment: Moment) -> Mapping[str, str]:
        return open_marks(self.story, moment)

    def passage_title(self, id_: str) -> str:
        passage = self.last.passages.get(id_)
        return shown(passage.title) if passage else ""
