"""Forks of runs in tests, and what holds of every one."""

import asyncio

from worlds import (
    kinds,
    state,
)

from retree_core.drivers.edits import Edit
from retree_core.drivers.fork import fork
from retree_core.drivers.replay import replay


def edits(*texts):
    return [Edit.parse(one) for one in texts]


def forked_at(trace, moment, edit, tmp_path, **more):
    out = tmp_path / "fork.jsonl"
    return asyncio.run(
        fork(trace, moment, edits(*([edit] if isinstance(edit, str) else edit)), out, live_model=False, **more)
    )


def moment_of(trace, kind):
    return kinds(trace).index(kind) + 1


def needs(trace):
    return trace.records[-1].raw["reason"]


def checked(parent, forked):
    """What holds of every fork."""
    shared = forked.header.fork.moment
    assert forked.events[:shared] == parent.events[:shared]
    assert forked.header.run_id != parent.header.run_id
    assert [one.seq for one in forked.records] == list(range(1, len(forked.records) + 1))
    assert state(forked).problems == ()
    assert replay(forked) == forked.events
