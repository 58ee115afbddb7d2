"""Summaries: who wrote each, from what, and what was left out of it (paper, sections 4.1 and 4.3)."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.memory import Node
from retree_core.state import State, active_path
from retree_core.text.difference import word_difference
from retree_core.why.ledger import Ledger, facts_of
from retree_core.why.stories import Stale, SummaryStory


def summary_story(ledger: Ledger, moment: int) -> SummaryStory:
    """The summary written at `moment`; its calls include those for texts that were refused as stale."""
    event = ledger.event(moment)
    assert isinstance(event, ev.SummaryWritten)
    first = moment
    while first > 1 and isinstance(ledger.event(first - 1), ev.SummaryStale | ev.ReplyRejected):
        first -= 1
    before = ledger.at(first - 1)
    node = before.nodes.get(event.node)
    former_of, former = _former(before, node)
    cause = _cause(ledger, first, event)
    return SummaryStory(
        moment=moment,
        node=event.node,
        text=event.text,
        origin=event.origin,
        cut=event.cut,
        former=former,
        facts=facts_of(before, _drawn(ledger, before, event, cause)),
        how=_how(ledger, event, cause),
        former_of=former_of,
        wording=word_difference(former, event.text) if former else (),
        invented=event.invented,
        stale=tuple(_refused(ledger, first, moment)),
        cause=cause,
        calls=tuple(call for at in range(first, moment + 1) if _wrote(ledger, at) for call in ledger.calls_for(at)),
    )


def _drawn(ledger: Ledger, before: State, event: ev.SummaryWritten, cause: int | None) -> tuple[str, ...]:
    """The facts that a summary was written from: all in force where it was written anew, else the new ones."""
    if event.origin in ("regenerated", "facts"):
        return tuple(one.id for one in active_path(before))
    added = ledger.event(cause) if cause else None
    if isinstance(added, ev.NodeAdded):
        return added.evidence
    number = before.searches[-1].number if before.searches else 0
    return tuple(one.id for one in before.evidence.values() if one.search == number and one.fate != "duplicate")


def _wrote(ledger: Ledger, moment: int) -> bool:
    return isinstance(ledger.event(moment), ev.SummaryStale | ev.SummaryWritten)


def _refused(ledger: Ledger, first: int, moment: int) -> list[Stale]:
    found = ((at, ledger.event(at)) for at in range(first, moment))
    return [Stale(moment=at, text=one.text, value=one.value) for at, one in found if isinstance(one, ev.SummaryStale)]


def _former(before: State, node: Node | None) -> tuple[str, str]:
    """Whose summary stood before, and what it said: the node's own, or else its parent's."""
    if node is None:
        return "", ""
    if node.summary:
        return node.id, node.summary
    parent = before.nodes.get(node.parent or "")
    return (parent.id, parent.summary) if parent and parent.summary else ("", "")


def _cause(ledger: Ledger, first: int, event: ev.SummaryWritten) -> int | None:
    """The node's own event, or the repair at it."""
    for moment in range(first - 1, 0, -1):
        match ledger.event(moment):
            case ev.NodeAdded(node=node) | ev.EvidenceRepaired(node=node) if node == event.node:
                return moment
            case ev.FactsAdded():
                return moment
            case ev.SearchChosen():
                return None
    return None


def _how(ledger: Ledger, event: ev.SummaryWritten, cause: int | None) -> str:
    repair = ledger.event(cause) if cause else None
    because = f", because {repair.evidence} was repaired here" if isinstance(repair, ev.EvidenceRepaired) else ""
    match event.origin:
        case "regenerated":
            return f"written anew by the model from the evidence in force alone{because}"
        case "facts":
            return "the facts in force, joined by code: no text of the model would do" + because
        case "kept":
            return "kept from the parent: the model gave nothing that could stand"
        case _:
            new = "facts" if ledger.last.evidence else "passages"
            return f"written by the model from the summary before and the new {new}"
