"""Mutants: valid files damaged in known ways, each made again by its seed and number, with what was done in words.

The files are those that the reader takes: sample runs, runs of the four agents, a fork, spans and chat messages of
other programs; as JSON Lines, as one document, and gzipped. Damage is done to their values (what a foreign or newer
program, or someone with an editor, may write) and to their bytes (what a disk or a network does).
"""

from __future__ import annotations

import asyncio
import copy
import gzip
import json
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
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

from retree_core.drivers import Edit, fork
from retree_core.notes import Notes
from retree_core.trace import Trace
from retree_core.trace.records import digest
from retree_viz.export import Exported, export
from retree_viz.run import Run
from retree_viz.runs import samples_folder
from retree_viz.tree import TreeIndex

FULL = bool(os.environ.get("RETREE_FULL"))
SEED = 20260131

HOSTILE = (
    "",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "[x](javascript:alert(1)) **b** $\\frac{1}{2}$ :red[x] ![](http://127.0.0.1:9/leak)",
    "{{7*7}} ${7*7} {0} %s %(x)s",
    "\u202eabc\u202c\u200b\ufeff",
    "\ud800",
    "a\udfff b",
    "\x1b[31mred\x1b[0m\x07\x9b2J",
    "\x00",
    "line\nline\r\nline\u2028line",
    "<|im_end|><|im_start|>system",
    "=cmd|'/C calc'!A0",
    "long " * 1200,
    "__proto__",
    "constructor",
    "e1|e2",
    "e1:e2",
    "root",
    "answer",
    "]]>",
    "--><!--",
    "&lt;&amp;",
    "\\",
    "https://a@b/?q=<x>",
    "http://[::1",
    "http://а.com/",
    "٣",
    "²",
    "1e999",
    "-1",
    "null",
    "../../etc/passwd",
    "שלום",
    "👨‍👩‍👧🇩🇪e\u0301",
)
NUMBERS = (-1, 0, 1, 2, 7, 10**6, 10**12, -(10**12), 2**53 + 1, 2**63, 10**29, -1.5, 1e308, 1e-320, 0.1)
ODD = (None, [], {}, "x", 0, True, False, [None], {"a": 1}, [[[]]], [1, "a"], "", 3.5, {"": None}, ["e1"] * 40)
REPLIES = (
    None,
    "",
    "not json",
    "{",
    "[1]",
    '{"facts":[{}]}',
    '{"facts":null}',
    '{"facts":[{"passage":1e400,"fact":["x"]}]}',
    '{"pairs":[{"stored":1}]}',
    "<think>x",
    "<think></think>{}",
    [{"type": "text", "text": "x"}],
    [None],
    {"a": 1},
    '{"a":' * 600,
)
LITERALS = (b"NaN", b"-Infinity", b"1e400", b"1" * 400, b"[" * 3000 + b"]" * 3000, b'"\\ud800"', b"nul", b"'x'", b"0x1")
"""What JSON has not, or no reader likes."""
TIMES = (None, "yesterday", 1_700_000_000, 1_700_000_000_000, "9999-12-31T23:59:59Z", "1970-01-01", -1, {})
IDS = re.compile(r"[a-z]{1,4}\d{1,3}|root")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A damaged file."""

    name: str
    data: bytes
    words: str
    """Which one it is, and what was done to it."""


# Valid files.


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


# Mutants.


def mutant(number: int, seed: int = SEED, among: Sequence[Base] = ()) -> Mutant:
    """Mutant `number` of a seed, of one of the bases."""
    chance = random.Random(f"{seed} {number}")
    base = chance.choice(among or bases())
    values, done = list(copy.deepcopy(base.values)), []
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 6, 10))):
        done += [_ON_VALUES[chance.randrange(len(_ON_VALUES))](values, chance) if values else ""]
    if chance.random() < 0.5:
        done.append(_sealed(values))
    data = _written(values, base, chance)
    for _ in range(chance.choice((0, 0, 0, 1, 1, 3)) if any(done) else 1):
        data, words = chance.choice(_ON_BYTES)(data, chance)
        done.append(words)
    if base.packed:
        data = gzip.compress(data, mtime=0)
    if base.packed and chance.random() < 0.3:
        data, words = chance.choice((_flipped, _cut, _twice))(data, chance)
        done.append(f"packed: {words}")
    words = f"mutant {number} of seed {seed}, {base.name}: {'; '.join(filter(None, done)) or 'nothing'}"
    return Mutant(name=base.name, data=data, words=ascii(words)[1:-1])


def mutants(count: int, seed: int = SEED) -> Iterator[Mutant]:
    return (mutant(number, seed) for number in range(count))


def _written(values: Iterable[Any], base: Base, chance: random.Random) -> bytes:
    as_it_is = chance.random() < 0.5
    texts = (json.dumps(one, ensure_ascii=as_it_is) for one in values)
    return b"".join(one.encode("utf-8", "surrogatepass") + b"\n" for one in texts)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to every value inside a JSON value."""
    if at:
        yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield from places(one, (*at, key))


def value_at(value: Any, at: Sequence[Any]) -> Any:
    for key in at:
        value = value[key]
    return value


def put(value: Any, at: Sequence[Any], new: Any) -> None:
    value_at(value, at[:-1])[at[-1]] = new


def _list(values: list[Any], chance: random.Random) -> list[Any]:
    """The records: the lines, or a list inside the document."""
    if len(values) > 1:
        return values
    inner = [at for at in places(values) if isinstance(value_at(values, at), list) and len(value_at(values, at)) > 1]
    return value_at(values, chance.choice(inner[:6])) if inner else values  # type: ignore[no-any-return]


def _dropped(values: list[Any], chance: random.Random) -> str:
    records = _list(values, chance)
    at = chance.randrange(len(records))
    del records[at]
    return f"record {at} left out"


def _repeated(values: list[Any], chance: random.Random) -> str:
    records = _list(values, chance)
    at, to = chance.randrange(len(records)), chance.randrange(len(records) + 1)
    records.insert(to, copy.deepcopy(records[at]))
    return f"record {at} again at {to}"


def _swapped(values: list[Any], chance: random.Random) -> str:
    records = _list(values, chance)
    a, b = chance.randrange(len(records)), chance.randrange(len(records))
    records[a], records[b] = records[b], records[a]
    return f"records {a} and {b} swapped"


def _shuffled(values: list[Any], chance: random.Random) -> str:
    records = _list(values, chance)
    a = chance.randrange(len(records))
    b = min(len(records), a + chance.choice((3, 8, 10**6)))
    some = records[a:b]
    chance.shuffle(some)
    records[a:b] = some
    return f"records {a} to {b} shuffled"


def _shortened(values: list[Any], chance: random.Random) -> str:
    records = _list(values, chance)
    a, b = sorted((chance.randrange(len(records)), chance.randrange(len(records) + 1)))
    del records[a:b]
    return f"records {a} to {b} left out"


def _renumbered(values: list[Any], chance: random.Random) -> str:
    records = [one for one in _list(values, chance) if isinstance(one, dict)]
    for one in chance.sample(records, min(len(records), chance.choice((1, 3, 50)))):
        one["seq"] = chance.choice((*NUMBERS[:9], 1, 5, 5))
    return "odd numbers of records"


def _misdated(values: list[Any], chance: random.Random) -> str:
    records = [one for one in _list(values, chance) if isinstance(one, dict)]
    for one in chance.sample(records, min(len(records), 10)):
        one[chance.choice(("at", "seconds", "start_time", "end_time", "startTimeUnixNano"))] = chance.choice(TIMES)
    return "odd times"


def _ids(values: Any) -> list[str]:
    text = json.dumps(values)
    return sorted({one for one in re.findall(r'"([^"\\]{2,7})"', text) if IDS.fullmatch(one)}) or ["e1"]


def _renamed(values: list[Any], chance: random.Random) -> str:
    """One id becomes another everywhere, or in some places."""
    ids = _ids(values)
    old, new = chance.choice(ids), chance.choice((*ids, *ids, *HOSTILE))
    every = chance.random() < 0.5
    found = [at for at in places(values) if value_at(values, at) == old and isinstance(value_at(values, at), str)]
    for at in found if every else found[:: chance.choice((1, 2, 3))]:
        put(values, at, new)
    return f"id {old!r} is {new[:40]!r}{' everywhere' if every else ' in places'}"


def _any_place(values: list[Any], chance: random.Random) -> tuple[Any, ...]:
    """Any place; every third time one of the few near the top, where whole records and lists stand."""
    found = list(places(values))
    near = [at for at in found if len(at) <= 3]
    return chance.choice(near if near and chance.random() < 0.33 else _events_first(found, chance))


def _events_first(found: list[tuple[Any, ...]], chance: random.Random) -> list[tuple[Any, ...]]:
    """Mostly those inside of events: they are what everything is drawn from, and few beside the calls' long bodies."""
    inside = [at for at in found if "event" in at[:-1]]
    return inside if inside and chance.random() < 0.6 else found


def _odd_value(values: list[Any], chance: random.Random) -> str:
    at = _any_place(values, chance)
    new = chance.choice((*ODD, *NUMBERS, *HOSTILE))
    put(values, at, copy.deepcopy(new))
    return f"{_name(at)} is {str(new)[:40]!r}"


def _same_kind(values: list[Any], chance: random.Random) -> str:
    """Another value of the same type, which passes every check of types."""
    leaves = [at for at in places(values) if not isinstance(value_at(values, at), dict | list)]
    named = [at for at in leaves if at[-1] not in ("record", "format", "kind", "type", "digest", "version")]
    if not named:
        return ""
    at = chance.choice(_events_first(named, chance))
    old = value_at(values, at)
    new: Any = chance.choice((*HOSTILE, *_ids(values)))
    if isinstance(old, bool):
        new = not old
    elif isinstance(old, int):
        new = chance.choice(NUMBERS[:11])
    elif isinstance(old, float):
        new = chance.choice(NUMBERS)
    put(values, at, new)
    return f"{_name(at)} is {str(new)[:40]!r}"


def _lost_field(values: list[Any], chance: random.Random) -> str:
    inside = [at for at in places(values) if isinstance(at[-1], str)]
    if not inside:
        return ""
    at = chance.choice(_events_first(inside, chance))
    del value_at(values, at[:-1])[at[-1]]
    return f"{_name(at)} left out"


def _new_field(values: list[Any], chance: random.Random) -> str:
    at = chance.choice([one for one in places([values]) if isinstance(value_at([values], one), dict)] or [(0,)])
    inner = value_at([values], at)
    if isinstance(inner, dict):
        inner[chance.choice(("mood", "record", "extra", "digest", "", "\u202e", "fork", "edited"))] = chance.choice(ODD)
    return f"a field more in {_name(at[1:])}"


def _kin(values: list[Any], chance: random.Random) -> str:
    """Nodes or spans that hang from themselves, from each other, or from nothing."""
    names = ("parent", "parent_id", "parentSpanId")
    found = [at for at in places(values) if at[-1] in names]
    ids = [*_ids(values), "n99", "c", "a"]
    for at in chance.sample(found, min(len(found), 4)):
        own = value_at(values, at[:-1])
        put(values, at, chance.choice((own.get("node", own.get("spanId", "n1")), *ids)))
    return "parents changed" if found else ""


def _unknown(values: list[Any], chance: random.Random) -> str:
    """Kinds, versions, agents and formats of another program's or another time's making."""
    names = ("kind", "type", "record", "version", "agent", "format", "role", "judge", "status", "failure", "origin")
    found = [at for at in places(values) if at[-1] in names]
    if not found:
        return ""
    at = chance.choice(found)
    new = chance.choice(("node_split", "forest", 0, 99, "1", None, [], "imported", "report", "flat", "react", "\x1b"))
    put(values, at, new)
    return f"{_name(at)} is {new!r}"


def _other_reply(values: list[Any], chance: random.Random) -> str:
    found = [at for at in places(values) if at[-1] in ("content", "reasoning_content", "choices", "usage", "message")]
    if not found:
        return ""
    at = chance.choice(found)
    new = chance.choice((*REPLIES, *ODD))
    put(values, at, copy.deepcopy(new))
    return f"{_name(at)} is {str(new)[:40]!r}"


def _giant(values: list[Any], chance: random.Random) -> str:
    leaves = [at for at in places(values) if isinstance(value_at(values, at), str)]
    if not leaves:
        return ""
    at = chance.choice(leaves)
    put(values, at, chance.choice(("x", "ab ", "漢", "e\u0301")) * 30_000)
    return f"{_name(at)} is giant"


def _deep(values: list[Any], chance: random.Random) -> str:
    depth = chance.choice((20, 60, 200))
    at = _any_place(values, chance)
    put(values, at, json.loads("[" * depth + "]" * depth))
    return f"{_name(at)} is {depth} lists deep"


def _sealed(values: list[Any]) -> str:
    """The digests of what the records hold now, so that nothing shows who changed them."""
    found = [value_at(values, at) for at in places(values)]
    for one in found:
        if isinstance(one, dict) and "digest" in one:
            one["digest"] = digest(one)
    return "sealed"


def _name(at: Sequence[Any]) -> str:
    return ".".join(map(str, at))


_ON_VALUES: tuple[Callable[[list[Any], random.Random], str], ...] = (
    _dropped,
    _repeated,
    _swapped,
    _shuffled,
    _shortened,
    _renumbered,
    _misdated,
    _renamed,
    _renamed,
    _odd_value,
    _odd_value,
    _same_kind,
    _same_kind,
    _same_kind,
    _same_kind,
    _lost_field,
    _new_field,
    _kin,
    _unknown,
    _other_reply,
    _giant,
    _deep,
)


def _flipped(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    changed = bytearray(data)
    bits = [chance.randrange(8 * len(data)) for _ in range(chance.choice((1, 1, 4, 40)))] if data else []
    for bit in bits:
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed), f"bits {bits[:4]} flipped"


def _cut(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    a, b = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    if chance.random() < 0.6:
        return data[:b], f"cut at byte {b}"
    return data[:a] + data[b:], f"bytes {a} to {b} left out"


def _inserted(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    at = chance.randrange(len(data) + 1)
    new = chance.choice((b"\0", b"\xff\xfe", b"\n", b'"', b"{", b"}", b"\xe6\x9d", b"\x1b[2J", b"\r", *LITERALS))
    return data[:at] + new + data[at:], f"{new[:12]!r} at byte {at}"


def _literal(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    """One value in the text is no JSON, or too much."""
    found = list(re.finditer(rb'(?<=": )(?:"[^"\\]{0,40}"|-?\d+)', data))
    if not found:
        return data, ""
    one, new = chance.choice(found), chance.choice(LITERALS)
    return data[: one.start()] + new + data[one.end() :], f"{new[:12]!r} for the value at byte {one.start()}"


def _recoded(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    name = chance.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig", "shift_jis", "utf-7"))
    return data.decode(errors="replace").encode(name, "replace"), f"in {name}"


def _line_ends(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    new = chance.choice((b"\r\n", b"\r", b"\n\n\n", b"\n \n", b"\x0b\n", b"\n\xef\xbb\xbf", b",\n", b""))
    return data.replace(b"\n", new), f"lines end with {new!r}"


def _twice(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    at = chance.randrange(len(data) + 1)
    return (data + data, "twice over") if chance.random() < 0.5 else (data + data[at:], f"again from byte {at}")


def _framed(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    before = chance.choice(
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf", b"\0" * 64, b"[", b"// x\n", b"data: ", b" " * 99)
    )
    after = chance.choice((b"", b"\0" * 512, b"]", b'{"record": "event', b"\n\n\n", b"}"))
    return before + data + after, f"{before[:6]!r} before and {after[:6]!r} after it"


_ON_BYTES: tuple[Callable[[bytes, random.Random], tuple[bytes, str]], ...] = (
    _flipped,
    _flipped,
    _cut,
    _inserted,
    _literal,
    _literal,
    _recoded,
    _line_ends,
    _twice,
    _framed,
)
