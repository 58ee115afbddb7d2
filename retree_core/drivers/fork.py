"""Fork: a recorded prefix, one decision changed, and then whatever follows from it."""

from __future__ import annotations

import json
import secrets
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from retree_core import __version__
from retree_core.agents import start
from retree_core.calls import CallFailed, ModelCall, ModelReply
from retree_core.drivers.live import Backends, live
from retree_core.drivers.replay import follow, name
from retree_core.drivers.session import Watch, carry_on, next_seq, open_backends, recorded_with
from retree_core.errors import UsageError
from retree_core.events import ConflictConfirmed, ConflictRejected, Event, EvidenceRepaired, SearchChosen
from retree_core.llm.strict_json import clean
from retree_core.secrets import redact, redact_json
from retree_core.settings import ForcedVerdict, Settings
from retree_core.state import fold
from retree_core.trace.reader import Trace, read_trace
from retree_core.trace.records import CallRecord, EventRecord, ForkOrigin, Header, Record, call_key
from retree_core.trace.writer import TraceWriter, utc_now


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One changed decision."""

    what: str
    """`verdict` (repair | reject) at a conflict, `query` at a chosen search, or `reply` (JSON) after a model call."""
    value: str

    @classmethod
    def parse(cls, text: str) -> Edit:
        """From `what=value`. Raises UsageError."""
        what, equals, value = text.partition("=")
        if not equals or what not in ("verdict", "query", "reply"):
            raise UsageError(f"--set {text!r}: expected verdict=repair|reject, query=TEXT or reply=JSON")
        value = redact(clean(value))  # what is recorded is what was used
        if what == "query" and not value.strip():
            raise UsageError("--set query= is empty; give the words to search for")
        if what == "verdict" and value not in ("repair", "reject"):
            raise UsageError(f"--set verdict={value!r}: expected repair or reject")
        return cls(what=what, value=value)


async def fork(
    trace: Trace,
    moment: int,
    edit: Edit,
    out: Path,
    *,
    live_model: bool,
    base_url: str | None = None,
    overwrite: bool = False,
    watch: Watch = lambda _: None,
) -> Trace:
    """A new trace that shares the records before event `moment` and takes the decision there as `edit` says.

    Replies of the parent serve wherever the very same request is made again; past that the servers are asked
    (`live_model`), or the fork stops with a record that says what it needs. Raises UsageError.
    """
    settings, prefix = _edited(trace, moment, edit)
    agent = start(trace.header.question, settings)
    item = follow(agent, prefix)
    known = {call_key(one.call): one.reply for one in trace.calls if not isinstance(one.reply, CallFailed)}
    shared = sum(isinstance(one, EventRecord) for one in prefix)
    origin = ForkOrigin(run_id=trace.header.run_id, moment=shared, edit=f"{edit.what}={edit.value} at event {moment}")
    header = replace(
        trace.header,
        run_id=secrets.token_hex(8),
        created_at=utc_now(),
        settings=settings,
        fork=origin,
        package_version=__version__,
    )
    seq = next_seq(prefix)
    if not live_model:
        await _write(out, header, prefix, live(agent, item, Backends(known=known), seq=seq), overwrite, watch)
        return read_trace(out)
    async with open_backends(settings, trace.header.search_spec, base_url) as (servers, server, search):
        backends = replace(servers, known=known)
        answering = recorded_with(settings.model, server)
        if answering != header.recorded_with:
            answering = f"{header.recorded_with}; after event {shared} {answering}"
        header = replace(header, recorded_with=answering, server=server, search=search)
        await _write(out, header, prefix, live(agent, item, backends, seq=seq), overwrite, watch)
    return read_trace(out)


async def _write(
    out: Path, header: Header, prefix: tuple[Record, ...], records: Any, overwrite: bool, watch: Watch
) -> None:
    with TraceWriter.create(out, header, redact=redact_json, overwrite=overwrite) as writer:
        for one in prefix:
            writer.write(one)
        await carry_on(records, writer, watch, seq=next_seq(prefix))


def _edited(trace: Trace, moment: int, edit: Edit) -> tuple[Settings, tuple[Record, ...]]:
    """The settings of the fork and the records it starts from."""
    if not 1 <= moment <= len(trace.events):
        has = f"events 1 to {len(trace.events)}" if trace.events else "no events"
        raise UsageError(f"--at {moment}: this run has {has}")
    place = [at for at, one in enumerate(trace.records) if isinstance(one, EventRecord)][moment - 1]
    event = trace.events[moment - 1]
    if edit.what == "verdict":
        if not isinstance(event, ConflictConfirmed | ConflictRejected):
            raise UsageError(
                f"event {moment} is {event.kind}; verdict= needs conflict_confirmed or conflict_rejected"
                f"{_nearest(trace.events[:moment])}"
            )
        search = len(fold(trace.events[:moment]).searches)
        if _never_looked_at(trace.events[:moment], search):
            raise UsageError(f"event {moment}: nothing was decided, since another fact was repaired in this search")
        forced = ForcedVerdict(search=search, old=event.old, new=event.new, repair=edit.value == "repair")
        former = (one for one in trace.header.settings.forced if replace(one, repair=forced.repair) != forced)
        settings = replace(trace.header.settings, forced=(*former, forced))
        return settings, trace.records[: _decision_start(trace, place)]
    if edit.what == "query" and not isinstance(event, SearchChosen):
        raise UsageError(f"event {moment} is {event.kind}; query= needs search_chosen")
    at = next((at for at in range(place - 1, -1, -1) if isinstance(trace.records[at], CallRecord)), 0)
    call = trace.records[at]
    if not isinstance(call, CallRecord) or not isinstance(call.call, ModelCall):
        raise UsageError(f"event {moment} ({event.kind}) does not come from a model's reply")
    changed = replace(call, reply=_changed_reply(call, edit), edited=True, seconds=0.0, failed_attempts=())
    return trace.header.settings, (*trace.records[:at], changed)


def _nearest(events: tuple[Event, ...]) -> str:
    """Where the last decision before the end of `events` is, as the end of a sentence."""
    at = [number for number, one in enumerate(events, 1) if isinstance(one, ConflictConfirmed | ConflictRejected)]
    return f"; the last one before it is event {at[-1]}" if at else ""


def _decision_start(trace: Trace, place: int) -> int:
    """Where the calls of the decision at record `place` begin: after the event before them."""
    at = place
    while at > 0 and not _settled(trace.records[at - 1]):
        at -= 1
    return at


def _settled(record: Record) -> bool:
    return isinstance(record, EventRecord) and record.event.kind != "reply_rejected"


def _never_looked_at(events: tuple[Event, ...], search: int) -> bool:
    """Whether a repair of the same search came before, of which there is at most one."""
    chosen = next(at for at, one in enumerate(events) if isinstance(one, SearchChosen) and one.search == search)
    return any(isinstance(one, EvidenceRepaired) for one in events[chosen:])


def _changed_reply(call: CallRecord, edit: Edit) -> ModelReply:
    """The recorded reply with other content."""
    assert isinstance(call.call, ModelCall)
    content = edit.value if edit.what == "reply" else _with_query(edit.value)
    try:
        json.loads(content)
    except RecursionError:
        raise UsageError("--set reply: nested too deeply to be a reply") from None
    except ValueError as error:
        raise UsageError(f"--set reply: not JSON ({error}); see retree schema {name(call.call)}") from None
    raw: dict[str, Any] = {"choices": [{"index": 0, "message": {"role": "assistant"}, "finish_reason": "stop"}]}
    if isinstance(call.reply, ModelReply) and call.reply.raw.get("choices"):
        raw = deepcopy(dict(call.reply.raw))
    raw["choices"][0]["message"]["content"] = content
    return ModelReply(raw=raw)


def _with_query(query: str) -> str:
    return json.dumps(
        {"reason": "query changed by hand", "missing": [], "action": "search", "query": query, "evidence": []},
        ensure_ascii=False,
    )
