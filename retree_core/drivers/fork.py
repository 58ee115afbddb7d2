"""Fork: a recorded prefix, one decision changed, and then whatever follows from it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from retree_core import __version__
from retree_core.drivers.edited import Start, starting
from retree_core.drivers.edits import Edit
from retree_core.drivers.live import Backends, Gate, live, open_gate
from retree_core.drivers.session import (
    Watch,
    carry_on,
    in_this_format,
    model_calls,
    model_of_next,
    next_seq,
    open_backends,
    reached,
    recorded_with,
)
from retree_core.drivers.taking_up import TakenUp, known_answers, take_up
from retree_core.errors import ReplayMismatch, UsageError
from retree_core.events import Event
from retree_core.protocol import Together
from retree_core.secrets import redact, redact_json
from retree_core.trace.reader import Trace, read_trace
from retree_core.trace.records import EventRecord, ForkOrigin, Header, Record
from retree_core.trace.writer import TraceWriter, utc_now

MOST_EVENTS = 5_000
"""A fork that the record alone leads further, and twice as far as its parent, never ends: its settings are odd."""


async def fork(
    trace: Trace,
    moment: int | None,
    edits: Sequence[Edit],
    out: Path,
    *,
    live_model: bool,
    base_url: str | None = None,
    model: str | None = None,
    search_spec: str | None = None,
    overwrite: bool = False,
    watch: Watch = lambda _: None,
    gate: Gate = open_gate,
) -> Trace:
    """A new trace that shares the records before event `moment` and goes on as `edits` say.

    Without a moment it is the event that brought the edited fact or passage. Replies of the parent serve wherever
    the very same request is made again; past that the servers are asked (`live_model`), or the fork stops with a
    record that says what it needs. From there another `model` may take over, and `search_spec` names where to search
    if not where the parent did. Raises UsageError.
    """
    begin = starting(trace, moment, tuple(edits))
    if live_model and model:
        made = model_calls(begin.records)
        begin = replace(begin, settings=begin.settings.handed_over(made, model))
    taken = _begun(trace, begin)
    header = in_this_format(_header(trace, begin, taken.events, tuple(edits)), taken)
    header = replace(header, search_spec=search_spec or trace.header.search_spec)
    known = {**known_answers(trace), **taken.known}
    seq = next_seq(taken.kept)
    if not live_model:
        preview(trace, moment, edits)  # one that comes to no end is not begun
        records = live(taken.course, Backends(known=known), seq=seq)
        await _write(out, header, taken.kept, records, overwrite, watch)
        return read_trace(out)
    answerer = model_of_next(begin.settings, taken.kept)
    asked = replace(begin.settings, model=answerer)
    async with open_backends(asked, header.search_spec, base_url) as (servers, server, search):
        backends = replace(servers, known=known)
        answering = recorded_with(answerer, server)
        if answering != header.recorded_with:
            answering = f"{header.recorded_with}; after event {taken.events} {answering}"
        header = replace(header, recorded_with=answering, server=server, search=search)
        records = live(taken.course, backends, seq=seq, gate=gate, state=reached(taken.kept))
        await _write(out, header, taken.kept, records, overwrite, watch)
    return read_trace(out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a fork would be, as far as the record answers."""

    start: Start
    events: tuple[Event, ...]
    """Those after the change, in place of the parent's."""
    served: int
    """Calls after the change that the record answers."""
    needs: str
    """The call that nobody in the record answers: a model role or `search`; empty where the fork comes to its end."""


def preview(trace: Trace, moment: int | None, edits: Sequence[Edit]) -> Preview:
    """The offline fork, made in memory; nothing is written. Raises UsageError."""
    begin = starting(trace, moment, tuple(edits))
    taken = _begun(trace, begin)
    course, backends = taken.course, Backends(known={**known_answers(trace), **taken.known})
    events: list[Event] = []
    served, most, seq = 0, max(MOST_EVENTS, 2 * len(trace.events)), next_seq(taken.kept)
    while course.item is not None:
        if len(events) > most:
            raise UsageError(f"{trace.name}: the record leads this fork in circles, past {most:,} events")
        made = course.record(seq, "")
        if made is not None:
            events += [made.event] if isinstance(made, EventRecord) else []
        elif isinstance(course.item, Together):
            course.go_on()
            continue
        else:
            known = backends.recorded(course.requests()[0])
            if known is None:
                break
            served += 1
            course.give(seq, known.answered.reply, known.reading or course.read(known.answered.reply))
        seq += 1
    return Preview(start=begin, events=tuple(events), served=served, needs=course.name)


def _begun(trace: Trace, begin: Start) -> TakenUp:
    """The agent after the shared records. Raises UsageError where it does not follow them."""
    trace.require_agent()
    try:
        return take_up(trace, begin.prefix, begin.settings, edited=begin.edited)
    except ReplayMismatch as error:
        cause = str(error)
    raise UsageError(
        f"{trace.name}: cannot be forked at event {begin.moment}, since the engine does not come to it again "
        f"({redact(cause)[:200]}){_why_not(trace)}"
    )


def _why_not(trace: Trace) -> str:
    """What a person should know of a record that does not replay, as the end of a sentence."""
    if not trace.calls:
        return "; the record holds no calls"
    return f"; line {trace.damage[0].line} is damaged" if trace.damage else ""


def _header(trace: Trace, begin: Start, shared: int, edits: tuple[Edit, ...]) -> Header:
    words = f"{', '.join(map(str, edits))} at event {begin.moment}"
    return replace(
        trace.header,
        run_id=secrets.token_hex(8),
        created_at=utc_now(),
        settings=begin.settings,
        fork=ForkOrigin(run_id=trace.header.run_id, moment=shared, edit=words),
        package_version=__version__,
    )


async def _write(
    out: Path, header: Header, prefix: tuple[Record, ...], records: Any, overwrite: bool, watch: Watch
) -> None:
    with TraceWriter.create(out, header, redact=redact_json, overwrite=overwrite) as writer:
        writer.write(*prefix)
        await carry_on(records, writer, watch, seq=next_seq(prefix))
