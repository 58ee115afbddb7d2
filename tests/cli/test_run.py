"""`retree run` against a scripted model behind a real server."""

import json
from pathlib import Path

import pytest
from cli.world import FACTS, PASSAGES, QUESTION, World, corpus
from stubs import ChatServer, Response, StubServer, completion

from retree_core.cli import main
from retree_core.trace import read_trace


def test_a_run_prints_its_answer_with_sources_and_its_steps(server, tmp_path, capsys):
    out = tmp_path / "run.jsonl"
    words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url, "--out", str(out)]
    assert main(words) == 0
    said = capsys.readouterr()
    assert said.out == (
        "Mira Oss\n"
        "\n"
        "1. Mira Oss is the mayor of Brellin.\n"
        "   [e1] (repaired, revision 2) The capital of Velmora is Brellin.\n"
        "        p2 Velmora today\n"
        "   [e4] Mira Oss is the mayor of Brellin.\n"
        "        p4 Brellin <https://example.org/brellin>\n"
        "\n"
        f"trace: {out}\n"
    )
    steps = [line.split("] ", 1)[1] for line in said.err.splitlines()]
    assert steps[0] == 'search 1/8 "Velmora river capital"'
    assert "  REPAIR e1 at n1, now: The capital of Velmora is Brellin." in steps
    assert "  pruned n2" in steps
    assert steps[-2:] == ["answer: Mira Oss", "ended: answered"]


def test_json_is_one_object_and_nothing_else(server, tmp_path, capsys):
    out = tmp_path / "run.jsonl"
    words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url, "--out", str(out), "--json"]
    assert main(words) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert said.err == ""
    assert (found["answer"], found["status"], found["searches"], found["repairs"]) == ("Mira Oss", "answered", 4, 1)
    assert (found["nodes_pruned"], found["calls"], found["trace"]) == (1, 23, str(out))
    assert found["summaries_discarded"] == 1
    assert found["tokens"]["confirm"] == {"calls": 1, "prompt": 120, "cached": 0, "completion": 30, "uncounted": 0}
    cited = found["claims"][0]["cites"][0]
    assert (cited["standing"], cited["revision"], cited["fact"]) == ("repaired", 2, FACTS[2])
    assert cited["sources"][0] == {
        "passage": "p2",
        "title": "Velmora today",
        "url": None,
        "quote": "The capital of Velmora is Brellin",
        "start": 0,
        "end": 33,
    }


def test_a_server_that_thinks_unasked_is_said_once_a_run(tmp_path, capsys):
    def model(body):
        return Response(json=completion(json.dumps(World()(body)), reasoning="Let me see."))

    out = tmp_path / "run.jsonl"
    with ChatServer(model) as server:
        words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url, "--out", str(out)]
        assert main(words) == 0
        assert capsys.readouterr().err.count("the model thinks though thinking is off") == 1
        assert main([*words, "--thinking", "--overwrite"]) == 0
        assert "thinks though" not in capsys.readouterr().err
        assert main([*words, "--json", "--overwrite"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["thinking_asked"], found["thought_unasked"], found["replies_rejected"]) == (False, 19, 0)


def test_every_run_gets_a_file_of_its_own(server, tmp_path, capsys):
    words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url]
    assert main(words) == 0
    assert main(words) == 0
    names = sorted(one.name for one in (tmp_path / "runs").iterdir())
    assert len(names) == 2
    assert all("-who-is-the-mayor-of-" in one for one in names)


def test_flags_end_up_in_the_header(server, tmp_path, capsys):
    out = tmp_path / "run.jsonl"
    words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url, "--out", str(out)]
    words += ["--judge", "paper", "--max-searches", "1", "--temperature", "0", "--top-k", "1", "--seed", "7"]
    words += ["--on-repair", "keep_facts", "--recorded-with", "scripted", "--summary-call", "after"]
    assert main(words) == 0  # one search: the budget ends, and there is an answer
    header = read_trace(out).header
    settings, sampling = header.settings, header.settings.sampling
    assert (settings.judge, settings.max_searches, settings.on_repair) == ("paper", 1, "keep_facts")
    assert settings.summary_call == "after"
    assert (sampling.temperature, sampling.top_k, sampling.seed, sampling.top_p) == (0.0, 1, 7, 0.8)
    assert (header.recorded_with, header.question) == ("scripted", QUESTION)


def test_the_model_comes_from_the_environment(tmp_path, capsys, monkeypatch):
    with ChatServer(World(), models=["mine"]) as server:
        monkeypatch.setenv("RETREE_MODEL", "mine")
        monkeypatch.setenv("RETREE_BASE_URL", server.base_url)
        monkeypatch.setenv("RETREE_SEARCH", corpus(tmp_path))
        assert main(["run", QUESTION, "--json"]) == 0
        assert {one["model"] for one in server.calls} == {"mine"}


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and the one line that a command which cannot start says."""
    code = main(words)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("retree: ")
    return code, said.err


class TestWhatCannotStart:
    """One clear line, what to do, exit code 2 or 1, and no trace left behind."""

    def start(self, tmp_path: Path, *more: str, question: str = QUESTION) -> list[str]:
        return ["run", question, "--out", str(tmp_path / "out.jsonl"), "--search", corpus(tmp_path), *more]

    @pytest.fixture(autouse=True)
    def nothing_written(self, tmp_path):
        yield
        assert not (tmp_path / "out.jsonl").exists()

    def test_server_down(self, tmp_path, capsys):
        code, line = refused(self.start(tmp_path, "--base-url", "http://127.0.0.1:9/v1"), capsys)
        assert code == 1
        assert "no model server at http://127.0.0.1:9/v1" in line
        assert "RETREE_BASE_URL" in line

    def test_wrong_key(self, tmp_path, capsys, monkeypatch):
        monkeypatch.setenv("RETREE_API_KEY", "sk-wrong-key-0123456789")
        with StubServer(Response(status=401, json={"error": "Unauthorized"})) as server:
            code, line = refused(self.start(tmp_path, "--base-url", f"{server.url}/v1"), capsys)
        assert code == 1
        assert "RETREE_API_KEY" in line
        assert "0123456789" not in line

    def test_model_not_served(self, server, tmp_path, capsys):
        code, line = refused(self.start(tmp_path, "--base-url", server.base_url, "--model", "other"), capsys)
        assert code == 1
        assert "serves Qwen/Qwen3-8B, not 'other'" in line

    def test_no_corpus(self, server, tmp_path, capsys):
        words = [*self.start(tmp_path, "--base-url", server.base_url), "--search", "corpus:nowhere.jsonl"]
        code, line = refused(words, capsys)
        assert code == 2
        assert "nowhere.jsonl" in line

    def test_empty_question(self, server, tmp_path, capsys):
        code, line = refused(self.start(tmp_path, "--base-url", server.base_url, question="  \n"), capsys)
        assert code == 2
        assert "the question is empty" in line

    def test_unknown_search(self, tmp_path, capsys):
        code, line = refused([*self.start(tmp_path), "--search", "bing"], capsys)
        assert code == 2
        assert "expected corpus:PATH" in line

    def test_no_search(self, tmp_path, capsys):
        code, line = refused(["run", QUESTION, "--out", str(tmp_path / "out.jsonl")], capsys)
        assert code == 2
        assert "--search is missing" in line

    def test_search_without_its_key(self, tmp_path, capsys, monkeypatch):
        monkeypatch.delenv("SERPER_API_KEY", raising=False)
        code, line = refused([*self.start(tmp_path), "--search", "serper"], capsys)
        assert code == 2
        assert "SERPER_API_KEY" in line

    @pytest.mark.parametrize(
        "more",
        [["--agent", "x"], ["--max-searches", "0"], ["--temperature", "nan"], ["--seed", "x"], ["--nonsense"]],
    )
    def test_wrong_flags(self, tmp_path, capsys, more):
        code, line = refused([*self.start(tmp_path), *more], capsys)
        assert code == 2
        assert "retree run --help" in line or "retree --help" in line


def test_an_existing_trace_is_not_overwritten(server, recorded, tmp_path, capsys):
    before = recorded.read_bytes()
    words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url, "--out", str(recorded)]
    code, line = refused(words, capsys)
    assert code == 2
    assert "--overwrite" in line
    assert recorded.read_bytes() == before
    assert main([*words, "--overwrite", "--json"]) == 0
    assert recorded.read_bytes() != before


def test_a_model_that_fails_ends_the_run_and_the_run_can_be_resumed(tmp_path, capsys):
    out = tmp_path / "run.jsonl"
    world = World()
    broken = {"now": True}

    def model(body):
        if broken["now"] and len(server.calls) > 6:
            return Response(status=400, json={"object": "error", "message": "odd request", "code": 400})
        return world(body)

    with ChatServer(model) as server:
        words = ["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url, "--out", str(out)]
        assert main(words) == 1
        said = capsys.readouterr()
        assert said.out.startswith("No answer (llm_error): ")
        assert "odd request" in said.out
        broken["now"] = False
        assert main(["run", "--resume", str(out), "--base-url", server.base_url]) == 0
        assert capsys.readouterr().out.startswith("Mira Oss\n")
    assert main(["verify", str(out)]) == 0


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_finished_run_cannot_be_resumed(server, recorded, capsys, more):
    code, line = refused(["run", "--resume", str(recorded), "--base-url", server.base_url, *more], capsys)
    assert code == 2
    assert "nothing to resume" in line


@pytest.fixture
def half(recorded):
    """A run that was stopped halfway, whose search needed a password."""
    header, *rest = recorded.read_text().splitlines()
    plain = json.loads(header)
    plain.update(search_spec="searxng:http://[redacted]@localhost:1", search={"kind": "searxng", "host": "localhost"})
    recorded.write_text("\n".join([json.dumps(plain), *rest[:20]]) + "\n")
    return recorded


@pytest.mark.parametrize(
    "command",
    [
        ["run", "--json", "--resume"],
        ["fork", "--json", "--live", "--at", "3", "--set", "query=Velmora", "--out", "fork.jsonl"],
    ],
)
def test_a_password_that_no_trace_holds_is_asked_for_before_a_call_is_spent(server, half, capsys, command):
    before = len(server.seen)
    code, line = refused([*command, str(half), "--base-url", server.base_url], capsys)
    assert (code, line) == (
        2,
        "retree: search 'searxng:http://[redacted]@localhost:1' is without its password, which no trace holds; "
        "give it whole with --search, or set RETREE_SEARCH to it\n",
    )
    assert len(server.seen) == before


@pytest.mark.parametrize("given", ["--search", "RETREE_SEARCH"])
def test_a_run_whose_search_needs_a_password_goes_on_with_it(server, half, capsys, given, monkeypatch):
    results = [{"title": one["title"], "content": one["text"], "url": one.get("url")} for one in PASSAGES]
    with StubServer(Response(json={"results": results})) as engine:
        whole = f"searxng:{engine.url.replace('//', '//me:PLANTED-1a2b3c@')}"
        shown = whole.replace("me:PLANTED-1a2b3c", "[redacted]")
        half.write_text(half.read_text().replace("searxng:http://[redacted]@localhost:1", shown))
        if given == "RETREE_SEARCH":
            monkeypatch.setenv(given, whole)
        more = ["--search", whole] if given == "--search" else []
        assert main(["run", "--resume", str(half), "--base-url", server.base_url, *more]) == 0
        assert {one.headers["authorization"][:6] for one in engine.seen} == {"Basic "}
    assert "PLANTED" not in half.read_text() + "".join(capsys.readouterr())


def test_several_addresses_are_for_evaluations(tmp_path, capsys):
    several = "http://localhost:1/v1, http://me:pw@localhost:2/v1"
    code, line = refused(["run", QUESTION, "--search", corpus(tmp_path), "--base-url", several], capsys)
    assert (code, line) == (
        2,
        "retree: RETREE_BASE_URL names several addresses (http://localhost:1/v1 and http://localhost:2/v1); name one, "
        "only retree eval takes more\n",
    )


def test_resume_takes_no_question(recorded, capsys):
    code, line = refused(["run", QUESTION, "--resume", str(recorded)], capsys)
    assert code == 2
    assert "leave it out" in line


def test_outside_text_cannot_act_on_the_terminal(tmp_path, capsys):
    class Hostile(World):
        def answer(self, text):
            return {"claims": [], "answer": "red\x1b[31m \u202edeb"}

    with Hostile().server() as server:
        assert main(["run", QUESTION, "--search", corpus(tmp_path), "--base-url", server.base_url]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("red␛[31m ⟨U+202E⟩deb\n")
    assert not {"\x1b", "\u202e"} & {*said.out, *said.err}
