"""How the engine of now is meant to differ from release 0.1; whatever else differs is a mistake.

Each difference is a function over what an engine told of a world, put on both sides before they are compared. Its
docstring says what differs and why. The list is reviewed, and short.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

Told = dict[str, Any]


def bound_of_facts(told: Told) -> Told:
    """`facts_per_search` bounds the schema of an extraction, as it bounds the prompt; in 0.1 it said 6."""
    return {**told, "requests": [_without_bound(one) for one in told.get("requests", ())]}


def _without_bound(request: dict[str, Any]) -> dict[str, Any]:
    if request.get("role") != "extract":
        return request
    held = deepcopy(request)
    held["body"]["response_format"]["json_schema"]["schema"]["properties"]["facts"].pop("maxItems", None)
    return held


def missing_of_searches(told: Told) -> Told:
    """A state keeps what the policy still missed at a search, so that a step goes on from the state alone."""
    state = told.get("state") or {}
    searches = [{name: one for name, one in each.items() if name != "missing"} for each in state.get("searches", ())]
    return {**told, "state": {**state, "searches": searches}} if state else told


INTENDED: tuple[Callable[[Told], Told], ...] = (bound_of_facts, missing_of_searches)
