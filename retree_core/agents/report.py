"""ReportMemory: one evolving report of at most 200 words, and the pages visited, in no order (paper, section 5.4)."""

from __future__ import annotations

from retree_core.agents import pages
from retree_core.agents.asking import NoValidReply, ask
from retree_core.agents.keeping import Absorbing, Basis, Keeping, View
from retree_core.agents.memory import SUMMARY_CHARACTERS_A_WORD, Memory
from retree_core.agents.retrieval import shown_passages
from retree_core.events import SummaryWritten
from retree_core.memory import Passage
from retree_core.prompts import messages, quoted
from retree_core.replies import ReportReply, parse
from retree_core.settings import Settings
from retree_core.text import cut_words


def _view(memory: Memory, settings: Settings) -> View:
    state = memory.state
    return View(text=_rendered(state.summary, tuple(state.passages)), ids=tuple(state.passages))


def _rendered(report: str, visited: tuple[str, ...]) -> str:
    return f"Report: {quoted(report) or '(nothing yet)'}\nVisited pages: {', '.join(visited) or '(none yet)'}"


def _bound(settings: Settings) -> int:
    """The longest report, and as many pages as the searches can bring."""
    pages_at_most = settings.max_searches * settings.passages_per_search
    visited = tuple(f"p{number}" for number in range(1, pages_at_most + 1))
    return len(_rendered("", visited)) + SUMMARY_CHARACTERS_A_WORD * settings.report_words


def _absorb(memory: Memory, settings: Settings, query: str, passages: tuple[Passage, ...]) -> Absorbing:
    """Folds the passages into the report; the old one stays where the model gives none."""
    former = memory.state.summary
    prompt = messages(
        "report",
        question=memory.state.question,
        report=quoted(former) or "(nothing yet)",
        query=quoted(query),
        passages=shown_passages(passages),
        words=settings.report_words,
    )
    try:
        reply: ReportReply = yield from ask(
            settings, "report", ReportReply, prompt, read=lambda data: parse(ReportReply, data)
        )
        text = " ".join(reply.report.split())
    except NoValidReply:
        text = ""
    kept = cut_words(text, settings.report_words, SUMMARY_CHARACTERS_A_WORD * settings.report_words)
    yield memory.add(
        SummaryWritten(node=memory.state.current, text=kept, origin="model", cut=kept != text)
        if kept
        else SummaryWritten(node=memory.state.current, text=former, origin="kept")
    )
    return True


def _basis(memory: Memory, settings: Settings, supporting: tuple[str, ...]) -> Basis:
    """The report, and the visited pages by title and address alone: what they said is in the report or lost."""
    state = memory.state
    visited = "\n".join(f"{pages.headed(one)} {quoted(one.url or '')}".rstrip() for one in state.passages.values())
    return Basis(summary=quoted(state.summary) or "(nothing yet)", evidence=visited, ids=tuple(state.passages))


REPORT = Keeping(
    prompt="policy_report",
    view=_view,
    absorb=_absorb,
    citable=pages.citable,
    basis=_basis,
    bound=_bound,
)
