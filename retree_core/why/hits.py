"""What became of each hit of a search call: the passage it is in this run, or why it is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retree_core import events as ev
from retree_core.calls import Hit, SearchReply
from retree_core.memory import Passage
from retree_core.text import normalise


@dataclass(frozen=True, slots=True, kw_only=True)
class HitFate:
    """One hit."""

    hit: Hit
    passage: str = ""
    """Id of the passage that holds its text; empty where the run took none."""
    known: bool = False
    """An earlier search had brought that passage."""
    left_out: str = ""
    """Why it is no passage of this search."""


def hit_fates(reply: SearchReply, event: ev.PassagesRetrieved | None, known: Mapping[str, Passage]) -> list[HitFate]:
    """Every hit in its own order; `event` is what the search led to, `known` the passages of the run before it."""
    taken = {normalise(one.text): one.id for one in event.passages} if event else {}
    first: dict[str, int] = {}
    fates: list[HitFate] = []
    for place, hit in enumerate(reply.hits, 1):
        key = normalise(hit.text)
        id_ = taken.get(key, "")
        reason = _left_out(key, id_, first.get(key), event is not None)
        fates.append(HitFate(hit=hit, passage=id_, known=id_ in known, left_out=reason))
        first.setdefault(key, place)
    return fates


def _left_out(key: str, passage: str, earlier: int | None, decided: bool) -> str:
    if not decided:
        return "the record ends before the run took it in"
    if not key:
        return "it has no text"
    if earlier is not None:
        return f"the same text as hit {earlier}"
    return "" if passage else "more hits than passages wanted"
