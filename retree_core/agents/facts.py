"""What the two agents that keep facts share: summary and top-k facts for the policy, facts for the answer."""

from __future__ import annotations

from retree_core.agents.keeping import Basis, View
from retree_core.agents.memory import listed, relevant, rendered
from retree_core.prompts import quoted
from retree_core.settings import Settings
from retree_core.state import State, active_path


def view(state: State, settings: Settings, missing: tuple[str, ...]) -> View:
    """The summary and the k facts in force that are closest to the question and the missing slots (section 4.2)."""
    shown = relevant(state, [state.question, *missing], settings.shown_evidence)
    return View(text=rendered(state.summary, shown), ids=tuple(one.id for one in shown))


def citable(state: State) -> set[str]:
    """Facts in force."""
    return {one.id for one in active_path(state)}


def basis(state: State, settings: Settings, supporting: tuple[str, ...]) -> Basis:
    """What the policy stopped on, and the facts most relevant to the question and the summary; oldest first."""
    chosen = {one.id for one in relevant(state, [state.question, state.summary], 2 * settings.shown_evidence)}
    shown = tuple(one for one in active_path(state) if one.id in chosen or one.id in supporting)
    return Basis(
        summary=quoted(state.summary) or "(nothing yet)",
        evidence=listed(shown),
        ids=tuple(one.id for one in shown),
    )
