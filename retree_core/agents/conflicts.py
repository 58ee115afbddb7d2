"""How a contradiction is decided: proposal, guards, confirmation, guards (paper, section 4.3).

Free of any state, so that `retree judge` puts a lone pair of facts through exactly what a run does.
Guards that need only the texts come before the confirmation call, so that a harmless pair costs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from retree_core.agents.asking import NoValidReply, ask, consult
from retree_core.events import Better
from retree_core.memory import Passage
from retree_core.protocol import Given, Steps
from retree_core.settings import Settings
from retree_core.verdicts import GuardResult, Parts, parts_of

Inputs = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A fact as the judge is shown it."""

    id: str
    text: str
    passages: tuple[Passage, ...] = ()
    spans: tuple[int, ...] = ()
    """Where in each passage the quoted span starts; 0 where it is not known."""

    def brief(self) -> Inputs:
        """With the titles and dates of its passages."""
        pages = [{"title": one.title, "published": one.published} for one in self.passages]
        return {"id": self.id, "text": self.text, "passages": pages}

    def whole(self) -> Inputs:
        """With its passages, and where in each the quote starts."""
        pages = [
            {"title": one.title, "published": one.published, "text": one.text, "start": start}
            for one, start in zip(self.passages, self.spans, strict=True)
        ]
        return {"id": self.id, "text": self.text, "passages": pages}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A proposed contradiction, with all that the confirmation may see."""

    question: str
    summary: str
    old: Stated
    new: Stated
    others: tuple[Stated, ...] = ()
    """New facts that came with it."""
    history: tuple[tuple[str, str], ...] = ()
    """(former text, why it was given up) of the stored fact, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A pair of a stored and a new fact that may be a contradiction."""

    reason: str
    stored: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of a proposal, and who decided."""

    repair: bool
    by: Literal["guard", "confirmation"]
    reason: str
    guards: tuple[GuardResult, ...] = ()
    parts: Parts | None = None
    better: Better = ""
    because: tuple[int, ...] = ()
    """Records of the rules and calls that it comes from."""

    @property
    def decider(self) -> str:
        """`confirmation`, or the name of the guard that objected; a confirmation that says no needs no guard."""
        if self.by == "confirmation":
            return self.by
        return next((f"guard:{one.name}" for one in self.guards if not one.passed), self.by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What a conflict check proposes."""

    candidates: tuple[Candidate, ...]
    because: tuple[int, ...] = ()


def propose(settings: Settings, question: str, stored: Sequence[Stated], new: Sequence[Stated]) -> Steps[Proposed]:
    """Pairs that may contradict each other, each once; only ids shown in this call. None if no reply validates."""
    inputs = {
        "question": question,
        "stored": [one.brief() for one in stored],
        "new": [one.brief() for one in new],
    }
    try:
        given = yield from ask(settings, "conflict", "conflict", inputs)
    except NoValidReply as error:
        return Proposed(candidates=(), because=error.because)
    pairs = given.value["pairs"]
    candidates = tuple(Candidate(reason=one["reason"], stored=one["stored"], new=one["new"]) for one in pairs)
    return Proposed(candidates=candidates, because=(given.seq,))


def decide(settings: Settings, case: Case) -> Steps[Verdict]:
    """Whether the new fact replaces the stored one."""
    if settings.judge == "paper":
        return (yield from _plain_verdict(settings, case))
    pair = {
        "old": case.old.text,
        "new": case.new.text,
        "question": case.question,
        "old_passage": _texts(case.old.passages),
        "new_passage": _texts(case.new.passages),
    }
    before = yield from consult("text_guards", pair)
    guards = _guards(before)
    if objection := _objection(guards):
        return Verdict(repair=False, by="guard", reason=objection, guards=guards, because=(before.seq,))
    try:
        reply = yield from ask(settings, "confirm", "confirm", _confirmation(case))
    except NoValidReply as error:
        return _undecided(error, guards, before.seq)
    sourced = bool(case.old.passages and case.new.passages)
    after = yield from consult("part_guards", {"pair": pair, "reply": reply.value, "sourced": sourced})
    guards = (*guards, *_guards(after))
    objection = _objection(guards)
    agreed = bool(after.value.get("agreed"))
    return Verdict(
        repair=agreed and not objection,
        by="guard" if agreed and objection else "confirmation",
        reason=objection if agreed and objection else reply.value["reason"],
        guards=guards,
        parts=parts_of(reply.value),
        better=reply.value["better"],
        because=(before.seq, reply.seq, after.seq),
    )


def _plain_verdict(settings: Settings, case: Case) -> Steps[Verdict]:
    try:
        reply = yield from ask(settings, "confirm", "confirm_paper", _confirmation(case))
    except NoValidReply as error:
        return _undecided(error, ())
    said = reply.value
    return Verdict(repair=said["apply"], by="confirmation", reason=said["reason"], because=(reply.seq,))


def _undecided(error: NoValidReply, guards: tuple[GuardResult, ...], *because: int) -> Verdict:
    reason = f"no valid reply ({error})"[:200]
    return Verdict(repair=False, by="confirmation", reason=reason, guards=guards, because=(*because, *error.because))


def _guards(given: Given) -> tuple[GuardResult, ...]:
    return tuple(
        GuardResult(name=one["name"], passed=one["passed"], detail=one["detail"]) for one in given.value["guards"]
    )


def _objection(guards: Iterable[GuardResult]) -> str:
    return next((f"{one.name}: {one.detail}" for one in guards if not one.passed), "")


def _confirmation(case: Case) -> Inputs:
    return {
        "question": case.question,
        "summary": case.summary,
        "old": case.old.whole(),
        "new": case.new.whole(),
        "others": [one.brief() for one in case.others],
        "history": [list(one) for one in case.history],
    }


def _texts(passages: tuple[Passage, ...]) -> str:
    return "\n".join(f"{one.title}\n{one.text}" for one in passages)
