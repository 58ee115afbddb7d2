"""What the two agents that keep facts share: summary and top-k facts for the policy, facts for the answer."""

from __future__ import annotations

from collections.abc import Container, Iterable

from retree_core.agents.asking import consult
from retree_core.agents.strategy import Shown
from retree_core.memory import Evidence
from retree_core.protocol import Steps
from retree_core.rendering import memory_text
from retree_core.rules.memory import WorkingMemory
from retree_core.rules.retrieval import FACT_CHARACTERS
from retree_core.rules.summaries import CHARACTERS_A_WORD
from retree_core.settings import Settings
from retree_core.state import State


def context(memory: WorkingMemory, settings: Settings, missing: tuple[str, ...]) -> Steps[Shown]:
    """The summary and the k facts in force that are closest to the question and the missing slots (section 4.2)."""
    state = memory.state
    asked = {"queries": [state.question, *missing], "summary": state.summary, "k": settings.shown_evidence}
    chosen = yield from consult("context", asked, memory)
    ids = tuple(chosen.value.get("order", ())[: settings.shown_evidence])
    shown = {"summary": state.summary, "facts": listed(memory.evidence(ids))}
    return Shown(memory=shown, ids=ids, characters=chosen.value["characters"], because=(chosen.seq,))


def citable(memory: WorkingMemory) -> Container[str]:
    """Facts in force."""
    return memory.path


def brought_something(state: State) -> bool:
    """Whether the last search brought a fact that says something new."""
    last, number = state.searches[-1].number, len(state.evidence)
    while (fact := state.evidence.get(f"e{number}")) and fact.search == last:
        if fact.fate != "duplicate":
            return True
        number -= 1
    return False


def basis(memory: WorkingMemory, settings: Settings, supporting: tuple[str, ...]) -> Steps[Shown]:
    """What the policy stopped on, and the facts most relevant to the question and the summary; oldest first."""
    state = memory.state
    if not len(memory.path):
        return Shown(memory={}, ids=())
    queries = [state.question, state.summary]
    asked = {"queries": queries, "k": 2 * settings.shown_evidence, "supporting": list(supporting)}
    chosen = yield from consult("basis", asked, memory)
    ids = tuple(chosen.value.get("shown", ()))
    shown = {"summary": state.summary, "facts": listed(memory.evidence(ids))}
    return Shown(memory=shown, ids=ids, because=(chosen.seq,))


def listed(evidence: Iterable[Evidence]) -> list[list[str]]:
    """Facts as prompts take them."""
    return [[one.id, one.text] for one in evidence]


def context_bound(settings: Settings) -> int:
    """No policy context of a bounded memory is longer than this, characters."""
    line = FACT_CHARACTERS + len("[e99999] \n")
    empty = len(memory_text({"summary": "", "facts": []}))
    return empty + CHARACTERS_A_WORD * settings.summary_words + settings.shown_evidence * line
