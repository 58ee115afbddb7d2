"""The live driver: calls are answered, everything becomes a record, and what is recorded is what was used."""

import asyncio
from dataclasses import replace

import pytest
from worlds import (
    QUESTION,
    SETTINGS,
    VELMORA,
    World,
    asking,
    clashing,
    facts,
    failed,
    finding,
    hit,
    prompt,
    repaired_run,
    run_scripted,
    scripted_header,
    search,
    state,
    timeless,
)

from retree_core.calls import Answered, Attempt, ModelCall
from retree_core.drivers.course import start
from retree_core.drivers.live import Backends, live
from retree_core.drivers.replay import follow, replay
from retree_core.drivers.session import carry_on
from retree_core.drivers.taking_up import known_answers
from retree_core.errors import ModelNeeded
from retree_core.secrets import redact_json
from retree_core.trace import TraceWriter, read_trace

KEY = "AIzaTESTdummyKey0123456789abcdef"


def _run(backends, path, question=QUESTION, settings=SETTINGS, watch=lambda _: None):
    """A live run into a file."""

    async def work():
        agent = start(question, settings)
        with TraceWriter.create(path, scripted_header(question, settings), redact=redact_json) as writer:
            await carry_on(live(agent, backends, seq=1), writer, watch)

    asyncio.run(work())
    return read_trace(path)


def _world(script, finds):
    world = World(script, finds)
    return Backends(model=world, search=world)


def test_a_live_run_is_what_the_script_says(tmp_path):
    script = {"policy": asking(6, "e6"), "conflict": clashing(("e1", "e4"))}
    pages = [one.reply.hits for one in repaired_run().calls if not isinstance(one.call, ModelCall)]
    trace = _run(_world(script, pages), tmp_path / "run.jsonl")
    assert trace.events == repaired_run().events
    assert [one.call for one in trace.calls] == [one.call for one in repaired_run().calls]
    assert replay(trace) == trace.events


def test_every_record_is_on_disk_before_anyone_is_told_of_it(tmp_path):
    seen = []

    def watch(record):
        assert read_trace(tmp_path / "run.jsonl").records[record.seq - 1] == record
        seen.append(record)

    trace = _run(_world({"policy": asking(1, "e1")}, finding(VELMORA)), tmp_path / "run.jsonl", watch=watch)
    assert tuple(seen) == trace.records
    assert [one.seq for one in seen] == list(range(1, len(seen) + 1))


def test_what_a_call_took_is_recorded(tmp_path):
    class Slow(World):
        async def complete(self, call):
            answered = await super().complete(call)
            attempt = Attempt(failure="rate_limited", message="429", waited_s=2.0)
            return replace(answered, seconds=2.5, failed_attempts=(attempt,))

    world = Slow({"policy": asking(1, "e1")}, finding(VELMORA))
    first = _run(Backends(model=world, search=world), tmp_path / "run.jsonl").calls[0]
    assert first.seconds == 2.5
    assert [one.failure for one in first.failed_attempts] == ["rate_limited"]


@pytest.mark.parametrize(
    ("backends", "said", "events"),
    [
        (Backends(), "needs a model from here (policy)", 2),
        (Backends(model=World({"policy": asking(1)}, [])), "needs a search from here (search)", 3),
    ],
)
def test_without_a_server_the_run_stops_and_says_what_it_needs(tmp_path, backends, said, events):
    trace = _run(backends, tmp_path / "run.jsonl")
    assert len(trace.events) == events
    assert trace.records[-1].raw["reason"] == said
    assert replay(trace) == trace.events


def test_a_call_that_nobody_answers_raises():
    with pytest.raises(ModelNeeded, match="needs a model from here"):
        asyncio.run(Backends().answer(ModelCall(role="policy", body={})))


def test_recorded_replies_serve_first_and_cost_nothing():
    run = repaired_run()
    call, reply = run.calls[0].call, run.calls[0].reply
    known = Backends(known=known_answers(run))
    assert asyncio.run(known.answer(call)) == Answered(reply=reply, seconds=0.0)


def test_a_run_taken_up_after_any_record_goes_on_to_the_same_end():
    run = run_scripted(QUESTION, {"policy": asking(2, "e2")}, finding(VELMORA, "Velmora is old."))
    known = Backends(known=known_answers(run))

    async def rest(taken):
        course = start(QUESTION, SETTINGS)
        follow(course, run.records[:taken])
        return [one async for batch in live(course, known, seq=taken + 1) for one in batch]

    for taken in range(len(run.records) + 1):
        records = (*run.records[:taken], *asyncio.run(rest(taken)))
        assert list(map(timeless, records)) == list(map(timeless, run.records))


def test_a_secret_in_a_page_or_a_reply_is_gone_before_anyone_sees_it(tmp_path):
    page = hit(
        f"Fetched from https://x.example/?key={KEY} today. {VELMORA}",
        f"Page {KEY}",
        url=f"https://x.example/?key={KEY}",
        published=KEY,
    )
    script = {
        "policy": [search(f"capital {KEY}"), *asking(0, "e1")],
        "extract": [facts((1, VELMORA))],
    }
    backends = _world(script, [[page]])
    trace = _run(backends, tmp_path / "run.jsonl")
    assert KEY not in (tmp_path / "run.jsonl").read_text()
    assert not [one for one in trace.calls if isinstance(one.call, ModelCall) and KEY in prompt(one)]
    (source,) = state(trace).evidence["e1"].current.sources
    text = state(trace).passages["p1"].text
    assert text[source.start : source.end] == VELMORA
    assert replay(trace) == trace.events


def test_half_characters_are_replaced_before_anyone_sees_them(tmp_path):
    page = hit(f"half \ud83d here. {VELMORA}", "half \ud83d", published="half \ud83d")
    script = {"policy": [search("half \ud83d"), *asking(0, "e1")], "extract": [facts((1, VELMORA))]}
    trace = _run(_world(script, [[page]]), tmp_path / "run.jsonl")
    assert "ud83d" not in (tmp_path / "run.jsonl").read_text()
    assert replay(trace) == trace.events


def test_an_interrupted_run_says_so_and_replays(tmp_path):
    class Stuck(World):
        async def search(self, call):
            asyncio.current_task().cancel()
            await asyncio.sleep(0)

    world = Stuck({"policy": asking(1, "e1")}, finding(VELMORA))
    with pytest.raises(asyncio.CancelledError):
        _run(Backends(model=world, search=world), tmp_path / "run.jsonl")
    trace = read_trace(tmp_path / "run.jsonl")
    assert trace.records[-1].raw["reason"] == "interrupted"
    assert [one.seq for one in trace.records] == list(range(1, len(trace.records) + 1))
    assert [one.kind for one in trace.events] == ["run_started", "context_built", "search_chosen"]
    assert replay(trace) == trace.events


def test_failures_are_recorded_as_what_they_are(tmp_path):
    trace = _run(_world({"policy": [failed("timeout", f"late ?key={KEY}")]}, []), tmp_path / "run.jsonl")
    assert trace.events[-1].status == "llm_error"
    assert KEY not in str(trace.records)
    assert replay(trace) == trace.events
