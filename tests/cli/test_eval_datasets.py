"""`retree eval` over several data sets: a folder for each, cut to size, bad ones refused before any run."""

import json
from pathlib import Path

import pytest
from cli.world import PASSAGES, QUESTION, World

from retree_core.cli import main


def hotpotqa(folder: Path) -> str:
    context = [[one["title"], [one["text"]]] for one in PASSAGES]
    record = {"_id": "5a01", "question": QUESTION, "answer": "Mira Oss", "type": "bridge", "context": context}
    path = folder / "dev.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    return f"hotpotqa:{path}"


def neutral(folder: Path) -> str:
    passages = [{"title": one["title"], "text": one["text"]} for one in PASSAGES]
    records = [{"id": f"q{n}", "question": QUESTION, "answers": ["Mira Oss"], "passages": passages} for n in range(3)]
    path = folder / "velmora.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return f"jsonl:{path}"


def words(*datasets: str, out: Path, more: tuple[str, ...] = ()) -> list[str]:
    return ["eval", "--dataset", *datasets, "--agents", "retree", "--out", str(out), "--json", *more]


def test_each_of_several_data_sets_has_a_folder_of_its_own(server, tmp_path, capsys):
    given = (hotpotqa(tmp_path), neutral(tmp_path))
    out = tmp_path / "grid"
    assert main([*words(*given, out=out), "--limit", "2", "--base-url", server.base_url]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == 3
    manifests = {one.parent.name: json.loads(one.read_text()) for one in out.glob("*/eval.json")}
    assert {name: one["dataset"] for name, one in manifests.items()} == {"hotpotqa": "hotpotqa", "velmora": "jsonl"}
    assert [one["id"] for one in manifests["velmora"]["questions"]] == ["q1", "q2"]
    traces = sorted(str(one.relative_to(out)) for one in out.glob("*/runs/retree/*.jsonl.gz"))
    assert traces == [
        "hotpotqa/runs/retree/5a01.jsonl.gz",
        "velmora/runs/retree/q1.jsonl.gz",
        "velmora/runs/retree/q2.jsonl.gz",
    ]


def test_one_data_set_goes_to_the_folder_itself(server, tmp_path, capsys):
    out = tmp_path / "one"
    assert main([*words(hotpotqa(tmp_path), out=out), "--limit", "paper", "--base-url", server.base_url]) == 0
    assert (out / "runs" / "retree" / "5a01.jsonl.gz").exists()


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (("--limit", "0"), "expected 1 or more, got 0"),
        (("--limit", "some"), "expected a number, got 'some'"),
    ],
)
def test_a_limit_that_is_none(tmp_path, capsys, more: tuple[str, ...], expected: str):
    assert main(words(hotpotqa(tmp_path), out=tmp_path / "out", more=more)) == 2
    assert expected in capsys.readouterr().err


def test_bad_data_sets_are_told_of_before_any_folder_is_made(tmp_path, capsys):
    bad = tmp_path / "bamboogle.csv"
    bad.write_text("Question,Answer\nWho?,\n", encoding="utf-8")
    out = tmp_path / "out"
    assert main(words(hotpotqa(tmp_path), f"bamboogle:{bad}", out=out)) == 2
    assert "bamboogle.csv, line 2, field 'answer': empty, expected an answer" in capsys.readouterr().err
    assert main(words(hotpotqa(tmp_path), hotpotqa(tmp_path), out=out)) == 2
    assert "two of hotpotqa, hotpotqa would share a folder" in capsys.readouterr().err
    assert not out.exists()


def test_progress_counts_the_runs_of_all_data_sets(server, tmp_path, capsys):
    given = (hotpotqa(tmp_path), neutral(tmp_path))
    plain = [one for one in words(*given, out=tmp_path / "grid") if one != "--json"]
    assert main([*plain, "--base-url", server.base_url, "--concurrency", "1"]) == 0
    lines = [one.split("] ", 1)[1] for one in capsys.readouterr().err.splitlines()]
    assert [one.split(":")[0] for one in lines] == [
        "1/4 retree 5a01",
        "2/4 retree q0",
        "3/4 retree q1",
        "4/4 retree q2",
    ]
    assert all(one.endswith(" left") for one in lines)


@pytest.mark.parametrize("by", ["flag", "environment"])
def test_several_servers_share_the_calls_however_they_are_named(by: str, tmp_path, monkeypatch, capsys):
    with World(delay_s=0.01).server() as one, World(delay_s=0.01).server() as other:
        both = f"{one.base_url}, {other.base_url},{one.base_url}"
        monkeypatch.setenv("RETREE_BASE_URL", both if by == "environment" else "http://127.0.0.1:1/v1")
        more = ("--base-url", both) if by == "flag" else ()
        assert main(words(neutral(tmp_path), out=tmp_path / "out", more=more)) == 0
        shares = [len(each.calls) for each in (one, other)]
        assert min(shares) > sum(shares) / 4
        assert [sum(seen.path == "/v1/models" for seen in each.seen) for each in (one, other)] == [1, 1]


def test_a_server_of_several_that_is_not_there_is_named(server, tmp_path, capsys):
    both = f"{server.base_url},http://127.0.0.1:1/v1"
    assert main([*words(neutral(tmp_path), out=tmp_path / "out"), "--base-url", both]) == 1
    assert "http://127.0.0.1:1/v1" in capsys.readouterr().err
    assert not (tmp_path / "out/eval.json").exists()


def test_an_evaluation_that_could_ask_nobody_leaves_no_folder(tmp_path, capsys):
    nobody = ("--base-url", "http://127.0.0.1:9/v1")
    out = tmp_path / "grids" / "today"
    assert main(words(hotpotqa(tmp_path), neutral(tmp_path), out=out, more=nobody)) == 1
    assert "no model server at http://127.0.0.1:9/v1" in capsys.readouterr().err
    assert not (tmp_path / "grids").exists()


def test_an_evaluation_that_could_ask_nobody_leaves_a_folder_of_others_alone(tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    assert main(words(neutral(tmp_path), out=out, more=("--base-url", "http://127.0.0.1:9/v1"))) == 1
    assert list(out.iterdir()) == []
