"""How a contradiction is decided: proposal, guards, confirmation, guards (paper, section 4.3).

Free of any state, so that `retree judge` puts a lone pair of facts through exactly what a run does.
Guards that need only the texts come before the confirmation call, so that a harmless pair costs none.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from retree_core.agents.asking import Asking, NoValidReply, ask
from retree_core.calls import Call, Reply
from retree_core.events import Better, Event
from retree_core.judging.answers import answered
from retree_core.judging.facts import FactPair
from retree_core.judging.guards import part_guards, text_guards
from retree_core.memory import Passage
from retree_core.prompts import messages, quoted
from retree_core.replies import Candidate, ConfirmReply, ConflictReply, PaperConfirmReply, parse, tidy_id
from retree_core.secrets import redact
from retree_core.settings import Settings
from retree_core.verdicts import GuardResult, Parts

EXCERPT_CHARACTERS = 300
"""How much of a passage the confirmation reads around a quoted span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A fact as the judge is shown it."""

    id: str
    text: str
    passages: tuple[Passage, ...] = ()
    spans: tuple[int, ...] = ()
    """Where in each passage the quoted span starts; 0 where it is not known."""


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
class Verdict:
    """What became of a proposal, and who decided."""

    repair: bool
    by: Literal["guard", "confirmation"]
    reason: str
    guards: tuple[GuardResult, ...] = ()
    parts: Parts | None = None
    better: Better = ""

    @property
    def decider(self) -> str:
        """`confirmation`, or the name of the guard that objected; a confirmation that says no needs no guard."""
        if self.by == "confirmation":
            return self.by
        return next((f"guard:{one.name}" for one in self.guards if not one.passed), self.by)


def propose(
    settings: Settings, question: str, stored: Sequence[Stated], new: Sequence[Stated]
) -> Asking[tuple[Candidate, ...]]:
    """Pairs that may contradict each other, each once; only ids shown in this call. Empty if no reply validates."""
    stored_ids, new_ids = [one.id for one in stored], [one.id for one in new]
    prompt = messages("conflict", question=question, stored=_lines(stored), new=_lines(new))

    def read(data: dict[str, Any]) -> tuple[Candidate, ...]:
        pairs = [_tidy(one) for one in parse(ConflictReply, data).pairs]
        for one in pairs:
            _check_id("stored", one.stored, stored_ids)
            _check_id("new", one.new, new_ids)
        return tuple({(one.stored, one.new): one for one in reversed(pairs)}.values())[::-1]

    choices: dict[str, list[Any]] = {"stored": stored_ids, "new": new_ids}
    try:
        return (yield from ask(settings, "conflict", ConflictReply, prompt, choices=choices, read=read))
    except NoValidReply:
        return ()


def decide(settings: Settings, case: Case) -> Generator[Event | Call, Reply | None, Verdict]:
    """Whether the new fact replaces the stored one."""
    if settings.judge == "paper":
        return (yield from _plain_verdict(settings, case))
    pair = FactPair(
        old=case.old.text,
        new=case.new.text,
        question=case.question,
        old_passage=_whole(case.old.passages),
        new_passage=_whole(case.new.passages),
    )
    guards = text_guards(pair)
    if objection := _objection(guards):
        return Verdict(repair=False, by="guard", reason=objection, guards=guards)
    try:
        reply: ConfirmReply = yield from ask(
            settings,
            "confirm",
            ConfirmReply,
            _confirmation("confirm", case),
            read=lambda data: parse(ConfirmReply, data),
        )
    except NoValidReply as error:
        return Verdict(repair=False, by="confirmation", reason=f"no valid reply ({error})"[:200], guards=guards)
    guards = (*guards, *part_guards(pair, reply.parts))
    objection = _objection(guards)
    agreed = _contradicts(reply) and _better_supported(case, reply)
    return Verdict(
        repair=agreed and not objection,
        by="guard" if agreed and objection else "confirmation",
        reason=objection if agreed and objection else reply.reason,
        guards=guards,
        parts=reply.parts,
        better=reply.better,
    )


def _contradicts(reply: ConfirmReply) -> bool:
    """It says so, or it says that both facts answer its one question, and not alike; the guards compare the answers."""
    parts = reply.parts
    return reply.contradiction or (answered(parts) and not parts.value.same)


def _better_supported(case: Case, reply: ConfirmReply) -> bool:
    """Being newly found is no support (section 4.3); where no source is shown there is nothing to weigh."""
    return reply.better == "new" or not (case.old.passages and case.new.passages)


def _plain_verdict(settings: Settings, case: Case) -> Generator[Event | Call, Reply | None, Verdict]:
    prompt = _confirmation("confirm_paper", case)
    try:
        reply: PaperConfirmReply = yield from ask(
            settings, "confirm", PaperConfirmReply, prompt, read=lambda data: parse(PaperConfirmReply, data)
        )
    except NoValidReply as error:
        return Verdict(repair=False, by="confirmation", reason=f"no valid reply ({error})"[:200])
    return Verdict(repair=reply.apply, by="confirmation", reason=reply.reason)


def _objection(guards: tuple[GuardResult, ...]) -> str:
    return next((f"{one.name}: {one.detail}" for one in guards if not one.passed), "")


def _tidy(one: Candidate) -> Candidate:
    """Ids in the tolerated spellings: `E1 `, `[e1]`."""
    return Candidate(reason=one.reason, stored=tidy_id(one.stored), new=tidy_id(one.new))


def _check_id(field: str, id_: str, shown: list[str]) -> None:
    if id_ not in shown:
        raise ValueError(f"{field}: {redact(id_)[:40]!r} was not shown; use one of {', '.join(shown)}")


def _lines(facts: Sequence[Stated]) -> str:
    return "\n".join(_line(one) for one in facts)


def _line(fact: Stated) -> str:
    """A fact with the titles and dates of its passages."""
    titles = ", ".join(quoted(one.title) + _date(one) for one in fact.passages)
    return f"[{fact.id}] {quoted(fact.text)}" + (f" (from: {titles})" if titles else "")


def _date(passage: Passage) -> str:
    return f", {quoted(passage.published)}" if passage.published else ""


def _confirmation(name: str, case: Case) -> list[dict[str, str]]:
    others = "\n".join(_line(one) for one in case.others)
    history = "\n".join(f"- it said: {quoted(text)}; given up: {quoted(why)}" for text, why in case.history)
    return messages(
        name,
        question=case.question,
        summary=quoted(case.summary) or "(nothing yet)",
        old=_with_sources(case.old),
        new=_with_sources(case.new),
        others=f"\nFound together with it\n{others}\n" if others else "",
        history=f"\nFormer values of the stored fact\n{history}\n" if history else "",
    )


def _with_sources(fact: Stated) -> str:
    lines = [f"[{fact.id}] {quoted(fact.text)}"]
    for passage, start in zip(fact.passages, fact.spans, strict=True):
        lines.append(f"source: {quoted(passage.title)}{_date(passage)}: {quoted(_excerpt(passage.text, start))}")
    return "\n".join(lines)


def _excerpt(text: str, start: int) -> str:
    """The passage from a little before the quoted span, at most EXCERPT_CHARACTERS."""
    begin = max(0, min(start - EXCERPT_CHARACTERS // 3, len(text) - EXCERPT_CHARACTERS))
    end = begin + EXCERPT_CHARACTERS
    return ("…" if begin else "") + text[begin:end] + ("…" if end < len(text) else "")


def _whole(passages: tuple[Passage, ...]) -> str:
    return "\n".join(f"{one.title}\n{one.text}" for one in passages)
