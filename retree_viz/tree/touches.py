"""What one event changes on the canvas, and what is being decided at a moment."""

from __future__ import annotations

from collections.abc import Mapping

from retree_core import events as ev
from retree_core.events import Event
from retree_core.state import ROOT, State
from retree_viz.tree.chronicle import Chronicle, Moment


def touched(event: Event, after: State, story: Chronicle) -> tuple[frozenset[str], frozenset[str]]:
    """Ids of the cards and of the facts that an event changed."""
    cards: set[str] = set()
    facts = touched_facts(event)
    match event:
        case ev.RunStarted():
            cards = {f"node:{ROOT}"}
        case ev.SearchChosen() | ev.PassagesRetrieved() | ev.SearchFailed():
            cards = {story.card_of_search.get(event.search, "")}
        case ev.FactsExtracted():
            cards = {story.card_of_search.get(event.search, "")}
        case ev.EvidenceRepaired():
            cards = {f"node:{event.node}"}
        case ev.SummaryWritten() | ev.SummaryStale() | ev.SearchResumed():
            cards = {f"node:{event.node}"}
        case ev.SummaryDiscarded():
            cards = {f"node:{event.parent}"}
        case ev.NodeAdded():
            cards = {f"node:{after.current}"}
        case ev.NodesPruned():
            cards = {f"node:{one}" for one in event.nodes}
        case ev.Answered():
            cards = {"answer:1"}
        case ev.StepTaken():
            cards = {f"step:{after.moment}"}
    cards |= {story.card_of_evidence[one] for one in facts if one in story.card_of_evidence}
    return frozenset(one for one in cards if one in story.cards), facts


def touched_facts(event: Event) -> frozenset[str]:
    """Ids of the facts that an event changed."""
    match event:
        case ev.FactsExtracted():
            return frozenset(one.id for one in event.facts)
        case ev.DuplicateFound():
            return frozenset((event.fact, event.of))
        case ev.ConflictProposed() | ev.ConflictRejected() | ev.ConflictConfirmed():
            return frozenset((event.old, event.new))
        case ev.EvidenceRepaired():
            return frozenset((event.evidence, event.by))
        case ev.NodeAdded():
            return frozenset(event.evidence)
        case ev.FactsSetAside() | ev.FactsAdded():
            return frozenset(event.facts)
        case _:
            return frozenset()


def open_marks(story: Chronicle, moment: Moment) -> Mapping[str, str]:
    """Fact id to `proposed`, `confirmed` or `rejected` for the conflicts of the search under way at a moment."""
    marks: dict[str, str] = {}
    for one in story.conflicts:
        done = any(one.proposed < at <= moment and by == one.new for at, by in story.repairs.get(one.old, ()))
        if one.proposed <= moment and (one.until is None or moment < one.until) and not done:
            verdict = "proposed" if one.decided is None or moment < one.decided else one.verdict
            marks.update({one.old: verdict, one.new: verdict})
    return marks
