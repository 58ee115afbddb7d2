"""The paper's tables and figure for what was run, and the questions where agents differ: data, not yet text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from retree_core.evaluation.judged import Judges, Verdicts
from retree_core.evaluation.paper import OVERALL
from retree_core.evaluation.results import Results
from retree_core.evaluation.scores import Difference, Judged, Score, differences, judged, score
from retree_core.settings import AGENTS
from retree_core.text import count


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """One results folder, or all of them pooled."""

    name: str
    rows: Mapping[str, tuple[Judged, ...]]
    """By agent, in the paper's order."""
    scores: Mapping[str, Score]

    @property
    def differences(self) -> tuple[tuple[str, str, tuple[Difference, ...]], ...]:
        """ReTree, or else the first agent, against each other one: two agents and their paired tests."""
        first = next(iter(self.rows), "")
        others = [one for one in self.rows if one != first]
        return tuple((first, other, differences(self.rows[first], self.rows[other])) for other in others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one agent made of a question."""

    agent: str
    answer: str
    right: bool | None
    """None for an error."""
    exact_match: bool
    trace: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A question that one agent got right and another did not, by the judge or by exact match."""

    data_set: str
    id: str
    question: str
    golds: tuple[str, ...]
    told: tuple[Told, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Folders that hold runs of one agent on the same questions."""

    folders: tuple[str, str]
    questions: int

    @property
    def told(self) -> str:
        """What to know of them, in a sentence."""
        one, other = self.folders
        asked = f"{count(self.questions, 'question')} {'is' if self.questions == 1 else 'are'}"
        return f"{asked} in both {one} and {other}, with runs of the same agents."


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a report says."""

    results: tuple[Results, ...]
    data_sets: tuple[DataSet, ...]
    """One for each folder, and the last of all together where there are several."""
    disputes: tuple[Dispute, ...]
    shared: tuple[Shared, ...]
    """Pairs of folders of which the pooled numbers hold questions twice."""
    judges: tuple[Judges, ...]
    """Of each folder."""

    def described(self, place: int) -> Iterator[tuple[str, str]]:
        """What the runs of a folder are, a name and a text each."""
        return _described(self.results[place], self.judges[place])


def report(folders: Sequence[tuple[Results, Verdicts]]) -> Report:
    """The report on results folders side by side, and pooled where there are several."""
    by_set = [
        _data_set(name, [judged(row, verdicts) for row in results.rows], verdicts)
        for name, (results, verdicts) in zip(names([results for results, _ in folders]), folders, strict=True)
    ]
    pooled = _pooled(by_set, [verdicts for _, verdicts in folders])
    return Report(
        results=tuple(results for results, _ in folders),
        data_sets=(*by_set, pooled) if len(by_set) > 1 else tuple(by_set),
        disputes=tuple(
            one for each, (results, _) in zip(by_set, folders, strict=True) for one in _disputes(each, results.folder)
        ),
        shared=tuple(_shared(by_set)),
        judges=tuple(verdicts.judges for _, verdicts in folders),
    )


def _shared(by_set: Sequence[DataSet]) -> Iterator[Shared]:
    """Questions count as the same where their words are; ids may differ between formats."""
    asked = [_asked(each) for each in by_set]
    for (one, ours), (other, theirs) in combinations(zip(by_set, asked, strict=True), 2):
        if both := {question for _, question in ours & theirs}:
            yield Shared(folders=(one.name, other.name), questions=len(both))


def _asked(data_set: DataSet) -> set[tuple[str, str]]:
    """Agents and questions of the runs."""
    rows = data_set.rows.items()
    return {(agent, " ".join(one.row.question.split()).casefold()) for agent, found in rows for one in found}


def names(results: Sequence[Results]) -> list[str]:
    """Names of the folders; their whole paths where two have one name."""
    counted = Counter(one.name for one in results)
    return [one.name if counted[one.name] == 1 else str(one.folder) for one in results]


def _data_set(name: str, rows: Iterable[Judged], verdicts: Verdicts) -> DataSet:
    by_agent: dict[str, list[Judged]] = {one: [] for one in AGENTS}
    for each in rows:
        by_agent[each.row.agent].append(each)
    kept = {agent: tuple(found) for agent, found in by_agent.items() if found}
    return DataSet(name=name, rows=kept, scores={agent: score(found, verdicts) for agent, found in kept.items()})


def _pooled(by_set: Sequence[DataSet], verdicts: Sequence[Verdicts]) -> DataSet:
    """All questions of all data sets, each with the same weight."""
    rows = [one for each in by_set for found in each.rows.values() for one in found]
    entailed = {pair: one for each in verdicts for pair, one in each.entailed.items()}
    judges = next((each.judges for each in verdicts if each.judges.entail), Judges())
    return _data_set(OVERALL, rows, Verdicts(judges=judges, entailed=entailed))


def is_right(one: Judged) -> bool | None:
    """By the judge where it gave a verdict, else by exact match; None for an error."""
    if one.row.error:
        return None
    return one.grade == "correct" if one.grade in ("correct", "incorrect") else one.row.exact_match


def _disputes(data_set: DataSet, folder: Path) -> Iterator[Dispute]:
    by_question: dict[str, list[Judged]] = {}
    for rows in data_set.rows.values():
        for one in rows:
            by_question.setdefault(one.row.id, []).append(one)
    for found in by_question.values():
        told = tuple(_told(one, folder) for one in found)
        if len({one.right is True for one in told}) > 1 or len({one.exact_match for one in told}) > 1:
            row = found[0].row
            yield Dispute(data_set=data_set.name, id=row.id, question=row.question, golds=row.golds, told=told)


def _told(one: Judged, folder: Path) -> Told:
    return Told(
        agent=one.row.agent,
        answer=one.row.answer,
        right=is_right(one),
        exact_match=one.row.exact_match,
        trace=folder / one.row.trace,
    )


def contradicted(one: Judged) -> bool:
    """Whether the judge and exact match say opposite things of an answer."""
    return one.grade == ("incorrect" if one.row.exact_match else "correct")


def _described(results: Results, judges: Judges) -> Iterator[tuple[str, str]]:
    settings = results.manifest.get("settings")
    settings = settings if isinstance(settings, Mapping) else {}
    search = results.manifest.get("search")
    dates = sorted(one.created_at[:10] for one in results.rows)
    yield "answered by", _counted(one.recorded_with for one in results.rows) or "no run has ended"
    yield "model", str(settings.get("model", ""))
    yield "recorded", dates[0] if dates and dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}" if dates else "-"
    yield "questions", f"{len(results.manifest['questions'])} ({results.manifest.get('dataset', '')} format)"
    yield "search", str(search.get("spec", "")) if isinstance(search, Mapping) else ""
    yield "settings", ", ".join(_setting(name, value) for name, value in _flat(settings) if name != "model")
    yield "answers judged by", judges.model or "nobody (not judged)"
    yield "entailment judged by", judges.verifier or "nobody (not judged)"
    if thought := sum(one.thought_unasked > 0 for one in results.rows):
        yield "thinking though it was off", f"in {thought} of {len(results.rows)} runs"
    if pending := ", ".join(f"{number} of {agent}" for agent, number in results.pending.items() if number):
        yield "not run or not finished", f"{pending}; not in any table"
    if results.unreadable:
        yield "unreadable traces", f"{len(results.unreadable)}: {results.unreadable[0]}"
    if results.strays:
        yield "left aside", "; ".join(results.strays)


def _counted(values: Iterable[str]) -> str:
    counts = Counter(values)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{value} ({number} runs)" for value, number in counts.most_common())


def _flat(settings: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from value.items()
        elif value not in ([], ()):
            yield name, value


def _setting(name: str, value: object) -> str:
    return f"{'conflict judge' if name == 'judge' else name.replace('_', ' ')} {value}"
