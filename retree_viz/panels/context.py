"""The policy context: what the query policy saw, as it saw it, with its size against the bound (section 5.2)."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.agents.memory import context_bound, rendered
from retree_viz.html import Html, join, tag
from retree_viz.panels.pieces import chip, cut, empty, section
from retree_viz.run import Run
from retree_viz.words import ref


def context(run: Run, moment: int) -> Html:
    """The Context panel: the last policy context up to a moment."""
    at = context_moment(run, moment)
    event = run.event(at) if at else None
    if at is None or not isinstance(event, ev.ContextBuilt):
        return empty("No policy context was built up to here.", "Step forward to the first policy call.")
    state = run.at(at)
    node = state.nodes.get(event.node)
    shown = [state.evidence[one] for one in event.evidence if one in state.evidence]
    text = rendered(node.summary if node else "", shown)
    bound = context_bound(run.trace.header.settings)
    size = f"{event.characters:,} of at most {bound:,} characters"
    return join(
        section("Shown to the policy", tag("div", *map(chip, shown), cls="chips"), aside=size),
        section("Word for word", tag("pre", cut(text)), aside=join("at ", ref(event.node))),
    )


def context_moment(run: Run, moment: int) -> int | None:
    """The latest moment up to this one at which a policy context was built."""
    return next((one for one in range(moment, 0, -1) if isinstance(run.event(one), ev.ContextBuilt)), None)
