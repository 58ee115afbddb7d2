"""What the record says was chosen and how: facts by rank, what a judge was shown, the bound of the policy context."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from retree_core.trace.reader import Trace
from retree_core.trace.records import Header

_LISTED: Final = re.compile(r"^\[([^\]\n]{1,60})\] ", re.MULTILINE)
"""A fact in the prompt: `[e3] ...` at the start of a line. Facts are put on one line, so none can fake another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A fact that could be shown."""

    id: str
    score: int
    """Content words that it shares with what was sought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The facts in force when some were chosen to be shown (sections 4.2 and 4.3)."""

    sought: tuple[str, ...]
    """The texts whose content words were looked for."""
    order: tuple[Ranked, ...]
    """Best first. A fact with the same text as a better one is left out."""
    shown: int
    """How many of them were shown."""


def context_ranking(trace: Trace, moment: int) -> Ranking | None:
    """The ranking for the policy context that was built at an event: by question and missing slots.

    None where it was not recorded, or nothing was chosen.
    """
    from retree_core.trace import migration

    return migration.context_ranking(trace, moment)


def check_ranking(trace: Trace, search: int) -> Ranking | None:
    """The ranking of stored facts for the conflict judge in a search: by query and new facts; None as above."""
    from retree_core.trace import migration

    return migration.check_ranking(trace, search)


def context_bound(header: Header) -> int | None:
    """No policy context of the run is longer, characters; None where nothing bounds it (section 5.2)."""
    from retree_core.trace import migration

    return migration.context_bound(header.settings)


def compared(body: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Ids of the stored and of the new facts in a request to the conflict judge; None where it is not one of ours."""
    sent = body.get("messages")
    last = sent[-1] if isinstance(sent, list | tuple) and sent else None
    content = last.get("content") if isinstance(last, Mapping) else None
    if not isinstance(content, str):
        return None
    head, _, new = content.rpartition("\nNew facts\n")
    _, _, stored = head.rpartition("\nStored facts\n")
    found = tuple(_LISTED.findall(stored)), tuple(_LISTED.findall(new))
    return found if all(found) else None
