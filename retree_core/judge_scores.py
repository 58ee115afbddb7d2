"""Precision, recall and F1 of judged pairs: overall, by class, and who decided right and wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from retree_core.judge_pairs import Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts of labelled pairs; a repair is a positive."""

    hits: int = 0
    """Conflicts repaired."""
    false_repairs: int = 0
    misses: int = 0
    """Conflicts not repaired."""
    kept: int = 0
    """Harmless pairs left alone."""

    @property
    def pairs(self) -> int:
        return self.hits + self.false_repairs + self.misses + self.kept

    @property
    def precision(self) -> float | None:
        """None where nothing was repaired."""
        return _ratio(self.hits, self.hits + self.false_repairs)

    @property
    def recall(self) -> float | None:
        """None where nothing is a conflict."""
        return _ratio(self.hits, self.hits + self.misses)

    @property
    def f1(self) -> float | None:
        return _ratio(2 * self.hits, 2 * self.hits + self.false_repairs + self.misses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """All that is known of a measurement."""

    overall: Score
    by_class: Mapping[str, Score]
    by_decider: Mapping[str, tuple[int, int]]
    """Decider to its verdicts (right, wrong)."""
    unlabelled: int
    failed: int
    """Pairs without a verdict; in no score."""


def scores(judged: Iterable[Judged]) -> Scores:
    """Scores of the labelled pairs; a failed one counts nowhere."""
    every = tuple(judged)
    labelled = [one for one in every if one.right is not None]
    deciders = _grouped(labelled, lambda one: one.decided_by)
    return Scores(
        overall=_score(labelled),
        by_class={name: _score(group) for name, group in _grouped(labelled, lambda one: one.pair.class_).items()},
        by_decider={name: _right_and_wrong(group) for name, group in deciders.items()},
        unlabelled=sum(one.pair.conflict is None for one in every),
        failed=sum(one.verdict == "failed" for one in every),
    )


def _grouped(judged: list[Judged], key: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[key(one)].append(one)
    return dict(sorted(groups.items()))


def _score(judged: list[Judged]) -> Score:
    def count(conflict: bool, repair: bool) -> int:
        return sum(one.pair.conflict is conflict and (one.verdict == "repair") is repair for one in judged)

    return Score(
        hits=count(True, True), false_repairs=count(False, True), misses=count(True, False), kept=count(False, False)
    )


def _right_and_wrong(judged: list[Judged]) -> tuple[int, int]:
    right = sum(one.right is True for one in judged)
    return right, len(judged) - right


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
