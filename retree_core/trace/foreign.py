"""Records that other programs made, brought in as a chain of steps: spans, or a list of chat messages.

Spans come as OTLP/JSON (`resourceSpans`) or as a list of objects (Phoenix, OpenInference, the OpenTelemetry console
exporter), each as one document or as JSON Lines. Nothing is read into them: a step is what the record calls a span
or a message, and a tree of evidence, which they do not have, is not made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from retree_core.calls import Call, Reply
from retree_core.events import Answered, Event, RunEnded, RunStarted, StepTaken
from retree_core.secrets import redact
from retree_core.settings import Settings
from retree_core.trace.chat import is_message, request_before, said
from retree_core.trace.reader import MOST_DAMAGED, Damage, Trace
from retree_core.trace.records import CallRecord, EventRecord, Header, Record
from retree_core.trace.spans import Span, call_of, is_otlp, is_span, otlp_spans, read_span, text_of

MOST_STEPS = 5_000
"""Steps that are brought in of one file."""
_LISTS = ("spans", "data", "messages")
"""Keys under which one document holds its list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One step with the call that it was, if it was one."""

    name: str
    text: str
    call: Call | None = None
    reply: Reply | None = None
    seconds: float = 0.0
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a file holds."""

    kind: str
    question: str
    steps: tuple[_Step, ...]
    answer: str
    model: str
    created_at: str = ""
    damage: tuple[Damage, ...] = ()
    notices: tuple[str, ...] = ()


_Item = tuple[int, Any, str]
"""A line, or a place in the one list of a document; the value there; why there is none."""


def imported(values: Iterable[_Item], name: str, run_id: str) -> Trace | None:
    """The trace of another program's record, or None where the JSON `values` are no such thing."""
    items: list[_Item] = []
    odd = 0
    for item in _items(values):
        items.append(item)
        odd += not (_holds_span(item[1]) or is_message(item[1]))
        if odd > MOST_DAMAGED:
            return None
    found = _spans(items) if any(_holds_span(one) for _, one, _ in items) else _chat(items)
    return _trace(found, name, run_id) if found else None


def _items(values: Iterable[_Item]) -> Iterator[_Item]:
    """The spans or messages in a file, taken out of the lists that hold them."""
    for line, value, reason in values:
        inner = _inner(value)
        if inner is None:
            yield line, value, reason
        else:
            yield from ((place, one, "") for place, one in enumerate(inner, 1))


def _inner(value: Any) -> list[Any] | None:
    if not isinstance(value, dict) or is_span(value):
        return value if isinstance(value, list) else None
    return next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)


def _holds_span(value: Any) -> bool:
    return is_span(value) or is_otlp(value)


def _spans(items: list[_Item]) -> _Found | None:
    spans: list[Span] = []
    damage: list[Damage] = []
    for line, raw, reason in items:
        for one in otlp_spans(raw) if is_otlp(raw) else [raw]:
            try:
                spans.append(read_span(one))
            except ValueError as error:
                damage.append(Damage(line=line, reason=reason or redact(str(error))[:160]))
    if not spans:
        return None
    ordered = _in_order(spans)
    top = _top(ordered)
    steps = tuple(_step(one) for one in ordered if one is not top)
    return _Found(
        kind="OpenTelemetry spans",
        question=_question(top, ordered),
        steps=steps,
        answer=top.output if top else "",
        model=next((one.model for one in ordered if one.model), ""),
        created_at=ordered[0].at,
        damage=tuple(damage),
        notices=tuple(_doubts(spans)),
    )


def _top(spans: list[Span]) -> Span | None:
    """The span that holds the others: the first without a parent in the file; None where it holds none."""
    known = {one.id for one in spans}
    top = next((one for one in spans if one.parent not in known), None)
    return top if top and any(one.parent == top.id for one in spans) else None


def _in_order(spans: list[Span]) -> list[Span]:
    """Trace by trace; in each by start, those without a time where they stood."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    keys = []
    for place, one in enumerate(spans):
        first.setdefault(one.trace, place)
        start = last.get(one.trace, 0) if one.start is None else one.start
        last[one.trace] = start
        keys.append((first[one.trace], start, place))
    return [spans[place] for _, _, place in sorted(keys)]


def _question(top: Span | None, spans: list[Span]) -> str:
    """What the root was asked, else the first thing that a user said."""
    if top and top.input:
        return top.input
    asked = (said(one) for span in spans for one in span.messages if one["role"] == "user")
    return next(filter(None, asked), "") or next((one.input for one in spans if one.input), "") or "(not in the record)"


def _doubts(spans: list[Span]) -> Iterator[str]:
    known = {one.id for one in spans}
    traces = len({one.trace for one in spans})
    if traces > 1:
        yield f"the file holds {traces} traces; they are shown one after another"
    orphans = sum(bool(one.parent) and one.parent not in known for one in spans)
    if orphans:
        yield f"{orphans} of {len(spans)} spans name a parent that is not in the file"
    if len(known) < len(spans):
        yield f"{len(spans) - len(known)} spans have the id of another one"
    timeless = sum(one.start is None for one in spans)
    if timeless:
        yield f"{timeless} of {len(spans)} spans have no start time; they are shown where they stand in the file"
    rings = _in_rings(spans)
    if rings:
        yield f"{rings} spans are their own ancestors"


def _in_rings(spans: list[Span]) -> int:
    """How many spans have a line of parents that never ends."""
    parents = {one.id: one.parent for one in spans}
    ends: dict[str, bool] = {"": True}
    for start in parents:
        trail: dict[str, None] = {}
        step = start
        while step in parents and step not in ends and step not in trail:
            trail[step] = None
            step = parents[step]
        ends.update(dict.fromkeys(trail, ends.get(step, step not in trail)))
    return sum(not ends.get(one, True) for one in parents)


def _step(span: Span) -> _Step:
    call, reply = call_of(span)
    name = span.name if span.kind in ("", span.name) else f"{span.kind.lower()} · {span.name}"
    return _Step(name=name, text=text_of(span), call=call, reply=reply, seconds=span.seconds, at=span.ended_at)


def _chat(items: list[_Item]) -> _Found | None:
    talk = [one for _, one, _ in items if is_message(one)]
    if not talk:
        return None
    asked = next((place for place, one in enumerate(talk) if one["role"] == "user"), None)
    steps = tuple(_chat_step(talk, place) for place in range(len(talk)) if place != asked)
    last = talk[-1]
    return _Found(
        kind="chat messages",
        question=said(talk[asked]) if asked is not None else "(not in the record)",
        steps=steps,
        answer=said(last) if last["role"] == "assistant" and not last.get("tool_calls") else "",
        model="",
        damage=tuple(
            Damage(line=line, reason=reason or "not a chat message: expected an object with a role and content")
            for line, one, reason in items
            if not is_message(one)
        ),
    )


def _chat_step(talk: list[dict[str, Any]], place: int) -> _Step:
    one = talk[place]
    name = " ".join(filter(None, [str(one["role"]), one["name"] if isinstance(one.get("name"), str) else ""]))
    if one["role"] != "assistant":
        return _Step(name=name, text=said(one))
    call, reply = request_before(talk, place)
    return _Step(name=name, text=said(one), call=call, reply=reply)


def _trace(found: _Found, name: str, run_id: str) -> Trace:
    records: list[Record] = []

    def add(event: Event, at: str = "", because: tuple[int, ...] = ()) -> None:
        records.append(EventRecord(seq=len(records) + 1, event=event, at=at, because=because))

    add(RunStarted(question=found.question, agent="imported"), found.created_at)
    for number, one in enumerate(found.steps[:MOST_STEPS], 1):
        because: tuple[int, ...] = ()
        if one.call and one.reply:
            made = CallRecord(seq=len(records) + 1, call=one.call, reply=one.reply, seconds=one.seconds, at=one.at)
            records.append(made)
            because = (made.seq,)
        add(StepTaken(number=number, name=one.name, text=one.text), one.at, because)
    if found.answer:
        add(Answered(text=found.answer, claims=(), shown=()))
    add(RunEnded(status="answered" if found.answer else "no_answer", detail="The imported record ends here."))
    header = Header(
        run_id=run_id,
        created_at=found.created_at,
        question=found.question,
        settings=Settings(agent="imported", model=found.model or "(not said)"),
        recorded_with=f"imported from {found.kind}" + (f", {found.model}" if found.model else ""),
    )
    return Trace(
        name=name,
        header=header,
        records=tuple(records),
        damage=found.damage,
        notices=(*found.notices, *_left_out(found)),
    )


def _left_out(found: _Found) -> tuple[str, ...]:
    over = len(found.steps) - MOST_STEPS
    return (f"only the first {MOST_STEPS:,} steps are shown, {over:,} are left out",) if over > 0 else ()
