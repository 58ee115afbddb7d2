"""Restatements: how a fact that was taken for another one again differs from it."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.text import normalise
from retree_core.text.one_format import in_one_format
from retree_core.why.ledger import Ledger, fact


def restating_rule(ledger: Ledger, id_: str, of: str) -> str:
    """What one fact has in common with another that the record says it restates."""
    moment = next(
        (at for at, one in enumerate(ledger.events, 1) if isinstance(one, ev.DuplicateFound) and one.fact == id_), 1
    )
    before = ledger.at(moment - 1)
    a, b = fact(before, id_).text, fact(before, of).text
    if normalise(a) == normalise(b):
        return "the same words, but for case, spacing and punctuation"
    if in_one_format(a) == in_one_format(b):
        return "the same words and values, in another format"
    return "the record says so"
