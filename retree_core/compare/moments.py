"""Two moments of one run: what changed in the memory between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from retree_core import events as ev
from retree_core.memory import Evidence, Node, Passage, Search
from retree_core.state import State, active_path

FactChanged = Literal["read", "added", "contested", "repaired", "duplicate", "absorbed", "set_aside", "pruned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactChange:
    """One thing that happened to a piece of evidence."""

    id: str
    what: FactChanged
    """`read`: extracted, and nothing became of it yet; `added`: it came into force (in a flat list, at the root)."""
    text: str
    """As it reads at the later moment."""
    former: str = ""
    """For a repair: the text at the earlier moment."""
    revision: int = 1
    others: tuple[str, ...] = ()
    """The node it was added to, the challengers, the fact that repaired it, or the one it restates or became."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryChange:
    """A node's summary was written, or written anew."""

    node: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a later moment has that an earlier one had not; all empty where nothing in the memory changed."""

    before: int
    after: int
    """Both moments."""
    searches: tuple[Search, ...] = ()
    passages: tuple[Passage, ...] = ()
    steps: tuple[ev.StepTaken, ...] = ()
    """Of an imported record."""
    nodes_added: tuple[Node, ...] = ()
    nodes_repaired: tuple[tuple[str, str, int], ...] = ()
    """Node, evidence, revision."""
    nodes_pruned: tuple[Node, ...] = ()
    current: tuple[str, str] | None = None
    """The current node before and after, where it moved."""
    summaries: tuple[SummaryChange, ...] = ()
    facts: tuple[FactChange, ...] = ()
    in_force: tuple[int, int] = (0, 0)
    """Facts on the active path before and after."""
    shown_now: tuple[str, ...] = ()
    """Facts in the policy context that were not in the one before."""
    shown_no_longer: tuple[str, ...] = ()
    context: tuple[int, int] | None = None
    """Characters of the policy context before and after, where another one was built."""
    answer: ev.Answered | None = None
    """The answer, where it was given in between."""
    ended: ev.RunEnded | None = None

    @property
    def nothing(self) -> bool:
        """The memory is as it was."""
        return self == Changes(before=self.before, after=self.after, in_force=self.in_force)


def changes(before: State, after: State) -> Changes:
    """What happened to the memory of a run from one state to a later one of the same run.

    >>> from retree_core.state import fold
    >>> started = [ev.RunStarted(question="Who?", agent="retree")]
    >>> [one.id for one in changes(fold([]), fold(started)).nodes_added]
    ['root']
    """
    old_context, new_context = before.context, after.context
    built = new_context is not None and new_context != old_context
    shown_then = old_context.evidence if old_context else ()
    shown_now = new_context.evidence if new_context else ()
    return Changes(
        before=before.moment,
        after=after.moment,
        searches=after.searches[len(before.searches) :],
        passages=tuple(one for id_, one in after.passages.items() if id_ not in before.passages),
        steps=after.steps[len(before.steps) :],
        nodes_added=tuple(one for id_, one in after.nodes.items() if id_ not in before.nodes),
        nodes_repaired=tuple(_repairs(before, after)),
        nodes_pruned=tuple(one for one in after.nodes.values() if one.pruned_at and not _was_pruned(before, one.id)),
        current=(before.current, after.current) if before.current != after.current else None,
        summaries=tuple(_summaries(before, after)),
        facts=tuple(change for one in after.evidence.values() for change in _fact(before.evidence.get(one.id), one)),
        in_force=(len(active_path(before)), len(active_path(after))),
        shown_now=tuple(one for one in shown_now if one not in shown_then) if built else (),
        shown_no_longer=tuple(one for one in shown_then if one not in shown_now) if built else (),
        context=(old_context.characters if old_context else 0, new_context.characters)
        if built and new_context
        else None,
        answer=after.answer if after.answer != before.answer else None,
        ended=after.ended if after.ended != before.ended else None,
    )


def _was_pruned(state: State, node: str) -> bool:
    return node in state.nodes and state.nodes[node].pruned_at is not None


def _repairs(before: State, after: State) -> Iterator[tuple[str, str, int]]:
    for id_, node in after.nodes.items():
        known = len(before.nodes[id_].repairs) if id_ in before.nodes else 0
        yield from ((id_, evidence, revision) for evidence, revision in node.repairs[known:])


def _summaries(before: State, after: State) -> Iterator[SummaryChange]:
    for id_, node in after.nodes.items():
        old = before.nodes[id_].summary if id_ in before.nodes else ""
        if node.summary != old:
            yield SummaryChange(node=id_, before=old, after=node.summary)


_BECAME: dict[str, FactChanged] = {
    "new": "read",
    "duplicate": "duplicate",
    "absorbed": "absorbed",
    "set_aside": "set_aside",
    "pruned": "pruned",
}


def _fact(old: Evidence | None, now: Evidence) -> Iterator[FactChange]:
    """What happened to one fact, in the order in which it can."""

    def change(what: FactChanged, *others: str, former: str = "") -> FactChange:
        return FactChange(
            id=now.id, what=what, text=now.text, former=former, revision=now.current.number, others=others
        )

    if now.node and not (old and old.node):
        yield change("added", now.node)
    contested = now.contested_by[len(old.contested_by) if old else 0 :]
    if contested:
        yield change("contested", *contested)
    repairs = now.revisions[len(old.revisions) if old else 1 :]
    if repairs:
        first = old.text if old else now.revisions[0].text
        yield change("repaired", *(one.by for one in repairs if one.by), former=first)
    if now.fate != "active" and (old is None or old.fate != now.fate):
        yield change(_BECAME[now.fate], *filter(None, [now.other]))
