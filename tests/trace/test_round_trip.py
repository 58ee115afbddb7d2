"""A trace written and read is the same trace, in every form."""

import gzip
import json
from dataclasses import replace

import pytest
from worlds import (
    QUESTION,
    asking,
    changed,
    failed,
    hit,
    place_of,
    repaired_run,
    run_scripted,
    scripted_header,
    write_trace,
)

from retree_core.calls import Attempt, SearchCall, SearchReply
from retree_core.settings import ForcedVerdict, Sampling, Settings
from retree_core.trace import ForkOrigin, Header, OtherRecord, Trace, read_trace, save_document
from retree_core.trace.records import (
    BoundaryRecord,
    MakerRecord,
    PromptRecord,
    RuleRecord,
    digest,
    event_json,
    header_json,
    is_sealed,
    read_header,
    read_record,
    record_json,
    sealed,
)

ENGINE = (RuleRecord, BoundaryRecord, PromptRecord, MakerRecord)


def _same(one: Trace, other: Trace) -> bool:
    return (one.header, one.records, one.damage, one.notices) == (other.header, other.records, (), ())


def test_a_trace_is_read_as_it_was_written(tmp_path):
    run = repaired_run()
    assert _same(run, read_trace(write_trace(run, tmp_path / "run.jsonl")))


@pytest.mark.parametrize("name", ["run.json", "run.json.gz"])
def test_a_document_holds_the_same_trace(tmp_path, name):
    run = repaired_run()
    save_document(run, tmp_path / name)
    assert _same(run, read_trace(tmp_path / name))
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_gzipped_lines_are_read_and_joined_files_too(tmp_path):
    run = repaired_run()
    data = write_trace(run, tmp_path / "run.jsonl").read_bytes()
    (tmp_path / "one.jsonl.gz").write_bytes(gzip.compress(data))
    (tmp_path / "two.jsonl.gz").write_bytes(gzip.compress(data[:5000]) + gzip.compress(data[5000:]))
    assert _same(run, read_trace(tmp_path / "one.jsonl.gz"))
    assert _same(run, read_trace(tmp_path / "two.jsonl.gz"))


def test_every_kind_of_reply_and_failed_attempts_come_back(tmp_path):
    run = run_scripted(
        QUESTION, {"policy": [*asking(2)[:2], failed("timeout")]}, [failed("connection", "no route"), []]
    )
    first = run.calls[0]
    call = replace(
        first,
        seconds=1.25,
        failed_attempts=(Attempt(failure="rate_limited", message="429", waited_s=2.0),),
        edited=True,
        beside=1,
        read={"fault": {"kind": "invalid", "text": "it is odd"}},
    )
    run = changed(run, place_of(run, first), call)
    assert _same(run, read_trace(write_trace(run, tmp_path / "run.jsonl")))


def test_hits_with_all_their_fields_come_back(tmp_path):
    page = hit("Velmora is a town.", "Velmora", url="https://a.example/", published="1999")
    run = run_scripted(QUESTION, {"policy": asking(1, "e1")}, [[page]])
    again = read_trace(write_trace(run, tmp_path / "run.jsonl"))
    assert next(one.reply for one in again.calls if isinstance(one.call, SearchCall)) == SearchReply(hits=(page,))


def test_a_header_with_everything_comes_back():
    header = scripted_header(
        QUESTION,
        Settings(
            judge="paper",
            sampling=Sampling(temperature=0.0, thinking=True),
            on_repair="keep_facts",
            forced=(ForcedVerdict(search=2, old="e1", new="e2", repair=False),),
        ),
        server={"server": "sglang"},
        search={"kind": "corpus", "content_hash": "ab"},
        search_spec="corpus:x.jsonl",
        fork=ForkOrigin(run_id="a", moment=3, edit="verdict=reject"),
        context_bound=2413,
        boundaries=(3, 9),
        migrated=3,
    )
    assert read_header(json.loads(json.dumps(header_json(header)))) == header


def test_any_text_comes_back(tmp_path):
    text = 'Zürich 東京 👩‍👩‍👧 \u202e "quotes" \\ \x00 \u2028 line\nbreak'
    run = run_scripted(text, {"policy": asking(1, "e1")}, [[hit("Velmora is a town.", text)]])
    assert _same(run, read_trace(write_trace(run, tmp_path / "run.jsonl")))
    assert len((tmp_path / "run.jsonl").read_bytes().splitlines()) == len(run.records) + 1


def test_a_lone_surrogate_can_be_written(tmp_path):
    run = Trace(name="x", header=scripted_header("half \ud83d"), records=())
    assert read_trace(write_trace(run, tmp_path / "run.jsonl")).header.question == "half \ud83d"


def test_unknown_records_and_fields_are_kept_where_they_stood():
    run = repaired_run()
    raw = record_json(run.calls[0])
    raw = {**raw, "new": 1, "call": {**raw["call"], "mode": "x"}, "reply": {**raw["reply"], "cached": True}}
    record = read_record(raw, 1)
    assert record.extra == {"new": 1, "call": {"mode": "x"}, "reply": {"cached": True}}
    assert record_json(record) == raw
    for kind in ENGINE:
        one = next(one for one in run.records if isinstance(one, kind))
        assert read_record({**record_json(one), "new": {"a": 1}}, 1) == replace(one, extra={"new": {"a": 1}})
    kind = {"record": "note", "seq": 9, "text": "seen"}
    assert record_json(read_record(kind, 1)) == kind
    newer = {"record": "event", "seq": 3, "event": {"kind": "mind_changed", "of": "n1"}}
    assert read_record(newer, 1) == OtherRecord(seq=3, raw=newer)


def test_unknown_fields_of_header_and_event_are_kept_where_they_stood():
    raw = json.loads(json.dumps(header_json(scripted_header(QUESTION))))
    raw = {**raw, "host": "a", "settings": {**raw["settings"], "mood": 3}}
    assert read_header(raw).extra == {"host": "a", "settings": {"mood": 3}}
    assert header_json(read_header(raw)) == raw
    event = {"record": "event", "seq": 1, "at": "", "event": {"kind": "search_resumed", "node": "n1", "why": "x"}}
    assert record_json(read_record(event, 1)) == event


def test_events_leave_out_what_is_at_its_default():
    run = repaired_run()
    assert event_json(run.events[0]) == {"kind": "run_started", "question": QUESTION, "agent": "retree"}
    for record in run.records:
        assert read_record(json.loads(json.dumps(record_json(record))), 0) == record


def test_the_digest_tells_any_change_and_no_reordering():
    raw = record_json(repaired_run().calls[1])
    (whole,) = sealed((raw,), "before")
    assert digest(raw, "before") == digest(dict(reversed(raw.items())), "before") == digest(whole, "before")
    assert digest({**raw, "seq": 7}, "before") != digest(raw, "before") != digest(raw, "other")
    assert digest(json.loads(json.dumps(raw)), "before") == digest(raw, "before")


def test_every_line_carries_the_digest_of_what_it_says(tmp_path):
    path = write_trace(repaired_run(), tmp_path / "run.jsonl")
    lines = [json.loads(one) for one in path.read_bytes().splitlines()]
    before = ["", *(one["digest"] for one in lines)]
    assert [one["digest"] for one in lines] == [digest(one, last) for one, last in zip(lines, before, strict=False)]


def test_a_record_is_sealed_where_it_stands_and_says_what_it_said(tmp_path):
    lines = [json.loads(one) for one in write_trace(repaired_run(), tmp_path / "run.jsonl").read_bytes().splitlines()]
    digests = ["", *(one["digest"] for one in lines)]
    assert all(map(is_sealed, lines, digests))
    assert not is_sealed(lines[5], digests[4])
    assert not is_sealed({**lines[5], "seq": 99}, digests[5])
    assert not is_sealed(lines[5], None), "of format 1, in which no digest rests on another"


def test_calls_before_counts_calls_for_each_event():
    run = repaired_run()
    assert run.calls_before[:5] == (0, 0, 1, 2, 3)
    assert len(run.calls_before) == len(run.events)
    assert run.calls_before[-1] == len(run.calls)


def test_a_trace_without_records_is_one():
    assert (
        Trace(
            name="x",
            header=Header(run_id="1", created_at="", question="Who?", settings=Settings(), recorded_with="scripted"),
            records=(),
        ).events
        == ()
    )


def test_records_are_numbered_from_1_calls_and_events_together():
    run = repaired_run()
    assert [one.seq for one in run.records] == list(range(1, len(run.records) + 1))
