"""Opening a trace, jumping in it, and its size.

A trace is read from disk up to the state of its last event, beside `orjson` parsing the lines of the same file; random
moments of a long one are looked at, beside a fold from its start; whole runs of every agent are written as text and
gzipped, and both are verified.
"""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import Path
from statistics import median

import orjson

sys.path.insert(0, str(Path(__file__).parents[1]))

from long_runs import write_joined, write_run

from retree_core.history import History
from retree_core.run_folders import sample_runs
from retree_core.settings import AgentName
from retree_core.state import State, fold
from retree_core.trace import CallRecord, TraceWriter, read_trace
from retree_core.verify import verify
from tests.benchmarks.table import Row

MIB = 1 << 20
AGENTS: tuple[AgentName, ...] = ("retree", "react", "flat", "report")
SEARCHES = 8
SAMPLES = sample_runs()
RUN = 30
"""Searches of the run that long ones are joined from."""


def measure(short: bool) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder, "run.jsonl"), RUN)
        sizes = {1: 3, 2: 3} if short else {1: 51, 20: 15, 100: 7}
        files = [write_joined(Path(folder, f"{size}.jsonl"), run, size * MIB) for size in sizes]
        rows = [opening(file, times) for file, times in zip(files, sizes.values(), strict=True)]
        rows += jumping(files[-1], 500 if short else 20_000)
        rows += [size(Path(folder), agent) for agent in AGENTS]
        rows.append(size_of_samples(Path(folder)))
    return rows


def first_tree(path: Path) -> State:
    """The memory at the end of a run, with every other moment at hand."""
    return History(read_trace(path).events).last


def plain_parse(path: Path) -> list[object]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    begun = time.perf_counter()
    held = work()
    took = time.perf_counter() - begun
    del held
    return took


def side_by_side(ours: Callable[[], object], other: Callable[[], object], times: int) -> tuple[float, float]:
    """Median seconds of both, made in turn."""
    both = [(seconds(ours), seconds(other)) for _ in range(times)]
    return median(one for one, _ in both), median(one for _, one in both)


def opening(path: Path, times: int) -> Row:
    ours, parse = side_by_side(lambda: first_tree(path), lambda: plain_parse(path), times)
    trace = read_trace(path)
    checking = seconds(lambda: len(trace.damage))
    return Row(
        what=f"opening a trace of {path.stat().st_size / MIB:.0f} MiB, {len(trace.events):,} events, to its first tree",
        ours=f"{ours * 1000:.0f} ms (and {checking * 1000:.0f} ms until its calls are checked)",
        alternative=f"orjson parses its lines: {parse * 1000:.0f} ms",
        ratio=ours / parse,
        target="at most 1.5 times the parse",
        met=ours <= 1.5 * parse,
    )


def jumping(path: Path, count: int) -> list[Row]:
    """Rows of the first `count` events of a trace."""
    lines = path.read_bytes().splitlines(keepends=True)
    ends = [place for place, line in enumerate(lines) if line.startswith(b'{"record":"event"')]
    path.write_bytes(b"".join(lines[: ends[min(count, len(ends)) - 1] + 1]))
    events = read_trace(path).events
    history, chance = History(events), random.Random(6)
    moments = [chance.randrange(len(events)) for _ in range(100)]
    jumps = [seconds(lambda moment=moment: history.at(moment)) for moment in moments]
    folds = [seconds(lambda moment=moment: fold(events[:moment])) for moment in moments[:25]]
    ratio = (sum(folds) / len(folds)) / (sum(jumps) / len(jumps))
    memory = in_a_process_of_its_own(path)
    return [
        Row(
            what=f"jump to a random event of {len(events):,}",
            ours=f"{1000 * sum(jumps) / len(jumps):.2f} ms",
            alternative=f"fold from the start: {1000 * sum(folds) / len(folds):.1f} ms",
            ratio=ratio,
            target="at least 50 times faster",
            met=ratio >= 50,
        ),
        Row(
            what=f"memory of that trace, opened, checked and looked at in {len(moments)} places",
            ours=f"{memory / MIB:.0f} MiB",
            alternative=f"its file: {path.stat().st_size / MIB:.0f} MiB",
            ratio=memory / path.stat().st_size,
            target="under 3 times the file",
            met=memory < 3 * path.stat().st_size,
        ),
    ]


def size(folder: Path, agent: AgentName) -> Row:
    """Of a run with as many searches as the paper allows."""
    text = write_run(folder / f"{agent}.jsonl", SEARCHES, agent)
    packed = write_run(folder / f"{agent}.jsonl.gz", SEARCHES, agent)
    return size_row(f"bytes a search of a whole run, {agent}", [text], [packed], SEARCHES)


def size_of_samples(folder: Path) -> Row:
    """The sample runs, each written anew as the engine writes it."""
    packed = []
    for path in SAMPLES:
        sample = read_trace(path)
        packed.append(folder / f"{path.name}.gz")
        with TraceWriter.create(packed[-1], sample.header, redact=lambda value: value) as writer:
            calls = accumulate(isinstance(one, CallRecord) for one in sample.records)
            for _, written in groupby(zip(calls, sample.records, strict=True), key=itemgetter(0)):
                writer.write(*(record for _, record in written))
    searches = sum(event.kind == "search_chosen" for path in SAMPLES for event in read_trace(path).events)
    return size_row(f"bytes a search of the {len(SAMPLES)} sample runs", SAMPLES, packed, searches)


def size_row(what: str, texts: Sequence[Path], packed: Sequence[Path], searches: int) -> Row:
    reports = [verify(one) for one in (*texts, *packed)]
    assert all(one.status == "ok" for one in reports), reports
    plain, ours = (sum(one.stat().st_size for one in paths) for paths in (texts, packed))
    return Row(
        what=what,
        ours=f"{ours / searches:,.0f} in .jsonl.gz, verified",
        alternative=f"every request whole, as text: {plain / searches:,.0f}",
        ratio=plain / ours,
        target="at least 5 times smaller",
        met=plain >= 5 * ours,
    )


def in_a_process_of_its_own(path: Path) -> int:
    """Bytes that opening and jumping adds to a process."""
    command = [sys.executable, "-m", __spec__.name, str(path)]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def held(path: Path) -> int:
    """Bytes that opening and jumping has added to this process."""
    before = resident()
    trace = read_trace(path)
    history, chance = History(trace.events), random.Random(6)
    assert not trace.damage
    for _ in range(100):
        history.at(chance.randrange(len(trace.events)))
    return resident() - before


def resident() -> int:
    """Bytes that this process has in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    print(held(Path(sys.argv[1])))
