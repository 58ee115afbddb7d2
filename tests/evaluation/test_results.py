"""One row a run, from its trace alone."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest
from evaluation.runs import PASSAGES, QUESTION, asked, context, folder, found, repair, trace
from pyarrow import parquet
from stubs import completion
from worlds import QUESTION as ASKED
from worlds import VELMORA, answer, asking, finding, run_scripted

from retree_core import events as ev
from retree_core.calls import ModelCall, ModelReply
from retree_core.errors import InputError
from retree_core.evaluation.judged import Verdicts
from retree_core.evaluation.results import collect, results_folders
from retree_core.evaluation.rows import Row, contexts, row_of
from retree_core.evaluation.scores import judged, save
from retree_core.evaluation.table import VERDICTS
from retree_core.state import fold
from retree_core.trace.records import ForkOrigin
from retree_core.trace.spent import Spent, spent


def row(*args, **more) -> Row:
    one = trace(*args, **more)
    return row_of(one, fold(one.events), "retree", QUESTION, "runs/retree/q1.jsonl")


def test_a_cited_fact_leads_to_the_passages_of_the_revision_in_force():
    (one,) = row(repair("confirmation")).claims
    assert [(each.id, each.standing, [p.id for p in each.passages]) for each in one.citations] == [
        ("e1", "repaired", ["p2"]),
        ("e1", "repaired", ["p2"]),
        ("e2", "repaired", ["p2"]),
        ("0", "missing", []),
        ("99", "missing", []),
        ("2020", "missing", []),
    ]
    assert one.cited.passages == ("Page 2\nText 2", None, None, None)
    assert row(repair("confirmation")).citations_missing == 3


@pytest.mark.parametrize(
    ("written", "standings"),
    [
        (["[e1]"], ["current"]),
        ([" E1 "], ["current"]),
        (["e1", "[e1]", "E1"], ["current"]),
        (["[1, 2]"], ["missing"]),
        (["[1-3]"], ["missing"]),
        (["【1】"], ["missing"]),
        (["[1][2]"], ["missing"]),
        (["[12]", "[0]", "[99]", "[2020]"], ["missing"] * 4),
        (["arr[0]"], ["missing"]),
        ([""], ["missing"]),
        ([], []),
    ],
)
def test_a_citation_is_an_id_in_the_list_and_what_is_none_is_counted(written: list[str], standings: list[str]):
    said = answer("Tarn", ("In [2020] arr[0] was [e1] 【1】 [1, 2].", written))
    run = run_scripted(ASKED, {"policy": asking(1, "e1"), "answer": [said]}, finding(VELMORA))
    one = row_of(run, fold(run.events), "retree", QUESTION, "runs/retree/q1.jsonl")
    assert [each.standing for each in one.claims[0].citations] == standings
    assert one.citations_missing == standings.count("missing")
    assert [each is None for each in one.claims[0].cited.passages] == [each == "missing" for each in standings]


def test_a_natural_repair_is_a_backtrack_and_one_that_a_fork_decided_is_none():
    natural, forced = row(repair("confirmation")), row(repair("fork"))
    assert (natural.repairs, natural.backtracks) == (1, 1)
    assert (forced.repairs, forced.backtracks) == (0, 0)
    fork = row(repair("confirmation"), fork=ForkOrigin(run_id="p", moment=3, edit="another query"))
    assert fork.repairs == 0


def test_refused_stops_are_counted():
    refused = ev.StopRefused(reason="nothing was retrieved", evidence=())
    events = [*repair("confirmation")[:2], refused, *repair("confirmation")[2:]]
    assert (row(events).stops_refused, row(repair("confirmation")).stops_refused) == (1, 0)


def test_a_flat_list_that_revises_in_place_goes_nowhere_back():
    events = [one for one in repair("confirmation") if not isinstance(one, ev.SearchResumed)]
    one = row(events)
    assert (one.repairs, one.backtracks) == (1, 0)


def test_contexts_are_the_largest_after_each_completed_retrieval():
    assert row(repair("confirmation")).contexts == (43, 80, 70)
    assert row(repair("confirmation")).context_max == 80
    failing = [context(5), ev.SearchFailed(search=1, failure="timeout", message=""), context(9), found(2, PASSAGES[0])]
    assert contexts(failing) == (9,)


def test_tokens_by_role_with_calls_that_were_not_counted():
    calls = [
        asked("policy", prompt_tokens=100, completion_tokens=20, prompt_tokens_details={"cached_tokens": 60}),
        asked("policy", prompt_tokens=10, completion_tokens=2),
        asked("policy"),
        asked("answer", prompt_tokens=7, completion_tokens=3),
        asked("answer", completion_tokens=4),
    ]
    assert spent(calls) == {
        "policy": Spent(calls=3, prompt=110, cached=60, completion=22, uncounted=1),
        "answer": Spent(calls=2, prompt=7, completion=7, uncounted=1),
    }


def test_thoughts_that_nobody_asked_for_are_counted():
    off, on = ({"chat_template_kwargs": {"enable_thinking": thinking}} for thinking in (False, True))
    raw = completion("{}", reasoning="Let me see.")
    calls = tuple(
        replace(asked("policy"), call=ModelCall(role="policy", body=body), reply=ModelReply(raw=raw))
        for body in (off, off, on, {})
    )
    assert row(repair("confirmation"), calls=calls).thought_unasked == 2


def test_an_error_is_no_wrong_answer_though_it_scores_nothing():
    events = [*repair("confirmation")[:3], ev.RunEnded(status="llm_error", detail="no reply")]
    one = row(events)
    assert (one.error, one.exact_match, one.status, one.detail) == (True, False, "llm_error", "no reply")


def test_a_run_that_has_not_ended_is_pending_and_not_scored(tmp_path):
    whole = repair("confirmation")
    interrupted = [*whole[:5], ev.RunEnded(status="interrupted")]
    out = folder(tmp_path, ("q1", whole), ("q2", whole[:9]), ("q3", interrupted))
    found = collect(out)
    assert [one.id for one in found.rows] == ["q1"]
    assert found.pending == {"retree": 3}


def test_a_file_that_is_no_trace_is_named_and_pending(tmp_path):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    (out / "runs/retree/q0.jsonl").write_text("nothing\n")
    found = collect(out)
    assert found.pending == {"retree": 1}
    assert "q0.jsonl" in found.unreadable[0]


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected a folder that retree eval made"):
        collect(tmp_path)
    (tmp_path / "eval.json").write_text('{"format": "retree-eval", "questions": [3]}')
    with pytest.raises(InputError, match="questions are not as retree eval writes them"):
        collect(tmp_path)


def test_rows_are_written_as_lines_and_as_one_table_each_under_its_own_id(tmp_path):
    whole = repair("confirmation")
    out = folder(tmp_path, *((f"q{n}", whole) for n in (1, 2, 3)))
    save(collect(out), Verdicts())
    lines = [json.loads(one) for one in (out / "results.jsonl").read_text().splitlines()]
    assert [one["id"] for one in lines] == ["q1", "q2", "q3"]
    assert [one["trace"] for one in lines] == [f"runs/retree/q{n}.jsonl" for n in (1, 2, 3)]
    table = parquet.read_table(out / "results.parquet").to_pylist()
    assert [one["id"] for one in table] == ["q1", "q2", "q3"]
    assert (table[0]["contexts"], table[0]["golds"], table[0]["judged"]) == ([43, 80, 70], ["Ann"], "not judged")
    assert table[0]["claims"][0]["citations"][0]["passages"][0]["text"] == "Text 2"


def test_a_table_of_no_rows_has_all_its_columns(tmp_path):
    out = folder(tmp_path)
    save(collect(out), Verdicts())
    names = parquet.read_table(out / "results.parquet").column_names
    assert {"id", "exact_match", "context_max", "prompt_policy", "calls_confirm", *VERDICTS} <= set(names)


def test_hostile_texts_make_a_table_all_the_same(tmp_path):
    events = repair("confirmation")
    events[-2] = ev.Answered(text="\ud800=1+1\x00", claims=(), shown=())
    out = folder(tmp_path, ("q1", events))
    save(collect(out), Verdicts())
    assert parquet.read_table(out / "results.parquet").num_rows == 1


def test_the_columns_of_verdicts_are_those_of_the_table():
    assert set(judged(row(repair("confirmation")), Verdicts()).columns) == set(VERDICTS)


def test_a_folder_of_results_folders_stands_for_them(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "eval.json").write_text("{}")
    assert results_folders(tmp_path) == (tmp_path / "a", tmp_path / "b")
    assert results_folders(tmp_path / "a") == (tmp_path / "a",)


def test_a_damaged_trace_of_a_run_that_ended_is_named_and_in_no_row(tmp_path):
    out = folder(tmp_path, ("q1", repair("confirmation")), ("q2", repair("confirmation")))
    text = out / "runs/retree/q2.jsonl"
    packed = text.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(text.read_bytes()) + b"x")
    place = packed.stat().st_size - 1
    text.unlink()
    results = collect(out)
    assert [one.id for one in results.rows] == ["q1"]
    reason = f"damaged gzip file (found at byte {place:,}: what follows is not gzipped)"
    assert results.unreadable == (f"{packed}: line 21 is damaged ({reason})",)


def test_a_run_that_is_there_twice_is_told(tmp_path):
    out = folder(tmp_path, ("q1", repair("confirmation")))
    text = out / "runs/retree/q1.jsonl"
    text.with_suffix(".jsonl.gz").write_bytes(gzip.compress(text.read_bytes()))
    text.write_bytes(text.read_bytes()[:900])
    results = collect(out)
    assert [one.trace for one in results.rows] == ["runs/retree/q1.jsonl.gz"]
    assert results.strays == ("runs/retree/q1.jsonl: there as .jsonl.gz too; of the two the one that has ended counts",)
