"""A report as tables of texts, the same for a terminal, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from retree_core.evaluation.cells import NOT_JUDGED, NOTHING, Best, Cell, Trace, accuracy, mean, one_decimal, percent
from retree_core.evaluation.citing import harmonic
from retree_core.evaluation.paper import NAMES, STATEMENTS, TABLE_2, Statement
from retree_core.evaluation.report import DataSet, Report, Shared, Told, contradicted
from retree_core.evaluation.scores import Difference, Rate, Score
from retree_core.terminal import printable

MOST_DISPUTES = 200
"""Questions listed; the rows hold all."""
UNEVEN = "Runs are missing: agents stand here on different questions. The paired differences are on the same ones."


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A titled table; every cell is fit to be shown, on one line."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    best: str = ""
    """What a cell that stands out is the best of; empty where none does."""
    notes: tuple[str, ...] = ()


def tables(report: Report) -> Iterator[Table]:
    """All tables of a report, in the order they are read."""
    yield from _runs(report)
    yield _table_1(report)
    yield _table_2(report)
    yield _figure_3(report)
    yield _paper(report)
    yield _paired(report)
    yield _disputes(report)
    yield _by_role(report)


def _runs(report: Report) -> Iterator[Table]:
    """What the runs are: what all folders have in common once, then what is each one's own."""
    described = [tuple(report.described(place)) for place in range(len(report.results))]
    common = tuple(one for one in described[0] if all(one in each for each in described)) if described[1:] else ()
    if common:
        yield _about("All runs", common)
    for results, each in zip(report.results, described, strict=True):
        yield _about(f"Runs in {printable(results.folder)}", tuple(one for one in each if one not in common))


def _about(title: str, described: tuple[tuple[str, str], ...]) -> Table:
    return Table(title=title, head=("", ""), rows=tuple((name, printable(text)) for name, text in described))


Column = tuple[str, Callable[[Score], str]]
Measure = Callable[[Score], Rate]


def _rows(
    report: Report, columns: tuple[Column, ...], ranked: Mapping[str, Measure] = MappingProxyType({})
) -> tuple[tuple[str, ...], ...]:
    """A row for each agent on each data set; of a column that is ranked, the largest of each data set is the best."""
    return tuple(
        (printable(each.name), NAMES[agent], *(_cell(each, one, name, of, ranked.get(name)) for name, of in columns))
        for each in report.data_sets
        for agent, one in each.scores.items()
    )


def _cell(each: DataSet, one: Score, name: str, of: Callable[[Score], str], ranked: Measure | None) -> str:
    is_best = ranked is not None and is_the_best(one, tuple(each.scores.values()), ranked)
    return Best(of(one)) if is_best else of(one)


def is_the_best(one: Score, among: Sequence[Score], measure: Measure, *, least: bool = False) -> bool:
    """Whether no other score is better, and some is worse; nobody is the best of agents with unequal runs."""
    if len({other.runs for other in among}) > 1:
        return False
    values = [value for other in among if (value := measure(other).value) is not None]
    if len(values) < len(among) or min(values) == max(values):
        return False
    return measure(one).value == (min(values) if least else max(values))


def _table_1(report: Report) -> Table:
    columns: tuple[Column, ...] = (
        ("runs", lambda one: str(one.runs)),
        ("errors", lambda one: str(one.errors)),
        ("EM %", lambda one: percent(one.exact)),
        ("judge accuracy %", accuracy),
        ("avg. max context, characters", lambda one: mean(one.context)),
        ("calls a run", lambda one: one_decimal(one.calls)),
        ("tokens a run", lambda one: mean(one.tokens)),
        ("runs with a natural backtrack %", lambda one: percent(one.backtracked)),
    )
    rows = _rows(report, columns, ranked={"EM %": lambda one: one.exact, "judge accuracy %": lambda one: one.accuracy})
    has_best = any(isinstance(cell, Best) for row in rows for cell in row)
    return Table(
        title="Table 1: answers, policy context and cost",
        head=("data set", "agent", *(name for name, _ in columns)),
        rows=rows,
        best="the best accuracy and EM of each data set, where all agents have as many runs" if has_best else "",
        notes=(
            *map(_twice, report.shared),
            "In brackets: 95 % percentile bootstrap over questions, seed 0. Overall pools questions, not data sets.",
            "EM: over all runs; an error or a blank answer scores 0. "
            f"{_blank(report)} came to a result with a blank answer.",
            *_contradictions(report),
            "Judge accuracy: correct / (correct + incorrect) by the answer judge, which is not the conflict judge of "
            "the runs; an error or a blank answer is incorrect. A judge error (no verdict) is in neither, and the next "
            "report with --judge-model asks for it again.",
            "Context (characters, largest of a run), calls, tokens and backtracks: over runs without an error. "
            f"Backtracks that a fork decided do not count; {NOTHING} where the agent has no tree to go back in.",
            *([UNEVEN] if any(sum(one.pending.values()) for one in report.results) else []),
        ),
    )


def _twice(one: Shared) -> str:
    """That pooled numbers count questions more than once."""
    return printable(f"{one.told} Overall counts each of them.")


def _contradictions(report: Report) -> list[str]:
    """That the judge is to be looked at, where it contradicts exact match."""
    judged = [one for each in report.data_sets[: len(report.results)] for found in each.rows.values() for one in found]
    number = sum(map(contradicted, judged))
    return (
        [f"The answer judge and exact match contradict each other on {number} of {len(judged)} runs."] if number else []
    )


def _blank(report: Report) -> str:
    runs = sum(one.blank for each in report.data_sets[: len(report.results)] for one in each.scores.values())
    return f"{runs} {'run' if runs == 1 else 'runs'}"


def _paired(report: Report) -> Table:
    return Table(
        title="Paired differences, question by question",
        head=("data set", "agents", "measure", "questions", "difference", "only first / only second right", "p"),
        rows=tuple(
            (printable(each.name), f"{NAMES[one]} minus {NAMES[other]}", *_difference(found))
            for each in report.data_sets
            for one, other, all_found in each.differences
            for found in all_found
            if found.questions
        ),
        notes=(
            "p is two-sided and not corrected for the number of tests: McNemar's exact test for shares, "
            "10,000 random sign flips (seed 0) for means.",
        ),
    )


def _difference(one: Difference) -> tuple[str, ...]:
    share = one.only_one is not None
    apart = one.difference or 0.0
    return (
        one.measure,
        str(one.questions),
        f"{100 * apart:+.1f} pp" if share else f"{apart:+,.1f} {one.unit}",
        f"{one.only_one} / {one.only_other}" if share else NOTHING,
        NOTHING if one.p is None else "< 0.0001" if one.p < 0.0001 else f"{one.p:.4f}",
    )


def _table_2(report: Report) -> Table:
    columns: tuple[Column, ...] = (
        ("claims", lambda one: str(one.attribution.claims) if one.attribution.answers else NOT_JUDGED),
        ("CitePrec %", lambda one: percent(one.cite_precision)),
        ("CiteRec %", lambda one: percent(one.cite_recall)),
        ("CiteF1 %", lambda one: NOTHING if one.attribution.f1 is None else f"{100 * one.attribution.f1:.1f}"),
        ("Uncited %", lambda one: percent(one.uncited)),
        ("ALCE recall %", lambda one: f"{100 * one.alce.recall:.1f}" if one.alce else NOTHING),
        ("ALCE precision %", lambda one: f"{100 * one.alce.precision:.1f}" if one.alce else NOTHING),
        ("answers without claims", lambda one: str(one.without_claims)),
        ("undecided claims", lambda one: str(one.undecided) if one.attribution.answers else NOTHING),
        ("stale / missing citations", lambda one: f"{one.stale} / {one.missing}"),
    )
    paper = tuple(
        ("paper, 600 of FRAMES", NAMES[agent], NOTHING, f"{one.precision:.1f}", f"{one.recall:.1f}", f1, uncited, *rest)
        for agent, one in TABLE_2.items()
        for f1 in [f"{harmonic(one.precision, one.recall):.1f}"]
        for uncited in [NOTHING if one.uncited is None else f"{one.uncited:.1f}"]
        for rest in [(NOTHING,) * 5]
    )
    return Table(
        title="Table 2: attribution",
        head=("data set", "agent", *(name for name, _ in columns)),
        rows=(*_rows(report, columns), *paper),
        notes=(
            "Pooled over claims; each cited passage is judged alone. CitePrec is undefined where nothing is cited.",
            "A cited id leads to the passages of the revision in force; a stale one was pruned or set aside, "
            "a missing one does not exist and entails nothing.",
            "Claims with a citation that got no verdict are undecided and left out. "
            "The paper's CiteF1 follows from its precision and recall; what its text does not state is left out.",
        ),
    )


def _figure_3(report: Report) -> Table:
    longest = max((len(one.contexts) for each in report.data_sets for one in each.scores.values()), default=0)
    columns: tuple[Column, ...] = tuple((str(number), _after(number)) for number in range(longest))
    return Table(
        title="Figure 3: mean policy context, characters, after so many completed retrievals",
        head=("data set", "agent", *(name for name, _ in columns)),
        rows=_rows(report, columns),
        notes=("In brackets: runs that came so far.",),
    )


def _after(retrievals: int) -> Callable[[Score], str]:
    def of(one: Score) -> str:
        found = one.contexts[retrievals] if len(one.contexts) > retrievals else None
        return NOTHING if found is None or found.value is None else f"{found.value:,.0f} ({found.of})"

    return of


def _by_role(report: Report) -> Table:
    rows = tuple(
        (
            printable(each.name),
            NAMES[agent],
            role,
            f"{spent.calls:,}",
            f"{spent.prompt:,}",
            f"{spent.cached:,}",
            f"{spent.completion:,}",
            f"{spent.uncounted:,}",
        )
        for each in report.data_sets
        for agent, one in each.scores.items()
        for role, spent in one.spent.items()
    )
    return Table(
        title="Model calls and tokens by role",
        head=("data set", "agent", "role", "calls", "prompt", "of it cached", "completion", "calls without a count"),
        rows=rows,
        notes=("Sums over all runs, errors included. With calls that the server did not count they are lower bounds.",),
    )


def _paper(report: Report) -> Table:
    return Table(
        title="What the paper says, and what these runs say",
        head=("measure", "paper (Qwen3-8B)", "here"),
        rows=tuple((one.what, one.paper, _here(one, report.data_sets)) for one in STATEMENTS),
        notes=("Only what the paper's text states.",),
    )


def _here(one: Statement, data_sets: tuple[DataSet, ...]) -> str:
    values = ((printable(each.name), one.here(each.scores)) for each in data_sets)
    return "; ".join(f"{name}: {one.told(value)}" for name, value in values if value is not None) or NOTHING


def _verdict(told: Told) -> str:
    if told.right is None:
        return "error"
    word, other = ("right" if one else "wrong" for one in (told.right, told.exact_match))
    return word if word == other else f"{word}, exact match says {other}"


def _disputes(report: Report) -> Table:
    shown = report.disputes[:MOST_DISPUTES]
    rows = tuple(
        (
            printable(one.data_set),
            printable(one.id),
            printable(one.question),
            printable(" | ".join(one.golds)),
            NAMES[told.agent],
            _verdict(told),
            printable(told.answer) or NOTHING,
            Trace(path=told.trace, text=printable(told.trace)),
        )
        for one in shown
        for told in one.told
    )
    more = len(report.disputes) - len(shown)
    return Table(
        title=f"Where agents differ: {len(report.disputes)} questions",
        head=("data set", "id", "question", "gold answers", "agent", "", "answer", "trace"),
        rows=rows,
        notes=(
            "By the judge's verdict where there is one, else by exact match; listed where either tells agents apart.",
            *([f"{more} more"] if more else []),
        ),
    )
