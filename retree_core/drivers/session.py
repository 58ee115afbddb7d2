"""Whole runs on disk: start one, resume one."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import unicodedata
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from retree_core import __version__, prompts
from retree_core.agents import strategy_of
from retree_core.calls import CallFailed, ModelCall
from retree_core.drivers.course import start
from retree_core.drivers.live import Backends, Gate, live, open_gate
from retree_core.drivers.taking_up import TakenUp, take_up
from retree_core.errors import ModelNeeded, ReplayMismatch, UsageError
from retree_core.llm.strict_json import clean
from retree_core.memory import DONE
from retree_core.secrets import redact_json
from retree_core.settings import Settings
from retree_core.state import State, fold
from retree_core.trace.lines import takes_lines
from retree_core.trace.packed import read_bytes
from retree_core.trace.reader import Trace, ending_of, parse_trace, read_trace
from retree_core.trace.recorded import context_bound
from retree_core.trace.records import (
    VERSION,
    CallRecord,
    EventRecord,
    Header,
    OtherRecord,
    Record,
    header_json,
    line,
    record_json,
    sealed,
)
from retree_core.trace.writer import TraceWriter, utc_now

Watch = Callable[[Record], None]
"""Told of every record once it is on disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A live run to make."""

    question: str
    settings: Settings
    search_spec: str
    out: Path
    overwrite: bool = False
    recorded_with: str = ""
    """What answers the calls, in words; by default the model and the server that reports it."""
    base_url: str | None = None
    """Model server; by default RETREE_BASE_URL."""


def new_name(question: str) -> str:
    """A file name that no other run has: `20260131-120000-who-designed-the-1f2e3d.jsonl` (UTC)."""
    stamp = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S")
    return f"{stamp}-{_slug(question)}-{secrets.token_hex(3)}.jsonl"


def fork_name(name: str, moment: int) -> str:
    """A file name for a fork: of `run.jsonl` at 12 it is `run-at12-1f2e3d.jsonl`."""
    return f"{name.removesuffix(ending_of(name))}-at{moment}-{secrets.token_hex(3)}.jsonl"


def _slug(question: str) -> str:
    """
    >>> _slug("Who designed the Müller house, and when?")
    'who-designed-the-muller-house'
    """
    plain = unicodedata.normalize("NFKD", question).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    return "-".join(words[:5])[:40].strip("-") or "run"


World = tuple[Backends, Mapping[str, object], Mapping[str, object]]
"""Open backends, and what the model server and the search say of themselves."""


async def start_run(job: Job, *, watch: Watch = lambda _: None, gate: Gate = open_gate) -> Trace:
    """Makes the run and its trace. Raises UsageError, InputError or BackendError before anything is written."""
    _asked(job)
    async with open_backends(job.settings, job.search_spec, job.base_url) as world:
        await write_run(job, world, watch=watch, gate=gate)
    return read_trace(job.out)


async def write_run(job: Job, world: World, *, watch: Watch = lambda _: None, gate: Gate = open_gate) -> None:
    """As `start_run`, on backends that are open already; its trace is left unread."""
    question, (backends, server, search) = _asked(job), world
    header = Header(
        run_id=secrets.token_hex(8),
        created_at=utc_now(),
        question=question,
        settings=job.settings,
        recorded_with=job.recorded_with or recorded_with(job.settings.model, server),
        server=server,
        search=search,
        search_spec=job.search_spec,
        package_version=__version__,
        prompts=prompts.hashes(),
        context_bound=strategy_of(job.settings).bound(job.settings),
    )
    with TraceWriter.create(job.out, header, redact=redact_json, overwrite=job.overwrite) as writer:
        course = start(question, job.settings)
        await carry_on(live(course, backends, seq=1, gate=gate), writer, watch)


def _asked(job: Job) -> str:
    """The question as it is recorded, which is as it is used."""
    if not job.question.strip():
        raise UsageError('the question is empty; give one, such as retree run "Who designed the Clifton bridge?"')
    return str(redact_json(clean(job.question)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Halfway:
    """A run that was stopped, and its agent as far as the record leads it."""

    path: Path
    data: bytes
    trace: Trace
    rewound: tuple[Record, ...]
    taken: TakenUp
    changed: bool
    """The header in `trace`, or its format, is not that of the file."""


async def resume_run(
    path: Path,
    *,
    base_url: str | None = None,
    model: str | None = None,
    search_spec: str | None = None,
    watch: Watch = lambda _: None,
    gate: Gate = open_gate,
) -> Trace:
    """Finishes the run recorded at `path` with the settings of its header; another `model` takes over from here.

    `search_spec` is how its search is to be opened, if not as the header spells it (a password is not in there).
    A run that a failed call ended is taken up again before that call; its old ending stays in the file as a
    `rewound` record. It goes on with the prompts of its record. Raises UsageError where the run is complete, or its
    corpus is not that of now.
    """
    half = _halfway(path, model)
    header = half.trace.header
    settings = replace(header.settings, model=header.settings.last_model)
    async with open_backends(settings, search_spec or header.search_spec, base_url) as world:
        return await _finish(half, world, watch, gate)


async def finish_run(path: Path, world: World, *, watch: Watch = lambda _: None) -> Trace:
    """As `resume_run`, on backends that are open already."""
    return await _finish(_halfway(path), world, watch, open_gate)


def model_of_next(settings: Settings, records: tuple[Record, ...]) -> str:
    """The model that the next call after some records goes to."""
    return settings.model_of_call(model_calls(records))


def model_calls(records: tuple[Record, ...]) -> int:
    """How many of the records are calls of a model."""
    return sum(isinstance(one, CallRecord) and isinstance(one.call, ModelCall) for one in records)


def answering_now(header: Header, environ: Mapping[str, str] = os.environ) -> str:
    """The model for the rest of a run: RETREE_MODEL, else its own; the default where no server answered it."""
    return environ.get("RETREE_MODEL") or (header.settings.last_model if header.server else Settings().model)


def _halfway(path: Path, model: str | None = None) -> _Halfway:
    data = read_bytes(path)
    trace = resumable(path, data)
    kept, rewound = _kept(trace)
    before = trace.header
    if model:
        settings = trace.header.settings.handed_over(model_calls(kept), model)
        trace = replace(trace, header=replace(trace.header, settings=settings))
    try:
        taken = take_up(trace, kept)
    except ReplayMismatch as error:
        raise UsageError(f"{path}: cannot be resumed, the record does not replay ({error})") from None
    header = in_this_format(trace.header, taken)
    return _Halfway(
        path=path,
        data=data,
        trace=replace(trace, header=header),
        rewound=(*taken.left, *rewound),
        taken=taken,
        changed=before != header,
    )


def in_this_format(header: Header, taken: TakenUp) -> Header:
    """The header of a record that goes on from the records kept."""
    last = taken.kept[-1].seq if taken.kept else 0
    begun = (*header.boundaries, *(() if taken.boundary is None else (taken.boundary,)))
    return replace(
        header,
        version=VERSION,
        migrated=min(header.old_until, last),
        boundaries=tuple(dict.fromkeys(one for one in begun if one <= last)),
        context_bound=context_bound(header),
    )


async def _finish(half: _Halfway, world: World, watch: Watch, gate: Gate) -> Trace:
    header, (backends, server, search) = half.trace.header, world
    if search.get("content_hash") != header.search.get("content_hash"):
        raise UsageError(
            f"{half.path}: the corpus has changed since this run began; a resumed run would mix two corpora"
        )
    kept = half.taken.kept
    with TraceWriter.append(half.path, redact=redact_json, read=half.data) as writer:
        if half.rewound or half.changed:
            writer.replace_all(_rewritten(header, kept, half.rewound))
        seq = next_seq(kept) + bool(half.rewound)
        answering = recorded_with(header.settings.last_model, server)
        if answering != header.recorded_with:
            writer.write(_taken_up(seq, answering, server))
            seq += 1
        known = replace(backends, known={**half.taken.known, **backends.known})
        records = live(half.taken.course, known, seq=seq, gate=gate, state=reached(kept))
        await carry_on(records, writer, watch, seq=seq)
    return read_trace(half.path)


async def carry_on(
    batches: AsyncGenerator[Sequence[Record], None], writer: TraceWriter, watch: Watch, *, seq: int = 1
) -> None:
    """Writes records as they come, from number `seq` on.

    A run that is interrupted, or needs a model, says so in its last record.
    """
    try:
        async with aclosing(batches):
            async for records in batches:
                writer.write(*records)
                for record in records:
                    seq = record.seq + 1
                    watch(record)
    except (asyncio.CancelledError, KeyboardInterrupt):
        writer.write(stopped(seq, "interrupted"))
        raise
    except ModelNeeded as error:
        record = stopped(seq, str(error))
        writer.write(record)
        watch(record)


def stopped(seq: int, reason: str) -> OtherRecord:
    """The record that says why nothing follows, though the run has not ended."""
    return OtherRecord(seq=seq, raw={"record": "stopped", "seq": seq, "at": utc_now(), "reason": reason})


def _taken_up(seq: int, answering: str, server: Mapping[str, object]) -> OtherRecord:
    """The record that says who answers from here on, where that is not who the header names."""
    raw = {"record": "resumed", "seq": seq, "at": utc_now(), "recorded_with": answering, "server": server}
    return OtherRecord(seq=seq, raw=raw)


def resumable(path: Path, data: bytes | None = None) -> Trace:
    """The trace at `path` (its bytes, where they were read). Raises InputError, or UsageError where it cannot go on.

    A run goes on in JSON Lines alone: a record put at the end of a document would ruin it.
    """
    data = read_bytes(path) if data is None else data
    trace = parse_trace(data, path.name)
    trace.require_agent()
    if not takes_lines(data):
        raise UsageError(f"{path}: cannot be resumed, since it is not JSON Lines (.jsonl)")
    _kept(trace)
    return trace


def _kept(trace: Trace) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
    """The records to go on from, and those of a failed ending to put aside."""
    if trace.corrupt:
        raise UsageError(f"{trace.name}: {trace.corrupt[0]}; cannot be resumed")
    records = tuple(trace.records)
    if not any(one.kind == "run_ended" for one in trace.events):
        return records, ()
    failed = [
        place for place, one in enumerate(records) if isinstance(one, CallRecord) and isinstance(one.reply, CallFailed)
    ]
    status = trace.events[-1].status if trace.events[-1].kind == "run_ended" else ""
    if status in DONE or not failed:
        raise UsageError(f"{trace.name}: this run has ended ({status}); there is nothing to resume")
    first = failed[-1]
    while first - 1 in failed:  # made side by side
        first -= 1
    return records[:first], records[first:]


def _rewritten(header: Header, kept: tuple[Record, ...], rewound: tuple[Record, ...]) -> bytes:
    seq = next_seq(kept)
    note = {"record": "rewound", "seq": seq, "at": utc_now(), "records": [record_json(one) for one in rewound]}
    whole = [header_json(header), *(record_json(one) for one in kept), *([note] if rewound else [])]
    return b"".join(line(one) for one in sealed(whole))


def next_seq(records: tuple[Record, ...]) -> int:
    return records[-1].seq + 1 if records else 1


def reached(records: tuple[Record, ...]) -> State:
    """The memory after the events among `records`."""
    return fold(one.event for one in records if isinstance(one, EventRecord))


def recorded_with(model: str, server: Mapping[str, object]) -> str:
    """What answers the calls of a live run, in words."""
    kind = server.get("server")
    return f"{model} on {kind}" if kind else model


@asynccontextmanager
async def open_backends(settings: Settings, search_spec: str, base_url: str | None) -> AsyncIterator[World]:
    """Open model client and search backend, with what they say of themselves. Raises before a call is spent."""

    from retree_core.llm.client import from_environment
    from retree_core.search.backend import open_search

    search = open_search(search_spec)
    try:
        model = from_environment(base_url=base_url)
        try:
            info = await model.preflight(settings.model)
            yield Backends(model=model, search=search), asdict(info), search.describe()
        finally:
            await model.close()
    finally:
        await search.close()
