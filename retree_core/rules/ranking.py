"""Which facts are shown, and how large the memory is as it is shown (paper, sections 4.2, 4.3 and 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from retree_core.rendering import memory_text
from retree_core.rules.memory import WorkingMemory

MOST_RANKED = 32
"""Facts whose rank is recorded, those beyond the shown ones included."""

Answer = dict[str, Any]
Inputs = Mapping[str, Any]


def context(inputs: Inputs, memory: WorkingMemory) -> Answer:
    """The facts in force in the order in which they serve the policy, their scores, and the size of the context.

    Inputs: `queries`, `summary`, `k`. The first k of `order` are shown; `scores` are the words shared with the queries;
    `characters` is the length of the rendered memory.
    """
    ranked = related(inputs, memory)
    shown = ranked.get("order", [])[: inputs["k"]]
    facts = [[one.id, one.text] for one in memory.evidence(shown)]
    return {**ranked, "characters": len(memory_text({"summary": inputs["summary"], "facts": facts}))}


def measure(inputs: Inputs, memory: WorkingMemory) -> Answer:
    """The length of a memory as the policy reads it, of which nothing is chosen."""
    return {"characters": len(memory_text(inputs["memory"]))}


def related(inputs: Inputs, memory: WorkingMemory) -> Answer:
    """The facts in force by the words they share with the queries; the first `k` of them are shown."""
    ranked = memory.path.ranked(inputs["queries"], max(inputs["k"], MOST_RANKED))
    if not ranked:
        return {}
    return {"order": [id_ for id_, _ in ranked], "scores": [score for _, score in ranked]}


def basis(inputs: Inputs, memory: WorkingMemory) -> Answer:
    """What the answer may rest on: the `k` facts most relevant to the queries, and those that the policy stopped on;
    oldest first."""
    chosen = [id_ for id_, _ in memory.path.ranked(inputs["queries"], inputs["k"])]
    shown = memory.path.in_order((*chosen, *inputs["supporting"]))
    return {"shown": list(shown)} if shown else {}
