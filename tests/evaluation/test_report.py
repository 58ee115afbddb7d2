"""The report: text, Markdown, CSV and HTML of the same numbers."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from evaluation.folders import claim, failed, row, said

from retree_core.evaluation.cells import Best
from retree_core.evaluation.judged import Verdicts
from retree_core.evaluation.page import page
from retree_core.evaluation.paper import STATEMENTS, TABLE_2
from retree_core.evaluation.rendering import as_json, markdown, table_csv, text
from retree_core.evaluation.report import Report, Shared, report
from retree_core.evaluation.results import Results
from retree_core.evaluation.tables import tables

HOSTILE = '=cmd|"<img src=x onerror=alert(1)>*_[`\u202e\x1b[31m'
PAPER = Path(__file__).parents[3] / "shared" / "paper.txt"
MANIFEST = {
    "questions": [{}, {}],
    "dataset": "jsonl",
    "settings": {"model": "scripted", "sampling": {"seed": 0}},
    "search": {"spec": "own"},
}


def results(folder: str, *rows) -> Results:
    agents = dict.fromkeys(one.agent for one in rows)
    return Results(folder=Path(folder), manifest=MANIFEST, rows=rows, pending=dict.fromkeys(agents, 0), unreadable=())


def both(verdicts: Verdicts | None = None) -> Report:
    """Two data sets; ReTree is right where Full-Trajectory ReAct is wrong, and reads less."""
    one = results(
        "/results/hot",
        row(id="q1", claims=(claim("a", ("e1", "has a")),)),
        row(id="q1", agent="react", answer="Bo", exact_match=False, context_max=60, contexts=(15, 60)),
    )
    other = results(
        "/results/ram", row(id="q1"), failed(id="q1", agent="react", context_max=9, contexts=()), row(id="q2")
    )
    return report([(one, verdicts or Verdicts()), (other, verdicts or Verdicts())])


def cells(told: Report, title: str) -> list[tuple[str, ...]]:
    found = next(one for one in tables(told) if one.title.startswith(title))
    return [tuple(map(str, one)) for one in found.rows]


def test_table_1_by_data_set_and_pooled_over_questions():
    shown = [row[:5] for row in cells(both(), "Table 1")]
    assert shown == [
        ("hot", "ReTree", "1", "0", "100.0"),
        ("hot", "Full-Trajectory ReAct", "1", "0", "0.0"),
        ("ram", "ReTree", "2", "0", "100.0 [100.0, 100.0]"),
        ("ram", "Full-Trajectory ReAct", "1", "1", "0.0"),
        ("overall", "ReTree", "3", "0", "100.0 [100.0, 100.0]"),
        ("overall", "Full-Trajectory ReAct", "2", "1", "0.0 [0.0, 0.0]"),
    ]


def bold(told: Report) -> list[tuple[str, ...]]:
    """Data set, agent and text of the cells in bold."""
    (table,) = (one for one in tables(told) if one.title.startswith("Table 1"))
    return [(str(row[0]), str(row[1]), str(cell)) for row in table.rows for cell in row if isinstance(cell, Best)]


def test_the_best_accuracy_and_em_of_each_data_set_are_in_bold():
    ours = [row(id="q1"), row(id="q2", answer="Bo", exact_match=False)]
    theirs = [row(id=f"q{n}", agent="flat", answer="Bo", exact_match=False) for n in (1, 2)]
    told = report([(results("/results/hot", *ours, *theirs), said({"Ann": True, "Bo": True}))])
    assert bold(told) == [("hot", "ReTree", "50.0 [0.0, 100.0]")], "where all are equal none is best"
    assert "<b>50.0 [0.0, 100.0]</b>" in written(told)
    assert r"| **50.0 \[0.0, 100.0\]** |" in markdown(tuple(tables(told)), Path("/results"))
    assert "In bold: the best accuracy and EM of each data set" in markdown(tuple(tables(told)), Path("/results"))


def test_on_a_terminal_the_best_have_a_mark():
    ours, theirs = row(id="q1"), row(id="q1", agent="flat", answer="Bo", exact_match=False)
    told = text(tuple(tables(report([(results("/results/hot", ours, theirs), Verdicts())]))))
    marked = [line.split()[:5] for line in told.splitlines() if " * " in line]
    assert marked == [["hot", "ReTree", "1", "0", "100.0"]]
    assert "\n  *: the best accuracy and EM of each data set, where all agents have as many runs.\n" in told
    assert "bold" not in told
    alone = text(tuple(tables(report([(results("/results/hot", ours), Verdicts())]))))
    assert "*" not in alone


def test_folders_that_share_questions_are_named_before_they_are_pooled():
    hot = results("/results/hot", row(id="q1"), row(id="q2", question="Where?"))
    told = report([(hot, Verdicts()), (results("/results/ram", row(id="7")), Verdicts())])
    assert told.shared == (Shared(folders=("hot", "ram"), questions=1),)
    note = "1 question is in both hot and ram, with runs of the same agents. Overall counts each of them."
    assert note in text(tuple(tables(told)))
    assert as_json(told)["shared"] == [{"folders": ("hot", "ram"), "questions": 1}]


def test_folders_with_other_agents_on_the_same_questions_share_nothing():
    folders = results("/results/hot", row()), results("/results/ram", row(agent="flat"))
    assert report([(one, Verdicts()) for one in folders]).shared == ()


def test_nothing_is_best_where_agents_have_other_numbers_of_runs():
    uneven = results("/results/hot", row(id="q1"), row(id="q2"), row(agent="flat", exact_match=False))
    assert bold(report([(uneven, Verdicts())])) == []
    assert bold(report([(results("/results/one", row()), Verdicts())])) == []


def test_what_all_folders_have_in_common_is_said_once():
    titles = [one.title for one in tables(both()) if "uns" in one.title]
    assert titles[:3] == ["All runs", "Runs in /results/hot", "Runs in /results/ram"]
    assert [dict(one.rows).get("answered by") for one in list(tables(both()))[:3]] == ["scripted", None, None]


def test_a_difference_has_its_unit():
    shown = {row[2]: (row[4], row[6]) for row in cells(both(), "Paired differences") if row[0] == "hot"}
    assert shown["exact match"] == ("+100.0 pp", "1.0000")
    assert shown["maximum policy context"][0] == "-20.0 characters"
    assert shown["tokens"][0] == "+0.0 tokens"


def test_an_agent_that_cannot_go_back_has_no_share_of_backtracks():
    assert [row[-1] for row in cells(both(), "Table 1")][:2] == ["0.0", "-"]


@pytest.mark.skipif(not PAPER.exists(), reason="the paper is not beside the project")
def test_every_number_that_the_paper_is_said_to_state_stands_in_its_text():
    stated = PAPER.read_text(encoding="utf-8")
    stated += re.sub(r"(\d)\.(\d)K", r"\1,\g<2>00", stated)
    told = [number for one in STATEMENTS for number in re.findall(r"\d[\d.,]*\d|\d", one.paper)]
    told += [f"{value:g}" for one in TABLE_2.values() for value in (one.precision, one.recall, one.uncited) if value]
    assert len(told) > 30
    assert [one for one in told if not re.search(rf"(?<![\d.,]){re.escape(one)}(?![\d]|\.\d)", stated)] == []


def test_without_a_judge_the_tables_say_so():
    assert {row[5] for row in cells(both(), "Table 1")} == {"not judged"}
    assert {row[2] for row in cells(both(), "Table 2")[:6]} == {"not judged"}


def test_accuracy_says_of_how_many_and_counts_judge_errors():
    told = both(said({"Ann": True, "Bo": None, "": False}, {("has a", "a"): True}))
    shown = {row[:2]: row[5] for row in cells(told, "Table 1")}
    assert shown["hot", "ReTree"] == "100.0 (1/1)"
    assert shown["hot", "Full-Trajectory ReAct"] == "- (0/0, 1 judge error)"
    assert shown["overall", "ReTree"] == "100.0 [100.0, 100.0] (3/3)"
    assert cells(told, "Table 2")[0][2:7] == ("1", "100.0", "100.0", "100.0", "0.0")


def test_the_papers_numbers_stand_beside():
    assert cells(both(), "Table 2")[-3:] == [
        ("paper, 600 of FRAMES", "ReTree", "-", "44.5", "41.3", "42.8", "-", *["-"] * 5),
        ("paper, 600 of FRAMES", "Full-Trajectory ReAct", "-", "37.7", "27.1", "31.5", "-", *["-"] * 5),
        ("paper, 600 of FRAMES", "ReportMemory", "-", "16.8", "21.4", "18.8", "5.9", *["-"] * 5),
    ]
    here = {row[0]: row[1:] for row in cells(both(), "What the paper says")}
    assert here["average maximum policy context, Full-Trajectory ReAct to ReTree"] == (
        "1.27 to 1.51 times by data set",
        "hot: 1.50 times; overall: 1.50 times",
    )
    assert here["exact match, ReTree minus Full-Trajectory ReAct"][1] == (
        "hot: +100.0 pp; ram: +100.0 pp; overall: +100.0 pp"
    )
    assert here["judge accuracy, ReTree"] == ("44.0 % overall", "-")


def test_figure_3_is_a_table_and_a_picture():
    assert cells(both(), "Figure 3")[:2] == [
        ("hot", "ReTree", "10 (1)", "40 (1)"),
        ("hot", "Full-Trajectory ReAct", "15 (1)", "60 (1)"),
    ]
    html = written(both())
    assert html.count("<svg") == 3
    assert "Full-Trajectory ReAct, after 1: 60 characters" in html


def test_questions_where_agents_differ_lead_to_their_traces():
    rows = cells(both(), "Where agents differ: 2 questions")
    assert [(one[0], one[4], one[5], one[6]) for one in rows] == [
        ("hot", "ReTree", "right", "Ann"),
        ("hot", "Full-Trajectory ReAct", "wrong", "Bo"),
        ("ram", "ReTree", "right", "Ann"),
        ("ram", "Full-Trajectory ReAct", "error", "-"),
    ]
    assert 'href="hot/runs/retree/q1.jsonl"' in written(both())
    assert "(<hot/runs/retree/q1.jsonl>)" in markdown(tuple(tables(both())), Path("/results"))


def test_what_answered_when_and_how():
    told = dict(both().described(0))
    assert told["answered by"] == "scripted"
    assert (told["recorded"], told["search"], told["settings"]) == ("2026-01-31", "own", "seed 0")
    assert "thinking though it was off" not in told


def test_a_server_that_thinks_though_it_was_told_not_to_is_told_of_the_runs():
    told = dict(report([(results("hot", row(thought_unasked=3), row(agent="react")), said({}))]).described(0))
    assert told["thinking though it was off"] == "in 1 of 2 runs"


def test_csv_has_one_number_a_line():
    lines = list(csv.DictReader(io.StringIO(table_csv(both()))))
    (exact,) = [
        one for one in lines if (one["data set"], one["agent"], one["measure"]) == ("overall", "react", "exact match")
    ]
    assert (exact["value"], exact["of"], exact["table"]) == ("0.0", "2", "1")


def written(told: Report) -> str:
    return page(told, tuple(tables(told)), Path("/results"))


def hostile() -> Report:
    ours = row(id=HOSTILE, question=HOSTILE, golds=(HOSTILE,), answer=HOSTILE, recorded_with=HOSTILE)
    theirs = row(id=HOSTILE, agent="react", question=HOSTILE, golds=(HOSTILE,), answer="=2", exact_match=False)
    return report([(results(f"/results/{HOSTILE}", ours, theirs), Verdicts())])


def test_hostile_texts_are_shown_and_do_nothing():
    html = written(hostile())
    assert "<img" not in html
    assert "<script" not in html
    assert not re.search("[\x1b\u202e]", html)
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    page_of_text = markdown(tuple(tables(hostile())), Path("/results"))
    assert "<img" not in page_of_text
    assert r"=cmd\|" in page_of_text
    assert not re.search("[\x1b\u202e]", text(tuple(tables(hostile()))))


def test_no_cell_of_the_csv_is_a_formula():
    for line in csv.reader(io.StringIO(table_csv(hostile()))):
        for cell in line:
            assert cell[:1] not in ("=", "+", "-", "@") or re.fullmatch(r"[-+]?[\d.e-]+", cell), cell


def test_the_page_fetches_nothing_and_runs_nothing():
    html = written(both())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', html)
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'", policy
    )
    assert " style=" not in html
    assert "prefers-color-scheme: dark" in html


def test_json_holds_plain_numbers():
    told = as_json(both())
    hot = told["data_sets"][0]["agents"]["react"]
    assert (hot["exact"]["value"], hot["context"]["value"], hot["accuracy"]["value"]) == (0.0, 60, None)
    assert [one["name"] for one in told["data_sets"]] == ["hot", "ram", "overall"]


def test_a_folder_without_an_ended_run_has_a_report_too():
    empty = report([(results("/results/none"), Verdicts())])
    assert "Table 1" in text(tuple(tables(empty)))
    assert dict(empty.described(0))["answered by"] == "no run has ended"
    assert "<svg" not in written(empty)


def test_two_folders_of_one_name_are_told_apart():
    told = report([(results(f"/{one}/out", row()), Verdicts()) for one in ("a", "b")])
    assert [one.name for one in told.data_sets] == ["/a/out", "/b/out", "overall"]


@pytest.mark.parametrize("count", [1, 3])
def test_agents_that_all_agree_are_not_listed(count: int):
    rows = [row(id=f"q{n}", agent=agent) for n in range(count) for agent in ("retree", "flat")]
    assert report([(results("/results/same", *rows), Verdicts())]).disputes == ()


def test_a_judge_that_contradicts_exact_match_hides_no_difference():
    rows = (row(agent="retree", answer="Bo", exact_match=False), row(agent="flat"))
    told = text(tuple(tables(report([(results("/results/x", *rows), said({"Bo": False, "Ann": False}))]))))
    assert "The answer judge and exact match contradict each other on 1 of 2 runs." in told
    assert "Where agents differ: 1 questions" in told
    assert "wrong, exact match says right" in told
