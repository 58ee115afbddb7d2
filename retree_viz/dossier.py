"""What the Why panel tells of a conflict, found in the record: which one, its events, the life of a fact."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retree_core import events as ev
from retree_core.state import State
from retree_core.why import Conflict
from retree_core.why.conflicts import claims_citing
from retree_viz.run import Run
from retree_viz.words import Ref, Sentence, rejected_by


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something that happened to a piece of evidence."""

    moment: int
    mark: str
    """Kind of the event."""
    words: Sentence


def span(run: Run, conflict: Conflict) -> tuple[int, int]:
    """First and last moment of a conflict, the last one being the last thing its repair caused."""
    moments = conflict.moments or (1,)
    first, last = min(moments), max(moments)
    for band in run.timeline.bands:
        if conflict.repair and band.first <= conflict.repair.moment <= band.last:
            return min(first, band.first), max(last, band.last)
    return first, last


def conflict_at(run: Run, moment: int, selected: str = "") -> Conflict | None:
    """The conflict to explain: the one the moment is part of, else the one that last touched the selected fact."""
    here = [one for one in run.conflicts if _within(span(run, one), moment)]
    touching = [one for one in run.conflicts if selected and selected in (one.old.id, one.new.id)]
    if here:
        return max(here, key=lambda one: (one in touching, *_closeness(run, one, moment)))
    earlier = [one for one in touching if span(run, one)[0] <= moment]
    return (earlier or touching)[-1] if touching else None


def _closeness(run: Run, conflict: Conflict, moment: int) -> tuple[bool, bool, int]:
    """Conflicts of one search overlap: first the one whose own event this is, then the one whose repair caused it."""
    caused = conflict.repair is not None and conflict.repair.moment <= moment
    return moment in conflict.moments, caused, span(run, conflict)[0]


def _within(bounds: tuple[int, int], moment: int) -> bool:
    return bounds[0] <= moment <= bounds[1]


def history(run: Run, evidence: str) -> tuple[Line, ...]:
    """The life of a piece of evidence, in order."""
    lines: list[Line] = []
    for moment, event in enumerate(run.events, 1):
        words = _touches(event, evidence)
        if words:
            lines.append(Line(moment=moment, mark=event.kind, words=words))
    return tuple(lines)


def _touches(event: ev.Event, id_: str) -> Sentence:
    """What an event did to a piece of evidence; nothing where it did nothing to it."""
    match event:
        case ev.FactsExtracted():
            from_ = next((one.source.passage for one in event.facts if one.id == id_), None)
            return ("Read from ", Ref(from_), f" in search {event.search}.") if from_ else ()
        case ev.NodeAdded() if id_ in event.evidence:
            return ("Introduced by ", Ref(event.node), ", below ", Ref(event.parent), ".")
        case ev.DuplicateFound() if event.of == id_:
            return ("Restated by ", Ref(event.fact), "; its source is attached.")
        case ev.DuplicateFound() if event.fact == id_:
            return ("Restates ", Ref(event.of), ".")
        case ev.ConflictRejected() if event.old == id_:
            return ("Contested by ", Ref(event.new), f", rejected by {rejected_by(event)}")
        case ev.ConflictRejected() if event.new == id_:
            return ("Challenged ", Ref(event.old), f", rejected by {rejected_by(event).partition(':')[0]}.")
        case ev.EvidenceRepaired() if event.evidence == id_:
            return (f"Repaired to r{event.revision} with the value of ", Ref(event.by), ", at ", Ref(event.node), ".")
        case ev.EvidenceRepaired() if event.by == id_:
            return ("Became ", Ref(event.evidence), f" r{event.revision}.")
        case ev.FactsSetAside() if id_ in event.facts:
            return ("Set aside: it came with a repair.",)
        case ev.StopChosen() if id_ in event.evidence:
            return ("Named as support when the policy stopped.",)
        case _:
            return ()


def claims_on(last: State, evidence: str) -> tuple[str, ...]:
    """Claims of the final answer whose citations lead to this evidence."""
    return tuple(f"c{number}" for number in claims_citing(last, evidence))


def changed(old: str, new: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """The stretch of words in which two texts differ, as a range of characters in each.

    >>> changed("Designed by Ann Lee.", "Designed by Bo Lee.")
    ((12, 15), (12, 14))
    """
    before, after = _words(old), _words(new)
    head = 0
    while head < min(len(before), len(after)) and before[head][0] == after[head][0]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail][0] == after[-1 - tail][0]:
        tail += 1
    return _stretch(before, head, tail), _stretch(after, head, tail)


def _words(text: str) -> list[tuple[str, int, int]]:
    return [(found[0], found.start(), found.end()) for found in re.finditer(r"\w+|[^\w\s]", text)]


def _stretch(words: list[tuple[str, int, int]], head: int, tail: int) -> tuple[int, int]:
    kept = words[head : len(words) - tail]
    return (kept[0][1], kept[-1][2]) if kept else (0, 0)


def dossier_title(conflict: Conflict) -> Sentence:
    """The heading of the dossier."""
    against: Sentence = (Ref(conflict.new.id), " against ", Ref(conflict.old.id))
    match conflict.outcome:
        case "repaired" if conflict.repair:
            return ("Repair of ", Ref(conflict.old.id), " at node ", Ref(conflict.repair.introducer.node))
        case "skipped":
            return ("Nothing to repair: ", *against)
        case "open":
            return ("Proposed: ", *against)
        case "rejected":
            return ("Rejected: ", *against)
        case _:
            return ("Confirmed: ", *against)
