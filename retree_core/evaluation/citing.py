"""How well claims are backed by the passages they cite: the paper's measures (caption of Table 2), and ALCE's.

What entails what is asked beforehand and comes in as a function, so that everything here is exact and repeatable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Entails = Callable[[str, str], bool]
"""Whether a premise entails a claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedClaim:
    """One claim with what it cites."""

    text: str
    passages: tuple[str | None, ...]
    """What stands in each cited passage, each passage once; None for a citation that leads to no passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Counts pooled over claims; rates are fractions of 1, None where there is nothing to divide by."""

    claims: int = 0
    uncited: int = 0
    """Claims without any citation."""
    supported: int = 0
    """Claims with at least one citation whose passage alone entails them."""
    citations: int = 0
    supporting: int = 0
    """Citations whose passage alone entails the claim."""
    answers: int = 0
    without_claims: int = 0
    """Answers that make no claim; they add nothing to the rates."""

    def __add__(self, other: Attribution) -> Attribution:
        return Attribution(
            claims=self.claims + other.claims,
            uncited=self.uncited + other.uncited,
            supported=self.supported + other.supported,
            citations=self.citations + other.citations,
            supporting=self.supporting + other.supporting,
            answers=self.answers + other.answers,
            without_claims=self.without_claims + other.without_claims,
        )

    @property
    def precision(self) -> float | None:
        """CitePrec: share of the citations that entail their claim."""
        return _share(self.supporting, self.citations)

    @property
    def recall(self) -> float | None:
        """CiteRec: share of the claims with at least one entailing citation."""
        return _share(self.supported, self.claims)

    @property
    def f1(self) -> float | None:
        """CiteF1: harmonic mean of the two; 0 where nothing is cited."""
        return None if self.recall is None else harmonic(self.precision or 0.0, self.recall)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def harmonic(one: float, other: float) -> float:
    """The harmonic mean; 0 where either is 0.

    >>> round(harmonic(44.5, 41.3), 2)
    42.84
    """
    return 2 * one * other / (one + other) if one and other else 0.0


def attribution(answer: Sequence[CitedClaim], entails: Entails) -> Attribution:
    """The counts of one answer: each cited passage is judged alone."""
    judged = [[_entails(entails, passage, one.text) for passage in one.passages] for one in answer]
    return Attribution(
        claims=len(answer),
        uncited=sum(not one for one in judged),
        supported=sum(any(one) for one in judged),
        citations=sum(len(one) for one in judged),
        supporting=sum(sum(one) for one in judged),
        answers=1,
        without_claims=not answer,
    )


def _entails(entails: Entails, passage: str | None, claim: str) -> bool:
    return passage is not None and entails(passage, claim)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alce:
    """ALCE's citation recall and precision: rates of each answer, averaged over answers."""

    recall: float
    precision: float


def alce(answers: Sequence[Sequence[CitedClaim]], entails: Entails) -> Alce | None:
    """ALCE: a claim is recalled if all its citations together entail it; a citation of a recalled claim is precise
    unless it does not entail the claim alone and the others do without it. A claim with a citation that leads nowhere
    is not recalled, and none of its citations are counted. None where there is no answer.

    Unlike ALCE's own script, every line of an answer counts, a claim may have any number of citations, and one that is
    made twice counts once.
    """
    rates = [_alce_of(one, entails) for one in answers]
    if not rates:
        return None
    return Alce(
        recall=sum(recall for recall, _ in rates) / len(rates),
        precision=sum(precision for _, precision in rates) / len(rates),
    )


def _alce_of(answer: Sequence[CitedClaim], entails: Entails) -> tuple[float, float]:
    recalled, precise, citations = 0, 0, 0
    for claim in answer:
        passages = _all_known(claim)
        citations += len(passages)
        if passages and entails(joined(passages), claim.text):
            recalled += 1
            precise += sum(_needed(entails, passages, place, claim.text) for place in range(len(passages)))
    return (_share(recalled, len(answer)) or 0.0, _share(precise, citations) or 0.0)


def _all_known(claim: CitedClaim) -> tuple[str, ...]:
    """The cited passages; none where one of the citations leads nowhere."""
    known = tuple(one for one in claim.passages if one is not None)
    return known if len(known) == len(claim.passages) else ()


def joined(passages: Sequence[str]) -> str:
    """Several passages as one premise."""
    return "\n".join(passages)


def _needed(entails: Entails, passages: Sequence[str], place: int, claim: str) -> bool:
    """Whether a passage entails the claim alone, or the others do not without it."""
    others = [*passages[:place], *passages[place + 1 :]]
    return entails(passages[place], claim) or not (others and entails(joined(others), claim))


def premises(answer: Sequence[CitedClaim], *, with_alce: bool = False) -> Iterator[tuple[str, str]]:
    """Every (premise, claim) that `attribution` asks about, and with `with_alce` those that `alce` asks about."""
    for claim in answer:
        yield from ((one, claim.text) for one in claim.passages if one is not None)
        together = _all_known(claim) if with_alce else ()
        if len(together) > 1:
            yield joined(together), claim.text
            yield from ((joined([*together[:at], *together[at + 1 :]]), claim.text) for at in range(len(together)))
