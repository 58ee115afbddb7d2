"""`retree export`, and what commands say of an imported record."""

import json
import subprocess
import sys

import networkx as nx
import pytest

from retree_core.cli import main
from retree_core.cli.export import FORMATS as NAMES
from retree_core.notes import add_note, notes_path
from retree_core.verify import traces_in
from retree_viz.export import FORMATS, missing
from retree_viz.runs import Shelf, listed

TALK = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Bob."}]


@pytest.fixture
def talk(tmp_path):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK))
    return path


@pytest.mark.parametrize("to", [one for one in NAMES if not missing(one)])
def test_every_format_is_written_to_a_file_named_after_the_trace(recorded, to, capsys, tmp_path):
    assert main(["export", str(recorded), "--to", to, "--at", "9"]) == 0
    name = f"recorded-at9{FORMATS[to].ending}"
    assert capsys.readouterr().out == f"{name}\n"
    assert (tmp_path / name).stat().st_size > 100


def test_exported_graphs_are_no_runs(recorded, tmp_path):
    assert main(["export", str(recorded), "--to", "json"]) == 0
    assert [one.path.name for one in listed(Shelf(name="runs", path=tmp_path))] == ["recorded.jsonl"]
    assert traces_in(tmp_path) == (recorded,)


def test_the_command_and_the_app_know_the_same_formats():
    assert set(NAMES) == set(FORMATS)


def test_graphml_loads_in_networkx(recorded, tmp_path):
    assert main(["export", str(recorded), "--to", "graphml", "--out", str(tmp_path / "a.graphml")]) == 0
    graph = nx.read_graphml(tmp_path / "a.graphml")
    assert "node:root" in graph


def test_notes_beside_the_trace_are_exported_with_it(recorded, tmp_path):
    add_note(notes_path(recorded), {"kind": "note", "moment": 3, "text": "look here"})
    out = tmp_path / "with_notes.json"
    assert main(["export", str(recorded), "--to", "json", "--out", str(out)]) == 0
    (note,) = json.loads(out.read_text())["graph"]["notes"]
    assert note["text"] == "look here"


def test_a_dash_is_the_standard_output(recorded):
    words = ["-m", "retree_core.cli", "export", str(recorded), "--to", "dot", "--out", "-"]
    done = subprocess.run([sys.executable, *words], capture_output=True, check=False)
    assert (done.returncode, done.stdout[:7], done.stderr) == (0, b"digraph", b"")


def test_a_file_is_replaced_only_when_asked_to(recorded, tmp_path, capsys):
    out = tmp_path / "out.dot"
    out.write_text("mine")
    words = ["export", str(recorded), "--to", "dot", "--out", str(out)]
    assert main(words) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert main([*words, "--overwrite"]) == 0
    assert out.read_text().startswith("digraph")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "pdf"], "invalid choice: 'pdf'"),
        ([], "--to"),
        (["--to", "dot", "--at", "999"], "--at 999: this run has moments 0 to"),
        (["--to", "dot", "--out", "TRACE", "--overwrite"], "is the trace itself"),
        (["--to", "dot", "--out", "no/such/folder/x.dot"], "cannot be used"),
    ],
)
def test_wrong_usage_is_one_line(recorded, capsys, words, said):
    assert main(["export", str(recorded), *(str(recorded) if one == "TRACE" else one for one in words)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_an_imported_record_is_shown_and_exported(talk, capsys):
    assert main(["show", str(talk)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Who?\nimported from chat messages\nevent 4 of 4, run_ended\n")
    assert "  1. assistant: Bob." in said.out
    assert said.err == "note: imported from chat messages; it has steps, and no facts or conflicts\n"
    assert main(["export", str(talk), "--to", "html"]) == 0
    assert main(["why", str(talk)]) == 0


def test_an_imported_record_has_nothing_to_replay(talk, capsys):
    assert main(["verify", str(talk)]) == 0
    said = capsys.readouterr().out
    assert said == f"imported   {talk}: nothing to replay  (4 events, 1 call; imported from chat messages)\n"
    for words in (["fork", str(talk), "--at", "2", "--set", "query=x"], ["run", "--resume", str(talk)]):
        assert main(words) == 2
        assert capsys.readouterr().err == (
            "retree: talk.json: imported from chat messages; there is nothing to replay, resume or fork\n"
        )
