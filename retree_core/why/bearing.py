"""What a repair has to do with the answer: which claims rest on the new value, and what stood before it."""

from __future__ import annotations

from collections.abc import Sequence

from retree_core import events as ev
from retree_core.state import State
from retree_core.text import cut_label, tokens
from retree_core.verdicts import Parts
from retree_core.why.ledger import Ledger
from retree_core.why.standing import listed
from retree_core.why.values import Ref

MOST_WORDS = 8
"""A longer answer is a sentence of its own, which nothing before it would hold word for word."""


def bearing(ledger: Ledger, moment: int, claims: Sequence[int], parts: Parts | None) -> tuple[str, ...]:
    """The answer and the repair at `moment`, in words and `Ref`s; empty where no claim rests on the repaired fact.

    That the answer changed is said only where the record shows it: where the answer is the value that the model
    read in the new fact, the one it read in the old fact is named.
    """
    repair, answer = ledger.event(moment), ledger.last.answer
    if not isinstance(repair, ev.EvidenceRepaired) or answer is None or not claims:
        return ()
    now = ledger.last.evidence[repair.evidence].current.number
    rest = " rests on " if len(claims) == 1 else " rest on "
    words = (*listed(f"c{number}" for number in claims), rest, Ref(repair.evidence), f" r{now}")
    if now != repair.revision:
        return (*words, ", which a later repair brought.")
    if parts and _says(parts.value.new, answer.text) and not _says(parts.value.old, answer.text):
        old, new = cut_label(parts.value.old, 120), cut_label(answer.text, 120)
        return (*words, f", the new value. With the old one the answer to this was “{old}”, now it is “{new}”.")
    if len(tokens(answer.text)) > MOST_WORDS:
        return (*words, ", the new value.")
    said = f", the new value. The words of the answer, “{cut_label(answer.text, 120)}”,"
    return (*words, said, *_stood(ledger.at(moment - 1), answer.text), ".")


def _says(value: str, answer: str) -> bool:
    """Whether the words of one are a stretch of the other's."""
    return _stretch(value, answer) or _stretch(answer, value)


def _stretch(short: str, long: str) -> bool:
    wanted, words = tokens(short), tokens(long)
    starts = range(len(words) - len(wanted) + 1)
    return bool(wanted) and any([*words[at : at + len(wanted)]] == [*wanted] for at in starts)


def _stood(state: State, answer: str) -> tuple[str, ...]:
    """Where the answer's words stood: in which facts, and in which nodes' summaries."""
    facts = [id_ for id_, one in state.evidence.items() if _stretch(answer, one.text)]
    nodes = [id_ for id_, one in state.nodes.items() if _stretch(answer, one.summary)]
    if state.has_tree and (facts or nodes):
        return (" stood before it in ", *listed([*facts, *nodes]))
    summary = ("the summary",) if nodes else ()
    places = (*listed(facts), *((" and ",) if facts and nodes else ()), *summary)
    return (" stood before it in ", *places) if places else (" stood in no fact or summary before it",)
