"""What an engine makes of a world: events, requests and the last state, as JSON.

It runs on both engines: imported, on that of the working tree; as a script in a process of its own, on release 0.1.
Neither numbers of records nor anything that a later engine records beside these is told.
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

from retree_core.calls import CallFailed, ModelCall
from retree_core.state import fold
from retree_core.state_json import state_json
from retree_core.trace import Trace, read_trace
from retree_core.trace.records import event_json

Told = dict[str, Any]
Job = dict[str, Any]
"""`seed` and `worlds`: random worlds; `traces`: files whose replies are given again."""


def told(job: Job, worlds: ModuleType, chaos: ModuleType) -> Iterator[Told]:
    """One a world. `worlds` has `run_in` for this engine, `chaos` makes the random worlds."""
    for number in range(job["worlds"]):
        data = random.Random(f"{job['seed']} {number}").randbytes(400)
        world = chaos.Chaos(data)
        yield _of_run(f"world {number}", worlds, world.world(), chaos.QUESTION, world.settings)
    for name in job["traces"]:
        trace = read_trace(Path(name))
        replies = _recorded(trace, worlds)
        yield _of_run(Path(name).name, worlds, replies, trace.header.question, trace.header.settings)


def _of_run(name: str, worlds: ModuleType, world: Any, question: str, settings: Any) -> Told:
    about = {"name": name, "settings": asdict(settings)}
    try:
        return about | _of_trace(worlds.run_in(world, question, settings))
    except Exception as error:  # noqa: BLE001  (an engine may break on any world, and then says so here)
        return about | {"error": f"{type(error).__name__}: {error}"}


def _of_trace(trace: Trace) -> Told:
    return {
        "events": [event_json(one) for one in trace.events],
        "requests": [_request(one.call) for one in trace.calls],
        "state": state_json(fold(trace.events)),
    }


def _request(call: Any) -> Told:
    if isinstance(call, ModelCall):
        return {"role": call.role, "body": call.body}
    return {"role": "search", "query": call.query, "limit": call.limit}


def _recorded(trace: Trace, worlds: ModuleType) -> Any:
    """A world that gives the replies of a record again, role by role, in order."""
    replies: dict[str, list[Any]] = defaultdict(list)
    for one in trace.calls:
        found = one.reply if one.role != "search" or isinstance(one.reply, CallFailed) else one.reply.hits
        replies[one.role].append(found)
    return worlds.World(replies, replies.pop("search", []))


def plain(one: Told) -> str:
    return json.dumps(one, sort_keys=True)


def main() -> None:
    """Reads a job, and prints what release 0.1 makes of its worlds, one a line."""
    import random_worlds
    import worlds

    for one in told(json.load(sys.stdin), worlds, random_worlds):
        print(plain(one), flush=True)


if __name__ == "__main__":
    main()
