"""Labelled pairs of facts through the whole decision of a run: duplicates, proposal, guards, confirmation.

Replies can be kept in a file and are then used first, so that a long measurement may be interrupted, and
guards can be tuned with no model at all.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from retree_core.agents.asking import CallGaveUp
from retree_core.agents.conflicts import Case, Stated, decide, propose
from retree_core.drivers.course import Course
from retree_core.drivers.live import Backends
from retree_core.errors import InputError, ModelNeeded
from retree_core.judging.duplicates import is_duplicate
from retree_core.llm import strict_json
from retree_core.memory import Passage
from retree_core.protocol import Steps
from retree_core.secrets import redact
from retree_core.settings import Settings
from retree_core.trace.records import EventRecord
from retree_core.verdicts import GuardResult, Parts

OLD, NEW = "e1", "e2"
"""Ids of the two facts, as a run would call them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One line of a pairs file."""

    id: str
    old: str
    new: str
    question: str
    conflict: bool | None = None
    """The label; None where there is none."""
    class_: str = ""
    old_passage: Passage | None = None
    new_passage: Passage | None = None


Decision = Literal["repair", "expand", "duplicate", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of a pair."""

    pair: Pair
    verdict: Decision
    """`failed`: a call got no reply; such a pair is not scored."""
    decided_by: str
    """`duplicate`, `proposal` (none was made), `guard:NAME`, `confirmation`, or `call`."""
    reason: str
    proposal: str = ""
    """Reason of the proposal."""
    guards: tuple[GuardResult, ...] = ()
    parts: Parts | None = None
    rejected_replies: int = 0
    """Replies that did not validate."""

    @property
    def right(self) -> bool | None:
        """The verdict agrees with the label; None where either is missing."""
        if self.pair.conflict is None or self.verdict == "failed":
            return None
        return (self.verdict == "repair") == self.pair.conflict


def read_pairs(path: Path) -> tuple[Pair, ...]:
    """The pairs of a JSON Lines file. Raises InputError that names the line."""
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    pairs: dict[str, Pair] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        pair = _pair(line, f"{path}:{number}", str(number))
        if pair.id in pairs:
            raise InputError(f"{path}:{number}: id {pair.id!r} was used before; give every pair its own")
        pairs[pair.id] = pair
    if not pairs:
        raise InputError(f"{path}: no pairs; expected a JSON object {{id, old, new, question}} on each line")
    return tuple(pairs.values())


def _pair(line: bytes, where: str, number: str) -> Pair:
    try:
        raw = strict_json.loads(line)
    except ValueError as error:
        raise InputError(f"{where}: not JSON ({' '.join(redact(str(error)).split())[:100]})") from None
    if not isinstance(raw, dict):
        raise InputError(f"{where}: expected an object {{id, old, new, question}}, found {strict_json.kind(raw)}")
    conflict = raw.get("conflict")
    if conflict is not None and not isinstance(conflict, bool):
        raise InputError(f"{where}: conflict should be true or false, not {redact(json.dumps(conflict))[:40]}")
    id_ = raw.get("id", number)
    if isinstance(id_, bool) or not isinstance(id_, str | int):
        raise InputError(f"{where}: id should be text")
    return Pair(
        id=str(id_),
        old=_text(raw, "old", where),
        new=_text(raw, "new", where),
        question=_text(raw, "question", where),
        conflict=conflict,
        class_=str(raw.get("class") or ""),
        old_passage=_passage(raw, "old_passage", "p1", where),
        new_passage=_passage(raw, "new_passage", "p2", where),
    )


def _text(raw: dict[str, Any], name: str, where: str) -> str:
    value = raw.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: {name} should be a text, not {redact(json.dumps(value))[:40]}")
    return value


def _passage(raw: dict[str, Any], name: str, id_: str, where: str) -> Passage | None:
    value = raw.get(name)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise InputError(f"{where}: {name} should be an object {{title, text, published?}}")
    published = value.get("published")
    return Passage(
        id=id_,
        title=_text(value, "title", f"{where}: {name}"),
        text=_text(value, "text", f"{where}: {name}"),
        published=str(published) if published else None,
    )


def judge(settings: Settings, pair: Pair) -> Steps[Judged]:
    """One pair through the decision, as a run would take it: old fact stored, new fact just extracted."""
    if is_duplicate(pair.old, pair.new):
        return Judged(pair=pair, verdict="duplicate", decided_by="duplicate", reason="the same fact again")
    old, new = _stated(OLD, pair.old, pair.old_passage), _stated(NEW, pair.new, pair.new_passage)
    proposed = yield from propose(settings, pair.question, [old], [new])
    if not proposed.candidates:
        return Judged(pair=pair, verdict="expand", decided_by="proposal", reason="no conflict was proposed")
    verdict = yield from decide(settings, Case(question=pair.question, summary="", old=old, new=new))
    return Judged(
        pair=pair,
        verdict="repair" if verdict.repair else "expand",
        decided_by=verdict.decider,
        reason=verdict.reason,
        proposal=proposed.candidates[0].reason,
        guards=verdict.guards,
        parts=verdict.parts,
    )


def _stated(id_: str, text: str, passage: Passage | None) -> Stated:
    if passage is None:
        return Stated(id=id_, text=text)
    return Stated(id=id_, text=text, passages=(passage,), spans=(max(0, passage.text.find(text)),))


async def judge_all(
    pairs: Sequence[Pair], settings: Settings, backends: Backends, *, concurrency: int
) -> AsyncIterator[Judged]:
    """Every pair judged, in order, `concurrency` of them at once. Raises ModelNeeded where no model may be asked."""
    gate = asyncio.Semaphore(concurrency)

    async def one(pair: Pair) -> Judged:
        async with gate:
            return await _judged(settings, pair, backends)

    tasks = [asyncio.ensure_future(one(pair)) for pair in pairs]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _judged(settings: Settings, pair: Pair, backends: Backends) -> Judged:
    asked = Course(judge(settings, pair), settings)
    rejected = 0
    try:
        while asked.item is not None:
            if isinstance(made := asked.record(0, ""), EventRecord):
                rejected += 1
            elif made is None:
                reply = (await backends.answer(asked.requests()[0])).reply
                asked.give(0, reply, asked.read(reply))
    except CallGaveUp as error:
        return Judged(pair=pair, verdict="failed", decided_by="call", reason=str(error))
    except ModelNeeded:
        raise ModelNeeded(f"pair {pair.id}: needs a model for its {asked.name} call, which is not recorded") from None
    judged: Judged = asked.outcome
    return replace(judged, rejected_replies=rejected)
