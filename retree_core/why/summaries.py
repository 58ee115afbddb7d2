"""Summaries: what each was drawn from (paper, sections 4.1 and 4.3)."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.state import active_path
from retree_core.why.ledger import Ledger, call_made, facts_of
from retree_core.why.values import SummaryStory


def summary_story(ledger: Ledger, moment: int) -> SummaryStory:
    """The summary written at `moment`; its calls include those for texts that were refused as stale."""
    event = ledger.event(moment)
    assert isinstance(event, ev.SummaryWritten)
    first = moment
    while first > 1 and isinstance(ledger.event(first - 1), ev.SummaryStale | ev.ReplyRejected):
        first -= 1
    refused = [one for one in ledger.events[first - 1 : moment - 1] if isinstance(one, ev.SummaryStale)]
    before = ledger.at(first - 1)
    node = before.nodes.get(event.node)
    parent = before.nodes.get(node.parent or "") if node else None
    regenerated = event.origin in ("regenerated", "facts")
    drawn = tuple(one.id for one in active_path(before)) if regenerated else node.evidence if node else ()
    own = node.summary if node else ""
    return SummaryStory(
        moment=moment,
        node=event.node,
        text=event.text,
        origin=event.origin,
        cut=event.cut,
        former=own or (parent.summary if parent else ""),
        facts=facts_of(before, drawn),
        stale=tuple(one.text for one in refused),
        calls=tuple(map(call_made, ledger.calls_between(first - 1, moment))),
    )
