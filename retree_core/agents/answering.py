"""The answer and its claims (paper, section 4.4)."""

from __future__ import annotations

from retree_core.agents.asking import ask
from retree_core.agents.strategy import Shown
from retree_core.events import Answered
from retree_core.memory import Claim
from retree_core.protocol import Steps
from retree_core.rules.memory import WorkingMemory
from retree_core.settings import Settings


def answer(memory: WorkingMemory, settings: Settings, basis: Shown) -> Steps[None]:
    """Answers from what the memory shows."""
    inputs = {"question": memory.state.question, "memory": basis.memory, "ids": list(basis.ids)}
    given = yield from ask(settings, "answer", "answer", inputs)
    claims = tuple(
        Claim(text=one["text"], cites=tuple(one["evidence"])) for one in given.value["claims"] if one["text"].strip()
    )
    answered = Answered(text=given.value["answer"].strip(), claims=claims, shown=basis.ids)
    yield memory.add(answered, *basis.because, given.seq)
