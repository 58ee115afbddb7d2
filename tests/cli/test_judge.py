"""`retree judge`: verdicts, scores, and replies that are kept."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli.world import FACTS, World
from stubs import ChatServer, Response, completion

from retree_core.cli import main
from retree_core.judge_pairs import Judged, Pair
from retree_core.judge_scores import scores
from retree_core.reply_store import ReplyStore

ROOT = Path(__file__).parents[2]
OLD, NEW = FACTS[0], FACTS[2]
CAPITAL = {"id": "c", "old": OLD, "new": NEW, "question": "Capital?", "conflict": True, "class": "capital"}
SAME = {"id": "s", "old": OLD, "new": OLD.upper(), "question": "Capital?", "conflict": False, "class": "capital"}
OTHER = {"id": "o", "old": FACTS[1], "new": NEW, "question": "Mayor?", "conflict": False, "class": "unrelated"}
MISSED = {"id": "m", "old": FACTS[1], "new": FACTS[3], "question": "Mayor?", "conflict": True, "class": "mayor"}


class Silent:
    """A model that is not to be asked."""

    async def complete(self, call):
        raise AssertionError(call)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return written(tmp_path, CAPITAL, SAME, OTHER, MISSED)


def written(folder: Path, *lines: object) -> Path:
    file = folder / "pairs.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return file


def test_verdicts_and_scores(server, pairs, capsys):
    assert main(["judge", str(pairs), "--base-url", server.base_url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:4] for line in lines[:4]] == [
        ["+", "c", "repair", "confirmation"],
        ["+", "s", "duplicate", "duplicate"],
        ["+", "o", "expand", "proposal"],
        ["x", "m", "expand", "proposal"],
    ]
    assert next(line.split() for line in lines if line.startswith("overall")) == [
        "overall", "4", "1.000", "0.500", "0.667", "0", "1",
    ]  # fmt: skip
    assert ["proposal", "1", "1"] in [line.split() for line in lines]


def test_json(server, pairs, capsys):
    assert main(["judge", str(pairs), "--base-url", server.base_url, "--json", "--judge", "paper"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["judge"] == "paper"
    assert [one["verdict"] for one in found["pairs"]] == ["expand", "duplicate", "expand", "expand"]
    assert found["by_class"]["unrelated"]["precision"] is None
    assert found["by_decider"]["duplicate"] == {"right": 1, "wrong": 0}


def test_without_labels_there_are_verdicts_only(server, tmp_path, capsys):
    plain = {"old": OLD, "new": NEW, "question": "Capital?"}
    assert main(["judge", str(written(tmp_path, plain)), "--base-url", server.base_url]) == 0
    out = capsys.readouterr().out
    assert out.split()[:3] == ["1", "repair", "confirmation"]
    assert "precision" not in out
    assert "1 without a label" in out


def test_a_passage_reaches_the_confirmation(server, tmp_path, capsys):
    page = {"title": "Gazette", "text": f"Yesterday. {NEW}", "published": "2021"}
    pair = {**CAPITAL, "new_passage": page}
    assert main(["judge", str(written(tmp_path, pair)), "--base-url", server.base_url]) == 0
    confirm = next(one for one in server.calls if one["response_format"]["json_schema"]["name"] == "retree_confirm")
    assert f"source: Gazette, 2021: Yesterday. {NEW}" in confirm["messages"][-1]["content"]


class TestReplies:
    """Kept by exact request: resumable, and enough to tune guards with no model."""

    def test_each_request_is_made_once(self, server, pairs, tmp_path, capsys):
        words = ["judge", str(pairs), "--base-url", server.base_url, "--replies", str(tmp_path / "kept.jsonl")]
        assert main(words) == 0
        first, asked = capsys.readouterr().out, len(server.calls)
        assert main(words) == 0
        assert (capsys.readouterr().out, len(server.calls)) == (first, asked)
        assert main(["judge", str(pairs), "--offline", "--replies", str(tmp_path / "kept.jsonl")]) == 0
        assert capsys.readouterr().out == first

    def test_offline_says_which_pair_needs_a_model(self, server, pairs, tmp_path, capsys):
        kept = tmp_path / "kept.jsonl"
        one = written(tmp_path, CAPITAL)
        assert main(["judge", str(one), "--base-url", server.base_url, "--replies", str(kept)]) == 0
        every = written(tmp_path, CAPITAL, OTHER)
        capsys.readouterr()
        assert main(["judge", str(every), "--offline", "--replies", str(kept)]) == 1
        assert capsys.readouterr().err == (
            "retree: pair o: needs a model for its conflict call, which is not recorded\n"
        )
        assert main(["judge", str(one), "--offline", "--replies", str(kept), "--seed", "9"]) == 1

    def test_a_torn_last_line_is_dropped_and_written_anew(self, server, pairs, tmp_path, capsys):
        kept = tmp_path / "kept.jsonl"
        words = ["judge", str(pairs), "--base-url", server.base_url, "--replies", str(kept)]
        assert main(words) == 0
        whole = kept.read_bytes()
        kept.write_bytes(whole[:-40])
        asked = len(server.calls)
        assert main(words) == 0
        assert len(server.calls) == asked + 1
        assert sorted(kept.read_bytes().splitlines()) == sorted(whole.splitlines())

    def test_another_file_is_refused(self, pairs, capsys):
        assert main(["judge", str(pairs), "--offline", "--replies", str(pairs)]) == 2
        assert "pairs.jsonl:1: expected an object" in capsys.readouterr().err
        assert main(["judge", str(pairs), "--offline", "--replies", "nowhere.jsonl"]) == 2
        assert main(["judge", str(pairs), "--offline"]) == 2

    def test_a_second_process_at_the_file_is_refused_before_it_asks_anything(self, server, pairs, tmp_path, capsys):
        kept = tmp_path / "kept.jsonl"
        words = ["judge", str(pairs), "--base-url", server.base_url, "--replies", str(kept)]
        with ReplyStore(kept, Silent()):
            assert main(words) == 2
            assert "another process keeps its replies there" in capsys.readouterr().err
            assert server.calls == []
        assert main(words) == 0

    @pytest.mark.skipif(os.name != "posix", reason="needs a limit on file size")
    def test_a_full_disk_leaves_whole_replies_and_the_same_command_goes_on(self, server, pairs, tmp_path, capsys):
        kept = tmp_path / "kept.jsonl"
        words = ["judge", str(pairs), "--base-url", server.base_url, "--replies", str(kept)]
        assert main(words) == 0
        whole, asked = kept.read_bytes(), len(server.calls)
        kept.unlink()
        room = len(whole) - 200
        code = (
            "import resource, signal, sys; from retree_core.cli import main;"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room})); sys.exit(main(sys.argv[1:]))"
        )
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", code, *words], env=env, capture_output=True, text=True)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith(f"retree: {kept}: cannot be written (File too large)")
        left = kept.read_bytes().splitlines(keepends=True)
        assert set(left) < set(whole.splitlines(keepends=True))
        assert main(words) == 0
        assert len(server.calls) <= 2 * asked + asked - len(left)
        assert sorted(kept.read_bytes().splitlines()) == sorted(whole.splitlines())

    def test_a_key_is_in_no_reply_or_request_that_is_kept(self, tmp_path, capsys):
        key = "DUMMYKEY-1a2b3c4d5e6f7a8b"
        file = written(tmp_path, {**CAPITAL, "question": f"x-api-key: {key}?"})
        world = World()

        def model(body):
            said = world(body)
            return Response(json=completion(json.dumps(said), reasoning_content=f"Authorization: Bearer {key}"))

        kept = tmp_path / "kept.jsonl"
        with ChatServer(model) as server:
            words = ["judge", str(file), "--replies", str(kept)]
            assert main([*words, "--base-url", server.base_url, "--json"]) == 0
        first = capsys.readouterr().out
        assert main([*words, "--offline", "--json"]) == 0
        assert capsys.readouterr().out == first
        assert key not in kept.read_text() + first

    def test_a_store_without_a_file_is_empty(self, tmp_path):
        with ReplyStore(tmp_path / "none.jsonl") as store:
            assert store.asked == 0
        assert not (tmp_path / "none.jsonl").exists()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", ":2: not JSON"),
        ("[]", ":2: expected an object"),
        ({"id": "x", "old": "", "new": "b", "question": "q"}, ":2: old should be a text"),
        ({"id": "x", "old": "a", "new": 5, "question": "q"}, ":2: new should be a text, not 5"),
        ({"id": "x", "old": "a", "new": "b"}, ":2: question should be a text, not null"),
        ({**OTHER, "conflict": "yes"}, ":2: conflict should be true or false"),
        ({**OTHER, "old_passage": "text"}, ":2: old_passage should be an object"),
        ({**OTHER, "old_passage": {"title": "t"}}, ":2: old_passage: text should be a text"),
        (CAPITAL, ":2: id 'c' was used before"),
    ],
)
def test_a_bad_line_is_named(tmp_path, capsys, line, words):
    file = written(tmp_path, CAPITAL, line)
    assert main(["judge", str(file), "--base-url", "http://127.0.0.1:9/v1"]) == 2
    said = capsys.readouterr()
    assert f"{file}{words}" in said.err
    assert said.err.count("\n") == 1


def test_no_pairs_and_no_file(tmp_path, capsys):
    (tmp_path / "empty.jsonl").write_text("\n\n")
    assert main(["judge", "empty.jsonl"]) == 2
    assert main(["judge", "nowhere.jsonl"]) == 2
    assert capsys.readouterr().err.count("\n") == 2


def test_a_call_that_fails_is_no_verdict(pairs, capsys):
    world = World()

    def model(body):
        if FACTS[1] in str(body["messages"][-1]):
            return Response(status=400, json={"object": "error", "message": "no", "code": 400})
        return world(body)

    with ChatServer(model) as server:
        assert main(["judge", str(pairs), "--base-url", server.base_url, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [one["verdict"] for one in found["pairs"]] == ["repair", "duplicate", "failed", "failed"]
    assert (found["failed"], found["overall"]["pairs"], found["overall"]["recall"]) == (2, 2, 1.0)


def test_scores_of_nothing_are_none():
    pair = Pair(id="1", old="a", new="b", question="q")
    found = scores([Judged(pair=pair, verdict="repair", decided_by="confirmation", reason="")])
    assert (found.overall.precision, found.overall.recall, found.overall.f1) == (None, None, None)
    assert (found.unlabelled, found.by_class, found.by_decider) == (1, {}, {})
