"""Restatements: by which rule one fact was taken for another again."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.judging.duplicates import is_duplicate
from retree_core.text import normalise
from retree_core.why.ledger import Ledger, fact


def restating_rule(ledger: Ledger, id_: str, of: str) -> str:
    """By which rule one fact was found to restate another."""
    moment = next(
        (at for at, one in enumerate(ledger.events, 1) if isinstance(one, ev.DuplicateFound) and one.fact == id_), 1
    )
    before = ledger.at(moment - 1)
    a, b = fact(before, id_).text, fact(before, of).text
    if normalise(a) == normalise(b):
        return "the same words, but for case, spacing and punctuation"
    if is_duplicate(a, b):
        return "the same words and values, in another format"
    return "the record says so; the rules of this version would not"
