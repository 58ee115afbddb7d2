"""What the two agents that keep facts share: summary and top-k facts for the policy, facts for the answer."""

from __future__ import annotations

from collections.abc import Container

from retree_core.agents.keeping import Basis, View
from retree_core.agents.memory import Memory, listed, rendered
from retree_core.prompts import quoted
from retree_core.settings import Settings


def view(memory: Memory, settings: Settings) -> View:
    """The summary and the k facts in force that are closest to the question and the missing slots (section 4.2)."""
    shown = memory.relevant([memory.state.question, *memory.missing], settings.shown_evidence)
    return View(text=rendered(memory.state.summary, shown), ids=tuple(one.id for one in shown))


def citable(memory: Memory) -> Container[str]:
    """Facts in force."""
    return memory.path


def basis(memory: Memory, settings: Settings, supporting: tuple[str, ...]) -> Basis:
    """What the policy stopped on, and the facts most relevant to the question and the summary; oldest first."""
    chosen = memory.path.closest([memory.state.question, memory.state.summary], 2 * settings.shown_evidence)
    shown = memory.path.in_order((*chosen, *supporting))
    return Basis(
        summary=quoted(memory.state.summary) or "(nothing yet)", evidence=listed(memory.evidence(shown)), ids=shown
    )
