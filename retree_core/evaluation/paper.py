"""What the paper's text says of its results (abstract and section 5.5), beside which a report puts its own.

Only numbers that the text states; its tables hold more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from retree_core.evaluation.scores import Rate, Score

NAMES = {
    "retree": "ReTree",
    "react": "Full-Trajectory ReAct",
    "flat": "FlatUpdate",
    "report": "ReportMemory",
}
"""Agents as the paper calls them."""

OVERALL = "overall"

Scores = Mapping[str, Score]
"""By agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributed:
    """A row of the paper's Table 2, percent; None where the text does not say."""

    precision: float
    recall: float
    uncited: float | None = None


TABLE_2 = {
    "retree": Attributed(precision=44.5, recall=41.3),
    "react": Attributed(precision=37.7, recall=27.1),
    "report": Attributed(precision=16.8, recall=21.4, uncited=5.9),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence of the paper, and what says the same of other results."""

    what: str
    paper: str
    here: Callable[[Scores], float | None]
    """None where what it takes was not run or not judged."""
    unit: str

    def told(self, value: float) -> str:
        """A value of other results with its unit."""
        form = {"pp": "+.1f", "% more": "+.1f", "times": ".2f", "characters": ",.0f", "%": ".1f"}[self.unit]
        return f"{format(value, form)} {self.unit.removesuffix(' more')}"


def _value(agent: str, of: Callable[[Score], Rate]) -> Callable[[Scores], float | None]:
    return lambda scores: of(scores[agent]).value if agent in scores else None


def _points(of: Callable[[Score], Rate], other: str) -> Callable[[Scores], float | None]:
    """Percentage points that ReTree is ahead of another agent."""

    def here(scores: Scores) -> float | None:
        ours, theirs = _value("retree", of)(scores), _value(other, of)(scores)
        return None if ours is None or theirs is None else 100 * (ours - theirs)

    return here


def _times(of: Callable[[Score], Rate], one: str, other: str) -> Callable[[Scores], float | None]:
    def here(scores: Scores) -> float | None:
        above, below = _value(one, of)(scores), _value(other, of)(scores)
        return None if above is None or not below else above / below

    return here


def _more(of: Callable[[Score], Rate], other: str) -> Callable[[Scores], float | None]:
    """Percent that ReTree takes more than another agent."""

    def here(scores: Scores) -> float | None:
        times = _times(of, "retree", other)(scores)
        return None if times is None else 100 * (times - 1)

    return here


def _percent(agent: str, of: Callable[[Score], Rate]) -> Callable[[Scores], float | None]:
    def here(scores: Scores) -> float | None:
        value = _value(agent, of)(scores)
        return None if value is None else 100 * value

    return here


def _after(retrievals: int) -> Callable[[Scores], float | None]:
    """Policy context of Full-Trajectory ReAct after so many retrievals."""

    def here(scores: Scores) -> float | None:
        contexts = scores["react"].contexts if "react" in scores else ()
        return contexts[retrievals].value if len(contexts) > retrievals else None

    return here


def _accuracy(one: Score) -> Rate:
    return one.accuracy


def _exact(one: Score) -> Rate:
    return one.exact


def _context(one: Score) -> Rate:
    return one.context


STATEMENTS = (
    Statement(
        what="judge accuracy, ReTree",
        paper="44.0 % overall",
        here=_percent("retree", _accuracy),
        unit="%",
    ),
    Statement(
        what="judge accuracy, ReTree minus Full-Trajectory ReAct",
        paper="8.3 to 25.6 pp by data set, 13.9 pp overall",
        here=_points(_accuracy, "react"),
        unit="pp",
    ),
    Statement(
        what="exact match, ReTree minus Full-Trajectory ReAct",
        paper="7.4 pp overall",
        here=_points(_exact, "react"),
        unit="pp",
    ),
    Statement(
        what="judge accuracy, ReTree minus FlatUpdate",
        paper="2.2 to 4.7 pp by data set",
        here=_points(_accuracy, "flat"),
        unit="pp",
    ),
    Statement(
        what="judge accuracy, ReTree minus ReportMemory",
        paper="1.7 to 7.2 pp on Bamboogle, HotpotQA and FRAMES, within 0.3 pp on 2Wiki, 3.0 pp overall",
        here=_points(_accuracy, "report"),
        unit="pp",
    ),
    Statement(
        what="average maximum policy context, Full-Trajectory ReAct to ReTree",
        paper="1.27 to 1.51 times by data set",
        here=_times(_context, "react", "retree"),
        unit="times",
    ),
    Statement(
        what="average maximum policy context, ReportMemory",
        paper="699 to 817 characters by data set",
        here=_value("report", _context),
        unit="characters",
    ),
    Statement(
        what="policy context of Full-Trajectory ReAct after two retrievals",
        paper="over 2,800 characters on 2Wiki and HotpotQA",
        here=_after(2),
        unit="characters",
    ),
    Statement(
        what="policy context of Full-Trajectory ReAct after four retrievals",
        paper="over 5,600 characters on FRAMES",
        here=_after(4),
        unit="characters",
    ),
    Statement(
        what="ReTree runs with a natural backtrack",
        paper="9.6 to 17.5 % by data set",
        here=_percent("retree", lambda one: one.backtracked),
        unit="%",
    ),
    Statement(
        what="model calls, ReTree over FlatUpdate",
        paper="7 to 11 % more",
        here=_more(lambda one: one.calls, "flat"),
        unit="% more",
    ),
    Statement(
        what="tokens, ReTree over FlatUpdate",
        paper="10 to 13 % more",
        here=_more(lambda one: one.tokens, "flat"),
        unit="% more",
    ),
)
