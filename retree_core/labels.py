"""What people say of the judge: its decisions labelled right or wrong, and its precision by those labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from retree_core.calls import JsonObject
from retree_core.notes import VERDICTS, Notes, Verdict, moment_of

if TYPE_CHECKING:  # labels are added up without what finds the reasons
    from retree_core.why import Conflict

Decision = Literal["confirmed", "rejected"]
DECISIONS: Final[tuple[Decision, ...]] = get_args(Decision)
NOT_SAID: Final = "not said"
BY_PERSON: Final = "fork"
"""Of a decision that a person made by forking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One decision of the judge and what a person says of it."""

    id: str
    """Of the note that holds it."""
    old: str
    new: str
    """The two facts."""
    moment: int
    """Of the decision."""
    decision: Decision
    decided_by: str
    """`confirmation`, `guard:same_value`, `limit`; `fork` where a person did."""
    verdict: Verdict

    @property
    def right(self) -> bool:
        return self.verdict == "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Labelled decisions of one kind."""

    right: int = 0
    wrong: int = 0

    @property
    def labelled(self) -> int:
        return self.right + self.wrong

    @property
    def precision(self) -> float | None:
        """Share that is right; None where nothing is labelled."""
        return self.right / self.labelled if self.labelled else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScores:
    """The judge by the labels of people."""

    confirmed: Score
    rejected: Score
    by_decider: dict[tuple[Decision, str], Score]
    """By decision and what took it, such as `("rejected", "guard:same_value")`; in alphabetical order."""

    @property
    def labelled(self) -> int:
        return self.confirmed.labelled + self.rejected.labelled


def labels_in(notes: Notes) -> tuple[Label, ...]:
    """The labels among some notes; of several on one decision the last counts, malformed ones do not."""
    found = {(one.old, one.new, one.moment): one for note in notes.of("label") if (one := _label(note))}
    return tuple(found.values())


def _label(note: JsonObject) -> Label | None:
    moment, decision, verdict = moment_of(note), note.get("decision"), note.get("verdict")
    if not moment or decision not in DECISIONS or verdict not in VERDICTS:
        return None
    return Label(
        id=str(note.get("id", "")),
        old=str(note.get("old", "")),
        new=str(note.get("new", "")),
        moment=moment,
        decision=decision,
        decided_by=str(note.get("decided_by") or NOT_SAID),
        verdict=verdict,
    )


def label_of(labels: Iterable[Label], conflict: Conflict) -> Label | None:
    """The label of a conflict's decision."""
    decided = (conflict.old.id, conflict.new.id, conflict.decided)
    return next((one for one in labels if (one.old, one.new, one.moment) == decided), None)


def label_ids(notes: Notes, conflict: Conflict) -> tuple[str, ...]:
    """The ids of all notes that label a conflict's decision, those included that no longer count."""
    decided = (conflict.old.id, conflict.new.id, conflict.decided)
    every = (one for note in notes.of("label") if (one := _label(note)))
    return tuple(one.id for one in every if (one.old, one.new, one.moment) == decided)


def is_the_judges(conflict: Conflict) -> bool:
    """Whether the judge decided; in a fork a person may have, by a verdict or by the reply it was read from."""
    asked = conflict.confirmation_calls
    return conflict.decided is not None and conflict.by != BY_PERSON and not any(one.edited for one in asked)


def label_note(conflict: Conflict, verdict: Verdict) -> JsonObject:
    """The note that labels a decision; only a conflict that was decided has one."""
    decision: Decision = "rejected" if conflict.outcome == "rejected" else "confirmed"
    return {
        "kind": "label",
        "moment": conflict.decided,
        "text": f"{conflict.new.id} against {conflict.old.id}, {decision}: {verdict}",
        "old": conflict.old.id,
        "new": conflict.new.id,
        "decision": decision,
        "decided_by": conflict.by or NOT_SAID,
        "verdict": verdict,
    }


def label_scores(labels: Iterable[Label]) -> LabelScores:
    """The judge's precision by labels, by decision and by what took it; what a fork decided was not the judge."""
    every = [one for one in labels if one.decided_by != BY_PERSON]
    deciders = sorted({(one.decision, one.decided_by) for one in every})
    return LabelScores(
        confirmed=_score(one for one in every if one.decision == "confirmed"),
        rejected=_score(one for one in every if one.decision == "rejected"),
        by_decider={key: _score(one for one in every if (one.decision, one.decided_by) == key) for key in deciders},
    )


def _score(labels: Iterable[Label]) -> Score:
    every = [one.right for one in labels]
    return Score(right=sum(every), wrong=len(every) - sum(every))
