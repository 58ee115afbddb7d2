"""What the results page reads from a folder, and what it says of one that is not as it should be."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from evaluation.runs import repair
from viz.results_world import QUESTIONS, RUNS, answered, graded, results_folder, write_run

from retree_core import events as ev
from retree_core.notes import add_note
from retree_viz.results.aside import aside, figure_head
from retree_viz.results.bar import notices, top_bar
from retree_viz.results.choice import CELLS, EVERYTHING, PAGE, TABLES, Choice
from retree_viz.results.chosen import against, chosen
from retree_viz.results.data import Decisions, Loaded, load
from retree_viz.results.figure import figure_data
from retree_viz.results.folders import Folder
from retree_viz.results.runs_list import list_data
from retree_viz.results.strip import strip
from retree_viz.results.tables import tables

HOSTILE = '<img src=x onerror=alert(1)>\u202e **b** {"a":1}'


def loaded(out: Path) -> Loaded:
    return load(Folder(address="runs/out", path=out))


@pytest.fixture
def world(tmp_path: Path) -> Loaded:
    return loaded(results_folder(tmp_path / "out"))


def told(found: Loaded, choice: Choice = EVERYTHING) -> list[str]:
    """The runs of a choice as `ID AGENT OUTCOME`."""
    return [f"{one.id} {one.agent} {one.outcome}" for one in chosen(found, choice)]


ALL = [
    "q1 retree right",
    "q1 react right",
    "q1 flat wrong",
    "q2 retree wrong",
    "q2 react wrong",
    "q2 flat right",
    "q3 retree error",
    "q3 react unended",
]


def test_every_run_that_was_begun_has_a_line(world: Loaded) -> None:
    assert told(world) == ALL
    assert (world.ended, world.pending, world.errors) == (7, 2, 1)
    first = world.lines[0]
    assert first.address == "runs/out/runs/retree/q1.jsonl"
    assert (first.question, first.golds, first.answer, first.status) == (
        "Who leads Velmora?",
        ("Ann",),
        "Ann",
        "answered",
    )
    assert (first.searches, first.repairs, first.context, first.tokens, first.by_judge) == (2, 1, 80, 280, False)
    assert world.decisions == Decisions(repaired=2, by_guard=1, by_model=1, by_limit=1)


def test_a_judge_has_the_last_word_where_it_was_asked(tmp_path: Path) -> None:
    found = loaded(graded(results_folder(tmp_path / "out")))
    swapped = [one.replace("right", "x").replace("wrong", "right").replace("x", "wrong") for one in ALL]
    assert told(found) == swapped
    assert [one.by_judge for one in found.lines] == [True] * 6 + [True, False]
    assert "as I see it" in str(list_data(found, EVERYTHING)["rows"][0]["graded"])
    assert "answer judge: judge" in top_bar(found)
    assert "wrong by the answer judge" in strip(found, found.lines[0].address)
    assert "100.0" in tables(found, Choice(table="citations"))


@pytest.mark.parametrize(
    ("choice", "runs"),
    [
        (Choice(text="velmora ANN"), ALL[:2]),
        (Choice(text="q3"), ALL[6:]),
        (Choice(agent="flat"), [ALL[2], ALL[5]]),
        (Choice(outcome="error"), [ALL[6]]),
        (Choice(outcome="unended"), [ALL[7]]),
        (Choice(only=("repair",)), [ALL[0], ALL[3]]),
        (Choice(only=("disagree",)), ALL[:6]),
        (Choice(only=("repair", "stale")), []),
        (Choice(cell="10"), [ALL[0], ALL[2]]),
        (Choice(cell="01"), [ALL[3], ALL[5]]),
        (Choice(versus=("react", "flat"), cell="10"), [ALL[1], ALL[2]]),
        (Choice(data_set="out", outcome="right"), [ALL[0], ALL[1], ALL[5]]),
        (Choice(data_set="elsewhere"), []),
        (Choice(sort="context", down=True), [ALL[1], ALL[4], ALL[2], ALL[5], ALL[0], ALL[3], ALL[6], ALL[7]]),
        (Choice(sort="context"), [ALL[0], ALL[3], ALL[6], ALL[2], ALL[5], ALL[4], ALL[1], ALL[7]]),
        (Choice(sort="graded"), [ALL[0], ALL[1], ALL[5], ALL[2], ALL[3], ALL[4], ALL[6], ALL[7]]),
    ],
)
def test_filters_and_columns(world: Loaded, choice: Choice, runs: list[str]) -> None:
    assert told(world, choice) == runs


def test_two_agents_question_by_question(world: Loaded) -> None:
    found = against(world, ("retree", "flat"))
    assert found.cells["10"] == (("out", "q1"),)
    assert found.cells["01"] == (("out", "q2"),)
    assert (found.questions, found.repaired["10"], found.p) == (2, 1, 1.0)
    assert against(world, ("retree", "flat"), "elsewhere").questions == 0
    shown = aside(world, EVERYTHING)
    assert 'data-do="list:cell=retree,flat,10"' in shown
    assert "<b>1</b>, 1 with a repair" in shown
    assert "67% · 2 runs of 3" in shown


def judged_but_for_one(out: Path) -> Loaded:
    """The folder after the answer judge, and then one more run that it never saw."""
    graded(results_folder(out))
    write_run(out, "q3", "flat", QUESTIONS["q3"], answered("Cy"))
    return loaded(out)


def read(page: str) -> str:
    """The texts of a page, one after another."""
    return " ".join(re.sub("<[^>]*>", " ", page).split())


def test_every_share_says_of_how_many_and_how_many_got_no_verdict(tmp_path: Path) -> None:
    page = read(tables(judged_but_for_one(tmp_path / "out"), EVERYTHING))
    assert "FlatUpdate 50.0 1/2, 1 judge error [0–100] 33.3 1/3 [0–100] 90" in page
    assert "ReTree 33.3 1/3 [0–100] 33.3 1/3 [0–100] 80" in page


@pytest.mark.parametrize(
    ("agents", "said"),
    [
        (
            ("retree", "flat"),
            "3 questions with an ended run of both; right by the answer judge, by exact match in 1 run without a "
            "verdict, which Acc leaves out; an error is not right. A click lists the runs · McNemar p 1",
        ),
        (
            ("retree", "react"),
            "2 questions with an ended run of both; right by the answer judge, an error is not right. "
            "A click lists the runs · McNemar p 1",
        ),
    ],
)
def test_two_agents_are_told_apart_by_those_who_graded_them(tmp_path: Path, agents: tuple[str, ...], said: str) -> None:
    assert said in read(aside(judged_but_for_one(tmp_path / "out"), Choice(versus=agents)))


def test_two_agents_that_nobody_judged_are_told_apart_by_exact_match(world: Loaded) -> None:
    said = "2 questions with an ended run of both; right by exact match, an error is not right."
    assert said in read(aside(world, EVERYTHING))


def test_an_agent_that_keeps_no_facts_has_no_number_of_repairs(world: Loaded) -> None:
    shown = [(one["agent"], one["repairs"], one["keeps_facts"]) for one in list_data(world, EVERYTHING)["rows"][:3]]
    assert shown == [("ReTree", 1, True), ("ReAct", None, False), ("FlatUpdate", 0, True)]


def test_the_figure_says_whose_bound_it_draws(world: Loaded) -> None:
    figure = figure_data(world.data_sets[-1])
    assert (figure["bound"], figure["bound_of"]) == (2413, "ReTree")
    assert read(figure_head(world, EVERYTHING)).endswith(
        "Bound: however much is found, no context can be longer (ReTree 2,413, FlatUpdate 2,413; ReAct: none)"
    )


def test_the_tables_say_what_the_report_says(world: Loaded) -> None:
    page = tables(world, EVERYTHING)
    assert "not judged" in page
    assert "33.3" in page
    assert "Runs are missing" in page
    assert "Full-Trajectory ReAct" in page
    assert "not judged" in tables(world, Choice(table="citations"))
    assert "answered by" in tables(world, Choice(table="about"))
    assert "7 of 9 runs" in top_bar(world)
    figure = figure_data(world.data_sets[-1])
    assert figure["lines"][1] == {"agent": "react", "name": "ReAct", "points": [[0, 40, 2], [1, 850, 2]]}


def test_data_sets_are_pooled_and_told_apart(tmp_path: Path) -> None:
    results_folder(tmp_path / "out" / "frames")
    graded(results_folder(tmp_path / "out" / "2wiki"))
    found = loaded(tmp_path / "out")
    assert [one.name for one in found.data_sets] == ["2wiki", "frames", "overall"]
    assert {one.address.split("/")[2] for one in found.lines} == {"2wiki", "frames"}
    assert len(told(found, Choice(data_set="frames"))) == 8
    shared = "3 questions are in both 2wiki and frames, with runs of the same agents. They count twice overall."
    assert found.troubles == (shared,)
    assert shared in notices(found, "")
    page = tables(found, EVERYTHING)
    assert page.count('scope="colgroup"') == 3
    assert ">2wiki<" in figure_head(found, EVERYTHING)


def test_labels_give_the_judges_precision(tmp_path: Path) -> None:
    out = results_folder(tmp_path / "out")
    label = {
        "kind": "label",
        "old": "e1",
        "new": "e2",
        "moment": 12,
        "decision": "confirmed",
        "decided_by": "confirmation",
    }
    add_note(out / "runs/retree/q1.notes.json", {**label, "verdict": "right"}, trace="r")
    assert loaded(out).labels.confirmed.labelled == 1
    assert "<b>100%</b>" in aside(loaded(out), EVERYTHING)


def test_a_page_of_thousands_is_small(tmp_path: Path) -> None:
    found = loaded(results_folder(tmp_path / "out"))
    many = found.lines * 1000
    data = list_data(Loaded(**{**{name: getattr(found, name) for name in found.__slots__}, "lines": many}), EVERYTHING)
    assert (len(data["rows"]), data["total"], data["all"]) == (PAGE, 8000, 8000)
    assert data["rows"][0]["others"], "the runs of other agents are named"


def test_the_strip_above_a_run_names_the_others(world: Loaded) -> None:
    shown = strip(world, "runs/out/runs/retree/q1.jsonl")
    assert "right by exact match" in shown
    assert 'data-do="result:runs/out/runs/flat/q1.jsonl"' in shown
    assert 'data-do="compare:runs/out/runs/react/q1.jsonl"' in shown
    assert "result:" not in strip(world, "runs/elsewhere.jsonl")


def pages(found: Loaded) -> str:
    """Everything that the page shows, for every choice of tables and cells."""
    parts = [top_bar(found), notices(found, ""), *(tables(found, Choice(table=one)) for one in TABLES)]
    parts += [aside(found, Choice(cell=one)) for one in CELLS]
    if found.data_sets:
        parts.append(figure_head(found, EVERYTHING))
    return "".join(parts) + json.dumps(list_data(found, EVERYTHING))


@pytest.mark.parametrize(
    ("runs", "lines"),
    [({}, 0), ({("q1", "react"): RUNS["q1", "react"]}, 1), ({("q3", "react"): RUNS["q3", "react"]}, 1)],
)
def test_folders_with_little_in_them_have_a_page(tmp_path: Path, runs: Any, lines: int) -> None:
    found = loaded(results_folder(tmp_path / "out", runs=runs))
    assert len(found.lines) == lines
    assert found.troubles == ()
    assert pages(found)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("eval.json", b"{", "out/eval.json: not JSON"),
        ("eval.json", b'{"format": "retree-eval", "questions": [7]}', "its questions are not as"),
        ("judge.json", b"[]", "judge.json: not as"),
        ("judged.jsonl", b"7\n", "judged.jsonl:1"),
        ("runs/retree/q1.jsonl", b"\x89PNG", "out/runs/retree/q1.jsonl"),
        ("runs/retree/zz.jsonl", b"{}", "left aside: runs/retree/zz.jsonl"),
    ],
)
def test_damage_is_told_in_one_line(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    out = graded(results_folder(tmp_path / "out"))
    (out / name).write_bytes(content)
    found = loaded(out)
    (trouble,) = found.troubles
    assert said in trouble
    assert "\n" not in trouble
    assert str(tmp_path) not in trouble
    assert trouble.split(":")[0] in pages(found)


@pytest.mark.parametrize("odd", [[1], 7, {"x": HOSTILE}, HOSTILE, None])
@pytest.mark.parametrize("field", ["settings", "search", "dataset", "recorded_with", "prompts"])
def test_a_manifest_may_say_anything(tmp_path: Path, field: str, odd: Any) -> None:
    assert pages(loaded(results_folder(tmp_path / "out", **{field: odd})))


def test_hostile_texts_are_texts(tmp_path: Path) -> None:
    name = "<b>out\u202e"
    events = [
        *repair("confirmation")[:-2],
        ev.Answered(text=HOSTILE, claims=(), shown=()),
        ev.RunEnded(status="answered"),
    ]
    out = tmp_path / name
    results_folder(out, runs={("q1", "retree"): events}, questions={"q1": HOSTILE}, recorded_with=HOSTILE)
    found = load(Folder(address=f"runs/{name}", path=out))
    page = pages(found)
    assert "<img" not in page.split('{"rows"')[0]
    assert "<b>out" not in page.split('{"rows"')[0]
    assert "\u202e" not in json.dumps(list_data(found, EVERYTHING), ensure_ascii=False)
