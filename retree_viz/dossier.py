"""What the Why panel tells of a conflict, found in the record: which one, its events, what differs."""

from __future__ import annotations

import re

from retree_core.state import State
from retree_core.text.difference import common_ends
from retree_core.why import Conflict, Ref
from retree_core.why.conflicts import claims_citing
from retree_viz.run import Run
from retree_viz.words import Sentence


def span(run: Run, conflict: Conflict) -> tuple[int, int]:
    """First and last moment of a conflict, the last one being the last thing its repair caused."""
    moments = conflict.moments or (1,)
    first, last = min(moments), max(moments)
    for band in run.timeline.bands:
        if conflict.repair and band.first <= conflict.repair.moment <= band.last:
            return min(first, band.first), max(last, band.last)
    return first, last


def conflict_at(run: Run, moment: int, selected: str = "") -> Conflict | None:
    """The one the moment is part of, else the last repair of the selected fact so far, else its last contest."""
    bands = ((one.first, one.last) for one in run.timeline.bands if one.first <= moment <= one.last)
    here = [one for one in run.contests.near(moment, bands) if _within(span(run, one), moment)]
    touching = conflicts_of(run, selected)
    if here:
        return max(here, key=lambda one: (one in touching, *_closeness(run, one, moment)))
    earlier = [one for one in touching if span(run, one)[0] <= moment] or touching
    repairs = [one for one in earlier if one.repair]
    return (repairs or earlier)[-1] if earlier else None


def conflicts_of(run: Run, selected: str) -> list[Conflict]:
    """Those that a fact is a side of, in order."""
    return run.contests.of(selected)


def _closeness(run: Run, conflict: Conflict, moment: int) -> tuple[bool, bool, int]:
    """Conflicts of one search overlap: first the one whose own event this is, then the one whose repair caused it."""
    caused = conflict.repair is not None and conflict.repair.moment <= moment
    return moment in conflict.moments, caused, span(run, conflict)[0]


def _within(bounds: tuple[int, int], moment: int) -> bool:
    return bounds[0] <= moment <= bounds[1]


def claims_on(last: State, evidence: str) -> tuple[str, ...]:
    """Claims of the final answer whose citations lead to this evidence."""
    return tuple(f"c{number}" for number in claims_citing(last, evidence))


def changed(old: str, new: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """The stretch of words in which two texts differ, as a range of characters in each.

    >>> changed("Designed by Ann Lee.", "Designed by Bo Lee.")
    ((12, 15), (12, 14))
    """
    before, after = _words(old), _words(new)
    head, tail = common_ends([word for word, _, _ in before], [word for word, _, _ in after])
    return _stretch(before, head, tail), _stretch(after, head, tail)


def pointed(old: str, new: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """As `changed`; nothing to point at in two quite different sentences."""
    gone, came = changed(old, new)
    return ((0, 0), (0, 0)) if gone[1] - gone[0] > 0.7 * len(old) else (gone, came)


def _words(text: str) -> list[tuple[str, int, int]]:
    return [(found[0], found.start(), found.end()) for found in re.finditer(r"\w+|[^\w\s]", text)]


def _stretch(words: list[tuple[str, int, int]], head: int, tail: int) -> tuple[int, int]:
    kept = words[head : len(words) - tail]
    return (kept[0][1], kept[-1][2]) if kept else (0, 0)


def dossier_title(conflict: Conflict, *, has_tree: bool = True) -> Sentence:
    """The heading of the dossier."""
    against: Sentence = (Ref(conflict.new.id), " against ", Ref(conflict.old.id))
    match conflict.outcome:
        case "repaired" if conflict.repair:
            if not has_tree:
                return ("Replaced in place: ", *against)
            return ("Repair of ", Ref(conflict.old.id), " at node ", Ref(conflict.repair.introducer.node))
        case "skipped":
            return ("Nothing to repair: ", *against)
        case "open":
            return ("Proposed: ", *against)
        case "rejected":
            return ("Rejected: ", *against)
        case _:
            return ("Confirmed: ", *against)
