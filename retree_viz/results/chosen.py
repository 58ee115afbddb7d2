"""The runs that a choice leaves, in its order, and two agents question by question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from retree_core.evaluation.statistics import mcnemar
from retree_viz.results.choice import OUTCOMES, Choice
from retree_viz.results.data import Line, Loaded

Key = tuple[str, str]
"""Data set and id of a question."""


def key_of(one: Line) -> Key:
    return one.data_set, one.id


def by_question(lines: Iterable[Line]) -> Mapping[Key, tuple[Line, ...]]:
    """The runs of each question."""
    found: dict[Key, list[Line]] = defaultdict(list)
    for one in lines:
        found[key_of(one)].append(one)
    return {key: tuple(runs) for key, runs in found.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """Two agents on the questions that both have ended runs of."""

    agents: tuple[str, str]
    cells: Mapping[str, tuple[Key, ...]]
    """By `10` (only the first right), `01`, `11` and `00`; an error is not right."""
    repaired: Mapping[str, int]
    """Questions of a cell with a repair in a run of one of the two."""
    judged: int
    """Runs that the answer judge graded."""
    matched: int
    """Runs that exact match graded."""
    p: float
    """McNemar's, two-sided."""

    @property
    def questions(self) -> int:
        return sum(map(len, self.cells.values()))


def versus(loaded: Loaded, choice: Choice) -> tuple[str, str] | None:
    """The two agents to set against each other; None where there are not two."""
    known = [one for one in ("retree", "flat", "react", "report") if one in loaded.agents]
    if len(choice.versus) == 2 and set(choice.versus) <= set(known):
        return choice.versus[0], choice.versus[1]
    return (known[0], known[1]) if len(known) > 1 else None


def against(loaded: Loaded, agents: tuple[str, str], data_set: str = "") -> Against:
    """How often which of the two was right."""
    cells: dict[str, list[Key]] = defaultdict(list)
    repaired: Counter[str] = Counter()
    graded: Counter[bool] = Counter()
    for key, runs in by_question(one for one in loaded.lines if one.status).items():
        both = [next((one for one in runs if one.agent == agent), None) for agent in agents]
        pair = [one for one in both if one is not None]
        if len(pair) == 2 and data_set in ("", key[0]):
            cell = "".join("1" if one.right else "0" for one in pair)
            cells[cell].append(key)
            repaired[cell] += any(one.repairs for one in pair)
            graded.update(one.by_judge for one in pair if one.right is not None)
    return Against(
        agents=agents,
        cells={name: tuple(keys) for name, keys in cells.items()},
        repaired=repaired,
        judged=graded[True],
        matched=graded[False],
        p=mcnemar(len(cells["10"]), len(cells["01"])),
    )


def chosen(loaded: Loaded, choice: Choice) -> tuple[Line, ...]:
    """The runs that the filters leave, sorted."""
    tests = tuple(_tests(loaded, choice))
    found = [one for one in loaded.lines if all(test(one) for test in tests)]
    return tuple(_sorted(found, choice))


def _tests(loaded: Loaded, choice: Choice) -> Iterable[Callable[[Line], bool]]:
    if words := choice.text.casefold().split():
        yield lambda one: all(word in f"{one.question} {one.answer} {one.id}".casefold() for word in words)
    if choice.data_set:
        yield lambda one: one.data_set == choice.data_set
    if choice.agent:
        yield lambda one: one.agent == choice.agent
    if choice.outcome:
        yield lambda one: one.outcome == choice.outcome
    if "repair" in choice.only:
        yield lambda one: one.repairs > 0
    if "disagree" in choice.only:
        yield lambda one: one.disputed
    if "stale" in choice.only:
        yield lambda one: one.stale
    if choice.cell and (agents := versus(loaded, choice)):
        keys = set(against(loaded, agents, choice.data_set).cells.get(choice.cell, ()))
        yield lambda one: one.agent in agents and key_of(one) in keys


_VALUES: Mapping[str, Callable[[Line], str | int | None]] = {
    "status": lambda one: one.status or None,
    "question": lambda one: one.question.casefold(),
    "set": lambda one: one.data_set.casefold(),
    "agent": lambda one: one.agent,
    "answer": lambda one: one.answer.casefold() or None,
    "graded": lambda one: OUTCOMES.index(one.outcome),
    "searches": lambda one: one.searches,
    "repairs": lambda one: one.repairs,
    "pruned": lambda one: one.pruned,
    "context": lambda one: one.context,
    "tokens": lambda one: one.tokens,
}
"""Column to what it is sorted by; lines without a value come last either way."""


def _sorted(lines: Sequence[Line], choice: Choice) -> Iterable[Line]:
    value = _VALUES.get(choice.sort)
    if value is None:
        return lines
    valued = [(found, one) for one in lines if (found := value(one)) is not None]
    without = [one for one in lines if value(one) is None]
    ordered = sorted(valued, key=lambda pair: pair[0], reverse=choice.down)
    return [*(one for _, one in ordered), *without]
