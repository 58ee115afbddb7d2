"""Replies of a model read into values, or into what is wrong with them.

A driver reads, and records what it made of a reply where that is not plain to see. So schemas, limits and the wording
of a fault may change, and a record still replays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from retree_core.calls import CallFailed, ModelReply, Reply
from retree_core.llm.envelope import Completion, ReplyInvalid, read_completion, read_json
from retree_core.protocol import Ask, Fault, Given
from retree_core.rendering import FORMS
from retree_core.replies import ExtractReply, bounds, parse, tidy_id
from retree_core.secrets import redact
from retree_core.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was made of a reply."""

    value: Mapping[str, Any] | None = None
    """What the model wrote; None where it will not do."""
    fault: Fault | None = None
    """Why it will not do."""
    failed: CallFailed | None = None
    """There is no reply, or an envelope without one."""

    def given(self, seq: int) -> Given:
        """As the agent is sent it."""
        return Given(seq=seq, value=self.value, fault=self.fault, failed=self.failed)


def read(ask: Ask, reply: Reply, settings: Settings) -> Reading:
    """What was asked for, in a reply. Never raises for what a server sends."""
    completion = read_completion(reply.raw) if isinstance(reply, ModelReply) else reply
    if isinstance(completion, CallFailed):
        return Reading(failed=completion)
    if not isinstance(completion, Completion):
        raise TypeError(f"a model call needs a model reply, got {type(reply).__name__}")
    try:
        return Reading(value=_value(ask, read_json(completion), settings))
    except ReplyInvalid as error:
        return Reading(fault=fault(error.reason_kind, error))
    except ValueError as error:
        return Reading(fault=fault("invalid", error))


def fault(kind: str, error: Exception | str) -> Fault:
    return Fault(kind=kind, text=" ".join(redact(str(error)).split())[:200])


def plain(reply: Reply) -> Mapping[str, Any] | None:
    """The object that a reply's content is, where it is JSON and nothing else; what `read` made of it is recorded where
    it is something else. This never changes: every record rests on it."""
    raw: Any = reply.raw if isinstance(reply, ModelReply) else None
    try:
        found = json.loads(raw["choices"][0]["message"]["content"])
    except (KeyError, IndexError, TypeError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _value(ask: Ask, data: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """What a reply says, checked and within bounds. Raises ValueError."""
    type_ = FORMS[ask.prompt].reply
    if type_ is ExtractReply:  # its items are judged one by one, so that a bad one does not cost the others
        if not isinstance(data.get("facts"), list):
            raise ValueError("facts: expected a list")
        return {"facts": data["facts"]}
    value = asdict(parse(type_, data))
    for name, (_, most) in bounds(type_, settings).items():
        if len(value[name]) > most:
            value[name] = redact(value[name])[:most]
    if ask.role == "policy" and value["action"] == "search" and not value["query"].strip():
        raise ValueError("query: a search needs one")
    if ask.role == "answer" and not value["answer"].strip():
        raise ValueError("answer: is empty")
    return tidied(ask, value)


def tidied(ask: Ask, value: dict[str, Any]) -> dict[str, Any]:
    """A reply with its ids as they are written here. Raises ValueError where a proposed pair was not shown."""
    match ask.role:
        case "policy":
            value["evidence"] = _ids(value["evidence"])
        case "conflict":
            value["pairs"] = _pairs(value["pairs"], ask.inputs)
        case "answer":
            for claim in value["claims"]:
                claim["evidence"] = _ids(claim["evidence"])
    return value


def _ids(written: list[str]) -> list[str]:
    """Ids in the tolerated spellings, each once."""
    return list(dict.fromkeys(map(tidy_id, written)))


def _pairs(pairs: list[dict[str, str]], inputs: Mapping[str, Any]) -> list[dict[str, str]]:
    """Proposed pairs of ids that were shown, each pair once. Raises ValueError."""
    shown = {name: [one["id"] for one in inputs[name]] for name in ("stored", "new")}
    tidy = [{**one, "stored": tidy_id(one["stored"]), "new": tidy_id(one["new"])} for one in pairs]
    for one in tidy:
        for name, ids in shown.items():
            if one[name] not in ids:
                raise ValueError(f"{name}: {redact(one[name])[:40]!r} was not shown; use one of {', '.join(ids)}")
    return list({(one["stored"], one["new"]): one for one in reversed(tidy)}.values())[::-1]
