"""Two opened runs and all that is worked out about them once."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import streamlit as st

from retree_core.compare import Comparison, Stop, Sync, compare, stops
from retree_core.trace.reader import ending_of
from retree_core.trace.recorded import context_bound
from retree_viz.html import visible
from retree_viz.opened import Opened, opened
from retree_viz.panels.bar import agent_name
from retree_viz.place import Place
from retree_viz.run import Run
from retree_viz.runs import RunFile


@dataclass
class Pair:
    """Run A and run B, each with its tree."""

    a: Opened
    b: Opened

    @property
    def runs(self) -> tuple[Run, Run]:
        return self.a.run, self.b.run

    @cached_property
    def found(self) -> Comparison:
        ours, theirs = self.runs
        return compare(ours.trace, theirs.trace, (ours.last, theirs.last))

    @property
    def shared(self) -> int:
        """Events that both have."""
        return self.found.parting.events

    @property
    def ends(self) -> Stop:
        return self.a.run.total, self.b.run.total

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """What no policy context of the two agents can be longer than, characters; None where nothing bounds it."""
        ours, theirs = (context_bound(one.trace.header) for one in self.runs)
        return ours, theirs

    @property
    def names(self) -> tuple[str, str]:
        """The agents, or the files where one agent made both."""
        ours, theirs = map(agent_name, self.found.agents)
        return (ours, theirs) if ours != theirs else (_file(self.a), _file(self.b))

    @cached_property
    def _stops(self) -> dict[str, tuple[Stop, ...]]:
        return {}

    def stops(self, by: Sync) -> tuple[Stop, ...]:
        """The moments that belong together, in order."""
        if by not in self._stops:
            self._stops[by] = stops(self.a.run.trace, self.b.run.trace, self.found.last, self.shared, by)
        return self._stops[by]

    def moments(self, place: Place) -> Stop:
        """Where both sides are: B is where A is, unless it was moved by itself."""
        ours = place.at(self.a.run.total)
        if place.against_moment is not None:
            return ours, replace(place, moment=place.against_moment).at(self.b.run.total)
        with_a = [b for a, b in self.stops(_sync(place)) if a <= ours]
        return ours, self.b.run.total if ours == self.a.run.total else with_a[-1] if with_a else 0

    def chosen(self, selected: str, side: str) -> str:
        """Id of what is selected (`a.e3`: in run A) as a side knows it; the same fact or node of the other run."""
        own, dot, id_ = selected.partition(".")
        if not dot:  # chosen on run A alone
            own, id_ = "a", selected
        if own == side or id_ in self._shared_ids:
            return id_
        return self._partners.get((own, id_), "")

    @cached_property
    def _shared_ids(self) -> frozenset[str]:
        """Ids that mean the same in both runs."""
        state = self.a.run.at(self.shared)
        return frozenset({*state.nodes, *state.evidence, *state.passages})

    @cached_property
    def _partners(self) -> dict[tuple[str, str], str]:
        """Side and id to the id of the same fact or node on the other side."""
        facts = [(one.a.id, one.b.id) for one in self.found.trees.facts if one.a and one.b]
        both = facts + [(one.a.id, one.b.id) for one in self.found.trees.nodes if one.a and one.b]
        return {("a", a): b for a, b in both} | {("b", b): a for a, b in both}


def _sync(place: Place) -> Sync:
    return "event" if place.sync == "event" else "claim" if place.sync == "claim" else "search"


def _file(one: Opened) -> str:
    return one.run.trace.name.removesuffix(ending_of(one.run.trace.name))


def opened_pair(a: RunFile, b: RunFile) -> Pair:
    """Both runs. Raises InputError where a file is no run."""
    return _pair(opened(a), opened(b), _key(a), _key(b))


def _key(file: RunFile) -> tuple[bytes, int, int]:
    return os.fsencode(file.path), file.size, file.mtime_ns


@st.cache_resource(max_entries=8, show_spinner="Comparing …")
def _pair(_a: Opened, _b: Opened, key_a: tuple[bytes, int, int], key_b: tuple[bytes, int, int]) -> Pair:
    return Pair(_a, _b)


def timeline_data(pair: Pair, now: Stop, place: Place) -> dict[str, Any]:
    """What the common timeline draws: the trunk that both share, and a branch of each."""
    return {
        "shared": pair.shared,
        "now": list(now),
        "codes": [one.timeline.codes for one in pair.runs],
        "brackets": [[_bracket(each) for each in one.timeline.brackets] for one in pair.runs],
        "tail": [list(one) for one in pair.stops(_sync(place)) if max(one) > pair.shared],
        "ends": [_end(one) for one in pair.runs],
    }


def _bracket(one: Any) -> dict[str, Any]:
    return {"first": one.first, "last": one.last, "number": one.number, "query": one.query, "forced": one.forced}


def _end(run: Run) -> str:
    """What a branch leads to."""
    if run.last.answer is not None:
        return visible(run.last.answer.text)[:80] or "(empty answer)"
    return run.last.ended.status.replace("_", " ") if run.last.ended else "unfinished"
