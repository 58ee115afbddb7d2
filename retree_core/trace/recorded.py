"""What the record says was chosen and how: facts by rank, what a judge was shown, the bound of the policy context."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from retree_core.calls import ModelCall
from retree_core.events import ContextBuilt, SearchChosen, StopRefused
from retree_core.reading import plain
from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord, Header, RuleRecord

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
    if trace.is_old(moment):
        from retree_core.trace import migration

        return migration.context_ranking(trace, moment)
    event = trace.events[moment - 1]
    answer = next((one for one in trace.answers_for(moment) if one.rule == "context"), None)
    missing = missing_before(trace, moment)
    if answer is None or missing is None or not isinstance(event, ContextBuilt):
        return None
    return _ranking(answer, (trace.header.question, *missing), event.evidence)


def check_ranking(trace: Trace, search: int) -> Ranking | None:
    """The ranking of stored facts for the conflict judge in a search: by query and new facts; None as above."""
    moment, record = next(iter(trace.conflict_calls.get(search, ())), (0, None))
    shown = compared(record.call.body) if record and isinstance(record.call, ModelCall) else None
    if record is None or shown is None:
        return None
    state, (stored, new) = trace.history.at(moment), shown
    query = next((one.query for one in state.searches if one.number == search), "")
    sought = (query, *(state.evidence[one].text for one in new if one in state.evidence))
    if record.seq <= trace.header.old_until:
        from retree_core.trace import migration

        return migration.check_ranking(trace, state, sought, stored)
    before = [one for one in trace.answers if one.rule == "related" and one.seq < record.seq]
    return _ranking(before[-1], sought, stored) if before else None


def _ranking(answer: RuleRecord, sought: tuple[str, ...], shown: tuple[str, ...]) -> Ranking | None:
    """As a rule put it down; None where it did not, or others were shown than those it puts first."""
    order, scores = answer.reply.get("order"), answer.reply.get("scores")
    if not isinstance(order, list) or not isinstance(scores, list) or len(order) != len(scores):
        return None
    pairs = zip(order, scores, strict=True)
    ranked = tuple(Ranked(id=id_, score=score) for id_, score in pairs if isinstance(id_, str) and type(score) is int)
    if tuple(one.id for one in ranked[: len(shown)]) != shown:
        return None
    return Ranking(sought=sought, order=ranked, shown=len(shown))


def missing_before(trace: Trace, moment: int) -> tuple[str, ...] | None:
    """The slots that the policy had named as missing before a context; None where the record lacks its reply."""
    before = ((at, trace.events[at - 1]) for at in range(moment - 1, 0, -1))
    at, last = next(((at, one) for at, one in before if isinstance(one, SearchChosen | StopRefused)), (0, None))
    if isinstance(last, StopRefused):
        return _in_reply(trace, at)
    return last.missing if last else ()


def _in_reply(trace: Trace, refused: int) -> tuple[str, ...] | None:
    """The missing slots in the policy's reply whose stop was refused at a moment."""
    before = reversed(trace.calls[: trace.calls_before[refused - 1]])
    asked = next((one for one in before if one.role == "policy"), None)
    if asked is None:
        return None
    if asked.seq <= trace.header.old_until:
        from retree_core.trace import migration

        return migration.missing_in(asked)
    missing = (value_read(asked) or {}).get("missing")
    if not isinstance(missing, list | tuple) or not all(isinstance(one, str) for one in missing):
        return None
    return tuple(one for one in missing if one.strip())


def value_read(record: CallRecord) -> Mapping[str, Any] | None:
    """What a model's reply was read as, in a record that says so: not of format 1. None where it would not do."""
    value = plain(record.reply) if record.read is None else record.read.get("value")
    return value if isinstance(value, Mapping) else None


def context_bound(header: Header) -> int | None:
    """No policy context of the run is longer, characters; None where nothing bounds it (section 5.2)."""
    if header.version > 1:
        return header.context_bound
    from retree_core.trace import migration

    return migration.context_bound(header.settings)


def compared(body: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Ids of the stored and of the new facts in a request to the conflict judge; None where it is not one of ours."""
    named = tuple(tuple(_choices(body, name)) for name in ("stored", "new"))
    if all(named):
        return named[0], named[1]
    sent = body.get("messages")
    last = sent[-1] if isinstance(sent, list | tuple) and sent else None
    content = last.get("content") if isinstance(last, Mapping) else None
    if not isinstance(content, str):
        return None
    head, _, new = content.rpartition("\nNew facts\n")
    _, _, stored = head.rpartition("\nStored facts\n")
    found = tuple(_LISTED.findall(stored)), tuple(_LISTED.findall(new))
    return found if all(found) else None


def _choices(body: Mapping[str, Any], name: str) -> list[str]:
    """The ids that the schema of a request to the conflict judge lets a field hold."""
    held: Any = body
    for key in ("response_format", "json_schema", "schema", "properties", "pairs", "items", "properties", name):
        held = held.get(key) if isinstance(held, Mapping) else None
    ids = held.get("enum") if isinstance(held, Mapping) else None
    return [one for one in ids if isinstance(one, str)] if isinstance(ids, list) else []
