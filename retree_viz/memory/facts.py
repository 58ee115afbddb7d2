"""A flat list of facts with revisions in place, and what was found while a fact had a value that was given up."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from retree_core import events as ev
from retree_core.compare import Premise, given_up_premises
from retree_core.memory import Evidence
from retree_core.state import State
from retree_core.why.standing import fate_words
from retree_viz.html import Child, Html, tag
from retree_viz.memory.pieces import classes, marked, rest, window
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, empty, flag, table
from retree_viz.panels.ways import to_moment
from retree_viz.panels.wording import differing
from retree_viz.run import Run
from retree_viz.tree.touches import touched_facts
from retree_viz.words import ref

COLUMNS = ("id", "", "fact, in one flat list", "shown next", "premise")
_ELSEWHERE = ("duplicate", "absorbed")
"""Fates of facts whose text is held by another one."""


def facts(run: Run, moment: int, chosen: str) -> Html:
    """The list as of a moment; what comes later is dimmed below it."""
    state = run.at(moment)
    every = [one for one in _all(run, state) if one.fate not in _ELSEWHERE or one.id in _touched(run, moment)]
    if not every:
        return empty("No fact has been found yet.", "Step forward to the first search.")
    now = _touched(run, moment)
    here = next((place for place, one in enumerate(every) if one.id in now), len(state.evidence))
    view = _View(run=run, state=state, moment=moment, chosen=chosen, now=now)
    shown = window(every, here)
    return tag("div", table(COLUMNS, (view.line(one) for one in shown)), rest(len(shown), len(every)), cls="flat")


def _all(run: Run, state: State) -> list[Evidence]:
    """The facts of the moment, then those still to come, as they came."""
    return [*state.evidence.values(), *(one for id_, one in run.last.evidence.items() if id_ not in state.evidence)]


def _touched(run: Run, moment: int) -> Collection[str]:
    event = run.event(moment)
    return touched_facts(event) if event else ()


class _View:
    """What the lines of one list are told by."""

    def __init__(self, *, run: Run, state: State, moment: int, chosen: str, now: Collection[str]) -> None:
        self.run, self.state, self.moment, self.chosen, self.now = run, state, moment, chosen, now
        self.shown = shown_next(run, moment)
        self.premises: Mapping[str, Premise] = given_up_premises(run.events[:moment], state)

    def line(self, one: Evidence) -> Html:
        later = one.id not in self.state.evidence
        premise = self.premises.get(one.id)
        number = one.current.number
        return tag(
            "tr",
            tag("td", marked(one.id in self.now), ref(one.id)),
            tag("td", tag("b", f"r{number}", cls="rev") if number > 1 and not later else None),
            tag("td", _text(one, later)),
            tag("td", tag("span", icon("eye"), tag("span", "shown", cls="unseen")) if one.id in self.shown else None),
            tag("td", _later(self.run, one) if later else _standing(one, premise)),
            cls=classes(stale=premise is not None, on=one.id == self.chosen, later=later, now=one.id in self.now),
            data_here=f"{self.moment} {one.id}" if one.id in self.now else None,
        )


def shown_next(run: Run, moment: int) -> Collection[str]:
    """The ids in the next policy context, or in the last one where none follows."""
    later = next((one for one in run.events[moment:] if isinstance(one, ev.ContextBuilt)), None)
    return (later or run.at(moment).context or ev.ContextBuilt(node="", evidence=(), characters=0)).evidence


def _text(one: Evidence, later: bool) -> Html:
    """The fact; of a replaced one, what was given up is struck through."""
    if later:
        return cut(one.revisions[0].text, 400)
    if len(one.revisions) < 2:
        return cut(one.text, 400)
    return tag("span", differing(one.revisions[-2].text, one.text), cls="words-apart")


def _later(run: Run, one: Evidence) -> Html:
    at = run.born.get(one.id, 0)
    return to_moment(at, f"comes at event {at}")


def _standing(one: Evidence, premise: Premise | None) -> Child:
    if premise:
        return flag("warning", f"found while {premise.id} was r{premise.revision}")
    if one.fate != "active":
        return tag("span", fate_words(one), cls="mut")
    if one.current.number > 1:
        return flag("repair", f"replaced, now r{one.current.number}", "repair")
    if one.contested_by:
        return flag("conflict", f"contested by {', '.join(one.contested_by[:3])}")
    return None
