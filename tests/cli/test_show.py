"""`retree show`: the tree in the terminal."""

import json
from dataclasses import replace

import pytest
from worlds import changed, clashing, repaired_run, write_trace

from retree_core.cli import main
from retree_core.cli.tree import tree_lines
from retree_core.events import NodeAdded
from retree_core.memory import Node
from retree_core.settings import Settings
from retree_core.state import State
from retree_core.trace import EventRecord
from retree_core.trace.reader import MOST_DAMAGED


@pytest.fixture
def trace(tmp_path):
    return write_trace(repaired_run(), tmp_path / "repaired.jsonl")


def show(capsys, *words) -> list[str]:
    assert main(["show", *map(str, words)]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_end_of_a_repaired_run(trace, capsys):
    lines = show(capsys, trace)
    assert lines[1] == "retree, judge guarded, recorded with scripted"
    tree = lines[lines.index("") + 1 : lines.index("facts in no node") - 1]
    assert tree == [
        '● root  "In which town was the mayor of the capital of Alvonia born?"',
        '└─ ● n1  search 1 "query 1"  ⟲ repaired e1',
        "   │  e1 [p4] The capital of Alvonia is Dresk.  ⟲ revision 2, was: The capital of Alvonia is Velmora.",
        '   ├─ ✗ n2  search 2 "query 2"  ✂ pruned at event 27 for e1',
        "   │  │  e2 [p2] The mayor of Velmora is Ilse Korn.  ✂ pruned",
        '   │  └─ ✗ n3  search 3 "query 3"  ✂ pruned at event 27 for e1',
        "   │        e3 [p3] Ilse Korn was born in Tarn.  ✂ pruned",
        '   └─ ● n4  search 5 "query 5"',
        "      │  e5 [p5] The mayor of Dresk is Otto Lind.",
        '      └─ ● n5  search 6 "query 6"  ◀ current',
        "            e6 [p6] Otto Lind was born in Sorrel.",
    ]
    assert "  e4 absorbed into e1: The capital of Alvonia is Dresk." in lines


def test_a_moment_before_the_repair(trace, capsys):
    lines = show(capsys, trace, "--at", "20")
    assert lines[2].startswith("event 20 of ")
    assert not any("pruned" in line or "repaired" in line for line in lines)
    assert lines[-2:] == ["summary of n3", lines[-1]]


def test_the_first_moment_is_an_empty_tree(trace, capsys):
    assert show(capsys, trace, "--at", "0")[2:] == ["event 0 of 45; searches 0/8", ""]


@pytest.mark.parametrize("moment", ["-1", "46"])
def test_a_moment_outside_of_the_run(trace, capsys, moment):
    assert main(["show", str(trace), "--at", moment]) == 2
    assert capsys.readouterr().err == f"retree: --at {moment}: this run has moments 0 to 45\n"


def test_json_holds_the_state(trace, capsys):
    found = json.loads("\n".join(show(capsys, trace, "--json", "--at", "27")))
    assert (found["moment"], found["event"]["kind"], found["event"]["nodes"]) == (27, "nodes_pruned", ["n2", "n3"])
    assert [one["id"] for one in found["nodes"] if one["pruned_at"] == 27] == ["n2", "n3"]
    assert found["evidence"][0]["text"] == "The capital of Alvonia is Dresk."


def test_hostile_text_is_shown_and_does_nothing(tmp_path, capsys):
    said = {"claims": [], "answer": "\x1b]0;title\x07 \u202etxt \x9b2J\n new line"}
    run = repaired_run({"answer": lambda _: said})
    lines = show(capsys, write_trace(run, tmp_path / "hostile.jsonl"))
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & {*"\n".join(lines)}
    assert any("␛]0;title⟨U+0007⟩ ⟨U+202E⟩txt ⟨U+009B⟩2J↵ new line" in line for line in lines)
    assert main(["show", str(tmp_path / "hostile.jsonl"), "--json"]) == 0
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & {*capsys.readouterr().out}


def test_orphans_and_circles_are_shown_under_a_mark():
    def node(id_: str, parent: str | None) -> Node:
        return Node(id=id_, parent=parent, search=1, query="q")

    nodes = [node("root", None), node("n1", "n1"), node("n2", "n3"), node("n3", "n2"), node("n4", "n99")]
    state = State(nodes={one.id: one for one in nodes})
    assert list(tree_lines(state)) == [
        '● root  search 1 "q"  ◀ current',
        "(parent n99 is not in the record)",
        '● n4  search 1 "q"',
        "(its parents form a circle)",
        '● n1  search 1 "q"',
        "(its parents form a circle)",
        '● n2  search 1 "q"',
        '└─ ● n3  search 1 "q"',
    ]


def test_a_very_deep_tree_is_no_problem():
    nodes = {
        f"n{number}": Node(id=f"n{number}", parent=f"n{number - 1}", search=1, query="q") for number in range(3000)
    }
    assert sum(1 for _ in tree_lines(State(nodes=nodes))) == 3001


def test_damage_and_problems_are_said(tmp_path, capsys):
    run = repaired_run()
    place = next(at for at, one in enumerate(run.records) if isinstance(getattr(one, "event", None), NodeAdded))
    record = run.records[place]
    assert isinstance(record, EventRecord)
    assert isinstance(record.event, NodeAdded)
    bent = changed(run, place, replace(record, event=replace(record.event, parent="n77")))
    file = write_trace(bent, tmp_path / "bent.jsonl")
    with file.open("ab") as end:
        end.write(b'{"record": "event", "ev')
    assert main(["show", str(file)]) == 0
    said = capsys.readouterr()
    assert "is damaged and left out" in said.err
    assert "(parent n77 is not in the record)" in said.out
    assert "problem: event 6: node n1 hangs from n77, which does not exist" in said.out


DAMAGED = b'{"record":"call","seq":900,"at":"","call":{"type":"model"}}\n'
READING = [
    ["show", "TRACE"],
    ["why", "TRACE", "--json"],
    ["diff", "TRACE", "WHOLE"],
    ["export", "TRACE", "--to", "dot", "--out", "-"],
    ["fork", "TRACE", "--at", "25", "--set", "verdict=reject", "--dry-run"],
    ["fork", "TRACE", "--at", "25", "--set", "verdict=reject", "--json", "--out", "OUT"],
]


@pytest.mark.parametrize("words", READING)
@pytest.mark.parametrize("lines", [5, 6, 12])
def test_each_command_names_five_damaged_lines_and_counts_the_others(trace, tmp_path, capsys, words, lines):
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(trace.read_bytes() + DAMAGED * lines)
    first = trace.read_bytes().count(b"\n") + 1
    files = {"TRACE": damaged, "WHOLE": trace, "OUT": tmp_path / "fork.jsonl"}
    main([str(files.get(one, one)) for one in words])
    more = {6: ["note: and 1 more damaged line"], 12: ["note: and 7 more damaged lines"]}
    assert capsys.readouterr().err.splitlines() == [
        *(f"note: line {first + at} is damaged and left out (role: is missing)" for at in range(5)),
        *more.get(lines, []),
    ]


def test_calls_left_out_unread_are_counted_too(trace, tmp_path, capsys):
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(trace.read_bytes() + DAMAGED * (MOST_DAMAGED + 50))
    first = trace.read_bytes().count(b"\n") + 1
    assert main(["show", str(damaged)]) == 0
    assert capsys.readouterr().err.splitlines()[5:] == [
        "note: and 9,995 more damaged lines",
        f"note: line {first + MOST_DAMAGED}: 50 more records not read, since 10,000 lines are damaged",
    ]


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n", b"<html>", b"null", b"[]", b"42", b"PK\x03\x04"])
def test_a_file_that_is_no_trace(tmp_path, capsys, data):
    file = tmp_path / "x.jsonl"
    file.write_bytes(data)
    assert main(["show", str(file)]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_rejected_conflicts_are_marked(tmp_path, capsys):
    script = {"conflict": clashing(("e1", "e4")), "confirm": lambda _: {"reason": "no", "apply": False}}
    run = repaired_run(script, Settings(model="scripted", judge="paper"))
    lines = show(capsys, write_trace(run, tmp_path / "contested.jsonl"))
    assert any("e1 [p1] The capital of Alvonia is Velmora.  ⚡ contested by e4" in line for line in lines)
