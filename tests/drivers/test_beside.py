"""Calls made side by side: both are under way at once, the record has one order, a stop between them loses nothing."""

import asyncio
import json
from dataclasses import replace

import pytest
from drivers.forking import checked, forked_at, moment_of, needs
from worlds import (
    KORN,
    QUESTION,
    SETTINGS,
    TARN,
    VELMORA,
    World,
    asking,
    calls_of,
    conflict,
    failed,
    finding,
    kinds,
    repaired_run,
    run_scripted,
    scripted_header,
    summary,
    timeless,
    write_trace,
)

from retree_core.drivers.course import start
from retree_core.drivers.live import Backends, live
from retree_core.drivers.replay import follow, replay
from retree_core.drivers.session import carry_on, finish_run
from retree_core.drivers.taking_up import known_answers
from retree_core.errors import ReplayMismatch
from retree_core.secrets import redact_json
from retree_core.trace import CallRecord, TraceWriter, read_trace

BESIDE = replace(SETTINGS, summary_call="beside")
SCRIPT = {"policy": asking(2, "e2")}


class Meeting(World):
    """A model that answers neither of the two before both are asked, and the second one first."""

    def __init__(self, script, finds):
        super().__init__(script, finds)
        self.asked, self.answered = [], []
        self.both, self.second = asyncio.Event(), asyncio.Event()

    async def complete(self, call):
        self.asked.append(call.role)
        if "conflict" in self.asked:
            if self.asked[-2:] == ["conflict", "summarise"]:
                self.both.set()
            await self.both.wait()
            if call.role == "conflict":
                await self.second.wait()
        found = await super().complete(call)
        self.answered.append(call.role)
        self.second.set()
        return found


class Parting(World):
    """A model that breaks off in one of the two, once the other one is on its way."""

    def __init__(self, script, finds, role, error):
        super().__init__(script, finds)
        self.role, self.error, self.asked = role, error, []

    async def complete(self, call):
        self.asked.append(call.role)
        if "conflict" in self.asked and call.role == self.role:
            await asyncio.sleep(0)
            raise self.error
        if "conflict" in self.asked and self.role == "conflict":
            await asyncio.Event().wait()  # would never answer
        return await super().complete(call)


def recorded(world, path):
    """The live run in a file, as far as it came."""

    async def work():
        before, agent = asyncio.all_tasks(), start(QUESTION, BESIDE)
        backends = Backends(model=world, search=world)
        try:
            with TraceWriter.create(path, scripted_header(QUESTION, BESIDE), redact=redact_json) as writer:
                await carry_on(live(agent, backends, seq=1), writer, lambda _: None)
        finally:
            assert asyncio.all_tasks() == before, "nothing is under way any more"

    asyncio.run(asyncio.wait_for(work(), 30))
    return read_trace(path)


def plain(run):
    """Records without their times."""
    return list(map(timeless, run.records))


def asked_or_happened(record):
    """What a record holds, whenever and beside whatever it came to be."""
    return (record.call, record.reply) if isinstance(record, CallRecord) else replace(timeless(record), seq=0)


def test_both_are_under_way_at_once_and_the_record_has_their_own_order(tmp_path):
    world = Meeting(SCRIPT, finding(VELMORA, KORN))
    run = recorded(world, tmp_path / "run.jsonl")
    assert world.answered[-4:] == ["summarise", "conflict", "policy", "answer"]
    assert plain(run) == plain(run_scripted(QUESTION, SCRIPT, finding(VELMORA, KORN), BESIDE))
    first, second = calls_of(run, "conflict")[0], calls_of(run, "summarise")[1]
    assert (first.beside, second.beside) == (None, first.seq)
    assert second.at <= first.at
    assert replay(run) == run.events


@pytest.mark.parametrize("role", ["conflict", "summarise"])
@pytest.mark.parametrize("error", [asyncio.CancelledError, RuntimeError])
def test_a_stop_while_one_is_under_way_keeps_what_came_before_it(tmp_path, role, error):
    path = tmp_path / "run.jsonl"
    with pytest.raises(error):
        recorded(Parting(SCRIPT, finding(VELMORA, KORN), role, error()), path)
    stopped = read_trace(path)
    assert [one.role for one in stopped.calls][3:] == [
        "summarise",
        "policy",
        "search",
        "extract",
        *(["conflict"] if role == "summarise" else []),
    ]
    assert replay(stopped) == stopped.events

    said = {**SCRIPT, "policy": asking(0, "e2")}
    rest = Meeting(said, [])
    rest.both.set()
    again = asyncio.run(finish_run(path, (Backends(model=rest, search=rest), {}, {})))
    assert rest.asked[:2] == (["summarise", "policy"] if role == "summarise" else ["conflict", "summarise"])
    whole = run_scripted(QUESTION, SCRIPT, finding(VELMORA, KORN), BESIDE)
    assert again.events == whole.events
    marks = [one.beside is not None for one in calls_of(again, "summarise")]
    assert marks == [False, role == "conflict"], "what was asked for later was not asked for beside anything"


@pytest.mark.parametrize("both", [False, True])
def test_a_run_that_a_failed_one_of_two_ended_asks_for_what_is_missing(tmp_path, both):
    script = {
        "policy": asking(2),
        "conflict": [failed("timeout") if both else conflict()],
        "summarise": [summary("No mayor yet."), failed("timeout")],
    }
    ended = run_scripted(QUESTION, script, finding(VELMORA, KORN), BESIDE)
    assert ended.events[-1].status == "llm_error"
    path = write_trace(ended, tmp_path / "run.jsonl")
    rest = Meeting({"policy": asking(0, "e2")}, [])
    rest.both.set()
    again = asyncio.run(finish_run(path, (Backends(model=rest, search=rest), {}, {})))
    assert rest.asked == [*(["conflict"] if both else []), "summarise", "policy", "answer"]
    assert again.events[-1].status == "answered"
    assert replay(again) == again.events


def test_a_run_taken_up_after_any_record_goes_on_to_the_same_end():
    run = repaired_run(settings=BESIDE)
    known = Backends(known=known_answers(run))

    async def rest(taken):
        course = start(QUESTION, BESIDE)
        follow(course, run.records[:taken])
        return [one async for batch in live(course, known, seq=taken + 1) for one in batch]

    for taken in range(len(run.records) + 1):
        records = (*run.records[:taken], *asyncio.run(rest(taken)))
        assert [(one.seq, asked_or_happened(one)) for one in records] == [
            (one.seq, asked_or_happened(one)) for one in run.records
        ]


def test_a_changed_request_of_one_of_two_is_named(tmp_path):
    run = run_scripted(QUESTION, SCRIPT, finding(VELMORA, KORN), BESIDE)
    place = run.records.index(calls_of(run, "summarise")[1])
    call = run.records[place].call
    other = replace(run.records[place], call=replace(call, body={**call.body, "seed": 7}))
    with pytest.raises(
        ReplayMismatch, match=r"call of summarise after event 11 \(summarise\): body.seed is 0; recorded 7"
    ):
        replay(replace(run, records=(*run.records[:place], other, *run.records[place + 1 :])))


@pytest.mark.parametrize(
    ("kind", "reply", "role", "follows"),
    [
        ("conflict_proposed", conflict(), "conflict", "node_added"),
        ("summary_discarded", summary("Nothing of use."), "summarise", "conflict_proposed"),
    ],
)
def test_the_reply_of_either_can_be_changed(tmp_path, kind, reply, role, follows):
    parent = repaired_run(settings=BESIDE)
    forked = forked_at(parent, moment_of(parent, kind), f"reply={json.dumps(reply)}", tmp_path)
    (edited,) = [one for one in forked.calls if one.edited]
    assert edited.role == role
    after = next(one for one in forked.records[edited.seq :] if not isinstance(one, CallRecord))
    assert after.event.kind == follows
    checked(parent, forked)


def test_a_repair_rejected_by_hand_finds_the_summary_in_the_record(tmp_path):
    parent = repaired_run(settings=BESIDE)
    forked = forked_at(parent, moment_of(parent, "conflict_confirmed"), "verdict=reject", tmp_path)
    checked(parent, forked)
    assert kinds(forked)[-4:] == ["conflict_rejected", "node_added", "summary_written", "context_built"]
    assert needs(forked) == "needs a model from here (policy)"


def test_a_fork_of_an_early_fact_uses_of_two_what_the_record_has(tmp_path):
    parent = run_scripted(QUESTION, {"policy": asking(3, "e3")}, finding(VELMORA, KORN, TARN), BESIDE)
    forked = forked_at(
        parent, moment_of(parent, "facts_extracted"), "fact=e1:Velmora is the capital of Alvonia.", tmp_path
    )
    checked(parent, forked)
    assert needs(forked) == "needs a model from here (summarise)"
