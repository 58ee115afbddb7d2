"""Bounded summaries, held to what is known (paper, sections 4.1 and 4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from retree_core.agents.asking import NoValidReply, ask, consult
from retree_core.agents.evidence import listed
from retree_core.events import SummaryStale, SummaryWritten
from retree_core.memory import Evidence
from retree_core.protocol import Given, Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings
from retree_core.state import active_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a model wrote as a summary, on one line; empty where it gave none."""

    text: str
    because: tuple[int, ...]


def summarise(
    memory: WorkingMemory, settings: Settings, node: str, former: str, fresh: Sequence[Evidence], draft: Draft | None
) -> Steps[None]:
    """A node's summary: the former one with the new facts (section 4.2); the former one where the model gives none.

    `draft` is what the model wrote where it was asked ahead.
    """
    written = draft if draft is not None else (yield from drafted(memory, settings, former, fresh))
    known = [memory.state.question, former, *(one.text for one in fresh)]
    bound = yield from _bounded(memory, settings, written.text, known)
    summary = _written(node, written.text, bound, "model")
    if not summary.text:
        summary = _written(node, written.text, bound, "kept", text=former)
    yield memory.add(summary, *written.because, bound.seq)


def drafted(memory: WorkingMemory, settings: Settings, former: str, fresh: Sequence[Evidence]) -> Steps[Draft]:
    """What the model makes of the former summary and the new facts."""
    inputs = {"question": memory.state.question, "summary": former, "facts": listed(fresh)}
    return (yield from _draft(settings, "summarise", inputs))


def regenerate(memory: WorkingMemory, settings: Settings, node: str, refuted: str) -> Steps[None]:
    """The repaired node's summary from corrected evidence alone; the facts joined where a model keeps the old value."""
    facts = active_path(memory.state)
    known = [memory.state.question, *(one.text for one in facts)]
    avoid = ""
    because: tuple[int, ...] = ()
    for _ in range(2):
        inputs = {"question": memory.state.question, "facts": listed(facts), "avoid": avoid}
        written = yield from _draft(settings, "regenerate", inputs)
        bound = yield from _bounded(memory, settings, written.text, known, refuted=refuted)
        because = (*because, *written.because, bound.seq)
        summary = _written(node, written.text, bound, "regenerated")
        stale = bound.value.get("stale", "")
        if summary.text and not stale:
            yield memory.add(summary, *because)
            return
        if stale:
            yield memory.add(SummaryStale(node=node, text=written.text, value=stale), *because)
            avoid = stale
    joined = " ".join(one.text for one in facts)
    bound = yield from _bounded(memory, settings, joined, known, gone=())
    yield memory.add(_written(node, joined, bound, "facts"), *because, bound.seq)


def _draft(settings: Settings, prompt: str, inputs: Mapping[str, object]) -> Steps[Draft]:
    try:
        given = yield from ask(settings, "summarise", prompt, inputs)
    except NoValidReply as error:
        return Draft(text="", because=error.because)
    return Draft(text=" ".join(given.value["summary"].split()), because=(given.seq,))


def _bounded(
    memory: WorkingMemory,
    settings: Settings,
    text: str,
    known: list[str],
    *,
    gone: Sequence[str] | None = None,
    refuted: str | None = None,
) -> Steps[Given]:
    """What the rule for summaries makes of a text."""
    former = _given_up(memory) if gone is None else gone
    asked = {"text": text, "known": known, "gone": list(former), "words": settings.summary_words}
    return (yield from consult("bound", asked if refuted is None else {**asked, "refuted": refuted}, memory))


def _given_up(memory: WorkingMemory) -> tuple[str, ...]:
    """Former texts of the facts in force. A model may know one by itself, and write it though it is not shown it."""
    return tuple(former.text for one in memory.evidence(memory.path.repaired()) for former in one.revisions[:-1])


def _written(
    node: str,
    draft: str,
    bound: Given,
    origin: Literal["model", "regenerated", "kept", "facts"],
    text: str | None = None,
) -> SummaryWritten:
    kept = bound.value.get("text", draft) if text is None else text
    invented = tuple(bound.value.get("invented", ()))
    return SummaryWritten(node=node, text=kept, origin=origin, cut=bound.value.get("cut", False), invented=invented)
