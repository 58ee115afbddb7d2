"""What a policy is told that may not stop yet (paper, section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def refusal(inputs: Mapping[str, Any], memory: object) -> dict[str, Any]:
    """Why the stop is refused, and from the second refusal on why the question itself is searched instead.

    Inputs: `cited` (ids it named), `retrieved` (whether a search brought anything), `refusals` (this one included).
    """
    if not inputs["retrieved"]:
        why = "nothing has been retrieved yet"
    elif inputs["cited"]:
        why = f"{', '.join(inputs['cited'])[:80]} is no evidence in force"
    else:
        why = "no evidence in force supports it"
    return {"why": why, **({"instead": "two stops were refused"} if inputs["refusals"] > 1 else {})}
