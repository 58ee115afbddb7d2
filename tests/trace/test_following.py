"""A trace that is being written: each look takes what was added, and ends with what reading it whole gives."""

import gzip
import random
from dataclasses import replace

import pytest
from worlds import repaired_run, replace_records, write_trace

from retree_core.errors import InputError
from retree_core.trace import read_trace
from retree_core.trace.following import Following

RUN = repaired_run()
OTHER = replace_records(RUN, [*RUN.records, *(replace(RUN.records[-1], seq=number) for number in range(500, 540))])
ENDINGS = pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])


def said(trace):
    return trace.header, tuple(trace.records), trace.events, tuple(trace.damage)


@ENDINGS
@pytest.mark.parametrize("seed", range(4))
def test_a_file_that_grows_by_any_pieces_is_the_whole_trace_in_the_end(tmp_path, ending, seed):
    data = write_trace(RUN, tmp_path / f"whole{ending}").read_bytes()
    chance = random.Random(seed)
    path = tmp_path / f"run{ending}"
    path.touch()
    following, held = Following(path), 0
    while data:
        size = chance.randint(1, len(data) // 4 + 1)
        with path.open("ab") as file:
            file.write(data[:size])
        data = data[size:]
        try:
            trace = following.look()
        except InputError:
            assert held == 0
            continue
        assert (trace.records[:held], trace.damage) == (RUN.records[:held], ())
        held = len(trace.records)
        assert trace.records == RUN.records[:held]
        assert trace.events == tuple(one.event for one in trace.records if hasattr(one, "event"))
    assert said(following.look()) == said(read_trace(path))


@ENDINGS
def test_nothing_added_is_the_same_trace(tmp_path, ending):
    following = Following(write_trace(RUN, tmp_path / f"run{ending}"))
    assert following.look() is following.look()


@ENDINGS
def test_another_file_in_its_place_is_read_from_its_start(tmp_path, ending):
    path = write_trace(RUN, tmp_path / f"run{ending}")
    following = Following(path)
    following.look()
    write_trace(RUN, tmp_path / f"other{ending}").replace(path)
    assert said(following.look()) == said(read_trace(path))
    path.write_bytes(write_trace(OTHER, tmp_path / f"longer{ending}").read_bytes())
    assert said(following.look()) == said(read_trace(path))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    shorter = following.look()
    assert (shorter.records, shorter.damage) == (read_trace(path).records, ())


def test_a_damaged_line_is_named_where_it_stands(tmp_path):
    path = write_trace(RUN, tmp_path / "run.jsonl")
    following = Following(path)
    lines = len(following.look().records) + 1
    with path.open("ab") as file:
        file.write(b'\n{bad}\n{"record":"note","seq":900}\n')
    trace = following.look()
    assert [one.line for one in trace.damage] == [lines + 2]
    assert trace.records[-1].seq == 900
    assert said(trace) == said(read_trace(path))


@pytest.mark.parametrize("packed_in", [1, 2])
def test_a_damaged_gzip_file_is_followed_as_far_as_it_is_read(tmp_path, packed_in):
    whole = write_trace(RUN, tmp_path / "whole.jsonl").read_bytes()
    size = len(whole) // packed_in
    data = b"".join(gzip.compress(whole[at : at + size]) for at in range(0, len(whole), size))
    path = tmp_path / "run.jsonl.gz"
    for place in (len(data) // 2, len(data) - 5, len(data)):
        damaged = data[:place] + b"\xfe\xfe" + data[place + 2 :]
        path.write_bytes(damaged)
        at_once, by_pieces = Following(path), Following(path)
        assert said(at_once.look()) == said(read_trace(path))
        path.write_bytes(damaged[: place - 3])
        by_pieces.look()
        with path.open("ab") as file:
            file.write(damaged[place - 3 :])
        assert said(by_pieces.look()) == said(read_trace(path))
        assert sum("gzip" in one.reason for one in by_pieces.look().damage) == 1
        with path.open("ab") as file:
            file.write(data)
        assert said(by_pieces.look()) == said(at_once.look()) == said(read_trace(path))


def test_what_is_gzipped_twice_is_no_trace_for_either(tmp_path):
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(gzip.compress(write_trace(RUN, tmp_path / "whole.jsonl").read_bytes())))
    for read in (Following(path).look, lambda: read_trace(path)):
        with pytest.raises(InputError, match="not a ReTree trace"):
            read()


@pytest.mark.parametrize("content", [b"", b"\x1f\x8bgarbage", b'{"record":', b"no trace\n"])
def test_what_is_no_trace_yet_is_read_once_it_is_one(tmp_path, content):
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    following = Following(path)
    with pytest.raises(InputError):
        following.look()
    path.write_bytes(write_trace(RUN, tmp_path / "whole.jsonl").read_bytes())
    assert following.look().records == RUN.records
