"""The guards: small named rules in plain code that may only veto a repair (README: how a contradiction is decided).

Those of `text_guards` need only the two facts and come before the confirmation is asked. Those of `part_guards` look
at the two answers that the confirmation gave to one question, and at what the facts say besides those answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from retree_core.judging.answers import answers
from retree_core.judging.bearers import names_besides, of_one_house, qualifiers
from retree_core.judging.facts import FactPair
from retree_core.judging.frames import other_subject
from retree_core.judging.lexicon import (
    ATTRIBUTES,
    BEFORE_OR_AFTER,
    COMPARED,
    CONTRASTS,
    MADE_BY,
    MANY,
    NEGATION,
    NOT_ONLY,
    ONE_SIDED,
    SINGLE,
    Phrases,
    said,
)
from retree_core.judging.places import lies_in
from retree_core.judging.sameness import in_other_roles, say_the_same, stems, verdict
from retree_core.text import normalise
from retree_core.text.answers import times_besides
from retree_core.text.dates import Date, contains, could_be_equal
from retree_core.text.spans import locate
from retree_core.text.support import unsupported_values
from retree_core.text.values import read_values, values_in
from retree_core.verdicts import GuardResult, Parts

GUARDS: Final[Mapping[str, str]] = {
    "not_only": "The negation is a 'not only', which denies nothing.",
    "one_sided_cue": "Only one fact is set in another time, plan, area, part or version.",
    "contrast": "The facts are about different kinds, parts or versions.",
    "other_attribute": "The facts are about different attributes.",
    "unrelated": "The facts share no word that tells what they are about.",
    "values_equal": "Both answers are the same after normalising numbers, units, dates and names.",
    "refinement": "One answer says what the other says, and more.",
    "said_by_both": "Each fact, or one of them, says what the other answers as well.",
    "other_time": "The facts hold for different times.",
    "many_valued": "Both values can hold at once.",
    "other_entity": "The facts are about different things of a similar name.",
    "value_not_in_passage": "The new value does not stand in the passage it is said to come from.",
}
"""Guard to what it vetoes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """Both facts, and the answers given to one question (empty before the confirmation)."""

    old: str
    new: str
    a: str = ""
    b: str = ""
    entity: str = ""
    """What the stored fact is about, as the model stated it."""

    @property
    def negated(self) -> bool:
        """Whether exactly one fact denies something."""
        return _denies(self.old) != _denies(self.new)


def text_guards(pair: FactPair) -> tuple[GuardResult, ...]:
    """What every guard over the texts says; each has a result, whether it objects or not."""
    case = _Case(old=pair.old, new=pair.new)
    return (
        _not_only(case),
        _one_sided_cue(case),
        _unrelated(case),
        _value_in_passage(pair),
    )


def part_guards(pair: FactPair, parts: Parts) -> tuple[GuardResult, ...]:
    """What every guard over the stated parts says; each has a result, whether it objects or not."""
    a, b = answers(pair, parts)
    case = _Case(old=pair.old, new=pair.new, a=a, b=b, entity=parts.entity.old)
    results = [guard(case) for guard in _ANSWER_GUARDS]
    return (*results, _other_entity(case, parts))


def _result(name: str, objection: str, fine: str) -> GuardResult:
    return GuardResult(name=name, passed=not objection, detail=objection or fine)


def _denies(text: str) -> bool:
    return bool(NEGATION.search(COMPARED.sub(" ", NOT_ONLY.sub(" ", text))))


def _not_only(case: _Case) -> GuardResult:
    found = NOT_ONLY.search(case.new) or NOT_ONLY.search(case.old)
    return _result("not_only", f"'{found.group()}' denies nothing." if found else "", "No 'not only' or 'no longer'.")


def _one_sided_cue(case: _Case) -> GuardResult:
    """Veto where a word of one fact alone sets it in another time, plan, area, part or version."""
    for kind, pattern in ONE_SIDED.items():
        old, new = pattern.search(case.old), pattern.search(case.new)
        if bool(old) != bool(new):
            word, side = (old.group(), "stored") if old else (new.group(), "new")  # type: ignore[union-attr]
            return _result("one_sided_cue", f"Only the {side} fact says '{word}' ({kind}).", "")
    return _result("one_sided_cue", "", "No word sets one fact alone in another time, plan, area or version.")


def _contrast(case: _Case) -> GuardResult:
    for row in CONTRASTS:
        if words := _members(row, case):
            return _result("contrast", f"The stored fact says '{words[0]}', the new one '{words[1]}'.", "")
    apart = other_subject(case.old, case.new, case.a, case.b)
    if apart and not (stems(" ".join(apart)) & (stems(case.a) | stems(case.b))):
        return _result("contrast", f"The same is said of '{apart[0]}' and of '{apart[1]}'.", "")
    return _result("contrast", "", "No opposite qualifiers.")


def _other_attribute(case: _Case) -> GuardResult:
    for row in ATTRIBUTES:
        if words := _members(row, case):
            return _result("other_attribute", f"One fact is about '{words[0]}', the other about '{words[1]}'.", "")
    return _result("other_attribute", "", "No attributes that exclude each other.")


def _members(row: tuple[Phrases, ...], case: _Case) -> tuple[str, str] | None:
    """A word of each fact, outside its answer, where the two say different members of `row`; else None."""
    old, new = _besides(case.old, case.a), _besides(case.new, case.b)
    here, there = said(row, old), said(row, new)
    if not here or not there or here & there:
        return None
    first, second = row[min(here)].search(old), row[min(there)].search(new)
    return (first.group(), second.group()) if first and second else None


def _besides(fact: str, answer: str) -> str:
    """The fact without its answer, where the answer stands in it word for word."""
    at = fact.casefold().find(answer.casefold()) if answer else -1
    return fact if at < 0 else f"{fact[:at]} {fact[at + len(answer) :]}"


def _unrelated(case: _Case) -> GuardResult:
    shared = stems(case.old) & stems(case.new)
    return _result(
        "unrelated",
        "" if shared else "The facts share no word of content.",
        f"Both speak of {', '.join(sorted(shared)[:3])}." if shared else "",
    )


def _value_in_passage(pair: FactPair) -> GuardResult:
    missing = unsupported_values(pair.new, pair.new_passage) if pair.new_passage else ()
    return _result(
        "value_not_in_passage",
        f"The passage does not say {', '.join(missing)[:120]}." if missing else "",
        "The passage holds the values of the new fact.",
    )


def _values_equal(case: _Case) -> GuardResult:
    verdicts = {verdict(case.a), verdict(case.b)}
    same = bool(case.a and case.b) and (
        len(verdicts) == 1 if verdicts <= {"yes", "no"} else say_the_same(case.a, case.b) and not case.negated
    )
    return _result(
        "values_equal",
        f"'{case.a}' and '{case.b}' are the same." if same else "",
        f"'{case.a}' and '{case.b}' are not the same value.",
    )


def _refinement(case: _Case) -> GuardResult:
    objection = ""
    if not case.negated and case.a and case.b:
        a, b = stems(case.a), stems(case.b)
        wide, narrow = read_values(case.a).dates, read_values(case.b).dates
        counted = read_values(case.a).quantities and read_values(case.b).quantities
        if a and b and (a < b or b < a) and not counted:
            objection = f"'{case.a}' and '{case.b}': one says the other and more."
        elif _nested(case.a, case.b):
            objection = f"Of '{case.a}' and '{case.b}' one lies in the other."
        elif said(BEFORE_OR_AFTER, case.a) == said(BEFORE_OR_AFTER, case.b) and any(
            _within(x, y) for x in wide for y in narrow
        ):
            objection = f"'{case.a}' and '{case.b}' are one time, stated more and less exactly."
    return _result("refinement", objection, "Neither answer contains the other.")


def _nested(a: str, b: str) -> bool:
    """Whether the answers name well-known places of which one lies in the other."""
    left, right = ([one.key for one in read_values(text).names] for text in (a, b))
    return any(lies_in(x, y) or lies_in(y, x) for x in left for y in right if x != y)


def _within(x: Date, y: Date) -> bool:
    return contains(x, y) or contains(y, x) or could_be_equal(x, y)


def _said_by_both(case: _Case) -> GuardResult:
    """Veto where a fact also states, undenied, what the other answers."""
    objection = ""
    if not (_denies(case.old) or _denies(case.new) or _is_swap(case) or in_other_roles(case.a, case.b)):
        for answer, other, side in ((case.a, case.new, "new"), (case.b, case.old, "stored")):
            words = stems(answer) - {"yes", "no"}
            if (
                words
                and not words <= stems(case.entity)
                and words <= stems(other)
                and (len(words) > 1 or values_in(answer))
                and not (read_values(answer).quantities and unsupported_values(f"It is {answer}", other))
            ):
                objection = f"The {side} fact says '{answer}' too."
    return _result("said_by_both", objection, "Neither fact states the other's answer.")


def _is_swap(case: _Case) -> bool:
    """Whether both facts name both answers, so that they differ in who is which."""
    a, b = stems(case.a), stems(case.b)
    return bool(a and b and a != b) and a <= stems(case.new) and b <= stems(case.old)


def _other_time(case: _Case) -> GuardResult:
    old, new = times_besides(case.old, case.a), times_besides(case.new, case.b)
    apart = old and new and not any(_within(x, y) for x in old for y in new)
    return _result(
        "other_time",
        f"One fact is about {old[0].written}, the other about {new[0].written}." if apart else "",
        "No two times apart from the answers.",
    )


def _many_valued(case: _Case) -> GuardResult:
    numeric = any(read_values(one).quantities or read_values(one).dates for one in (case.a, case.b))
    old, new = MANY.search(case.old), MANY.search(case.new)
    single = any(one.search(fact) for one in (SINGLE, MADE_BY) for fact in (case.old, case.new))
    free = not numeric and not single and not case.negated
    found = old and new and free and not _is_swap(case)
    if denied := _denied_beside(case):
        return _result("many_valued", f"'{denied}' leaves room for another value.", "")
    return _result(
        "many_valued",
        f"'{old.group()}' can be true of several values." if found and old else "",
        "The attribute has one value.",
    )


def _denied_beside(case: _Case) -> str:
    """An answer that only says what it is not, where the other answer is something else."""
    for answer, other in ((case.a, case.b), (case.b, case.a)):
        if re.match(r"not \w", answer) and not _denies(other) and not stems(answer[4:]) & stems(other):
            return answer
    return ""


def _other_entity(case: _Case, parts: Parts) -> GuardResult:
    """Veto where the facts name bearers of one surname or one place name, or the stated entities share no word."""
    names = [(x, y) for x in names_besides(case.old, case.a) for y in names_besides(case.new, case.b)]
    kin = next((pair for pair in names if of_one_house(*pair)), None)
    if kin and not any(set(x) <= set(y) or set(y) <= set(x) for x, y in names):
        return _result("other_entity", f"'{' '.join(kin[0])}' is not '{' '.join(kin[1])}'.", "")
    old, new = qualifiers(_besides(case.old, case.a)), qualifiers(_besides(case.new, case.b))
    for name in sorted(old.keys() & new.keys()):
        if not stems(old[name]) & stems(new[name]):
            return _result("other_entity", f"'{name}' is '{old[name]}' in one fact and '{new[name]}' in the other.", "")
    one, other = parts.entity.old, parts.entity.new
    apart = not parts.entity.same and _verbatim(one, case.old) and _verbatim(other, case.new)
    disputed = stems(case.a) | stems(case.b)
    if apart and not (stems(one) & (stems(case.new) | disputed) or stems(other) & (stems(case.old) | disputed)):
        return _result("other_entity", f"One fact is about '{one}', the other about '{other}'.", "")
    return _result("other_entity", "", "No sign of two different things.")


def _verbatim(part: str, fact: str) -> bool:
    span = locate(part, fact) if normalise(part) else None
    return span is not None and span.score == 100.0


_ANSWER_GUARDS: Final[tuple[Callable[[_Case], GuardResult], ...]] = (
    _values_equal,
    _refinement,
    _said_by_both,
    _contrast,
    _other_attribute,
    _other_time,
    _many_valued,
)
