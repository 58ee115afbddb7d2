"""Whole runs on disk, against a real server and a real corpus: start, stop anywhere, resume."""

import asyncio
import gzip
import json
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from stubs import ChatServer, Response
from worlds import MIND, QUESTION, SETTINGS, calls_of, corpus, kinds, prompt, repaired_run, served, state, write_trace

from retree_core import prompts
from retree_core.calls import CallFailed
from retree_core.drivers import session
from retree_core.drivers.replay import replay
from retree_core.drivers.session import Job, resume_run, start_run
from retree_core.errors import BackendError, InputError, UsageError
from retree_core.events import RunEnded
from retree_core.trace import CallRecord, EventRecord, OtherRecord, read_trace, save_document
from retree_core.trace.answered import answered_by
from retree_core.trace.records import line, sealed
from retree_core.verify import verify


@pytest.fixture(scope="module")
def server():
    with ChatServer(served(MIND), models=("scripted",)) as server:
        yield server


@pytest.fixture
def job(tmp_path, server):
    spec = f"corpus:{corpus(tmp_path / 'corpus.jsonl')}"
    out = tmp_path / "run.jsonl"
    return Job(question=QUESTION, settings=SETTINGS, search_spec=spec, out=out, base_url=server.base_url)


def _start(job):
    return asyncio.run(start_run(job))


def _resume(job):
    return asyncio.run(resume_run(job.out, base_url=job.base_url))


def test_a_run_against_servers_is_recorded_and_replays(job):
    trace = _start(job)
    assert kinds(trace) == kinds(repaired_run())
    assert state(trace).problems == ()
    assert replay(read_trace(job.out)) == trace.events
    header = trace.header
    assert (header.question, header.settings, header.search_spec) == (QUESTION, SETTINGS, job.search_spec)
    assert header.recorded_with.startswith("scripted on ")
    assert header.search["kind"] == "corpus"


def test_a_run_is_packed_while_it_is_written(job):
    job = replace(job, out=job.out.with_suffix(".jsonl.gz"))
    whole = _start(job)
    assert len(gzip.decompress(job.out.read_bytes())) > 4 * job.out.stat().st_size
    assert replay(read_trace(job.out)) == whole.events


@pytest.mark.parametrize("tenth", range(1, 10))
@pytest.mark.parametrize(("ending", "end_of_header"), [(".jsonl", b"\n"), (".jsonl.gz", b"\0\0\xff\xff")])
def test_a_run_cut_anywhere_is_finished_as_if_nothing_had_happened(job, tenth, ending, end_of_header):
    job = replace(job, out=job.out.with_suffix(ending))
    whole = _start(job)
    data = job.out.read_bytes()
    header = data.index(end_of_header) + len(end_of_header)
    job.out.write_bytes(data[: header + (len(data) - header) * tenth // 10])
    again = _resume(job)
    assert again.events == whole.events
    assert [one.call for one in again.calls] == [one.call for one in whole.calls]
    assert [one.seq for one in again.records] == [one.seq for one in whole.records]
    assert (again.damage, replay(again)) == ((), whole.events)


def test_a_run_cut_between_a_record_and_its_newline_loses_nothing(job):
    whole = _start(job)
    lines = job.out.read_bytes().split(b"\n")
    job.out.write_bytes(b"\n".join(lines[:20]))
    assert len(read_trace(job.out).records) == 19
    again = _resume(job)
    assert again.events == whole.events
    assert [one.seq for one in again.records] == [one.seq for one in whole.records]


def test_a_run_with_only_a_header_is_made_from_its_start(job):
    whole = _start(job)
    header = job.out.read_bytes().split(b"\n")[0]
    for start in (header, header + b"\n"):
        job.out.write_bytes(start)
        assert _resume(job).events == whole.events


def test_a_run_that_ended_well_is_not_resumed(job):
    _start(job)
    before = job.out.read_bytes()
    with pytest.raises(UsageError, match=r"this run has ended \(answered\); there is nothing to resume"):
        _resume(job)
    assert job.out.read_bytes() == before


def test_a_run_that_a_failed_call_ended_is_taken_up_before_it(job):
    whole = _start(job)
    place = next(
        at for at, one in enumerate(whole.records) if getattr(getattr(one, "call", None), "role", "") == "answer"
    )
    failed = replace(whole.records[place], reply=CallFailed(failure="timeout", message="late"))
    broken = replace(whole, records=(*whole.records[:place], failed, _ended_by(failed)))
    write_trace(broken, job.out)
    assert replay(broken)[-1].status == "llm_error"
    again = _resume(job)
    assert again.events == whole.events
    rewound = next(one for one in again.records if isinstance(one, OtherRecord))
    assert rewound.raw["record"] == "rewound"
    assert [one["record"] for one in rewound.raw["records"]] == ["call", "event"]
    assert [one.seq for one in again.records] == list(range(1, len(again.records) + 1))
    assert replay(again) == whole.events


def test_another_corpus_is_refused(job, tmp_path):
    _start(job)
    job.out.write_bytes(job.out.read_bytes()[:9000])
    with (tmp_path / "corpus.jsonl").open("a") as file:
        file.write('{"title": "new", "text": "A new page."}\n')
    with pytest.raises(UsageError, match="the corpus has changed since this run began"):
        _resume(job)


def test_a_run_goes_on_with_the_prompts_of_its_record(job, monkeypatch):
    texts = {name: text.replace("You ", "Thou ") for name, text in prompts.installed().items()}
    with monkeypatch.context() as patched:
        patched.setattr(prompts, "installed", lambda: texts)
        whole = _start(job)
    place = next(at for at, one in enumerate(whole.records) if one is calls_of(whole, "policy")[1])
    write_trace(replace(whole, records=whole.records[:place]), job.out)
    again = _resume(job)
    assert again.events == whole.events
    assert [prompt(one).split()[0] for one in calls_of(again, "policy")] == ["Thou"] * len(calls_of(whole, "policy"))
    assert [prompt(one).split()[0] for one in calls_of(again, "answer")] == ["You"], "it was not in the record yet"
    assert verify(job.out).status == "ok"


def test_a_record_that_does_not_replay_is_refused(job):
    trace = _start(job)
    place = next(at for at, one in enumerate(trace.records) if getattr(one, "event", None) == trace.events[2])
    other = replace(trace.records[place], event=replace(trace.events[2], query="another"))
    write_trace(replace(trace, records=(*trace.records[:place], other)), job.out)
    with pytest.raises(UsageError, match=r"cannot be resumed, the record does not replay \(event 3 \(search_chosen\)"):
        _resume(job)


def test_a_record_that_the_engine_breaks_on_is_refused_in_one_line(job):
    trace = _start(job)
    place = trace.records.index(calls_of(trace, "policy")[0])
    odd = replace(trace.records[place], read={"value": {"action": 7}})
    write_trace(replace(trace, records=(*trace.records[:place], odd)), job.out)
    with pytest.raises(UsageError, match=r"does not replay \(a fault of this program: KeyError: [^\n]*\)$"):
        _resume(job)


def test_damage_before_the_last_line_is_refused(job):
    _start(job)
    lines = job.out.read_bytes().splitlines(keepends=True)
    job.out.write_bytes(b"".join([*lines[:5], b"{bad}\n", *lines[6:20]]))
    with pytest.raises(UsageError, match=r"line 6 is damaged \(.*\); cannot be resumed"):
        _resume(job)


@pytest.mark.parametrize("damage", ["a byte", "junk after it", "a bad last line"])
def test_a_damaged_gzipped_run_is_refused_and_left_as_it_is(job, damage):
    job = replace(job, out=job.out.with_suffix(".jsonl.gz"))
    _start(job)
    data = job.out.read_bytes()
    middle = len(data) // 2
    job.out.write_bytes(
        {
            "a byte": data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1 :],
            "junk after it": gzip.compress(gzip.decompress(data)[:9000]) + b"\0",
            "a bad last line": gzip.compress(b"".join(gzip.decompress(data).splitlines(True)[:9]) + b'{"rec\n'),
        }[damage]
    )
    before = {one.name: one.read_bytes() for one in job.out.parent.iterdir()}
    with pytest.raises(UsageError, match=r"line \d+ is damaged \(.*\); cannot be resumed"):
        _resume(job)
    assert {one.name: one.read_bytes() for one in job.out.parent.iterdir()} == before


def test_an_interrupted_run_goes_on_after_its_note(job):
    whole = _start(job)
    lines = job.out.read_bytes().splitlines(keepends=True)
    raw = {"record": "stopped", "seq": 12, "at": "", "reason": "interrupted"}
    note = b"".join(map(line, sealed((raw,), json.loads(lines[11])["digest"])))
    job.out.write_bytes(b"".join([*lines[:12], note]))
    again = _resume(job)
    assert again.events == whole.events
    assert [one.seq for one in again.records] == list(range(1, len(whole.records) + 2))


def test_a_run_in_a_document_is_not_appended_to(job, tmp_path):
    whole = _start(job)
    path = tmp_path / "run.json"
    save_document(replace(whole, records=whole.records[:9]), path)
    on_one_line = json.dumps(json.loads(path.read_text())).encode()
    for content in (path.read_bytes(), on_one_line, gzip.compress(on_one_line)):
        path.write_bytes(content)
        with pytest.raises(UsageError, match="cannot be resumed, since it is not JSON Lines"):
            asyncio.run(resume_run(path, base_url=job.base_url))
        assert path.read_bytes() == content


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_refused_before_anything_is_written(job, question):
    with pytest.raises(UsageError, match="the question is empty"):
        _start(replace(job, question=question))
    assert not job.out.exists()


def test_nothing_is_written_where_a_server_or_a_corpus_is_missing(job, tmp_path):
    with pytest.raises(BackendError):
        _start(replace(job, base_url="http://127.0.0.1:9/v1"))
    with pytest.raises((InputError, UsageError)):
        _start(replace(job, search_spec=f"corpus:{tmp_path / 'none.jsonl'}"))
    with pytest.raises((BackendError, UsageError), match="scripted"):
        _start(replace(job, settings=replace(SETTINGS, model="another")))
    assert not job.out.exists()


def test_a_trace_that_exists_is_kept(job):
    job.out.write_text("mine")
    with pytest.raises(UsageError, match="exists; name another file, or give --overwrite"):
        _start(job)
    assert job.out.read_text() == "mine"
    assert kinds(_start(replace(job, overwrite=True)))[-1] == "run_ended"


def test_a_server_that_dies_leaves_a_run_that_can_be_resumed(job):
    whole = _start(job)
    job.out.unlink()
    answers = served(MIND)
    with ChatServer(lambda body: _dies(answers, body), models=("scripted",)) as dying:
        ended = asyncio.run(start_run(replace(job, base_url=dying.base_url)))
    assert ended.events[-1].status == "llm_error"
    assert _resume(job).events == whole.events


def _dies(answers, body):
    """Answers until the first confirmation, and then no more."""
    name = body["response_format"]["json_schema"]["name"]
    if name == "retree_confirm":
        return Response(status=400, json={"error": {"message": "out of order"}})
    return json.dumps(answers[name](body))


def test_a_question_with_a_key_in_it_is_recorded_and_asked_without(job):
    key = "AIzaTESTdummyKey0123456789abcdef"
    trace = _start(replace(job, question=f"{QUESTION} ?key={key}"))
    assert trace.header.question == f"{QUESTION} ?key=[redacted]"
    assert key not in job.out.read_text()
    assert replay(trace) == trace.events


def test_a_run_that_another_server_takes_up_says_so(job):
    whole = _start(replace(job, recorded_with="scripted"))
    lines = job.out.read_bytes().splitlines(keepends=True)
    job.out.write_bytes(b"".join(lines[:20]))
    again = _resume(job)
    assert again.events == whole.events
    resumed = again.records[19].raw
    assert (resumed["record"], resumed["seq"], resumed["recorded_with"][:12]) == ("resumed", 20, "scripted on ")
    call = 1 + sum(isinstance(one, CallRecord) for one in again.records[:19])
    assert answered_by(again) == f"scripted, from call {call} on {resumed['recorded_with']}"
    assert f"record 20: resumed with {resumed['recorded_with']}" in verify(job.out).notes
    assert [one.seq for one in again.records] == list(range(1, len(whole.records) + 2))


def _failed_at_its_answer(job):
    """A run that a failed call ended, on disk."""
    whole = _start(job)
    place = next(
        at for at, one in enumerate(whole.records) if getattr(getattr(one, "call", None), "role", "") == "answer"
    )
    failed = replace(whole.records[place], reply=CallFailed(failure="timeout", message="late"))
    write_trace(replace(whole, records=(*whole.records[:place], failed, _ended_by(failed))), job.out)
    return whole


def _ended_by(failed):
    """The end of a run that a failed call ended."""
    return EventRecord(seq=failed.seq + 1, event=RunEnded(status="llm_error", detail="late"), because=(failed.seq,))


@pytest.mark.parametrize("ended", [False, True])
def test_of_two_that_resume_one_goes_on_and_the_other_changes_nothing(job, ended):
    whole = _failed_at_its_answer(job) if ended else _start(job)
    if not ended:
        job.out.write_bytes(b"".join(job.out.read_bytes().splitlines(keepends=True)[:6]))

    async def both():
        work = (resume_run(job.out, base_url=job.base_url) for _ in range(2))
        return await asyncio.gather(*work, return_exceptions=True)

    first, second = sorted(asyncio.run(both()), key=lambda one: isinstance(one, Exception))
    assert first.events == whole.events
    assert isinstance(second, UsageError)
    assert "another process" in str(second)
    assert read_trace(job.out).events == whole.events


def test_a_trace_that_was_finished_meanwhile_is_not_appended_to(job, monkeypatch):
    whole = _start(job)
    lines = job.out.read_bytes().splitlines(keepends=True)
    job.out.write_bytes(b"".join(lines[:6]))
    opening = session.open_backends

    @asynccontextmanager
    async def slowly(*words):
        async with opening(*words) as backends:
            job.out.write_bytes(b"".join(lines))  # the other process ends its run and lets go of the file
            yield backends

    monkeypatch.setattr(session, "open_backends", slowly)
    with pytest.raises(UsageError, match=r"was changed by another process just now; look at it again, then resume"):
        _resume(job)
    assert job.out.read_bytes() == b"".join(lines)
    assert read_trace(job.out).events == whole.events


@pytest.mark.parametrize("first", [b"\n", b"5\n", b"[" * 100_000 + b"\n"])
def test_a_first_line_that_is_none_of_ours_is_refused_or_passed_over(job, first):
    whole = _start(job)
    lines = job.out.read_bytes().splitlines(keepends=True)
    job.out.write_bytes(first + b"".join(lines[:6]))
    before = job.out.read_bytes()
    if first == b"\n":
        assert _resume(job).events == whole.events
    else:
        with pytest.raises((UsageError, InputError)):
            _resume(job)
        assert job.out.read_bytes() == before
