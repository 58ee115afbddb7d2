"""A live run on a thread of its own, looked at from outside."""

import threading
import time
from dataclasses import replace
from functools import partial

import pytest
from stubs import ChatServer, role_of
from worlds import MIND, QUESTION, SETTINGS, corpus, kinds, repaired_run, served

from retree_core.drivers.background import LiveRun
from retree_core.drivers.replay import replay
from retree_core.drivers.session import Job, resume_run, start_run
from retree_core.errors import UsageError
from retree_core.trace import CallRecord, EventRecord, OtherRecord, read_trace
from retree_core.verify import verify


@pytest.fixture
def job(tmp_path):
    spec = f"corpus:{corpus(tmp_path / 'corpus.jsonl')}"
    return Job(question=QUESTION, settings=SETTINGS, search_spec=spec, out=tmp_path / "run.jsonl")


def started(job, server, *breakpoints):
    return LiveRun(job.out, partial(start_run, replace(job, base_url=server.base_url)), breakpoints)


def wait_until(is_so):
    """Until it is so, half a minute at most."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.005)


def roles(server):
    return [role_of(body).removeprefix("retree_") for body in server.calls]


def on_disk(run):
    """What the run has written so far; None before the header."""
    return read_trace(run.path) if run.path.exists() and b"\n" in run.path.read_bytes() else None


def bare(trace):
    """Events and calls without times."""
    return [
        one.event if isinstance(one, EventRecord) else (one.call, one.reply)
        for one in trace.records
        if isinstance(one, EventRecord | CallRecord)
    ]


def test_a_run_on_a_thread_comes_to_its_end(job):
    with ChatServer(served(MIND), models=("scripted",)) as server:
        run = started(job, server)
        run.join(60)
    assert (run.finished, run.error) == (True, "")
    trace = on_disk(run)
    assert trace is not None
    assert kinds(trace) == kinds(repaired_run())


def test_a_stopped_run_keeps_what_it_had_and_can_be_told_from_a_whole_one(job):
    asked, go_on = threading.Event(), threading.Event()
    answers = served(MIND)

    def slow(body):
        asked.set()
        go_on.wait(30)
        return answers["retree_extract"](body)

    with ChatServer({**answers, "retree_extract": slow}, models=("scripted",)) as server:
        run = started(job, server)
        assert on_disk(run) is None or not run.finished
        assert asked.wait(30)
        assert on_disk(run) is not None
        run.stop()
        run.join(30)
        go_on.set()
    assert (run.finished, run.error) == (True, "")
    trace = read_trace(job.out)
    assert trace.records[-1].raw["reason"] == "interrupted"
    assert kinds(trace) == ["run_started", "context_built", "search_chosen", "passages_retrieved"]
    assert replay(trace) == trace.events


def test_a_run_that_cannot_start_says_why_in_one_line(job):
    run = LiveRun(job.out, partial(start_run, replace(job, base_url="http://127.0.0.1:9/v1")))
    run.join(60)
    assert run.finished
    assert "127.0.0.1:9" in run.error
    assert "\n" not in run.error
    assert on_disk(run) is None


def test_whatever_goes_wrong_on_the_thread_is_one_line(job):
    async def broken(*, gate):
        raise KeyError("a\nb")

    run = LiveRun(job.out, broken)
    run.join(60)
    assert (run.finished, run.error) == (True, "a fault of this program: KeyError: 'a\\nb'")


def test_a_breakpoint_on_a_proposal_pauses_before_the_confirmation_and_leaves_no_sign_in_the_trace(job):
    with ChatServer(served(MIND), models=("scripted",)) as server:
        run = started(job, server, "conflict_proposed")
        wait_until(lambda: run.paused)
        assert run.paused == "paused before confirm: breakpoint conflict_proposed"
        assert "confirm" not in roles(server)
        seen = on_disk(run)
        assert seen is not None
        assert seen.events[-1].kind == "conflict_proposed"
        run.go_on()
        run.join(60)
        assert (run.finished, run.error, run.paused) == (True, "", "")
        free = started(replace(job, out=job.out.with_name("free.jsonl")), server)
        free.join(60)
    assert verify(job.out).status == "ok"
    assert bare(read_trace(job.out)) == bare(read_trace(free.path))
    assert [one.raw for one in read_trace(job.out).records if isinstance(one, OtherRecord)] == []


def test_a_breakpoint_on_a_role_pauses_right_before_each_of_its_calls(job):
    with ChatServer(served(MIND), models=("scripted",)) as server:
        run = started(job, server, "role=search text=council")
        wait_until(lambda: run.paused)
        assert run.paused == "paused before search: breakpoint role=search text=council"
        assert roles(server)[-1] == "policy"
        run.set_breakpoints(())
        run.go_on()
        run.join(60)
    assert run.finished


def test_pause_step_and_go_on(job):
    with ChatServer(served(MIND), models=("scripted",)) as server:
        run = started(job, server, "role=policy")
        wait_until(lambda: run.paused)
        run.set_breakpoints(())
        assert roles(server) == []
        run.step()
        wait_until(lambda: run.paused == "paused before search: after one step")
        assert roles(server) == ["policy"]
        run.step()
        wait_until(lambda: run.paused == "paused before extract: after one step")
        run.pause()  # it waits already
        run.go_on()
        run.join(60)
        assert (run.finished, run.pausing) == (True, False)


def test_calls_side_by_side_are_one_step_and_a_breakpoint_on_either_holds_both(job):
    with ChatServer(served(MIND), models=("scripted",)) as server:
        beside = replace(job, settings=replace(job.settings, summary_call="beside"))
        run = started(beside, server, "role=summarise")
        wait_until(lambda: run.paused == "paused before summarise: breakpoint role=summarise")
        run.go_on()
        wait_until(lambda: run.paused == "paused before conflict and summarise: breakpoint role=summarise")
        assert roles(server)[-1] == "extract"
        run.set_breakpoints(())
        run.step()
        wait_until(lambda: run.paused == "paused before policy: after one step")
        assert sorted(roles(server)[-2:]) == ["conflict", "summarise"]
        run.go_on()
        run.join(60)
    assert kinds(read_trace(run.path)) == kinds(repaired_run(settings=beside.settings))


def test_a_run_can_be_paused_during_a_call_and_waits_before_the_next(job):
    asked, reply = threading.Event(), threading.Event()
    answers = served(MIND)

    def slow(body):
        asked.set()
        reply.wait(30)
        return answers["retree_extract"](body)

    with ChatServer({**answers, "retree_extract": slow}, models=("scripted",)) as server:
        run = started(job, server)
        assert asked.wait(30)
        run.pause()
        assert (run.pausing, run.paused) == (True, "")
        reply.set()
        wait_until(lambda: run.paused == "paused before summarise: as asked")
        assert not run.pausing
        run.stop()
        run.join(30)
    assert run.finished


def test_a_paused_run_can_be_stopped_and_taken_up_again(job):
    with ChatServer(served(MIND), models=("scripted",)) as server:
        run = started(job, server, "conflict_proposed")
        wait_until(lambda: run.paused)
        run.stop()
        run.join(30)
        assert (run.finished, run.error, run.paused) == (True, "", "")
        assert read_trace(job.out).stopped == "interrupted"
        again = LiveRun(job.out, partial(resume_run, job.out, base_url=server.base_url), ("role=answer",))
        wait_until(lambda: again.paused)
        again.go_on()
        again.join(60)
    assert again.error == ""
    assert verify(job.out).status == "ok"
    assert kinds(read_trace(job.out)) == kinds(repaired_run())


def test_what_is_asked_of_a_run_that_is_over_does_nothing(job):
    with ChatServer(served(MIND), models=("scripted",)) as server:
        run = started(job, server)
        run.join(60)
    for ask in (run.pause, run.go_on, run.step, run.stop):
        ask()
    assert (run.finished, run.paused) == (True, "")


def test_a_breakpoint_that_makes_no_sense_is_refused_and_the_former_ones_stay(job):
    with ChatServer(served(MIND), models=("scripted",)) as server:
        with pytest.raises(UsageError, match="no event kind"):
            started(job, server, "nonsense")
        run = started(job, server, "conflict_proposed")
        with pytest.raises(UsageError, match="no event kind"):
            run.set_breakpoints(("nonsense",))
        wait_until(lambda: run.paused)
        run.stop()
        run.join(30)
