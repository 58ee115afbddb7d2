"""A live run on a thread of its own, looked at from outside."""

import threading
from dataclasses import replace

import pytest
from stubs import ChatServer
from worlds import MIND, QUESTION, SETTINGS, corpus, kinds, repaired_run, served

from retree_core.drivers import Job, LiveRun, replay
from retree_core.trace import read_trace


@pytest.fixture
def job(tmp_path):
    spec = f"corpus:{corpus(tmp_path / 'corpus.jsonl')}"
    return Job(question=QUESTION, settings=SETTINGS, search_spec=spec, out=tmp_path / "run.jsonl")


def test_a_run_on_a_thread_comes_to_its_end(job):
    with ChatServer(served(MIND), models=("scripted",)) as server:
        run = LiveRun(replace(job, base_url=server.base_url))
        run.join(60)
    assert (run.finished, run.error) == (True, "")
    trace = run.trace()
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
        run = LiveRun(replace(job, base_url=server.base_url))
        assert run.trace() is None or not run.finished
        assert asked.wait(30)
        assert run.trace() is not None
        run.stop()
        run.join(30)
        go_on.set()
    assert (run.finished, run.error) == (True, "")
    trace = read_trace(job.out)
    assert trace.records[-1].raw["reason"] == "interrupted"
    assert kinds(trace) == ["run_started", "context_built", "search_chosen", "passages_retrieved"]
    assert replay(trace) == trace.events


def test_a_run_that_cannot_start_says_why_in_one_line(job):
    run = LiveRun(replace(job, base_url="http://127.0.0.1:9/v1"))
    run.join(60)
    assert run.finished
    assert "127.0.0.1:9" in run.error
    assert "\n" not in run.error
    assert run.trace() is None
