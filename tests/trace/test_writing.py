"""Writing: one record a write, one writer a file, and never over another run."""

import gzip
import json
import os
import stat
import subprocess
import sys
import threading

import pytest
from worlds import QUESTION, repaired_run, scripted_header, write_trace

from retree_core.errors import UsageError
from retree_core.files import put
from retree_core.secrets import redact_json
from retree_core.trace import OtherRecord, TraceWriter, read_trace, save_document

HEADER = scripted_header(QUESTION)


ENDINGS = pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])


def _note(seq, **fields):
    return OtherRecord(seq=seq, raw={"record": "note", "seq": seq, **fields})


def _plain(value):
    return value


@ENDINGS
def test_each_record_is_on_disk_when_write_returns(tmp_path, ending):
    path = tmp_path / "runs" / "new" / f"run{ending}"
    with TraceWriter.create(path, HEADER, redact=_plain) as writer:
        for seq in (1, 2, 3):
            writer.write(_note(seq))
            assert len(read_trace(path).records) == seq
    assert path.read_bytes().startswith(b"\x1f\x8b") == (ending == ".jsonl.gz")
    assert _content(path).count(b"\n") == 4


@ENDINGS
def test_a_trace_that_is_gone_on_with_is_as_if_it_had_been_written_at_once(tmp_path, ending):
    path, whole = tmp_path / f"run{ending}", tmp_path / f"whole{ending}"
    TraceWriter.create(path, HEADER, redact=_plain).close()
    for seq in (1, 2, 3):
        with TraceWriter.append(path, redact=_plain, read=path.read_bytes()) as writer:
            writer.write(_note(seq))
    with TraceWriter.create(whole, HEADER, redact=_plain) as writer:
        writer.write(_note(1))
        writer.write(_note(2), _note(3))
    assert _content(path) == _content(whole)


def _content(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def test_a_gzipped_trace_cut_at_any_byte_goes_on_after_its_last_whole_record(tmp_path):
    path = tmp_path / "run.jsonl.gz"
    sizes = []
    with TraceWriter.create(path, HEADER, redact=_plain) as writer:
        for seq in (1, 2, 3):
            sizes.append(path.stat().st_size)
            writer.write(_note(seq, text=f"{seq} and what it says"))
    data = path.read_bytes()
    for size in range(sizes[0], len(data)):
        path.write_bytes(data[:size])
        whole = read_trace(path)
        assert len(whole.records) >= sum(one <= size for one in sizes[1:])
        assert len(whole.damage) <= 1
        with TraceWriter.append(path, redact=_plain) as writer:
            writer.write(_note(9))
        again = read_trace(path)
        assert ([one.seq for one in again.records], again.damage) == ([*(one.seq for one in whole.records), 9], ())


def _begun(path, size=-8):
    """A gzipped trace of a killed run."""
    with TraceWriter.create(path, HEADER, redact=_plain) as writer:
        writer.write(_note(1))
    path.write_bytes(path.read_bytes()[:size])
    return path


def test_a_gzipped_trace_that_is_gone_on_with_keeps_its_permissions_and_the_link_to_it(tmp_path):
    (tmp_path / "there").mkdir()
    real, link = _begun(tmp_path / "there" / "real.jsonl.gz"), tmp_path / "run.jsonl.gz"
    link.symlink_to(real)
    for mode in (0o600, 0o664):
        real.chmod(mode)
        with TraceWriter.append(link, redact=_plain) as writer:
            writer.write(_note(mode))
        assert stat.S_IMODE(real.stat().st_mode) == mode
    assert link.is_symlink()
    assert [one.seq for one in read_trace(real).records] == [1, 0o600, 0o664]
    assert sorted(tmp_path.rglob("*.*")) == [link, real]


def test_no_link_in_the_place_of_a_draft_is_followed(tmp_path):
    path, precious = _begun(tmp_path / "run.jsonl.gz"), tmp_path / "precious"
    precious.write_text("mine")
    for name in ("part", f"{os.getpid()}-{threading.get_ident()}.part"):
        (tmp_path / f"run.jsonl.gz.{name}").symlink_to(precious)
    TraceWriter.append(path, redact=_plain).close()
    put(path, path.read_bytes())
    assert precious.read_text() == "mine"
    assert [one.seq for one in read_trace(path).records] == [1]


def test_a_damaged_gzipped_trace_is_not_gone_on_with(tmp_path):
    path = _begun(tmp_path / "run.jsonl.gz")
    path.write_bytes(before := path.read_bytes() + bytes(8))
    with pytest.raises(UsageError, match=r"damaged gzip file \(.*\); nothing can be put at its end"):
        TraceWriter.append(path, redact=_plain)
    assert path.read_bytes() == before


FULL = """
import resource, sys
from retree_core.trace import TraceWriter
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    TraceWriter.append(sys.argv[1], redact=lambda value: value)
except OSError as error:
    print(error.strerror)
"""


def test_a_full_disk_leaves_the_gzipped_trace_and_no_draft(tmp_path):
    path = _begun(tmp_path / "run.jsonl.gz")
    before = path.read_bytes()
    said = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True)
    assert (said.stdout, said.stderr) == ("File too large\n", "")
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {path.name: before}


def test_a_file_that_exists_is_not_written_over(tmp_path):
    path = write_trace(repaired_run(), tmp_path / "run.jsonl")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="exists; name another file, or give --overwrite"):
        TraceWriter.create(path, HEADER, redact=_plain)
    assert path.read_bytes() == before
    TraceWriter.create(path, HEADER, redact=_plain, overwrite=True).close()
    assert read_trace(path).records == ()


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        TraceWriter.create(tmp_path / "file" / "run.jsonl", HEADER, redact=_plain)
    with pytest.raises(UsageError, match="cannot be written"):
        TraceWriter.append(tmp_path / "none.jsonl", redact=_plain)


@ENDINGS
@pytest.mark.parametrize(
    "second",
    [
        lambda path: TraceWriter.create(path, HEADER, redact=_plain, overwrite=True),
        lambda path: TraceWriter.append(path, redact=_plain),
    ],
)
def test_a_second_writer_is_refused_and_changes_nothing(tmp_path, second, ending):
    path = tmp_path / f"run{ending}"
    with TraceWriter.create(path, HEADER, redact=_plain) as writer:
        writer.write(_note(1))
        with pytest.raises(UsageError, match="is being written by another process"):
            second(path)
        writer.write(_note(2))
    assert [one.seq for one in read_trace(path).records] == [1, 2]
    TraceWriter.append(path, redact=_plain).close()


CHILD = """
import random, sys
from retree_core.trace import OtherRecord, TraceWriter
with TraceWriter.append(sys.argv[1], redact=lambda value: value) as writer:
    for seq in range(2, 10_000_000):
        text = random.Random(seq).randbytes(1500).hex()
        writer.write(OtherRecord(seq=seq, raw={"record": "note", "seq": seq, "text": text}))
        print(seq, flush=True)
"""


@ENDINGS
def test_a_killed_writer_leaves_every_record_it_wrote(tmp_path, ending):
    path = tmp_path / f"run{ending}"
    TraceWriter.create(path, HEADER, redact=_plain).close()
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    said = [int(child.stdout.readline()) for _ in range(50)]
    child.kill()
    said += [int(one) for one in child.communicate()[0].split("\n")[:-1]]
    trace = read_trace(path)
    assert [one.seq for one in trace.records][: len(said)] == said
    assert len(trace.records) <= len(said) + 1
    assert len(trace.damage) <= 1


def test_secrets_are_taken_out_on_the_way_to_disk(tmp_path):
    path = tmp_path / "run.jsonl"
    with TraceWriter.create(path, HEADER, redact=redact_json) as writer:
        writer.write(_note(1, url="https://x.example/v1?key=AIzaTESTdummy&cx=1", headers={"x-api-key": "dummy123"}))
    written = path.read_text()
    assert "AIzaTEST" not in written
    assert "dummy123" not in written
    assert json.loads(written.splitlines()[1])["url"] == "https://x.example/v1?key=[redacted]&cx=1"


def test_a_document_is_written_whole_or_not_at_all(tmp_path):
    run = repaired_run()
    path = tmp_path / f"{'r' * 245}.json"
    path.write_text("former")
    with pytest.raises(OSError, match="name too long"):
        save_document(run, path)  # beside it there is no room for a longer name
    assert path.read_text() == "former"
    folder = tmp_path / "run.json"
    folder.mkdir()
    with pytest.raises(OSError, match="directory"):
        save_document(run, folder)
    assert sorted(tmp_path.iterdir()) == sorted([path, folder])


FULL_DISK = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))" + CHILD


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on file size")
@ENDINGS
def test_a_full_disk_is_an_error_and_what_was_written_before_stays(tmp_path, ending):
    path = tmp_path / f"run{ending}"
    TraceWriter.create(path, HEADER, redact=_plain).close()
    child = subprocess.run([sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=False)
    assert "OSError: [Errno 27] File too large" in child.stderr
    assert len(read_trace(path).records) == len(child.stdout.split()) > 3
