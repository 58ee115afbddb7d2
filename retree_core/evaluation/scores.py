"""The paper's measures over the rows of one agent on one data set, or of several data sets pooled (section 5.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from retree_core.evaluation.citing import Alce, Attribution, CitedClaim, alce, attribution
from retree_core.evaluation.judged import Verdicts
from retree_core.evaluation.results import Results, write
from retree_core.evaluation.rows import Row
from retree_core.evaluation.statistics import Interval, interval, mcnemar, sign_flips
from retree_core.trace.spent import Spent

Grade = Literal["correct", "incorrect", "judge error", "not judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A row with what was said of it."""

    row: Row
    grade: Grade
    """`judge error`: a judge was asked and no verdict came or is kept; `not judged`: there is no judge."""
    reason: str
    cited: tuple[CitedClaim, ...]
    """Claims whose every citation was judged."""
    attribution: Attribution | None
    """Over those claims; None where nobody said what passages entail."""
    undecided: int
    """Claims with a citation that has no verdict."""

    @property
    def columns(self) -> Mapping[str, Any]:
        """What `retree_core.evaluation.table` calls verdicts."""
        one = self.attribution
        return {
            "judged": self.grade,
            "judge_reason": self.reason,
            "claims_judged": one.claims if one else None,
            "claims_supported": one.supported if one else None,
            "claims_uncited": one.uncited if one else None,
            "citations_judged": one.citations if one else None,
            "citations_supporting": one.supporting if one else None,
        }


def judged(row: Row, verdicts: Verdicts) -> Judged:
    """The row with the verdicts on its answer and its citations."""
    claims = tuple(one.cited for one in row.claims)
    decided = tuple(one for one in claims if _is_decided(one, verdicts))
    counted = attribution(decided, _entails(verdicts)) if verdicts.judges.entail else None
    said = verdicts.of(row)
    return Judged(
        row=row,
        grade=_grade(verdicts, said.said if said else None),
        reason=said.reason if said else "",
        cited=decided,
        attribution=counted,
        undecided=len(claims) - len(decided),
    )


def save(results: Results, verdicts: Verdicts) -> None:
    """Writes the rows and what was said of them into the results folder."""
    write(results.folder, results.rows, lambda row: judged(row, verdicts).columns)


def _grade(verdicts: Verdicts, said: bool | None) -> Grade:
    if not verdicts.judges.model:
        return "not judged"
    return "judge error" if said is None else "correct" if said else "incorrect"


def _is_decided(claim: CitedClaim, verdicts: Verdicts) -> bool:
    return all(verdicts.entails(one, claim.text) is not None for one in claim.passages if one is not None)


def _entails(verdicts: Verdicts) -> Callable[[str, str], bool]:
    return lambda premise, claim: verdicts.entails(premise, claim) is True


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A number with its interval; `of` says over how many."""

    value: float | None
    of: int
    low: float | None = None
    high: float | None = None


def rate(parts: Sequence[float], wholes: Sequence[float] | None = None) -> Rate:
    """sum(parts) / sum(wholes) over questions, or the mean, with its bootstrap interval."""
    below = [1.0] * len(parts) if wholes is None else wholes
    whole = sum(below)
    sure: Interval | None = interval(parts, wholes)
    low, high = sure or (None, None)
    return Rate(value=sum(parts) / whole if whole else None, of=round(whole), low=low, high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One agent's numbers. Means and shares of memory and cost are over runs that came to a result."""

    runs: int
    errors: int
    blank: int
    """Runs that came to a result without an answer."""
    exact: Rate
    """Errors and blank answers count as 0."""
    accuracy: Rate
    """Over answers with a verdict; errors and blank answers are incorrect. `of` 0 where nothing was judged."""
    grades: Mapping[Grade, int]
    context: Rate
    """Average maximum policy context, characters."""
    calls: Rate
    tokens: Rate
    spent: Mapping[str, Spent]
    """Sums by role, errors included."""
    backtracked: Rate
    """Share of runs with a natural backtrack; of agents other than ReTree, which cannot go back, over none."""
    attribution: Attribution
    cite_precision: Rate
    cite_recall: Rate
    uncited: Rate
    alce: Alce | None
    without_claims: int
    """Runs that came to a result that makes no claim."""
    undecided: int
    stale: int
    missing: int
    contexts: tuple[Rate, ...]
    """Mean policy context after 0, 1, 2, ... completed retrievals, over the runs that came so far (figure 3)."""


def score(rows: Sequence[Judged], verdicts: Verdicts) -> Score:
    """The numbers over rows, each question with equal weight (section 5.2)."""
    ended = [one.row for one in rows if not one.row.error]
    graded = [one for one in rows if one.grade in ("correct", "incorrect")]
    grades: dict[Grade, int] = {"correct": 0, "incorrect": 0, "judge error": 0, "not judged": 0}
    for one in rows:
        grades[one.grade] += 1
    cited = [one.attribution for one in rows if one.attribution]
    return Score(
        runs=len(rows),
        errors=len(rows) - len(ended),
        blank=sum(not one.answer.strip() for one in ended),
        exact=rate([one.row.exact_match for one in rows]),
        accuracy=rate([one.grade == "correct" for one in graded]),
        grades=grades,
        context=rate([one.context_max for one in ended if one.context_max is not None]),
        calls=rate([one.total.calls for one in ended]),
        tokens=rate([one.total.tokens for one in ended]),
        spent=_by_role(one.row for one in rows),
        backtracked=rate([one.backtracks > 0 for one in ended if one.agent == "retree"]),
        attribution=sum(cited, Attribution()),
        cite_precision=rate([one.supporting for one in cited], [one.citations for one in cited]),
        cite_recall=rate([one.supported for one in cited], [one.claims for one in cited]),
        uncited=rate([one.uncited for one in cited], [one.claims for one in cited]),
        alce=alce([one.cited for one in rows if one.cited], _entails(verdicts)) if cited else None,
        without_claims=sum(not one.claims for one in ended),
        undecided=sum(one.undecided for one in rows),
        stale=sum(one.citations_stale for one in ended),
        missing=sum(one.citations_missing for one in ended),
        contexts=tuple(_contexts(ended)),
    )


def _by_role(rows: Iterable[Row]) -> dict[str, Spent]:
    sums: dict[str, Spent] = {}
    for row in rows:
        for role, one in row.spent.items():
            sums[role] = sums.get(role, Spent()) + one
    return sums


def _contexts(rows: Sequence[Row]) -> Iterable[Rate]:
    for retrievals in range(max((len(one.contexts) for one in rows), default=0)):
        reached = [one.contexts[retrievals] for one in rows if len(one.contexts) > retrievals]
        built = [one for one in reached if one is not None]
        yield Rate(value=sum(built) / len(built) if built else None, of=len(built))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two agents on the questions that both have runs of: the first minus the second."""

    measure: str
    unit: str
    """Of a mean; empty for shares."""
    questions: int
    difference: float | None
    p: float | None
    """Two-sided; McNemar's exact test for shares, sign flips for means."""
    only_one: int | None = None
    """Questions that only the first got right, for shares."""
    only_other: int | None = None


def differences(one: Sequence[Judged], other: Sequence[Judged]) -> tuple[Difference, ...]:
    """Paired tests of the first agent against the second, question by question."""
    theirs = {_key(each.row): each for each in other}
    both = [(each, theirs[_key(each.row)]) for each in one if _key(each.row) in theirs]
    graded = [pair for pair in both if all(each.grade in ("correct", "incorrect") for each in pair)]
    ended = [(a.row, b.row) for a, b in both if not a.row.error and not b.row.error]
    sized = [(a.context_max, b.context_max) for a, b in ended]
    return (
        _shares("exact match", [(a.row.exact_match, b.row.exact_match) for a, b in both]),
        _shares("judge accuracy", [(a.grade == "correct", b.grade == "correct") for a, b in graded]),
        _means("maximum policy context", "characters", [(a, b) for a, b in sized if a is not None and b is not None]),
        _means("model calls", "calls", [(a.total.calls, b.total.calls) for a, b in ended]),
        _means("tokens", "tokens", [(a.total.tokens, b.total.tokens) for a, b in ended]),
    )


def _key(row: Row) -> tuple[str, str]:
    """Ids may repeat between data sets that are pooled; id and question together do not."""
    return row.id, row.question


def _shares(measure: str, pairs: Sequence[tuple[bool, bool]]) -> Difference:
    first, second = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
    return Difference(
        measure=measure,
        unit="",
        questions=len(pairs),
        difference=(first - second) / len(pairs) if pairs else None,
        only_one=first,
        only_other=second,
        p=mcnemar(first, second) if pairs else None,
    )


def _means(measure: str, unit: str, pairs: Sequence[tuple[int, int]]) -> Difference:
    apart = [float(a - b) for a, b in pairs]
    return Difference(
        measure=measure,
        unit=unit,
        questions=len(pairs),
        difference=sum(apart) / len(apart) if apart else None,
        p=sign_flips(apart),
    )
