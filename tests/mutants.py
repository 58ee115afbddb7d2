"""Mutants: valid files damaged in known ways, each made again by its seed and number, with what was done in words.

The files are those that the reader takes: sample runs, runs of the four agents, a fork, spans and chat messages of
other programs; as JSON Lines, as one document, and gzipped. Damage is done to their values (what a foreign or newer
program, or someone with an editor, may write) and to their bytes (what a disk or a network does).
"""

from __future__ import annotations

import copy
import gzip
import json
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from byte_damage import ON_BYTES, cut, flipped, twice
from valid_files import Base, bases

from retree_core.trace.records import digest

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
"""What JSON has not, or no reader likes."""
TIMES = (None, "yesterday", 1_700_000_000, 1_700_000_000_000, "9999-12-31T23:59:59Z", "1970-01-01", -1, {})
IDS = re.compile(r"[a-z]{1,4}\d{1,3}|root")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A damaged file."""

    name: str
    data: bytes
    words: str
    """Which one it is, and what was done to it."""


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
        data, words = chance.choice(ON_BYTES)(data, chance)
        done.append(words)
    if base.packed:
        data = gzip.compress(data, mtime=0)
    if base.packed and chance.random() < 0.3:
        data, words = chance.choice((flipped, cut, twice))(data, chance)
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
    before = ""
    for one in found:
        if isinstance(one, dict) and "digest" in one:
            before = one["digest"] = digest(one, before)
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
