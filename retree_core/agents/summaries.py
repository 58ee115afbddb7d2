"""Bounded summaries, held to what is known (paper, sections 4.1 and 4.2)."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import replace

from retree_core.agents.asking import Asking, NoValidReply, ask
from retree_core.agents.memory import Memory, listed, summary_characters
from retree_core.calls import Call, Reply
from retree_core.events import Event, SummaryWritten
from retree_core.memory import Evidence
from retree_core.prompts import messages, quoted
from retree_core.replies import SummaryReply, parse
from retree_core.settings import Settings
from retree_core.text import cut_words, normalise
from retree_core.text.support import unsupported_values
from retree_core.text.values import read_values, values_in


def summarise(
    memory: Memory, settings: Settings, node: str, former: str, fresh: Sequence[Evidence], draft: str | None
) -> Generator[Event | Call, Reply | None, None]:
    """A node's summary: the former one with the new facts (section 4.2); the former one where the model gives none.

    `draft` is what the model wrote where it was asked ahead.
    """
    text = draft if draft is not None else (yield from drafted(memory, settings, former, fresh))
    known = [memory.state.question, former, *(one.text for one in fresh)]
    summary = bounded(settings, node, text, known, given_up(memory))
    yield memory.add(summary if summary.text else replace(summary, text=former, origin="kept"))


def drafted(memory: Memory, settings: Settings, former: str, fresh: Sequence[Evidence]) -> Asking[str]:
    """What the model makes of the former summary and the new facts; empty where it makes nothing."""
    prompt = messages(
        "summarise",
        question=memory.state.question,
        summary=quoted(former) or "(nothing yet)",
        facts=listed(fresh),
        words=settings.summary_words,
    )
    return (yield from written(settings, prompt))


def written(settings: Settings, prompt: list[dict[str, str]]) -> Asking[str]:
    """What the model writes as a summary, on one line; empty where it gives none."""
    try:
        reply: SummaryReply = yield from ask(
            settings, "summarise", SummaryReply, prompt, read=lambda data: parse(SummaryReply, data)
        )
    except NoValidReply:
        return ""
    return " ".join(reply.summary.split())


def bounded(settings: Settings, node: str, text: str, known: list[str], gone: Sequence[str]) -> SummaryWritten:
    """`text` within the bounds of a summary, without sentences that state a value beyond `known` or what is `gone`."""
    sentences = _SENTENCE_END.split(text)
    lost = [one for one in gone if not says_again("\n".join(known), one)]
    invented = tuple(
        one for one in sentences if _invents(one, "\n".join(known)) or any(says_again(one, former) for former in lost)
    )
    whole = " ".join(one for one in sentences if one not in invented)
    kept = cut_words(whole, settings.summary_words, summary_characters(settings))
    return SummaryWritten(node=node, text=kept, origin="model", cut=kept != whole, invented=invented)


def given_up(memory: Memory) -> tuple[str, ...]:
    """Former texts of the facts in force. A model may know one by itself, and write it though it is not shown it."""
    return tuple(former.text for one in memory.evidence(memory.path.repaired()) for former in one.revisions[:-1])


def says_again(text: str, fact: str) -> bool:
    """Whether a text holds a fact word for word, in whatever case and punctuation."""
    return f" {normalise(fact)} " in f" {normalise(text)} "


def _invents(sentence: str, known: str) -> bool:
    """Whether it states a number, date or name that `known` does not hold.

    Plain words are free, and so is a first word that only its place makes look like a name ("Still missing: ...").
    """
    unsure = {one.written for one in read_values(sentence).names if not one.sure}
    return bool(values_in(sentence)) and not unsure.issuperset(unsupported_values(sentence, known))


_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+(?=[^\W\d_])")
