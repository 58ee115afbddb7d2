"""What a summary may say, and how much (paper, sections 4.1 to 4.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from retree_core.text import cut_words, normalise, tokens
from retree_core.text.support import unsupported_values
from retree_core.text.values import read_values, values_in

CHARACTERS_A_WORD = 8
"""A summary of w words is also bounded to 8 w characters, for texts without spaces."""

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+(?=[^\W\d_])")


def bound(inputs: Mapping[str, Any], memory: object) -> dict[str, Any]:
    """A `text` within `words`, without sentences that state a value beyond what is `known`, or what is `gone`.

    Without `known` only its length counts. `text` is left out where it is as it was. `invented` are the sentences left
    out, `cut` says that it was too long, and `stale` is what of a `refuted` fact stands in it though nothing known says
    so.
    """
    text, known = inputs["text"], inputs.get("known")
    invented = _invented(text, known, inputs["gone"]) if known is not None else ()
    whole = " ".join(one for one in _SENTENCE_END.split(text) if one not in invented) if known is not None else text
    kept = cut_words(whole, inputs["words"], CHARACTERS_A_WORD * inputs["words"])
    answer: dict[str, Any] = {} if kept == text else {"text": kept}
    if kept != whole:
        answer["cut"] = True
    if invented:
        answer["invented"] = list(invented)
    if stale := _kept_from(inputs["refuted"], text, known) if "refuted" in inputs and known is not None else "":
        answer["stale"] = stale
    return answer


def _invented(text: str, known: Sequence[str], gone: Sequence[str]) -> tuple[str, ...]:
    """Sentences that state a number, date or name that nothing known holds, or a fact that was given up."""
    whole = "\n".join(known)
    lost = [one for one in gone if not _says_again(whole, one)]
    sentences = _SENTENCE_END.split(text)
    return tuple(one for one in sentences if _invents(one, whole) or any(_says_again(one, former) for former in lost))


def _says_again(text: str, fact: str) -> bool:
    """Whether a text holds a fact word for word, in whatever case and punctuation."""
    return f" {normalise(fact)} " in f" {normalise(text)} "


def _invents(sentence: str, known: str) -> bool:
    """Whether it states a number, date or name that `known` does not hold.

    Plain words are free, and so is a first word that only its place makes look like a name ("Still missing: ...").
    """
    unsure = {one.written for one in read_values(sentence).names if not one.sure}
    return bool(values_in(sentence)) and not unsure.issuperset(unsupported_values(sentence, known))


def _kept_from(refuted: str, text: str, allowed: Sequence[str]) -> str:
    """What is refuted and in `text` though nothing in force says it: the fact itself, or values of it; '' if nothing.

    A fact without names, dates and numbers of its own is known by its words: half of them make a text stale.
    """
    if _says_again(text, refuted) and not any(_says_again(one, refuted) for one in allowed):
        return refuted.rstrip(" .")
    in_force = "\n".join(allowed)
    if values := unsupported_values(refuted, in_force):
        return ", ".join(one for one in values if not unsupported_values(one, text))
    telling = dict.fromkeys(one for one in tokens(refuted) if len(one) > 3 and one not in tokens(in_force))
    found = [one for one in telling if one in tokens(text)]
    return " ".join(found) if 2 * len(found) >= len(telling) else ""
