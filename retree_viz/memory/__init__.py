"""The memory of an agent without a tree at a moment, as what it is: a list of facts, a chain of steps, a report."""

from __future__ import annotations

from retree_viz.html import Html, join
from retree_viz.memory.facts import facts
from retree_viz.memory.pages import pages
from retree_viz.memory.steps import steps
from retree_viz.memory.written import written
from retree_viz.run import Run


def memory(run: Run, moment: int, chosen: str) -> Html:
    """All of it: what the agent wrote, and what it keeps beside that."""
    return join(written(run, moment), kept(run, moment, chosen))


def kept(run: Run, moment: int, chosen: str) -> Html:
    """What it keeps, without its summary or report."""
    match run.last.agent:
        case "react":
            return steps(run, moment, chosen)
        case "report":
            return pages(run, moment, chosen)
        case _:
            return facts(run, moment, chosen)
