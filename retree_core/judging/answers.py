"""What two facts answer to the one question that the confirmation asks of both."""

from __future__ import annotations

from retree_core.judging.facts import FactPair
from retree_core.judging.sameness import stems
from retree_core.text.answers import stated
from retree_core.verdicts import Parts


def answered(parts: Parts) -> bool:
    """Whether the confirmation has both facts answer its question."""
    return stated(parts.value.old) and stated(parts.value.new)


def answers(pair: FactPair, parts: Parts) -> tuple[str, str]:
    """What the facts answer to the one question; where the model says "not stated", what the fact alone says."""
    a, b = parts.value.old.strip(), parts.value.new.strip()
    return (
        a if stated(a) else _own_words(pair.old, pair.new),
        b if stated(b) else _own_words(pair.new, pair.old),
    )


def _own_words(fact: str, other: str) -> str:
    """The words of `fact` that `other` lacks, set apart, so that they are no stretch of the fact."""
    there = stems(other)
    return " / ".join(word for word in fact.split() if stems(word) and not stems(word) & there)
