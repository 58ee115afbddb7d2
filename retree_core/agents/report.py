"""ReportMemory: one evolving report of at most 200 words, and the pages visited, in no order (paper, section 5.4)."""

from __future__ import annotations

from typing import Any

from retree_core.agents import passages as pages
from retree_core.agents.asking import NoValidReply, ask, consult
from retree_core.agents.strategy import MemoryStrategy, Shown
from retree_core.events import SummaryWritten
from retree_core.memory import Passage
from retree_core.protocol import Steps
from retree_core.rendering import memory_text
from retree_core.rules.memory import WorkingMemory
from retree_core.rules.summaries import CHARACTERS_A_WORD
from retree_core.settings import Settings


def _kept(memory: WorkingMemory) -> dict[str, Any]:
    """The report, and the visited pages: what they said is in the report or lost."""
    visited = [{**pages.page(one), "text": ""} for one in memory.state.passages.values()]
    return {"report": memory.state.summary, "pages": visited}


def _context(memory: WorkingMemory, settings: Settings, missing: tuple[str, ...]) -> Steps[Shown]:
    return (yield from pages.measured(memory, _kept(memory)))


def _bound(settings: Settings) -> int:
    """The longest report, and as many pages as the searches can bring."""
    none = len(memory_text({"report": "", "pages": []})) + CHARACTERS_A_WORD * settings.report_words
    count = settings.max_searches * settings.passages_per_search
    if count <= 0:
        return none
    digits: int = sum(count - 10**shorter + 1 for shorter in range(len(str(count))))
    return none - len("(none yet)") + digits + count * len("p, ") - len(", ")


def _absorb(memory: WorkingMemory, settings: Settings, query: str, found: tuple[Passage, ...]) -> Steps[None]:
    """Folds the passages into the report; the old one stays where the model gives none."""
    state = memory.state
    inputs = {
        "question": state.question,
        "report": state.summary,
        "query": query,
        "passages": [pages.page(one) for one in found],
    }
    because: tuple[int, ...]
    try:
        reply = yield from ask(settings, "report", "report", inputs)
        text, because = " ".join(reply.value["report"].split()), (reply.seq,)
    except NoValidReply as error:
        text, because = "", error.because
    bound = yield from consult("bound", {"text": text, "words": settings.report_words}, memory)
    kept = bound.value.get("text", text)
    written = (
        SummaryWritten(node=state.current, text=kept, origin="model", cut=bound.value.get("cut", False))
        if kept
        else SummaryWritten(node=state.current, text=state.summary, origin="kept")
    )
    yield memory.add(written, *because, bound.seq)


def _basis(memory: WorkingMemory, settings: Settings, supporting: tuple[str, ...]) -> Steps[Shown]:
    yield from ()
    return pages.shown(memory, _kept(memory))


REPORT = MemoryStrategy(
    prompt="policy_report",
    context=_context,
    absorb=_absorb,
    brought_something=pages.brought_something,
    citable=pages.citable,
    basis=_basis,
    bound=_bound,
)
