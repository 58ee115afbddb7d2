import gzip
import os
from pathlib import Path

import pytest
from viz.story import story_trace
from worlds import write_trace

from retree_core.errors import InputError
from retree_core.trace import save_document
from retree_viz import runs
from retree_viz.address_bar import from_query
from retree_viz.html import visible
from retree_viz.place import Place, moved
from retree_viz.runs import LARGE, RunFile, Shelf, card, find, listed


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    folder = tmp_path / "mine"
    folder.mkdir()
    write_trace(story_trace(), folder / "story.jsonl")
    return Shelf(name="runs", path=folder)


def test_a_card_says_what_is_in_the_run(shelf: Shelf) -> None:
    (file,) = listed(shelf)
    about = card(file)
    assert about.address == "runs/story.jsonl"
    assert (about.agent, about.recorded_with, about.status) == ("retree", "scripted", "answered")
    assert (about.searches, about.repairs, about.pruned, about.rejected, about.refused) == (7, 1, 3, 1, 2)
    assert about.answer == "Kaltenbrück"


def test_documents_and_gzip_are_runs_too(shelf: Shelf) -> None:
    save_document(story_trace(), shelf.path / "b.json")
    save_document(story_trace(), shelf.path / "c.json.gz")
    (shelf.path / "d.jsonl.gz").write_bytes(gzip.compress((shelf.path / "story.jsonl").read_bytes()))
    (shelf.path / "corpus.jsonl").write_text("{}")
    (shelf.path / "notes.txt").write_text("no run")
    assert {one.path.name for one in listed(shelf)} == {"story.jsonl", "b.json", "c.json.gz", "d.jsonl.gz"}
    assert all(not card(one).trouble for one in listed(shelf))


@pytest.mark.parametrize(
    "content",
    [b"", b"\x89PNG\r\n", b"PK\x03\x04", b"<html>", b"null", b"[]", b"42", b'{"a":1}', b"\x1f\x8bxx", b"[" * 100_000],
)
def test_files_that_are_no_runs_say_why_in_one_line(shelf: Shelf, content: bytes) -> None:
    (shelf.path / "x.json").write_bytes(content)
    about = next(card(one) for one in listed(shelf) if one.path.name == "x.json")
    assert about.trouble
    assert "\n" not in about.trouble
    assert str(shelf.path) not in about.trouble


def test_no_file_stops_the_gallery() -> None:
    file = RunFile(address="runs/x.jsonl", path=Path("a\0b"), size=1, mtime_ns=1)
    assert card(file).trouble == "cannot be read, a fault of this program: ValueError: embedded null byte"


def test_a_card_is_not_made_of_more_than_is_read_for_it(shelf: Shelf) -> None:
    data = (shelf.path / "story.jsonl").read_bytes() + b"\n" * LARGE
    (shelf.path / "story.jsonl").write_bytes(data)
    (shelf.path / "packed.jsonl.gz").write_bytes(gzip.compress(data))
    assert {card(one).status for one in listed(shelf)} == {"large: read when opened"}


@pytest.mark.parametrize(
    "address",
    [
        "runs/../secret.jsonl",
        "runs/..%2Fsecret.jsonl",
        "runs//etc/passwd",
        "runs/..\\secret.jsonl",
        "runs/",
        "runs/.",
        "runs/..",
        "runs/link.jsonl",
        "runs/loop.jsonl",
        "runs/x\x00.jsonl",
        "other/story.jsonl",
        "story.jsonl",
        "",
        "runs/" + "a" * 5000,
    ],
)
def test_only_files_of_the_shelf_can_be_named(shelf: Shelf, address: str) -> None:
    secret = shelf.path.parent / "secret.jsonl"
    write_trace(story_trace(), secret)
    (shelf.path / "link.jsonl").symlink_to(secret)
    (shelf.path / "loop.jsonl").symlink_to(shelf.path / "loop.jsonl")
    assert {one.path.name for one in listed(shelf)} == {"story.jsonl"}
    with pytest.raises(InputError, match="there is no run"):
        find(address, (shelf,))


def test_a_link_within_the_shelf_is_fine(shelf: Shelf) -> None:
    (shelf.path / "again.jsonl").symlink_to(shelf.path / "story.jsonl")
    assert find("runs/again.jsonl", (shelf,)).size > 0


def test_one_file_can_be_the_shelf(shelf: Shelf) -> None:
    file = shelf.path / "story.jsonl"
    (alone, new) = runs.shelves({"RETREE_RUNS": str(file)})[1:]
    assert [one.address for one in listed(alone)] == ["runs/story.jsonl"]
    assert find("runs/story.jsonl", (alone,)).path == file.resolve()
    with pytest.raises(InputError):
        find("runs/other.jsonl", (alone,))
    assert new.path == Path("runs")


def test_a_rewritten_file_is_another_version(shelf: Shelf) -> None:
    (before,) = listed(shelf)
    os.utime(before.path, ns=(1, 1))
    (after,) = listed(shelf)
    assert (before.size, before.mtime_ns) != (after.size, after.mtime_ns)


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert listed(Shelf(name="runs", path=tmp_path / "nowhere")) == ()


def test_the_samples_are_found_beside_the_package() -> None:
    assert (runs.samples_folder() / "corpus.jsonl").is_file()


@pytest.mark.parametrize("name", ["a\x1b[31m.jsonl", "\u202eb.jsonl", "\udcff\udcfe.jsonl", "d" * 245 + ".jsonl"])
def test_a_run_is_found_by_what_pages_and_the_address_bar_write(shelf: Shelf, name: str) -> None:
    try:
        write_trace(story_trace(), shelf.path / name)
    except (OSError, UnicodeEncodeError):
        pytest.skip("no such name on this file system")
    file = next(one for one in listed(shelf) if one.path.name == name)
    assert find(file.address, (shelf,)) == file
    written = visible(file.address)
    opened = moved(Place(), f"open:{written}").run
    assert find(opened, (shelf,)) == file
    assert find(from_query({"run": written}).run, (shelf,)) == file
