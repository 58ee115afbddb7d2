"""How long a batch will still take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from retree_core.evaluation.batch import Progress, Task
from retree_core.settings import AgentName


class Pace:
    """Learns from the runs made since this start what a run of each agent takes; runs kept from before say nothing."""

    def __init__(self, tasks: Iterable[Task], at_once: int) -> None:
        self._waiting = {one.path for one in tasks if not one.path.exists()}
        self._left = Counter[AgentName](one.agent for one in tasks if one.path in self._waiting)
        self._at_once = at_once
        self._made = Counter[AgentName]()
        self._seconds: dict[AgentName, float] = {}

    def learn(self, one: Progress) -> None:
        """A task has ended."""
        agent = one.task.agent
        if one.task.path in self._waiting:
            self._waiting.remove(one.task.path)
            self._left[agent] -= 1
        if one.status != "kept":
            self._made[agent] += 1
            self._seconds[agent] = self._seconds.get(agent, 0.0) + one.seconds

    @property
    def seconds_left(self) -> float | None:
        """Of runs that were not there at the start; None while none was made. An agent without a run takes what the
        others take."""
        if not self._made:
            return None
        usual = sum(self._seconds.values()) / self._made.total()
        work = sum(number * self._usual(agent, usual) for agent, number in self._left.items())
        return work / max(1, min(self._at_once, self._left.total()))

    def _usual(self, agent: AgentName, otherwise: float) -> float:
        return self._seconds[agent] / self._made[agent] if agent in self._made else otherwise
