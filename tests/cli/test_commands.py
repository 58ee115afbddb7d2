"""`retree why`, `verify`, `fork` and `schema` as commands: what they print, and their exit codes."""

import json
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
from worlds import SETTINGS, repaired_run, write_trace

from retree_core.cli import main
from retree_core.cli.why_text import story_lines
from retree_core.replies import REPLIES
from retree_core.run_folders import sample_spec, samples_folder
from retree_core.trace import read_trace, save_document
from retree_core.trace.schema import FILE, text
from retree_core.verify import verify
from retree_core.why import why_run


@pytest.fixture
def trace(tmp_path):
    return write_trace(repaired_run(), tmp_path / "repaired.jsonl")


def said(capsys, *words: object, code: int = 0) -> str:
    assert main([*map(str, words)]) == code
    return capsys.readouterr().out


class TestWhy:
    def test_a_repair_is_told_whole(self, trace, capsys):
        out = said(capsys, "why", trace)
        for words in (
            "repaired by the second model call (confirmation): both cannot hold",
            "affected: claim 1 and node n1",
            "[e1] revision 1: The capital of Alvonia is Velmora.",
            "0-34: «The capital of Alvonia is Velmora.»",
            "[e4] revision 1: The capital of Alvonia is Dresk.",
            "reason: they differ",
            "(conflict, 120+30 tokens)",
            "reason: both cannot hold",
            "(confirm, 120+30 tokens)",
            "value     -",
            "introducer: n1",
            "active path then: root(no facts) / >n1(e1) / n2(e2) / n3(e3)",
            "pruned, event 27: n2, n3",
            "spent below: 10 calls, 1200 tokens",
            "search resumed at n1, event 28; next search is event 31",
        ):
            assert words in out, words

    def test_a_discarded_summary_is_told_with_its_price(self, capsys, tmp_path):
        beside = repaired_run(settings=replace(SETTINGS, summary_call="beside"))
        out = said(capsys, "why", write_trace(beside, tmp_path / "run.jsonl"))
        assert "  the summary written ahead is discarded, event 29: 1 call, 150 tokens, 0 s" in out.splitlines()

    @pytest.mark.parametrize("what", [["--event", "27"], ["--evidence", "e2"], ["--claim", "1"], ["--claim", "c1"], []])
    def test_json_is_the_same_data(self, trace, capsys, what):
        found = json.loads(said(capsys, "why", trace, *what, "--json"))
        assert found["story"] in ("Conflict", "EvidenceStory", "ClaimStory", "RunStory")

    @pytest.mark.parametrize("what", [["--event", "0"], ["--evidence", "e99"], ["--claim", "9"]])
    def test_what_is_not_there_is_said(self, trace, capsys, what):
        assert main(["why", str(trace), *what]) == 2
        line = capsys.readouterr().err
        assert line.startswith(f"retree: {what[0]} {what[1]}: ")
        assert line.count("\n") == 1

    def test_a_claim_that_is_no_number_is_said(self, trace, capsys):
        assert main(["why", str(trace), "--claim", "e1"]) == 2
        assert "expected the number of a claim, such as 2 or c2, got 'e1'" in capsys.readouterr().err

    def test_every_event_can_be_asked_about(self, trace, capsys):
        for number in range(1, 46):
            assert said(capsys, "why", trace, "--event", number)

    def test_no_control_character_gets_through(self):
        run = repaired_run({"confirm": lambda _: {"reason": "\x1b[2J\u202e", "apply": True}}, paper())
        assert not {"\x1b", "\u202e"} & {*"".join(story_lines(why_run(run)))}


def paper():
    from retree_core.settings import Settings

    return Settings(model="scripted", judge="paper")


class TestVerify:
    def test_a_line_a_trace(self, trace, tmp_path, capsys):
        save_document(read_trace(trace), tmp_path / "z.json")
        out = said(capsys, "verify", tmp_path)
        assert out.splitlines() == [
            f"ok         {trace}  "
            "(45 events, 32 calls, 6 searches, 1 repair; retree, answered, recorded with scripted)",
            f"ok         {tmp_path / 'z.json'}  "
            "(45 events, 32 calls, 6 searches, 1 repair; retree, answered, recorded with scripted)",
        ]

    def test_a_changed_reply_exits_1_and_names_event_and_role(self, trace, capsys):
        text = trace.read_text(encoding="utf-8")
        assert text.count("both cannot hold") == 3
        trace.write_text(text.replace("both cannot hold", "never", 1), encoding="utf-8")
        first = said(capsys, "verify", trace, code=1).splitlines()[0]
        assert first.startswith(f"failed     {trace}: replay: event 25 (conflict_confirmed): reason is 'never'")
        assert "it follows the confirm reply" in first

    def test_a_changed_event_exits_1_and_names_it(self, trace, capsys):
        lines = trace.read_text(encoding="utf-8").splitlines(keepends=True)
        at = next(at for at, line in enumerate(lines) if '"nodes_pruned"' in line)
        lines[at] = lines[at].replace('"n3"', '"n9"')
        trace.write_text("".join(lines), encoding="utf-8")
        out = said(capsys, "verify", trace, code=1)
        assert "replay: event 27 (nodes_pruned): nodes.1 is 'n3'; recorded 'n9'" in out
        assert "digest: event 27 (nodes_pruned) was changed after it was written" in out
        assert "refold: event 27: there is no node n9" in out

    def test_an_unreadable_file_exits_2_and_the_rest_is_checked(self, trace, tmp_path, capsys):
        (tmp_path / "a.jsonl").write_bytes(b"")
        lines = said(capsys, "verify", tmp_path / "a.jsonl", trace, code=2).splitlines()
        assert lines[0].startswith(f"unreadable {tmp_path / 'a.jsonl'}: the file is empty")
        assert lines[1].startswith("ok ")
        assert main(["verify", "nowhere"]) == 2

    def test_a_corpus_among_traces_is_left_out(self, trace, tmp_path, capsys):
        passages = tmp_path / "corpus.jsonl"
        passages.write_text('{"title": "Velmora", "text": "The capital."}\n')
        lines = said(capsys, "verify", passages, trace).splitlines()
        assert lines[0] == f"skipped    {passages}: a corpus of passages, no trace"
        assert lines[1].startswith("ok ")
        said(capsys, "verify", passages, code=2)

    def test_json(self, trace, capsys):
        (found,) = json.loads(said(capsys, "verify", trace, "--json"))["traces"]
        assert (found["status"], found["path"], found["findings"]) == ("ok", str(trace), [])


class TestFork:
    def test_a_rejected_repair_needs_a_model_from_there(self, trace, tmp_path, capsys):
        out = tmp_path / "fork.jsonl"
        text = said(capsys, "fork", trace, "--at", "25", "--set", "verdict=reject", "--out", out)
        assert "needs a model from here (summarise)" in text
        assert f"retree run --resume {out}" in text
        forked = read_trace(out)
        assert forked.events[:24] == read_trace(trace).events[:24]
        assert forked.events[24].kind == "conflict_rejected"
        assert verify(out).status == "unfinished"

    def test_a_dry_run_says_what_would_fall_and_writes_nothing(self, trace, tmp_path, capsys):
        before = {*tmp_path.iterdir()}
        text = said(capsys, "fork", trace, "--at", "25", "--set", "verdict=reject", "--dry-run")
        assert "shared: 24 events" in text
        assert "then a model (summarise) is needed" in " ".join(text.split())
        assert "stays, where the run lost it: 2 nodes (n2, n3); 2 facts (e2, e3); 0 claims" in text
        found = json.loads(said(capsys, "fork", trace, "--set", "fact=e2:", "--dry-run", "--json"))
        assert (found["moment"], found["falls"]["facts"][0]) == (11, "e2")
        assert {*tmp_path.iterdir()} == before

    def test_a_fact_is_changed_where_it_was_found(self, trace, tmp_path, capsys):
        out = tmp_path / "fork.jsonl"
        said(capsys, "fork", trace, "--set", "fact=e1:Velmora is the capital of Alvonia.", "--out", out)
        (fact,) = next(one.facts for one in read_trace(out).events if one.kind == "facts_extracted")
        assert (fact.text, fact.source.quote) == (
            "Velmora is the capital of Alvonia.",
            "The capital of Alvonia is Velmora.",
        )
        assert verify(out).status == "unfinished"

    def test_of_a_sample_it_goes_to_the_users_own_runs(self, tmp_path, capsys, monkeypatch):
        monkeypatch.setenv("RETREE_RUNS", str(tmp_path / "own"))
        sample = samples_folder() / "real-ulcers.jsonl"
        before = sorted(samples_folder().iterdir())
        said(capsys, "fork", sample, "--set", "fact=e1:")
        assert sorted(samples_folder().iterdir()) == before
        (made,) = (tmp_path / "own").iterdir()
        assert read_trace(made).header.search_spec == sample_spec()

    def test_json_and_a_name_of_its_own(self, trace, tmp_path, capsys):
        found = json.loads(said(capsys, "fork", trace, "--at", "9", "--set", "query=Nobody", "--json"))
        assert (found["needs_model"], found["status"]) == (True, "unfinished")
        assert found["trace"].startswith(str(tmp_path / "repaired-at9-"))

    @pytest.mark.parametrize(
        ("at", "edit"),
        [
            ("99", "verdict=repair"),
            ("5", "verdict=repair"),
            ("5", "query=x"),
            ("3", "reply={x"),
            ("3", "colour=red"),
            ("25", "verdict=perhaps"),
        ],
    )
    def test_what_cannot_be_changed_is_said(self, trace, tmp_path, capsys, at, edit):
        out = tmp_path / "fork.jsonl"
        assert main(["fork", str(trace), "--at", at, "--set", edit, "--out", str(out)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
        assert not out.exists()

    def test_the_trace_itself_is_never_written(self, trace, capsys):
        before = trace.read_bytes()
        words = ["fork", str(trace), "--at", "25", "--set", "verdict=reject", "--out", str(trace), "--overwrite"]
        assert main(words) == 2
        assert trace.read_bytes() == before

    def test_live_goes_on_to_an_answer(self, recorded, server, tmp_path, capsys):
        out = tmp_path / "fork.jsonl"
        words = ["--at", "19", "--set", "verdict=reject", "--out", out, "--live", "--base-url", server.base_url]
        asked = len(server.calls)
        said(capsys, "fork", recorded, *words)
        assert len(server.calls) > asked
        forked = read_trace(out)
        assert (forked.events[-1].kind, forked.header.fork.moment) == ("run_ended", 18)
        assert verify(out).status == "ok"

    def test_a_stopped_fork_is_finished_by_resume(self, recorded, server, tmp_path, capsys):
        out = tmp_path / "fork.jsonl"
        said(capsys, "fork", recorded, "--at", "19", "--set", "verdict=reject", "--out", out)
        said(capsys, "run", "--resume", out, "--base-url", server.base_url)
        report = verify(out)
        assert (report.status, report.repairs) == ("ok", 0)


class TestSchema:
    def test_names(self, capsys):
        assert said(capsys, "schema").split() == [*REPLIES, "trace"]

    @pytest.mark.parametrize("role", [*REPLIES, "trace"])
    def test_each_is_a_schema(self, capsys, role):
        jsonschema.Draft202012Validator.check_schema(json.loads(said(capsys, "schema", role)))

    def test_an_unknown_name(self, capsys):
        assert main(["schema", "nix"]) == 2
        assert "choose policy, extract" in capsys.readouterr().err

    def test_the_shipped_schema_is_current(self):
        shipped = files("retree_core.trace").joinpath(FILE).read_text(encoding="utf-8")
        assert shipped == text(), "run: python -m retree_core.trace.schema"

    def test_traces_fit_it_and_odd_records_do_not(self, trace, tmp_path, capsys):
        check = jsonschema.Draft202012Validator(json.loads(said(capsys, "schema", "trace")))
        lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
        assert [one for one in lines if not check.is_valid(one)] == []
        save_document(read_trace(trace), tmp_path / "z.json")
        assert check.is_valid(json.loads((tmp_path / "z.json").read_text(encoding="utf-8")))
        kinds = {one["record"]: one for one in lines}
        assert {*kinds} == {"header", "event", "call", "rule", "boundary", "prompt", "maker"}
        event = next(one for one in lines if one["record"] == "event")
        assert not check.is_valid({**event, "seq": "1"})
        assert not check.is_valid({**event, "event": {**event["event"], "question": 5}})
        assert not check.is_valid({**event, "because": ["1"]})
        assert not check.is_valid({**kinds["call"], "read": {"fault": {"kind": 7, "text": "it is odd"}}})
        assert not check.is_valid({**kinds["rule"], "reply": []})
        assert not check.is_valid({**kinds["boundary"], "state": {"nodes": 1}})
        assert not check.is_valid({**kinds["prompt"], "text": None})
        assert not check.is_valid({name: one for name, one in kinds["maker"].items() if name != "engine"})
        assert not check.is_valid({**lines[0], "format": "other"})
