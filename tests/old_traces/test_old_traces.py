"""Traces that release 0.1 wrote do all that a trace of now does: open, explain, verify, export, fork and resume."""

from __future__ import annotations

import asyncio
import contextlib
import io
import shutil
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from worlds import Script, World, answer, search

from retree_core.calls import Answered, Call, CallFailed, ModelCall, Reply
from retree_core.cli import main
from retree_core.drivers.edits import Edit, editable
from retree_core.drivers.fork import fork
from retree_core.drivers.live import Backends
from retree_core.drivers.session import finish_run
from retree_core.errors import UsageError
from retree_core.trace import CallRecord, Trace, read_trace
from retree_core.trace.reader import ending_of
from retree_core.verify import Report, traces_in, verify

FOLDER = Path(__file__).parent / "0.1"
VERIFIED = {line.split()[0]: line.split()[1:] for line in (FOLDER / "verified.txt").read_text().splitlines()}
"""File to what release 0.1 said of it: status, events, calls, searches, repairs."""
TRACES = [FOLDER / name for name in VERIFIED]
CUT = [one for one in TRACES if ".cut-" in one.name]
STOPPED = [one for one in TRACES if VERIFIED[one.name][0] == "unfinished" and one not in CUT]
ENDED = [one for one in TRACES if one.name.startswith(("re", "scripted", "flat", "document")) and one not in CUT]
EXPORTS = ("html", "svg", "graphml", "dot", "json", "otel")

every_trace = pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)


@cache
def old(path: Path) -> Trace:
    return read_trace(path)


@cache
def verified(path: Path) -> Report:
    return verify(path)


def stem(path: Path) -> str:
    return path.name.removesuffix(ending_of(path.name))


def the_whole_of(path: Path) -> Path:
    """The run that a cut one was a part of."""
    name = path.name.split(".cut-")[0]
    return next(one for one in TRACES if stem(one) == name)


def quietly(*words: object) -> int:
    """The exit code of a command."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        return main([str(one) for one in words])


def test_they_are_all_there() -> None:
    assert {one.name for one in traces_in(FOLDER)} == set(VERIFIED)


@every_trace
def test_it_opens_without_damage_but_for_a_torn_end(path: Path) -> None:
    trace = old(path)
    assert len(trace.damage) <= ("torn" in path.name)
    assert trace.corrupt == ()
    assert [str(len(trace.events)), str(len(trace.calls))] == VERIFIED[path.name][1:3]


@every_trace
def test_it_verifies_as_it_did(path: Path) -> None:
    report = verified(path)
    assert report.findings == ()
    found = [report.status, *map(str, (report.events, report.calls, report.searches, report.repairs))]
    assert found == VERIFIED[path.name]


@every_trace
def test_it_is_shown_and_every_event_is_explained(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retree_core.cli.why.read_trace", old)
    assert quietly("show", path) == 0
    for moment in range(1, len(old(path).events) + 1):
        assert quietly("why", path, "--event", moment) == 0


@every_trace
def test_it_is_exported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retree_core.cli.export.read_trace", old)
    for to in EXPORTS:
        assert quietly("export", path, "--to", to, "--out", "-") == 0


@every_trace
def test_it_forks_offline_at_every_kind_of_edit(path: Path, tmp_path: Path) -> None:
    """The fork shares what came before its edit, and verifies."""
    parent = old(path)
    for number, (moment, edit) in enumerate(first_edits(parent)):
        out = tmp_path / f"{number}.jsonl"
        forked = asyncio.run(fork(parent, moment, [edit], out, live_model=False))
        assert forked.header.fork is not None
        shared = forked.header.fork.moment
        assert forked.events[:shared] == parent.events[:shared]
        report = verify(out)
        assert (report.findings, report.status in ("ok", "unfinished")) == ((), True)


def first_edits(trace: Trace) -> Iterator[tuple[int, Edit]]:
    """The first place of every kind of edit, a verdict turned round."""
    seen = set()
    for moment in range(1, len(trace.events) + 1):
        for one in editable(trace, moment):
            if one.what not in seen and (one.what != "verdict" or one.value):
                seen.add(one.what)
                turned = {"repair": "reject", "reject": "repair"}.get(one.value, "")
                yield one.moment, Edit.of(one.what, turned or "Nobody knows.", one.id)


@pytest.mark.parametrize("path", CUT, ids=lambda path: path.name)
def test_a_run_that_was_cut_is_finished_as_if_nothing_had_happened(path: Path, tmp_path: Path) -> None:
    before, whole = old(path), old(the_whole_of(path))
    copy = Path(shutil.copy(path, tmp_path / path.name))
    again = finished(copy, Remembered(whole, before))
    assert again.events == whole.events
    assert [one.reply for one in answered(again)] == [one.reply for one in answered(whole)]
    assert again.damage == ()
    report = verify(copy)
    assert (report.findings, report.status) == ((), "ok")


class Remembered:
    """Answers what a run that was cut still asks for, as the whole run was answered: role by role, in order."""

    def __init__(self, whole: Trace, before: Trace) -> None:
        self._replies: dict[str, list[Reply]] = defaultdict(list)
        for one in answered(whole):
            self._replies[one.role].append(one.reply)
        for one in answered(before):
            self._replies[one.role].pop(0)

    async def complete(self, call: Call) -> Answered:
        role = call.role if isinstance(call, ModelCall) else "search"
        return Answered(reply=self._replies[role].pop(0), seconds=0.0)

    search = complete


def answered(trace: Trace) -> list[CallRecord]:
    return [one for one in trace.calls if not isinstance(one.reply, CallFailed)]


def finished(path: Path, world: Any) -> Trace:
    header = read_trace(path).header
    return asyncio.run(finish_run(path, (Backends(model=world, search=world), {}, header.search)))


@pytest.mark.parametrize("path", STOPPED, ids=lambda path: path.name)
def test_a_fork_that_stopped_for_want_of_a_model_goes_on_with_one(path: Path, tmp_path: Path) -> None:
    before = old(path)
    copy = Path(shutil.copy(path, tmp_path / path.name))
    again = finished(copy, World(KNOWS_NOTHING, lambda _: []))
    assert again.events[: len(before.events)] == before.events
    assert again.events[-1].kind == "run_ended"
    assert (verify(copy).findings, verify(copy).status) == ((), "ok")


KNOWS_NOTHING: Script = {
    "policy": lambda _: search("anything else"),
    "report": lambda _: {"report": "Nothing is known."},
    "answer": lambda _: answer("Nobody knows."),
}


@pytest.mark.parametrize("path", ENDED, ids=lambda path: path.name)
def test_a_run_that_has_ended_has_nothing_to_resume(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path / path.name))
    with pytest.raises(UsageError):
        finished(copy, Remembered(old(path), old(path)))
    assert copy.read_bytes() == path.read_bytes()
