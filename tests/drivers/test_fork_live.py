"""Forks that a model finishes, the one that began the run or another."""

import asyncio
import json
from dataclasses import replace

import pytest
from drivers.forking import checked, edits, forked_at, moment_of, needs
from stubs import ChatServer
from worlds import (
    DRESK,
    KORN,
    LIND,
    MIND,
    QUESTION,
    SETTINGS,
    SORREL,
    TARN,
    VELMORA,
    corpus,
    every,
    failed,
    kinds,
    repaired_run,
    served,
    state,
    stop,
    write_trace,
)

from retree_core.calls import ModelCall
from retree_core.drivers.fork import fork
from retree_core.drivers.session import Job, answering_now, resume_run, start_run
from retree_core.events import (
    EvidenceRepaired,
    RunEnded,
)
from retree_core.state import active_path
from retree_core.trace import CallRecord, EventRecord, read_trace
from retree_core.trace.answered import answered_by
from retree_core.verify import verify

BY_HAND = "decided by the person who made this fork"


@pytest.fixture(scope="module")
def server():
    with ChatServer(served(MIND), models=("scripted",)) as server:
        yield server


@pytest.fixture
def live_run(tmp_path, server):
    spec = f"corpus:{corpus(tmp_path / 'corpus.jsonl')}"
    job = Job(
        question=QUESTION, settings=SETTINGS, search_spec=spec, out=tmp_path / "run.jsonl", base_url=server.base_url
    )
    return asyncio.run(start_run(job))


def _live(trace, moment, edit, tmp_path, server):
    out = tmp_path / "fork.jsonl"
    work = fork(
        trace,
        moment,
        edits(*([edit] if isinstance(edit, str) else edit)),
        out,
        live_model=True,
        base_url=server.base_url,
    )
    return asyncio.run(work)


def test_a_live_fork_goes_on_with_the_model_to_its_end(tmp_path, server, live_run):
    before = len(server.calls)
    forked = _live(live_run, moment_of(live_run, "conflict_confirmed"), "verdict=reject", tmp_path, server)
    assert every(forked, EvidenceRepaired) == []
    assert [one.text for one in active_path(state(forked))] == [VELMORA, KORN, TARN, DRESK, LIND, SORREL]
    assert kinds(forked)[-1] == "run_ended"
    asked = len(server.calls) - before
    assert 0 < asked < len(forked.calls)
    checked(live_run, forked)


def test_a_live_fork_says_who_answered_before_and_who_after(tmp_path, server, live_run):
    moment = moment_of(live_run, "conflict_confirmed")
    by_hand = replace(live_run, header=replace(live_run.header, recorded_with="scripted"))
    forked = _live(by_hand, moment, "verdict=reject", tmp_path, server)
    assert forked.header.recorded_with == f"scripted; after event {moment - 1} {live_run.header.recorded_with}"


def test_a_live_fork_from_a_changed_query_searches(tmp_path, server, live_run):
    moment = kinds(live_run).index("search_chosen", 8) + 1
    forked = _live(live_run, moment, "query=births", tmp_path, server)
    assert [one.query for one in state(forked).searches][:2] == ["atlas", "births"]
    assert kinds(forked)[-1] == "run_ended"
    checked(live_run, forked)


def test_a_fork_that_stopped_for_want_of_a_model_is_resumed_with_one(tmp_path, server, live_run):
    forked = forked_at(live_run, moment_of(live_run, "conflict_confirmed"), "verdict=reject", tmp_path)
    assert needs(forked) == "needs a model from here (summarise)"
    again = asyncio.run(resume_run(tmp_path / "fork.jsonl", base_url=server.base_url))
    assert kinds(again)[-1] == "run_ended"
    checked(live_run, again)


def test_a_live_fork_of_a_run_that_failed_asks_again(tmp_path, server, live_run):
    """A failed call is no reply: with a server at hand it is made again."""
    place = max(at for at, one in enumerate(live_run.records) if isinstance(one, CallRecord))
    broken = replace(live_run.records[place], reply=failed("timeout"))
    event = RunEnded(status="llm_error", detail=broken.reply.message)
    ended = EventRecord(seq=broken.seq + 1, event=event, because=(broken.seq,))
    parent = replace(live_run, records=(*live_run.records[:place], broken, ended))
    parent = read_trace(write_trace(parent, tmp_path / "broken.jsonl"))
    moment = len(parent.events) - 1
    assert parent.events[moment - 1].kind == "stop_chosen"
    forked = _live(parent, moment, f"reply={json.dumps(stop('e1', 'e6'))}", tmp_path, server)
    assert forked.events[-1].status == "answered"


def _sample_like(live_run):
    """A run whose calls no server answered, under a model that nobody serves."""
    header = replace(live_run.header, server={}, recorded_with="scripted")
    return replace(live_run, header=header)


def test_another_model_may_take_over_and_the_record_says_so(tmp_path, live_run):
    parent = _sample_like(live_run)
    moment = moment_of(parent, "conflict_confirmed")
    with ChatServer(served(MIND), models=("other",)) as server:
        out = tmp_path / "fork.jsonl"
        rejected = edits("verdict=reject")
        work = fork(parent, moment, rejected, out, live_model=True, model="other", base_url=server.base_url)
        forked = asyncio.run(work)
    models = [one.call.body["model"] for one in forked.calls if isinstance(one.call, ModelCall)]
    assert kinds(forked)[-1] == "run_ended"
    assert forked.header.settings.handovers[0].model == "other"
    assert models == ["scripted"] * models.count("scripted") + ["other"] * models.count("other")
    assert models.count("scripted") == forked.header.settings.handovers[0].calls == 14
    assert forked.header.recorded_with.startswith(f"scripted; after event {moment - 1} other")
    checked(parent, forked)
    call = 1 + [getattr(one.call, "body", {}).get("model") for one in forked.calls].index("other")
    who = forked.header.recorded_with.partition(f" event {moment - 1} ")[2]
    assert answered_by(forked) == verify(out).recorded_with == f"scripted, from call {call} on {who}"
    assert verify(out).status == "ok"


def test_an_offline_fork_is_finished_by_another_model(tmp_path, live_run):
    out = tmp_path / "fork.jsonl"
    forked_at(_sample_like(live_run), moment_of(live_run, "conflict_confirmed"), "verdict=reject", tmp_path)
    with ChatServer(served(MIND), models=("other",)) as server:
        again = asyncio.run(resume_run(out, base_url=server.base_url, model="other"))
    assert kinds(again)[-1] == "run_ended"
    assert again.header.settings.last_model == "other"
    assert [one.seq for one in again.records] == list(range(1, len(again.records) + 1))
    assert verify(out).status == "ok"


def test_a_fork_of_a_fork_of_another_model_replays_both(tmp_path, live_run):
    first = tmp_path / "first.jsonl"
    moment = moment_of(live_run, "conflict_confirmed")
    with ChatServer(served(MIND), models=("other",)) as server:
        work = fork(
            _sample_like(live_run),
            moment,
            edits("verdict=reject"),
            first,
            live_model=True,
            model="other",
            base_url=server.base_url,
        )
        parent = asyncio.run(work)
    again = forked_at(parent, moment_of(parent, "conflict_rejected"), "verdict=reject", tmp_path)
    assert kinds(again) == kinds(parent)
    checked(parent, again)


def test_who_answers_the_rest_of_a_run():
    header = repaired_run().header
    assert answering_now(header, {}) == "Qwen/Qwen3-8B"  # no server answered it, so nobody serves its model
    assert answering_now(replace(header, server={"server": "SGLang"}), {}) == "scripted"
    assert answering_now(header, {"RETREE_MODEL": "mine"}) == "mine"
