"""Is a trace what it says it is: digests, replay, rules, refold and invariants, as data.

Replay is the strong check: the engine, re-run on the recorded replies and answers of rules, must yield the recorded
events. Rules whose code is the one that answered are done again, and so are readings of replies. Digests find what
replay cannot see, such as a changed time. Nothing here can reach a network.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from retree_core import prompts
from retree_core.calls import ModelCall
from retree_core.drivers.course import Course, maker
from retree_core.drivers.first_format import shown
from retree_core.drivers.replay import difference, differing, replay_stretch, stretches
from retree_core.errors import InputError, ReplayMismatch
from retree_core.events import RunEnded, StepTaken
from retree_core.invariants import broken
from retree_core.notes import ENDING as NOTES_ENDING
from retree_core.protocol import RuleCall
from retree_core.reading import Reading
from retree_core.rules import answered, rule_hash
from retree_core.search.corpus_files import passages
from retree_core.secrets import redact
from retree_core.state import State, apply, citations, fold
from retree_core.state_digests import StateDigests
from retree_core.trace.answered import answered_by
from retree_core.trace.lines import raw_records
from retree_core.trace.packed import GZIP, read_bytes
from retree_core.trace.reader import ENDINGS, Trace, parse_trace
from retree_core.trace.records import (
    BoundaryRecord,
    CallRecord,
    EventRecord,
    MakerRecord,
    OtherRecord,
    Record,
    RuleRecord,
    digest,
    is_sealed,
)

_HEAD = 65536

Check = Literal["damage", "digest", "replay", "rule", "reading", "refold", "invariant"]
Standing = Literal["ok", "unfinished", "imported", "failed", "skipped", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as it should be."""

    check: Check
    text: str
    event: int | None = None
    """The event it is at, or that comes next."""
    role: str = ""
    """Role of the call whose reply is behind it, or the changed event's kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What verification says about one file; `failed` has findings, `unfinished` is fine.

    `imported`: another program made the record, so there is nothing that could be replayed. `skipped`: a corpus.
    """

    path: Path
    status: Standing
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    events: int = 0
    calls: int = 0
    searches: int = 0
    repairs: int = 0
    agent: str = ""
    ended: str = ""
    """The run's own status; empty while it has none."""
    recorded_with: str = ""


def traces_in(path: Path) -> tuple[Path, ...]:
    """The file itself, or the traces in a folder and below, by name. Raises InputError where there are none."""
    if not os.path.isdir(path):
        return (path,)
    files = sorted(one for one in path.rglob("*") if _has_name(one.name.lower()) and _may_be_file(one))
    found = tuple(one for one in files if _may_be_trace(one))
    if not found:
        raise InputError(f"{path}: no traces in this folder; expected files ending in {', '.join(ENDINGS)}")
    return found


def _has_name(name: str) -> bool:
    return name.endswith(ENDINGS) and not name.endswith(NOTES_ENDING)


def _may_be_file(path: Path) -> bool:
    """False for folders, pipes and devices; what cannot be told is taken, and then reported as unreadable."""
    try:
        return path.is_file()
    except OSError:
        return True


def _may_be_trace(path: Path) -> bool:
    """False for other JSON beside traces, such as a corpus; a file that cannot be told is taken."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return True
    return not head.strip() or head.startswith(GZIP) or b'"record"' in head or b'"retree-trace"' in head


def verify(path: Path, *, rules: bool = False) -> Report:
    """All checks of the trace at `path`; never raises for what a file holds.

    With `rules`, what the installed rules would answer otherwise than those that answered is noted, too.
    """
    try:
        data = read_bytes(path)
        trace = parse_trace(data, path.name)
        if trace.imported:
            return _unchecked(path, trace)
    except InputError as error:
        if _is_corpus(path):
            return Report(path=path, status="skipped", notes=("a corpus of passages, no trace",))
        return Report(path=path, status="unreadable", notes=(str(error),))
    state = fold(trace.events)
    again = _Again(trace, rules=rules)
    findings = (
        *again.findings(),
        *_digests(trace, (one for _, one, _ in raw_records(data, path.name) if isinstance(one, dict))),
        *_damaged(trace),
        *_refolded(trace),
        *(Finding(check="refold", text=text) for text in state.problems),
        *(Finding(check="invariant", text=one.text, event=one.moment or None) for one in broken(trace)),
    )
    return Report(
        path=path,
        status="failed" if findings else "ok" if state.ended else "unfinished",
        findings=findings,
        notes=(*_notes(trace, state), *again.notes),
        events=len(trace.events),
        calls=len(trace.calls),
        searches=len(state.searches),
        repairs=sum(one.kind == "evidence_repaired" for one in trace.events),
        agent=trace.header.settings.agent,
        ended=state.ended.status if state.ended else "",
        recorded_with=answered_by(trace),
    )


def _is_corpus(path: Path) -> bool:
    """Whether a file that is no trace holds passages to search, such as lie beside the samples."""
    try:
        return next(passages((path,)), None) is not None
    except InputError:
        return False


def _unchecked(path: Path, trace: Trace) -> Report:
    """The report on another program's record: only what could not be read is a finding."""
    steps = tuple(one for one in trace.events if isinstance(one, StepTaken))
    lost = [] if fold(trace.events).steps == steps else [Finding(check="refold", text="not every step is in the state")]
    return Report(
        path=path,
        status="failed" if trace.corrupt or lost else "imported",
        findings=(*_damaged(trace), *lost),
        notes=("imported, nothing to replay", *trace.notices),
        events=len(trace.events),
        calls=len(trace.calls),
        agent=trace.header.settings.agent,
        ended=trace.events[-1].status if isinstance(trace.events[-1], RunEnded) else "",
        recorded_with=answered_by(trace),
    )


class _Again:
    """The record done again: replayed, and along the way each reading and each answer of a rule."""

    def __init__(self, trace: Trace, *, rules: bool) -> None:
        self._trace = trace
        self._all_rules = rules
        self._found: list[Finding] = []
        self.notes: list[str] = []
        """What is no finding: other rules than those installed, and what they would answer."""
        self._other: Counter[str] = Counter()
        self._begun = stretches(trace)
        self._same_prompts = trace.header.prompts == prompts.hashes()

    def findings(self) -> tuple[Finding, ...]:
        """Everything that is not as recorded."""
        for first, last in zip(self._begun, (*self._begun[1:], len(self._trace.records)), strict=True):
            try:
                replay_stretch(self._trace, first, last, self._watch)
            except ReplayMismatch as error:
                self._depart(error)
            except Exception as error:  # noqa: BLE001  (a record of any content reaches the engine here)
                text = f"the engine cannot follow the record ({type(error).__name__}: {error})"
                if not self._other_engine(len(self._trace.records), text):
                    self._found.append(Finding(check="replay", text=text))
        if self._other and not self._all_rules:
            told = ", ".join(f"{name} ({number})" for name, number in sorted(self._other.items()))
            self.notes.append(f"answered by other rules than the installed ones, and not done again: {told}")
        return tuple(sorted(self._found, key=lambda one: one.check != "replay"))

    def _depart(self, error: ReplayMismatch) -> None:
        if self._other_engine(error.record, str(error)):
            return
        role = _role_behind(self._trace, error.record)
        told = error.record >= len(self._trace.records) or isinstance(self._trace.records[error.record], CallRecord)
        behind = f"; it follows the {role} reply" if role and not told else ""
        event = _event_at(self._trace, error.record)
        self._found.append(Finding(check="replay", text=f"{error}{behind}", event=event, role=role))

    def _other_engine(self, place: int, why: str) -> bool:
        """Whether another engine made the record at a place; this is noted. In format 1, which names none, it shows in
        that the run was taken up from its state later on."""
        made = [one.engine for one in self._trace.records[: place + 1] if isinstance(one, MakerRecord)]
        other = made[-1] != maker(0).engine if made else self._begun[-1] > place
        if other:
            self.notes.append(f"made by another version of the engine, which this one does not follow: {why}")
        return other

    def _watch(self, course: Course, place: int, told: Reading | RuleRecord | None) -> None:
        record = self._trace.records[place] if place < len(self._trace.records) else None
        if isinstance(told, RuleRecord):
            self._rule(course, place, told)
        elif isinstance(record, CallRecord) and record.seq <= self._trace.header.old_until:
            self._request(course, record)
        elif isinstance(told, Reading) and course.maker is not None and course.maker.reader == maker(0).reader:
            assert isinstance(record, CallRecord)
            if course.read(record.reply) != told:
                text = f"the {record.role} reply in record {record.seq} is read otherwise than was recorded"
                event = _event_at(self._trace, place)
                self._found.append(Finding(check="reading", text=text, event=event, role=record.role))

    def _request(self, course: Course, record: CallRecord) -> None:
        """Of format 1, which does not say what made a request: whether it is what this version would send."""
        now = course.requests()[0]
        if not isinstance(record.call, ModelCall) or not isinstance(now, ModelCall) or not self._same_prompts:
            return
        if any(record.call.body.get(name) != now.body[name] for name in ("messages", "model")):
            self.notes.append(f"the {record.role} request in record {record.seq} is not what this version sends")

    def _rule(self, course: Course, place: int, record: RuleRecord) -> None:
        item = course.item
        assert isinstance(item, RuleCall)
        installed = rule_hash(record.rule) == record.hash
        if not installed and record.seq:
            self._other[record.rule] += 1
        if not (installed or self._all_rules):
            return
        try:
            now, then = answered(item), record.reply
            if not record.seq:
                now, then = shown(item, now), shown(item, then)
            changed = "" if now == then else difference(then, now)
        except Exception as error:  # noqa: BLE001  (a rule meets a record of any content here)
            changed = f"it fails ({type(error).__name__})"
        if changed:
            event = _event_at(self._trace, place)
            at = f"in record {record.seq}, " if record.seq else ""
            text = f"rule {record.rule} {at}before event {event}: {changed}"
            if installed:
                self._found.append(Finding(check="rule", text=text, event=event, role=record.rule))
            else:
                self.notes.append(f"the installed {text}")


def _refolded(trace: Trace) -> Iterator[Finding]:
    """Boundaries whose digests are not those of the state that the events fold to."""
    digests, state, moment, engine = StateDigests(), State(), 0, ""
    for record in trace.records:
        if isinstance(record, MakerRecord):
            engine = record.engine
        elif isinstance(record, EventRecord):
            state, moment = apply(state, record.event), moment + 1
        elif isinstance(record, BoundaryRecord):
            strict = engine == maker(0).engine
            if changed := differing(digests.of(state), record.state, strict=strict):
                text = f"record {record.seq}: {', '.join(changed)} does not fold to what it was"
                yield Finding(check="refold", text=text, event=moment or None)
    torn = any(one.torn for one in trace.damage)
    if engine and state.ended and not torn and not isinstance(_last(trace), BoundaryRecord):
        yield Finding(check="refold", text="the record of the state at the end is missing")


def _last(trace: Trace) -> Record | None:
    return next((one for one in reversed(trace.records) if not isinstance(one, OtherRecord)), None)


def _is_event(trace: Trace, place: int) -> bool:
    return place < len(trace.records) and isinstance(trace.records[place], EventRecord)


def _role_behind(trace: Trace, place: int) -> str:
    """Role of the call at a record, or of the one that led to it, or of the last one before it."""
    if _is_event(trace, place) and (led := trace.leads.calls.get(_event_at(trace, place))):
        return trace.calls[led[-1]].role
    for record in reversed(trace.records[: place + 1]):
        if isinstance(record, CallRecord):
            return record.role
    return ""


def _event_at(trace: Trace, place: int) -> int:
    """The event at a record, or the next one."""
    before = sum(isinstance(one, EventRecord) for one in trace.records[:place])
    return min(before + 1, max(1, len(trace.events)))


def _digests(trace: Trace, raws: Iterable[dict[str, Any]]) -> Iterator[Finding]:
    """Records changed, moved, put in or taken out after they were written; a trace whose records have no digests was
    written without."""
    has_digests, changed = False, []
    before = None if trace.header.version == 1 else ""
    for raw in raws:
        has_digests = has_digests or "digest" in raw
        if not is_sealed(raw, before):
            chained = ", or what stood before it was" if before else ""
            how = f"was changed after it was written{chained}" if "digest" in raw else "has lost its digest"
            changed.append((raw.get("record"), raw.get("seq"), how))
        before = None if before is None else str(raw.get("digest") or digest(raw, before))
    if has_digests:
        yield from (_changed(trace, *one) for one in changed)


def _changed(trace: Trace, record_kind: Any, seq: Any, how: str) -> Finding:
    if record_kind == "header":
        return Finding(check="digest", text=f"the header {how}")
    place = next((at for at, one in enumerate(trace.records) if one.seq == seq), None)
    if place is None:
        return Finding(check="digest", text=f"record {redact(str(seq))[:20]} {how}")
    record, event = trace.records[place], _event_at(trace, place)
    if isinstance(record, EventRecord):
        kind = record.event.kind
        return Finding(check="digest", text=f"event {event} ({kind}) {how}", event=event, role=kind)
    if isinstance(record, CallRecord):
        role = record.role
        return Finding(check="digest", text=f"the {role} call before event {event} {how}", event=event, role=role)
    return Finding(check="digest", text=f"record {record.seq} {how}", event=event)


def _damaged(trace: Trace) -> Iterator[Finding]:
    return (Finding(check="damage", text=f"line {one.line}: {one.reason}") for one in trace.corrupt)


def _notes(trace: Trace, state: State) -> Iterator[str]:
    yield from trace.notices
    now = prompts.hashes()
    other = [name for name, sha in trace.header.prompts.items() if now.get(name) != sha]
    if other:
        yield f"recorded with other prompts than this version's: {', '.join(other)}"
    if trace.header.boundaries:
        yield f"taken up by another version from the state after record {', '.join(map(str, trace.header.boundaries))}"
    for one in trace.damage:
        if one not in trace.corrupt:
            yield f"line {one.line} was cut off when the run was killed"
        if one.unread:
            yield f"line {one.line}: {one.reason}"
    for record in trace.records:
        if isinstance(record, OtherRecord):
            raw = record.raw
            by = f"with {raw['recorded_with']}" if raw.get("recorded_with") else raw.get("reason", "")
            yield f"record {record.seq}: {raw.get('record')} {by}".rstrip()
    if trace.header.fork:
        yield f"fork: {trace.header.fork.edit}"
    for number, claim in enumerate(state.answer.claims if state.answer else (), 1):
        for cited in citations(state, claim):
            if cited.standing in ("stale", "missing"):
                yield f"claim {number} cites {cited.id}, which is {cited.standing}"
