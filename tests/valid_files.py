"""Valid files of every kind that the reader takes: sample runs, runs of the four agents, a fork, records of others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from worlds import (
    DRESK,
    KORN,
    LIND,
    QUESTION,
    SETTINGS,
    SORREL,
    START,
    TARN,
    VELMORA,
    answer,
    asking,
    clashing,
    finding,
    repaired_run,
    run_scripted,
    write_trace,
)

from retree_core.drivers.edits import Edit
from retree_core.drivers.fork import fork
from retree_core.notes import Notes
from retree_core.trace import Trace
from retree_viz.export import Exported, export
from retree_viz.run import Run
from retree_viz.runs import samples_folder
from retree_viz.tree.index import TreeIndex

_SPAN = {
    "name": "ChatCompletion",
    "context": {"trace_id": "t1", "span_id": "c"},
    "parent_id": "a",
    "start_time": "2026-01-01T00:00:03.000000+00:00",
    "end_time": "2026-01-01T00:00:04.500000+00:00",
    "status_code": "OK",
    "attributes": {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m1",
        "llm.input_messages": [{"message.role": "user", "message.content": "Who? p1 says Bob."}],
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Bob.",
        "llm": {"token_count": {"prompt": 12, "completion": 3}, "invocation_parameters": '{"temperature": 0.5}'},
    },
}
_SPANS = [
    {**_SPAN, "name": "agent", "context": {"trace_id": "t1", "span_id": "a"}, "parent_id": None},
    _SPAN,
    {
        **_SPAN,
        "name": "retrieve",
        "context": {"trace_id": "t1", "span_id": "b"},
        "attributes": {
            "openinference": {"span": {"kind": "RETRIEVER"}},
            "input": {"value": "who"},
            "retrieval": {"documents": [{"document": {"id": "p1", "content": "Bob did.", "metadata": "{}"}}]},
        },
    },
]
_CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Who designed the Norge?"},
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "search", "arguments": '{"q": "N"}'}}]},
    {"role": "tool", "name": "search", "content": "Umberto Nobile designed it."},
    {"role": "assistant", "content": [{"type": "text", "text": "Umberto Nobile."}]},
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A valid file: its JSON values, and how they are written."""

    name: str
    values: tuple[Any, ...]
    lines: bool = True
    """One value a line; else the one value is the file."""
    packed: bool = False


@cache
def bases() -> tuple[Base, ...]:
    """Every kind of file that the reader takes, made anew in this process."""
    samples = sorted(one for one in samples_folder().glob("*.jsonl") if one.name != "corpus.jsonl")
    own = [Base(name=one.name, values=_lines(one.read_bytes())) for one in samples]
    with TemporaryDirectory() as folder:
        runs = [repaired_run(), *map(_run_of, ("react", "flat", "report"))]
        for run in (*runs, _forked(runs[0], Path(folder))):
            data = write_trace(run, Path(folder) / "run.jsonl").read_bytes()
            name = "fork" if run.header.fork else run.header.settings.agent
            own.append(Base(name=f"{name}.jsonl", values=_lines(data)))
    documents = [replace(one, name=one.name[:-1], values=(_document(one.values),), lines=False) for one in own[-5:]]
    packed = [replace(one, name=f"{one.name}.gz", packed=True) for one in (own[0], own[-5], documents[0])]
    return (*own, *documents, *packed, *_foreign(runs[0]))


def _lines(data: bytes) -> tuple[Any, ...]:
    return tuple(json.loads(one) for one in data.splitlines())


def _run_of(agent: str) -> Trace:
    said = answer("Sorrel", ("Otto was born in Sorrel.", ["p6"]), ("It is far.", ["p1", "p9"]))
    script = {
        "policy": asking(6, "e6" if agent == "flat" else "p1"),
        "conflict": clashing(("e1", "e4")),
        **({} if agent == "flat" else {"answer": [said]}),
        "report": lambda _: {"report": "The capital is Dresk."},
    }
    finds = finding(VELMORA, KORN, TARN, DRESK, LIND, SORREL)
    return run_scripted(QUESTION, script, finds, replace(SETTINGS, agent=agent))  # type: ignore[arg-type]


def _forked(parent: Trace, folder: Path) -> Trace:
    at = next(place for place, one in enumerate(parent.events, 1) if one.kind == "conflict_confirmed")
    work = fork(parent, at, [Edit.of("verdict", "reject")], folder / "fork.jsonl", live_model=False)
    made = asyncio.run(work)
    return replace(made, header=replace(made.header, run_id="f" * 16, created_at=START))


def _document(values: Sequence[Any]) -> Any:
    header, *records = values
    plain = {name: one for name, one in header.items() if name not in ("record", "format")}
    return {"format": header["format"], "header": plain, "records": records}


def _foreign(run: Trace) -> Iterator[Base]:
    seen = Run(run)
    spans = export(Exported(run=seen, index=TreeIndex(seen), moment=seen.total, notes=Notes()), "otel")
    yield Base(name="otlp.json", values=(json.loads(spans),), lines=False)
    yield Base(name="openinference.json", values=(_SPANS,), lines=False)
    yield Base(name="openinference.jsonl", values=tuple(_SPANS))
    yield Base(name="chat.json", values=({"messages": _CHAT},), lines=False)
    yield Base(name="chat.jsonl", values=tuple(_CHAT))
