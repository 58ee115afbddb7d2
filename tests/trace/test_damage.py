"""Files that are damaged, not current, or no traces at all."""

import gzip
import json
import os
import random
from copy import deepcopy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worlds import QUESTION, VELMORA, asking, finding, replace_records, run_scripted, told, write_trace

from retree_core.errors import InputError
from retree_core.state import fold
from retree_core.trace import Damage, OtherRecord, TraceWriter, read_trace, save_document
from retree_core.trace.packed import TooLarge
from retree_core.trace.reader import parse_trace


@pytest.fixture(scope="module")
def run():
    return run_scripted(QUESTION, {"policy": asking(2, "e1")}, finding(VELMORA, "Velmora is old."))


@pytest.fixture(scope="module")
def data(run, tmp_path_factory):
    return write_trace(run, tmp_path_factory.mktemp("trace") / "run.jsonl").read_bytes()


def _note(seq):
    return OtherRecord(seq=seq, raw={"record": "note", "seq": seq})


def _plain(value):
    return value


def test_a_torn_last_line_costs_that_record_alone(run, data):
    torn = parse_trace(data[:-30], "run")
    assert torn.records == run.records[:-1]
    assert [one.line for one in torn.damage] == [len(run.records) + 1]


@pytest.mark.parametrize("tail", [b'{"type":"sea', b'{"type":"sea\n\n', b"\n\n"])
def test_a_record_appended_after_a_torn_line_can_be_read(tmp_path, run, data, tail):
    path = tmp_path / "run.jsonl"
    path.write_bytes(data + tail)
    with TraceWriter.append(path, redact=_plain) as writer:
        writer.write(_note(99))
    again = read_trace(path)
    assert again.records[:-1] == run.records
    assert again.records[-1].seq == 99
    assert len(again.damage) == tail.count(b"sea\n")


def test_a_last_line_that_lacks_only_its_newline_is_kept_by_the_next_writer(tmp_path, run, data):
    path = tmp_path / "run.jsonl"
    path.write_bytes(data.rstrip(b"\n"))
    with TraceWriter.append(path, redact=_plain) as writer:
        writer.write(_note(99))
    again = read_trace(path)
    assert (again.records[:-1], again.records[-1].seq, again.damage) == (run.records, 99, ())


def test_reading_goes_on_after_a_bad_line(run, data):
    lines = data.splitlines(keepends=True)
    lines[16] = b"{bad}\n"
    again = parse_trace(b"".join(lines), "run")
    assert again.records == (*run.records[:15], *run.records[16:])
    assert [one.line for one in again.damage] == [17]


def test_half_a_character_damages_its_own_record(run, data):
    again = parse_trace(data + '{"text": "東'.encode()[:-1], "run")
    assert again.records == run.records
    assert again.damage == (Damage(line=len(run.records) + 2, reason="not UTF-8 at byte 10", torn=True),)


def test_a_byte_order_mark_is_no_part_of_the_first_record(run, data):
    again = parse_trace(b"\xef\xbb\xbf" + data, "run")
    assert (again.header, again.records, again.damage) == (run.header, run.records, ())


def test_lines_may_end_as_on_windows_and_be_parted_by_blank_ones(run, data):
    again = parse_trace(data.replace(b"\n", b"\r\n\r\n"), "run")
    assert (again.header, again.records, again.damage) == (run.header, run.records, ())


def test_records_are_ordered_by_their_number_then_by_line(run, data):
    head, *lines = data.splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    assert parse_trace(head + b"".join(lines), "run").records == run.records
    assert parse_trace(b"".join(lines) + head, "run").records == run.records


def test_records_without_a_number_keep_the_order_of_their_lines(run, data):
    head, *lines = data.splitlines()
    bare = [json.loads(one) for one in lines]
    for one in bare:
        del one["seq"]
    again = parse_trace(b"\n".join([head, *(json.dumps(one).encode() for one in bare)]), "run")
    assert [one.seq for one in again.records] == [one.seq for one in run.records]


@pytest.mark.parametrize("at", [None, "yesterday", 1700000000, 1700000000000, "9999-12-31T23:59:59Z", {}])
def test_times_are_only_displayed(run, data, at):
    lines = [json.loads(one) for one in data.splitlines()]
    for one in lines:
        one["at"] = at
    again = parse_trace(b"\n".join(json.dumps(one).encode() for one in lines), "run")
    assert again.events == run.events
    assert {one.at for one in told(again)} == {at if isinstance(at, str) else ""}


@pytest.mark.parametrize("seconds", [-3, None, "fast", [], True])
def test_odd_durations_are_never_negative(run, data, seconds):
    lines = [json.loads(one) for one in data.splitlines()]
    for one in lines:
        one["seconds"] = seconds
    again = parse_trace(b"\n".join(json.dumps(one).encode() for one in lines), "run")
    assert {one.seconds for one in again.calls} <= {0.0, 1.0}


@pytest.mark.parametrize(("version", "notices"), [(1, 0), (None, 1), (0, 1), (99, 1), ("1", 1), (1.5, 1), ([], 1)])
def test_any_version_is_opened_and_another_one_is_said(run, data, version, notices):
    head, rest = data.split(b"\n", 1)
    header = {**json.loads(head), "version": version}
    again = parse_trace(json.dumps(header).encode() + b"\n" + rest, "run")
    assert (again.events, again.damage, len(again.notices)) == (run.events, (), notices)


def test_a_newer_trace_opens_with_settings_this_version_does_not_know(run, data):
    head, rest = data.split(b"\n", 1)
    header = json.loads(head)
    header["settings"] |= {"agent": "forest", "judge": 7, "mood": "calm", "sampling": {"temperature": "inf"}}
    again = parse_trace(json.dumps(header).encode() + b"\n" + rest, "run")
    assert again.events == run.events
    assert again.notices == (
        "setting agent = 'forest' is not known to this version; a replay may differ",
        "setting judge = '7' is not known to this version; a replay may differ",
        "setting sampling = \"{'temperature': 'inf'}\" is not known to this version; a replay may differ",
    )
    assert again.header.extra == {"settings": {"mood": "calm"}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not UTF-8"),
        (b"PK\x03\x04\x14\x00\x00\x00", "not a ReTree trace"),
        (b"<!DOCTYPE html><html></html>", "not a ReTree trace"),
        (b"null", "not a ReTree trace"),
        (b"[]", "not a ReTree trace"),
        (b"42", "not a ReTree trace"),
        (b"{}", "not a ReTree trace"),
        (b'"text"', "not a ReTree trace"),
        (b'{"record": "header"}', "format is 'None'"),
        (b'{"record": "header", "format": "other"}', "format is 'other'"),
        (b'{"record": "header", "format": "retree-trace", "version": 1}', "no readable header"),
        (b'{"records": {}}', "`records` should be a list"),
        (b'{"records": []}', "format is 'None'"),
        (b"\x1f\x8b\x08broken", "damaged gzip file"),
        (gzip.compress(b""), "the file is empty"),
        ("{}".encode("utf-16"), "not a ReTree trace"),
        (b"[" * 100_000, "not a ReTree trace"),
        (b'{"a":' * 100_000, "not a ReTree trace"),
    ],
)
def test_a_file_that_is_no_trace_is_said_to_be_none_in_one_line(tmp_path, content, said):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_trace(path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_folder_and_a_missing_file_are_said_to_be_so(tmp_path):
    with pytest.raises(InputError, match="a folder, not a trace"):
        read_trace(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_trace(tmp_path / "none.jsonl")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_said_to_be_so(tmp_path):
    path = tmp_path / "run.jsonl"
    path.touch(0o000)
    with pytest.raises(InputError, match="cannot be read"):
        read_trace(path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"1" * 5000 + b"}", "a number of more than 30 digits"),
        (b'{"id":"a","id":"b"}', "key 'id' appears twice in one object"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": -1e400}', "a number out of range: -1e400"),
        (b'{"record":"note","a":' + b"[" * 100 + b"]" * 100 + b"}", "nested too deeply"),
        (b"{}", "record: is missing, expected event, call or another kind of record"),
        (
            b'{"record":"call","call":{"type":"search","query":"x","limit":5},"reply":{"type":"search","hits":[]},'
            b'"failed_attempts":[{"failure":"timeout","message":"","waited_s":"inf"}]}',
            "item 1, waited_s: should be a finite number",
        ),
        (b"7", "not a JSON object"),
        (b'{"record": "event", "seq": "two"}', "seq: expected a whole number"),
        (b'{"record": "event"}', "event: should be an object, is null"),
        (b'{"record": "event", "event": {"kind": "search_resumed"}}', "node: is missing"),
        (b'{"record": "call", "call": {"type": "phone"}}', "call: unknown type 'phone'"),
        (
            b'{"record":"call","call":{"type":"search","query":"x","limit":5},"reply":{"type":"model","raw":{}}}',
            "reply: is of another type than its call",
        ),
    ],
)
def test_a_hostile_line_is_one_damaged_record(run, data, line, reason):
    again = parse_trace(data + line + b"\n", "run")
    assert again.records == run.records
    assert again.damage == (Damage(line=len(run.records) + 2, reason=reason),)


def test_a_record_nested_too_deeply_damages_itself_alone_in_a_document_too(run, tmp_path):
    path = tmp_path / "run.json"
    save_document(run, path)
    whole = json.loads(path.read_bytes())
    whole["records"].append(json.loads('{"record": "note", "a": ' + "[" * 100 + "]" * 100 + "}"))
    again = parse_trace(json.dumps(whole).encode(), "run")
    assert again.records == run.records
    assert again.damage == (Damage(line=len(run.records) + 1, reason="nested too deeply"),)


@pytest.mark.parametrize("value", [b"1e400", b"[" * 450 + b"]" * 450])
def test_a_header_that_cannot_be_read_is_one_line(data, value):
    head, rest = data.split(b"\n", 1)
    with pytest.raises(InputError, match="not a ReTree trace"):
        parse_trace(head[:-1] + b',"mood":' + value + b"}\n" + rest, "run")


def test_a_file_of_damaged_lines_is_no_trace(data):
    with pytest.raises(InputError, match="more than 10,000 damaged lines; not a ReTree trace"):
        parse_trace(gzip.compress(data + b"{}\n" * 50_000), "run")
    with pytest.raises(InputError, match="more than 10,000 damaged lines"):
        parse_trace(b"{}\n" * 50_000, "run")


def test_gzip_files_joined_end_to_end_are_one(run, data):
    head, rest = data.split(b"\n", 1)
    joined = gzip.compress(head + b"\n") + gzip.compress(b"") * 20_000 + gzip.compress(rest)
    assert parse_trace(joined, "run").records == run.records
    assert parse_trace(joined, "run").damage == ()


def _flipped(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


NOT_GZIPPED = "what follows is not gzipped"


@pytest.mark.parametrize(
    ("change", "place", "why"),
    [
        (lambda one, two: _flipped(one, len(one) - 8), -5, "incorrect data check"),
        (lambda one, two: _flipped(one, len(one) - 4), -1, "incorrect length check"),
        (lambda one, two: one + b"\0", 0, NOT_GZIPPED),
        (lambda one, two: one + bytes(9000), 0, NOT_GZIPPED),
        (lambda one, two: one + b'{"record":"note","seq":99}\n', 0, NOT_GZIPPED),
        (lambda one, two: one + _flipped(two, 0), 0, NOT_GZIPPED),
        (lambda one, two: one + _flipped(two, 1), 1, "incorrect header check"),
        (lambda one, two: one + _flipped(two, 2), 3, "unknown compression method"),
    ],
)
def test_a_gzip_file_with_anything_wrong_is_damaged_there(run, data, change, place, why):
    one, two = gzip.compress(data), gzip.compress(b"\n")
    again = parse_trace(change(one, two), "run")
    reason = f"damaged gzip file (found at byte {len(one) + place:,}: {why})"
    assert again.records == run.records
    assert again.corrupt == again.damage == (Damage(line=len(run.records) + 2, reason=reason),)


def test_a_byte_changed_anywhere_in_a_gzip_file_is_damage(run, data):
    """But for one that takes the end of the last record away, as if the run had been killed there."""
    packed = gzip.compress(data)
    for place in (*range(10, len(packed), 97), *range(len(packed) - 30, len(packed))):
        try:
            again = parse_trace(_flipped(packed, place), "run")
        except InputError:
            continue
        assert again.damage, place
        assert again.corrupt or (again.damage[0].torn and again.records == run.records[:-1]), place


def test_no_more_is_unpacked_than_is_asked_for(tmp_path, run, data):
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(data + b"\n" * (4 << 20)))
    assert read_trace(path).records == run.records
    with pytest.raises(TooLarge, match="unpacks to over 1 MiB"):
        read_trace(path, most=1 << 20)


@pytest.mark.parametrize("kind", [[], {}, None, 7, True])
def test_an_event_of_an_odd_kind_is_kept_or_damaged(run, data, kind):
    line = json.dumps({"record": "event", "seq": 99, "event": {"kind": kind}}).encode()
    again = parse_trace(data + line, "run")
    assert again.events == run.events
    assert len(again.records) + len(again.damage) == len(run.records) + 1


def test_a_trace_cut_anywhere_loads_or_has_no_whole_header_yet(run, tmp_path):
    small = [one for one in run.records if not hasattr(getattr(one, "call", None), "role")]
    run = replace_records(run, small[:7])
    data = write_trace(run, tmp_path / "run.jsonl").read_bytes()
    header_ends = data.index(b"\n")
    whole = 0
    for size in range(len(data) + 1):
        try:
            again = parse_trace(data[:size], "run")
        except InputError:
            assert size < header_ends
            continue
        assert size >= header_ends
        whole = max(whole, len(again.records))
        assert len(again.records) == whole
        assert again.records == run.records[:whole]
        assert len(again.damage) <= 1
    assert whole == len(run.records)


def test_a_gzipped_trace_cut_anywhere_loads_or_is_no_trace(run, data):
    packed = gzip.compress(data)
    for size in range(0, len(packed), 7):
        try:
            again = parse_trace(packed[:size], "run")
        except InputError:
            continue
        assert again.records == run.records[: len(again.records)]
        assert again.corrupt == ()


@pytest.mark.parametrize(
    ("end", "torn"), [(b'{"record":"ev', True), (b'{"record":"ev\n', False), (b"{}", False), (b"7", False)]
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_only_a_last_line_that_is_neither_whole_nor_ended_is_torn(data, end, torn, pack):
    lines = data.splitlines(keepends=True)
    begun = parse_trace(pack(b"".join(lines[:9]) + end), "run")
    assert [one.torn for one in begun.damage] == [torn]
    assert begun.corrupt == (() if torn else tuple(begun.damage))
    ended = parse_trace(pack(data + end), "run")
    assert ended.corrupt == tuple(ended.damage) != ()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=5,
)


def _places(value, at=()):
    """Paths to every value inside a JSON value."""
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield from _places(one, (*at, key))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_trace_with_any_value_in_any_place_loads_folds_and_loses_nothing_else(data, chosen):
    lines = [json.loads(one) for one in data.splitlines()]
    number = chosen.draw(st.integers(0, len(lines) - 1))
    place = chosen.draw(st.sampled_from(list(_places(lines[number]))[1:]))
    line = deepcopy(lines[number])
    inner = line
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = chosen.draw(_JSON)
    lines[number] = line
    try:
        again = parse_trace(b"\n".join(json.dumps(one).encode() for one in lines), "run")
    except InputError:
        assert number == 0
        return
    fold(again.events)
    assert len(again.records) + len(again.damage) == len(lines) - 1
