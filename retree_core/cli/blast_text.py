"""The blast radius of an edit in words, for `retree fork --dry-run`."""

from __future__ import annotations

from collections.abc import Sequence

from retree_core.drivers.edits import Edit
from retree_core.terminal import printable, wrapped
from retree_core.text import count
from retree_core.why.blast import Blast, Reach


def blast_text(one: Blast, edits: Sequence[Edit]) -> str:
    """What the fork shares, does at once, and makes again."""
    lines = [
        f"{printable(', '.join(map(str, edits)))} at event {one.moment}",
        f"shared: {count(one.shared_events, 'event')}, {count(one.shared_calls, 'call')}",
        f"from the record alone: {_alone(one)}",
    ]
    lines += [f"the engine does not take it: {reason}" for reason in one.refused]
    if one.introducer:
        lines.append(f"repair at {one.introducer}; pruned: {_reach(one.pruned)}")
    if one.back != Reach():
        lines.append(f"stays, where the run lost it: {_reach(one.back)}")
    lines.append(f"made again after event {one.shared_events}: {_reach(one.falls)}")
    if one.falls != Reach():
        lines.append(f"of these rest on what is edited: {_reach(one.depends)}")
    return "\n".join(wrapped(line, "  ").lstrip() for line in lines)


def _alone(one: Blast) -> str:
    kinds = ", ".join(event.kind for event in one.made[:8]) + (", …" if len(one.made) > 8 else "")
    made = f"{count(len(one.made), 'event')} ({kinds})" if one.made else "nothing"
    if not one.needs:
        return f"{made}, to its end"
    return f"{made}, then {'a search' if one.needs == 'search' else f'a model ({one.needs})'} is needed"


def _reach(one: Reach) -> str:
    named = (("node", one.nodes), ("fact", one.facts), ("claim", tuple(f"c{number}" for number in one.claims)))
    return "; ".join(f"{count(len(ids), name)}{_ids(ids)}" for name, ids in named)


def _ids(ids: tuple[str, ...]) -> str:
    return f" ({', '.join(map(printable, ids[:12]))}{', …' if len(ids) > 12 else ''})" if ids else ""
