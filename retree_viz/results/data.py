"""A results folder as the page shows it: what the report says of it, and one line for each run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from retree_core.errors import InputError, fault
from retree_core.evaluation.batch import trace_name
from retree_core.evaluation.judged import Verdicts, kept_verdicts
from retree_core.evaluation.report import Report, is_right, names, report
from retree_core.evaluation.results import Results, collect
from retree_core.evaluation.scores import Judged, Score
from retree_core.labels import Label, LabelScores, label_scores, labels_in
from retree_core.notes import ENDING as NOTES_ENDING
from retree_core.notes import read_notes
from retree_core.trace import read_trace
from retree_core.trace.recorded import context_bound
from retree_viz.html import visible
from retree_viz.results.folders import Folder

LONGEST = 400
"""Characters kept of a text for the list."""
LONGEST_ABOUT = 1000
"""And of what is said of all runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One run."""

    address: str
    id: str
    question: str
    golds: tuple[str, ...]
    data_set: str
    agent: str
    status: str = ""
    """How it ended; empty while it has not."""
    detail: str = ""
    answer: str = ""
    error: bool = False
    right: bool | None = None
    """None for an error and for a run that has not ended."""
    by_judge: bool = False
    """Whether a judge said so; else exact match did."""
    reason: str = ""
    """The judge's."""
    searches: int = 0
    repairs: int = 0
    pruned: int = 0
    context: int | None = None
    tokens: int | None = None
    """None where no call was counted."""
    stale: bool = False
    """A claim cites what was pruned or set aside."""
    disputed: bool = False
    """Another agent got the question right and this one did not, or the other way round."""

    @property
    def outcome(self) -> str:
        """One of `retree_viz.results.choice.OUTCOMES`."""
        if not self.status:
            return "unended"
        return "error" if self.error else "right" if self.right else "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One data set, or all of them pooled."""

    name: str
    scores: Mapping[str, Score]
    bounds: Mapping[str, int]
    """By agent: no policy context of it is longer, characters; without agents that nothing bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Conflicts by what became of them."""

    repaired: int
    by_guard: int
    by_model: int
    by_limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """All that the page shows of a folder."""

    address: str
    name: str
    data_sets: tuple[Scored, ...]
    """One for each folder, and the last of all together where there are several."""
    lines: tuple[Line, ...]
    pending: int
    """Runs that were not begun or not ended."""
    about: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """By data set: names and texts."""
    troubles: tuple[str, ...]
    decisions: Decisions
    labels: LabelScores
    took_s: float
    """To read all this."""

    @property
    def ended(self) -> int:
        return sum(one.status != "" for one in self.lines)

    @property
    def errors(self) -> int:
        return sum(one.error for one in self.lines)

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.agent for one in self.lines))


Part = tuple[str, Results, Verdicts]
"""Address of a results folder with what it holds and what judges said."""


def load(folder: Folder) -> Loaded:
    """Reads a folder; what cannot be read is named among the troubles."""
    began = time.monotonic()
    parts: list[Part] = []
    troubles: list[str] = []
    for address, path in folder.parts:
        try:
            results = collect(path)
            parts.append((address, results, asyncio.run(kept_verdicts(results))))
            troubles += map(_short, _troubles(results))
        except InputError as error:
            troubles.append(_short(_named(str(error), path)))
        except Exception as error:  # noqa: BLE001  (no folder of any content may stop the page)
            troubles.append(f"{path.name} cannot be shown, {fault(error)}")
    try:
        found = _loaded(folder, parts, troubles)
    except Exception as error:  # noqa: BLE001  (as above)
        found = _loaded(folder, [], [*troubles, f"{folder.name} cannot be shown, {fault(error)}"])
    return replace(found, took_s=time.monotonic() - began)


def _named(message: str, path: Path) -> str:
    """The message with paths as the user knows them: from the results folder on."""
    return message.replace(f"{path}/", f"{path.name}/").replace(str(path), path.name)


def _troubles(results: Results) -> Iterator[str]:
    if results.unreadable:
        more = f", and {len(results.unreadable) - 1} more" if len(results.unreadable) > 1 else ""
        yield f"{_named(results.unreadable[0], results.folder)}{more}: such runs are in no table"
    if results.strays:
        yield f"left aside: {'; '.join(results.strays)}"


def _loaded(folder: Folder, parts: Sequence[Part], troubles: Sequence[str]) -> Loaded:
    told = report([(results, verdicts) for _, results, verdicts in parts]) if parts else None
    twice = [_short(f"{one.told} They count twice overall.") for one in told.shared] if told else []
    called = [visible(one) for one in names([results for _, results, _ in parts])]
    bounds = [_bounds(results) for _, results, _ in parts]
    rows = [one for _, results, _ in parts for one in results.rows]
    return Loaded(
        address=folder.address,
        name=visible(folder.name),
        data_sets=_scored(told, bounds) if told else (),
        lines=tuple(line for at, one in enumerate(parts) for line in _lines(told, at, one, called[at]) if told),
        pending=sum(sum(results.pending.values()) for _, results, _ in parts),
        about=tuple((name, _about(told, at)) for at, name in enumerate(called) if told),
        troubles=(*troubles, *twice),
        decisions=Decisions(
            repaired=sum(one.repairs for one in rows),
            by_guard=sum(one.rejected_by_guard for one in rows),
            by_model=sum(one.rejected_by_model for one in rows),
            by_limit=sum(one.conflicts_rejected - one.rejected_by_guard - one.rejected_by_model for one in rows),
        ),
        labels=label_scores(label for _, results, _ in parts for label in _labels(results.folder)),
        took_s=0.0,
    )


def _about(told: Report, at: int) -> tuple[tuple[str, str], ...]:
    return tuple((term, _short(said, LONGEST_ABOUT)) for term, said in told.described(at))


def _scored(told: Report, bounds: Sequence[Mapping[str, int]]) -> tuple[Scored, ...]:
    common = bounds[0] if all(one == bounds[0] for one in bounds) else {}
    of = [*bounds, common]
    return tuple(
        Scored(name=visible(one.name), scores=one.scores, bounds=of[at]) for at, one in enumerate(told.data_sets)
    )


def _bounds(results: Results) -> dict[str, int]:
    """By a run of each agent, whose settings are those of all its runs."""
    runs = {row.agent: results.folder / row.trace for row in results.rows}
    found = {agent: context_bound(read_trace(runs[agent]).header) for agent in results.agents if agent in runs}
    return {agent: bound for agent, bound in found.items() if bound is not None}


def _labels(folder: Path) -> Iterator[Label]:
    for path in sorted(folder.glob(f"runs/*/*{NOTES_ENDING}")):
        try:
            yield from labels_in(read_notes(path))
        except InputError:  # said where the run is opened
            continue


def _lines(told: Report | None, at: int, part: Part, name: str) -> Iterator[Line]:
    """Every run that was begun, question by question."""
    address, results, _ = part
    if told is None:
        return
    known = {(one.row.id, agent): one for agent, rows in told.data_sets[at].rows.items() for one in rows}
    disputed = {one.id for one in told.disputes if one.data_set == told.data_sets[at].name}
    for question in results.manifest["questions"]:
        for agent in results.agents:
            trace = trace_name(results.folder, agent, question["id"])
            if one := known.get((question["id"], agent)):
                yield _line(one, f"{address}/{trace}", name, one.row.id in disputed)
            elif (results.folder / trace).exists():
                yield Line(
                    address=f"{address}/{trace}",
                    id=_short(question["id"]),
                    question=_short(question["question"]),
                    golds=tuple(map(_short, question["answers"][:5])),
                    data_set=name,
                    agent=agent,
                )


def _line(one: Judged, address: str, data_set: str, disputed: bool) -> Line:
    row = one.row
    counted = any(spent.calls > spent.uncounted for spent in row.spent.values())
    return Line(
        address=address,
        id=_short(row.id),
        question=_short(row.question),
        golds=tuple(map(_short, row.golds[:5])),
        data_set=data_set,
        agent=row.agent,
        status=row.status,
        detail=_short(row.detail),
        answer=_short(row.answer),
        error=row.error,
        right=is_right(one),
        by_judge=one.grade in ("correct", "incorrect"),
        reason=_short(one.reason),
        searches=row.searches,
        repairs=row.repairs,
        pruned=row.nodes_pruned,
        context=row.context_max,
        tokens=row.total.tokens if counted else None,
        stale=row.citations_stale > 0,
        disputed=disputed,
    )


def _short(text: object, most: int = LONGEST) -> str:
    """The text as it may be shown, or its start."""
    found = str(text)
    start = visible(found)  # half a key would not be known for one
    return start if len(found) <= most else f"{start[:most]}…"
