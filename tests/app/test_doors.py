"""The app reads, writes and asks only where its owner has let it."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from headless import markup, opened
from streamlit.testing.v1 import AppTest
from stubs import ChatServer, Response, StubServer
from viz.story import story_trace
from worlds import QUESTION, repaired_run, write_trace

from retree_core.drivers.edits import Edit
from retree_core.errors import InputError, UsageError
from retree_viz import lives
from retree_viz.notes import note_down
from retree_viz.uploads import keep

FOUND = Response(json={"results": [{"title": "a", "content": "b", "url": "https://example.org"}]})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own runs; nothing else is set."""
    for name in ("RETREE_SEARCH", "RETREE_MODEL", "RETREE_TRUST_VISITORS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def asked(spec: str) -> AppTest:
    """The page after a question was sent off with that search."""
    app = opened(page="ask")
    app.text_area(key="question").set_value(QUESTION)
    app.text_input(key="spec").set_value(spec)
    return app.button[0].click().run()


def ended(address: str) -> str:
    """Why the run at an address failed, once it is over; empty where it did not."""
    made = lives.live(address)
    assert made is not None
    made.join(60)
    return made.error


def test_a_visitor_cannot_name_an_address_to_search(folder: Path, model: ChatServer) -> None:
    with StubServer(FOUND) as elsewhere:
        app = asked(f"searxng:{elsewhere.url}")
        assert "not among those that this app may use" in markup(app)
        assert app.text_area(key="question").value == QUESTION
        assert (elsewhere.seen, model.seen, list(folder.iterdir())) == ([], [], [])


def test_a_visitor_cannot_name_a_file_to_search(folder: Path, model: ChatServer, tmp_path: Path) -> None:
    (tmp_path / "private.jsonl").write_text(json.dumps({"title": "private", "text": "PRIVATE"}) + "\n")
    for spec in (f"corpus:{tmp_path}/private.jsonl", f"corpus:{folder}/../private.jsonl", f"corpus:{tmp_path}"):
        assert "not among those that this app may use" in markup(asked(spec))
    assert (model.seen, list(folder.iterdir())) == ([], [])


def test_an_owner_can_let_visitors_name_what_they_like(
    folder: Path, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETREE_TRUST_VISITORS", "1")
    with StubServer(FOUND) as elsewhere:
        app = asked(f"searxng:{elsewhere.url}")
        ended(app.session_state["place"].run)
        assert elsewhere.seen != []


@pytest.mark.parametrize("how", ["resume", "fork"])
def test_a_trace_brought_in_cannot_name_an_address_to_search_or_ask(folder: Path, model: ChatServer, how: str) -> None:
    whole = repaired_run()
    with StubServer(FOUND) as elsewhere:
        said = {"base_url": f"{elsewhere.url}/v1", "models": ["scripted"], "server": "SGLang"}
        header = replace(whole.header, server=said, search_spec=f"searxng:{elsewhere.url}")
        write_trace(replace(whole, header=header, records=whole.records[:30]), folder / "foreign.jsonl")
        at = next(at for at, one in enumerate(whole.events, 1) if one.kind == "search_chosen")
        edits = [Edit.parse("query=atlas")]
        begin = {"resume": lives.resume, "fork": partial(lives.fork, at=at, edits=edits, live_model=True)}[how]
        with pytest.raises(UsageError, match="not among those that this app may use"):
            begin("runs/foreign.jsonl")
        assert (elsewhere.seen, model.seen) == ([], [])


def test_the_server_that_a_trace_names_is_never_asked(folder: Path, model: ChatServer) -> None:
    (folder / "pages.jsonl").write_text(json.dumps({"title": "atlas", "text": "The capital is Velmora."}) + "\n")
    whole = repaired_run()
    with StubServer(Response(json={"data": []})) as elsewhere:
        said = {"base_url": f"{elsewhere.url}/v1", "models": ["scripted"], "server": "SGLang"}
        header = replace(whole.header, server=said, search_spec=f"corpus:{folder}/pages.jsonl")
        write_trace(replace(whole, header=header), folder / "foreign.jsonl")
        at = next(at for at, one in enumerate(whole.events, 1) if one.kind == "search_chosen")
        edit = Edit.parse("query=the atlas of Alvonia")
        assert ended(lives.fork("runs/foreign.jsonl", at, [edit], live_model=True)) == ""
        app = opened(run="runs/foreign.jsonl", call="1", tab="calls")
        app.session_state["place"] = replace(app.session_state["place"], dialog="again")
        app.run()
        app.button(key="again_run").click().run()
        end = time.monotonic() + 30
        while not (folder / "foreign.notes.json").exists() and time.monotonic() < end:
            time.sleep(0.1)
        assert elsewhere.seen == []
    assert (folder / "foreign.notes.json").exists()
    assert model.calls != []


@pytest.fixture
def linked(folder: Path, tmp_path: Path) -> Path:
    """Own runs among links, a pipe, and folders with names of runs."""
    (tmp_path / "outside").mkdir()
    write_trace(
        replace(repaired_run(), header=replace(repaired_run().header, question="OUTSIDE")), tmp_path / "o.jsonl"
    )
    write_trace(story_trace(), folder / "story.jsonl")
    (folder / "out.jsonl").symlink_to(tmp_path / "o.jsonl")
    (folder / "relative.jsonl").symlink_to("../o.jsonl")
    (folder / "twice.jsonl").symlink_to("out.jsonl")
    (folder / "device.jsonl").symlink_to("/dev/zero")
    (folder / "self.jsonl").symlink_to("self.jsonl")
    (folder / "gone.jsonl").symlink_to("nowhere.jsonl")
    (folder / "folder.jsonl").mkdir()
    write_trace(story_trace(), folder / "folder.jsonl" / "deep.jsonl")
    (folder / "link").symlink_to(tmp_path / "outside")
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "inside.jsonl").symlink_to("story.jsonl")
    return folder


def test_links_out_pipes_devices_and_folders_are_no_runs(linked: Path) -> None:
    shown = markup(opened())
    assert {one.split('"')[0] for one in shown.split('data-do="open:runs/')[1:]} == {"story.jsonl", "inside.jsonl"}
    assert "OUTSIDE" not in shown


@pytest.mark.parametrize(
    "name",
    [
        *("out.jsonl", "relative.jsonl", "twice.jsonl", "device.jsonl", "self.jsonl", "gone.jsonl", "pipe.jsonl"),
        *("folder.jsonl", "folder.jsonl/deep.jsonl", "link/o.jsonl", "../o.jsonl", "..%2Fo.jsonl", "..\\o.jsonl"),
        *("", ".", "..", "/etc/passwd", "story.jsonl/", "story.jsonl/../../o.jsonl", "~/o.jsonl", "o.jsonl\x00"),
    ],
)
def test_no_address_leads_out_of_the_folder(linked: Path, name: str) -> None:
    shown = markup(opened(run=f"runs/{name}"))
    assert "there is no run" in shown
    assert "OUTSIDE" not in shown
    assert "OUTSIDE" not in markup(opened(run="runs/story.jsonl", against=f"runs/{name}"))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (
            lambda: bytes((200 << 20) + 1),
            "big.jsonl: larger than 200 MB; put the file into the folder of your runs instead",
        ),
        (
            lambda: gzip.compress(bytes((200 << 20) + 1), 1),
            "big.jsonl: unpacks to over 200 MiB, the largest trace that is read",
        ),
        (lambda: gzip.compress(gzip.compress(bytes(1 << 20))), "big.jsonl: not a ReTree trace"),
    ],
    ids=["large", "large when unpacked", "packed twice"],
)
def test_an_upload_has_a_limit_before_and_after_it_is_unpacked(
    folder: Path, data: Callable[[], bytes], why: str
) -> None:
    with pytest.raises(InputError) as refused:
        keep(data(), "big.jsonl", folder)
    assert str(refused.value).startswith(why)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../../up.jsonl", "/etc/cron.d/up.jsonl", "..", "a/b\\c.jsonl", "up\x00.jsonl", "<b>.jsonl"]
)
def test_the_name_of_an_upload_leads_nowhere(folder: Path, tmp_path: Path, name: str) -> None:
    (folder / "up.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    before = set(tmp_path.rglob("*"))
    kept = keep(write_trace(story_trace(), tmp_path / "a.jsonl").read_bytes(), name, folder)
    assert set(tmp_path.rglob("*")) - before == {folder / kept, tmp_path / "a.jsonl"}
    assert not (folder / kept).is_symlink()


@pytest.mark.parametrize("target", ["../private.json", "/dev/zero", "pipe"])
def test_notes_that_lead_out_are_neither_read_nor_written(folder: Path, tmp_path: Path, target: str) -> None:
    write_trace(story_trace(), folder / "story.jsonl")
    private = {"format": "retree-notes", "version": 1, "trace": story_trace().header.run_id, "notes": []}
    private["notes"] = [{"id": "a", "at": "", "kind": "note", "moment": 3, "text": "PRIVATE"}]
    (tmp_path / "private.json").write_text(json.dumps(private))
    if target == "pipe":
        os.mkfifo(folder / "story.notes.json")
    else:
        (folder / "story.notes.json").symlink_to(target)
    before = (tmp_path / "private.json").read_bytes()
    for query in ({}, {"run": "runs/story.jsonl", "moment": "3"}):
        assert "PRIVATE" not in markup(opened(**query))
    app = opened(run="runs/story.jsonl", moment="3")
    app.session_state["place"] = replace(app.session_state["place"], dialog="note")
    app.run()
    assert "PRIVATE" not in markup(app)
    with pytest.raises(UsageError, match="the notes cannot be written"):
        note_down("runs/story.jsonl", story_trace().header.run_id, 3, "mine")
    assert (tmp_path / "private.json").read_bytes() == before
