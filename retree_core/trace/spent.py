"""What the model calls of a trace took, as their servers counted it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from retree_core.calls import ModelCall
from retree_core.llm.envelope import Usage, completion_of
from retree_core.trace.records import CallRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Model calls of one role and their tokens."""

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    """Prompt tokens that the server had at hand, part of `prompt`."""
    completion: int = 0
    uncounted: int = 0
    """Calls without a count; a failed one has none. With any, the sums are lower bounds."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            calls=self.calls + other.calls,
            prompt=self.prompt + other.prompt,
            cached=self.cached + other.cached,
            completion=self.completion + other.completion,
            uncounted=self.uncounted + other.uncounted,
        )

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion


def spent(calls: Iterable[CallRecord]) -> dict[str, Spent]:
    """Calls and tokens by role, in order of first use; roles that were called alone."""
    by_role: dict[str, Spent] = {}
    for one in calls:
        if isinstance(one.call, ModelCall):
            by_role[one.call.role] = by_role.get(one.call.role, Spent()) + _spent(usage(one))
    return by_role


def _spent(found: Usage | None) -> Spent:
    if found is None:
        return Spent(calls=1, uncounted=1)
    return Spent(
        calls=1,
        prompt=found.prompt_tokens or 0,
        cached=found.cached_tokens or 0,
        completion=found.completion_tokens or 0,
        uncounted=found.prompt_tokens is None or found.completion_tokens is None,
    )


def usage(one: CallRecord) -> Usage | None:
    """Tokens of a model call as its server counted them; None where no completion came."""
    found = completion_of(one.reply)
    return found.usage if found else None
