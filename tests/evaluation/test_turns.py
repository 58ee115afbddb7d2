"""Runs of a batch take turns: the requests of a few leave before the next ones go on."""

from __future__ import annotations

import asyncio

from retree_core.calls import Answered, ModelCall, ModelReply
from retree_core.drivers.live import Model
from retree_core.evaluation.batch import Turns

CALL = ModelCall(role="policy", body={})


class Bunch:
    """Answers all that were asked at once, when all have asked."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.all_here = asyncio.Event()

    async def complete(self, call: ModelCall) -> Answered:
        self.left -= 1
        if not self.left:
            asyncio.get_running_loop().call_soon(self.all_here.set)
        await self.all_here.wait()
        return Answered(reply=ModelReply(raw={}), seconds=0.0)


async def story(names: str, *, turns: bool) -> list[str]:
    told: list[str] = []
    bunch = Bunch(len(names))
    model: Model = Turns(bunch) if turns else bunch

    async def run(name: str) -> None:
        await model.complete(CALL)
        told.append(f"{name} goes on")
        asyncio.get_running_loop().call_soon(told.append, f"{name}'s request leaves")

    await asyncio.gather(*map(run, names))
    await asyncio.sleep(0)
    return told


def test_requests_leave_before_the_next_runs_go_on() -> None:
    told = asyncio.run(story("abcdefgh", turns=True))
    assert told == [*told_by("abcd"), *told_by("efgh")]
    assert asyncio.run(story("abcdefgh", turns=False)) == told_by("abcdefgh")


def told_by(names: str) -> list[str]:
    return [*(f"{name} goes on" for name in names), *(f"{name}'s request leaves" for name in names)]


def test_a_run_that_is_cancelled_while_it_waits_holds_nobody_up() -> None:
    async def work() -> list[str]:
        turns = Turns(Bunch(1))
        tasks = [asyncio.ensure_future(turns.take()) for _ in range(3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        return ["cancelled" if one.cancelled() else "went on" for one in tasks if await settled(one)]

    assert asyncio.run(work()) == ["cancelled", "went on", "went on"]


async def settled(task: asyncio.Future[None]) -> bool:
    await asyncio.wait([task])
    return True
