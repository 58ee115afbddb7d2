"""A trace opens by its events; its calls stay lines until somebody looks at them, and are the same calls then."""

import gzip
import json
from dataclasses import replace

import pytest
from worlds import calls_of, repaired_run, write_trace

from retree_core.state import fold
from retree_core.trace import CallRecord, Damage, OtherRecord, TraceWriter, read_trace
from retree_core.trace.kept import KeptCall, Late, decoded
from retree_core.trace.reader import MOST_DAMAGED, parse_trace
from retree_core.trace.records import record_json

RUN = repaired_run()


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_trace(RUN, tmp_path_factory.mktemp("trace") / "run.jsonl").read_bytes()


def test_events_and_state_are_there_without_one_call_decoded(data):
    decoded.cache_clear()
    trace = parse_trace(data, "run")
    assert fold(trace.events) == fold(RUN.events)
    assert decoded.cache_info().misses == 0
    assert len(trace.damage) == 0
    assert decoded.cache_info().misses == len(RUN.calls)


def test_a_kept_call_is_the_call_in_every_respect(data):
    trace = parse_trace(data, "run")
    assert all(isinstance(one, KeptCall) for one in trace.calls)
    for kept, whole in zip(trace.calls, RUN.calls, strict=True):
        assert (kept, kept.call, kept.reply) == (whole, whole.call, whole.reply)
        assert whole == kept
        assert (kept.role, kept.failed, kept.seq, kept.at) == (whole.role, whole.failed, whole.seq, whole.at)
        assert record_json(kept) == record_json(whole)
        assert repr(kept).partition("(")[2] == repr(whole).partition("(")[2]
    first, second = trace.calls[:2]
    assert first != second
    assert (first != RUN.calls[1], first == parse_trace(data, "run").calls[0]) == (True, True)


def test_a_changed_copy_of_a_kept_call_is_a_record_of_its_own(data):
    kept = calls_of(parse_trace(data, "run"), "policy")[0]
    edited = replace(kept, edited=True)
    assert type(edited) is CallRecord
    assert edited == replace(calls_of(RUN, "policy")[0], edited=True)


def test_damage_in_a_call_is_named_by_line_and_the_call_is_left_out(data):
    lines = data.splitlines(keepends=True)
    numbers = [number for number, line in enumerate(lines, 1) if line.startswith(b'{"record":"call"')]
    at = numbers[2]
    for old, new, reason in (
        (b'"role":', b'"role":"judge","role":', "key 'role' appears twice in one object"),
        (b'"seconds":0.0', b'"seconds":1e999', "a number out of range: 1e999"),
        (b'"type":', b'"deep":' + b"[" * 200 + b"]" * 200 + b',"type":', "nested too deeply"),
        (b'"type":"model",', b'"type":"model","deep":' + b"[" * 200 + b"]" * 200 + b",", "nested too deeply"),
        (b'"model":"scripted"', b'"model":"\xff"', "not UTF-8 at byte "),
    ):
        damaged = lines[at - 1].replace(old, new, 1)
        assert damaged != lines[at - 1]
        trace = parse_trace(b"".join([*lines[: at - 1], damaged, *lines[at:]]), "run")
        assert trace.events == RUN.events
        assert [(one.line, one.reason.startswith(reason)) for one in trace.damage] == [(at, True)]
        assert trace.records == (*RUN.records[: at - 2], *RUN.records[at - 1 :])


def test_damage_of_all_kinds_is_in_order_of_lines(data):
    lines = data.splitlines(keepends=True)
    numbers = [number for number, line in enumerate(lines, 1) if line.startswith(b'{"record":"call"')]
    lines[numbers[0] - 1] = lines[numbers[0] - 1].replace(b'"reply":', b'"no":', 1)
    lines[numbers[-1] - 1] = lines[numbers[-1] - 1].replace(b'"reply":', b'"no":', 1)
    lines.insert(numbers[0] + 1, b"{bad}\n")
    assert [one.line for one in parse_trace(b"".join(lines), "run").damage] == [
        numbers[0],
        numbers[0] + 2,
        numbers[-1] + 1,
    ]


def test_a_record_without_a_number_gets_the_same_one_whatever_waits_before_it(data):
    lines = data.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith(b'{"record":"call"'))
    lines[at] = lines[at].replace(b'"reply":', b'"no":', 1)
    note = {key: one for key, one in json.loads(lines[-1]).items() if key not in ("seq", "digest")}
    trace = parse_trace(b"".join([*lines[:-1], json.dumps(note).encode()]), "run")
    assert trace.records[-1].seq == len(trace.records) == len(RUN.records) - 1


def test_a_file_of_damaged_calls_opens_and_says_so(data):
    damaged = b'{"record":"call","seq":900,"at":"","call":{"type":"model"}}\n' * (MOST_DAMAGED + 50)
    trace = parse_trace(data + damaged, "run")
    assert trace.events == RUN.events
    assert (len(trace.damage), trace.records) == (MOST_DAMAGED + 1, RUN.records)
    assert [(one.unread, one.reason) for one in trace.damage if one.unread] == [
        (50, "50 more records not read, since 10,000 lines are damaged")
    ]


def test_gzip_damage_costs_what_follows_it_and_is_one_damaged_line(tmp_path):
    path = tmp_path / "run.jsonl.gz"
    sizes = []
    with TraceWriter.create(path, RUN.header, redact=lambda value: value) as writer:
        for one in RUN.records:
            sizes.append(path.stat().st_size)
            writer.write(one)
    data = path.read_bytes()
    for place in (3, 20, len(sizes) - 1):
        trace = parse_trace(data[: sizes[place]] + bytes(4096), "run")
        assert trace.records == RUN.records[:place]
        assert [one.line for one in trace.damage] == [place + 2]
        assert trace.damage[0].reason.startswith("damaged gzip file (")


def test_what_another_program_packed_is_read_alike(data):
    assert parse_trace(gzip.compress(data), "run").records == RUN.records


def test_a_late_sequence_is_made_once_and_reads_as_a_tuple():
    made = []
    late = Late(lambda: tuple(made.append(1) or (1, 2, 3)))
    assert made == []
    assert (late == (1, 2, 3), late != (1, 2), len(late), late[0], late[-2:], [*late], 2 in late) == (
        *(True, True, 3, 1, (2, 3), [1, 2, 3], True),
    )
    assert (repr(late), made) == ("(1, 2, 3)", [1])


def test_records_of_other_kinds_are_no_calls(tmp_path):
    path = tmp_path / "run.jsonl"
    with TraceWriter.create(path, RUN.header, redact=lambda value: value) as writer:
        writer.write(OtherRecord(seq=1, raw={"record": "callback", "seq": 1}))
    trace = read_trace(path)
    assert (trace.calls, trace.damage, [type(one) for one in trace.records]) == ((), (), [OtherRecord])
    assert trace.damage == ()
    assert Damage(line=1, reason="x") not in trace.damage
