"""Random worlds stopped anywhere: the trace on disk loads, goes on to an end, and is then as good as any other."""

import asyncio
import random
from contextlib import suppress
from pathlib import Path

import pytest
from random_worlds import FULL, QUESTION, SEED, Chaos, worlds
from worlds import World, run_in, scripted_header, write_trace

from retree_core.calls import Answered, Call, CallFailed
from retree_core.drivers.course import start
from retree_core.drivers.live import Backends, live
from retree_core.drivers.replay import replay
from retree_core.drivers.session import carry_on, finish_run
from retree_core.errors import InputError, UsageError
from retree_core.invariants import broken
from retree_core.memory import DONE
from retree_core.secrets import redact_json
from retree_core.trace import Trace, TraceWriter, read_trace

WORLDS = 300
STOPS = (asyncio.CancelledError, KeyboardInterrupt, OSError, RuntimeError, MemoryError)


class Failing:
    """A world that answers so many calls and then breaks off."""

    def __init__(self, world: World, calls: int, error: type[BaseException]) -> None:
        self._world = world
        self._left = calls
        self._error = error

    async def complete(self, call: Call) -> Answered:
        self._left -= 1
        if self._left < 0:
            raise self._error("stopped here")
        return Answered(reply=self._world.answer(call), seconds=0.0)

    search = complete


def test_a_run_that_breaks_off_in_any_call_is_finished_later(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl"

    @worlds(WORLDS)
    def holds(data: bytes) -> None:
        path.unlink(missing_ok=True)
        chaos = Chaos(data)
        error = STOPS[data[-2] % len(STOPS)]
        failing = Failing(chaos.world(), data[-1] % 24, error)
        with suppress(error):
            asyncio.run(begun(chaos, failing, path))
        check_finished(path, chaos)

    said(capsys)
    holds()


async def begun(chaos: Chaos, failing: Failing, path: Path) -> None:
    """A live run into the file at `path`, as far as it comes."""
    agent = start(QUESTION, chaos.settings)
    with TraceWriter.create(path, scripted_header(QUESTION, chaos.settings), redact=redact_json) as writer:
        backends = Backends(model=failing, search=failing)
        await carry_on(live(agent, backends, seq=1), writer, lambda _: None)


def test_a_file_cut_at_any_byte_is_finished_later(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"

    @worlds(WORLDS)
    def holds(data: bytes) -> None:
        path.unlink(missing_ok=True)
        chaos = Chaos(data)
        whole = write_trace(run_in(chaos.world(), QUESTION, chaos.settings), path).read_bytes()
        path.write_bytes(whole[: random.Random(data).randrange(len(whole) + 1)])
        if len(path.read_bytes()) < whole.index(b"\n"):
            with pytest.raises(InputError):
                read_trace(path)
        else:
            check_finished(path, chaos)

    said(capsys)
    holds()


def said(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{10 * WORLDS if FULL else WORLDS} worlds of seed {SEED} ", end="", flush=True)


def check_finished(path: Path, chaos: Chaos) -> None:
    """What is on disk is a run as far as it came, and one more try brings it to an end that replays."""
    before = read_trace(path)
    replay(before)
    ended = next((one.status for one in before.events if one.kind == "run_ended"), "")
    world = chaos.world()
    backends = Backends(model=Failing(world, 10_000, OSError), search=Failing(world, 10_000, OSError))
    if ended and not _may_go_on(before, ended):
        with pytest.raises(UsageError, match="there is nothing to resume"):
            asyncio.run(finish_run(path, (backends, {}, {})))
        return
    again = asyncio.run(finish_run(path, (backends, {}, {})))
    assert again == read_trace(path)
    assert (again.damage, again.events[-1].kind) == ((), "run_ended")
    assert [one.seq for one in again.records] == list(range(1, len(again.records) + 1))
    assert replay(again) == again.events
    assert list(broken(again)) == []
    if not ended:
        assert again.events[: len(before.events)] == before.events


def _may_go_on(before: Trace, ended: str) -> bool:
    """Whether a run that ended was broken off by a call that failed, and may be taken up before it."""
    return ended not in DONE and any(isinstance(one.reply, CallFailed) for one in before.calls)
