"""The results page in the whole app, headless: gallery, page, runs and the ways between them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from headless import components, markup, opened
from streamlit.testing.v1 import AppTest
from viz.results_world import QUESTIONS, RUNS, results_folder, write_run

from retree_viz import runs
from retree_viz.place import moved
from retree_viz.results.choice import PAGE
from retree_viz.runs import Shelf


def rows(app: AppTest) -> list[dict[str, Any]]:
    return next(one["rows"] for one in components(app) if "rows" in one and "sets" in one)


def strip(app: AppTest) -> str:
    """The strip above two runs, as it is read."""
    found = re.search(r'<div class="of-results">(.*?)</div>', markup(app))
    parts = re.split(r'(?<=</button>)|(?=<span class="(?:of-side|gold)">)', found[1]) if found else []
    return " | ".join(filter(None, (" ".join(re.sub("<[^>]*>", " ", one).split()) for one in parts)))


def go(app: AppTest, wish: str) -> AppTest:
    app.session_state["place"] = moved(app.session_state["place"], wish)
    return app.run()


def test_the_gallery_shows_results_beside_runs_and_a_card_opens_them(folder: Path) -> None:
    results_folder(folder / "plain")
    app = opened()
    page = markup(app)
    assert page.index('data-do="results:runs/plain"') < page.index("Sample runs")
    assert "No runs here yet." not in page
    go(app, "results:runs/plain")
    assert len(rows(app)) == len(RUNS)
    assert "Answer quality and peak policy context" in markup(app)


def test_started_on_a_results_folder_its_page_opens(folder: Path) -> None:
    results_folder(folder / "out")
    (folder / "out" / "eval.json").rename(folder / "eval.json")
    (folder / "out" / "runs").rename(folder / "runs")
    app = opened()
    assert rows(app)[0]["address"] == "runs/runs/retree/q1.jsonl"
    assert "Who leads Velmora?" in markup(go(app, "result:runs/runs/retree/q1.jsonl"))


def test_what_lies_beside_the_manifest_is_no_run(folder: Path) -> None:
    results_folder(folder / "out")
    for name in ("results.jsonl", "judged.jsonl", "judge.json"):
        (folder / "out" / name).write_text("{}\n")
    assert [one.address for one in runs.listed(Shelf(name="runs", path=folder / "out"))] == []


def test_a_deep_link_opens_the_list_as_it_was(folder: Path) -> None:
    results_folder(folder / "plain")
    app = opened(results="runs/plain", outcome="wrong", sort="-context")
    assert [one["agent"] for one in rows(app)] == ["ReAct", "FlatUpdate", "ReTree"]


def test_a_run_opens_from_the_list_and_leads_back(folder: Path) -> None:
    results_folder(folder / "plain")
    app = opened(results="runs/plain", sort="tokens")
    go(app, "result:runs/plain/runs/flat/q1.jsonl")
    page = markup(app)
    assert "Results: plain" in page
    assert "wrong by exact match" in page
    assert 'data-do="result:runs/plain/runs/retree/q1.jsonl"' in page
    assert app.query_params["row"] == "runs/plain/runs/flat/q1.jsonl"
    go(app, "results:")
    assert len(rows(app)) == len(RUNS)
    assert app.query_params["sort"] == "tokens"


PAIR = {"run": "runs/plain/runs/retree/q1.jsonl", "against": "runs/plain/runs/flat/q1.jsonl"}


def test_two_runs_of_a_question_stand_side_by_side_with_the_gold_answer_and_who_was_right(folder: Path) -> None:
    results_folder(folder / "plain")
    assert strip(opened(results="runs/plain", **PAIR)) == (
        "Results: plain | Gold answer Ann | A ReTree right by exact match | B FlatUpdate wrong by exact match"
    )


def test_the_way_back_from_two_runs_leads_to_the_list_they_were_chosen_from(folder: Path) -> None:
    results_folder(folder / "plain")
    page = markup(opened(results="runs/plain", **PAIR))
    assert re.findall(r'data-do="([^"]*)" data-key="Backspace"', page) == ["results:"]


def test_runs_of_results_that_were_not_chosen_from_them_are_told_right_or_wrong_too(folder: Path) -> None:
    results_folder(folder / "plain")
    app = opened(run=PAIR["run"], against="runs/plain/runs/react/q2.jsonl")
    assert strip(app) == "A ReTree right by exact match Gold answer Ann | B ReAct wrong by exact match Gold answer Ann"
    assert re.findall(r'data-do="([^"]*)" data-key="Backspace"', markup(app)) == ["compare:"]


def test_a_run_beside_one_of_results_is_none_of_them(folder: Path) -> None:
    results_folder(folder / "plain")
    write_run(folder, "q1", "react", QUESTIONS["q1"], RUNS["q1", "react"]).rename(folder / "fork.jsonl")
    assert strip(opened(results="runs/plain", run=PAIR["run"], against="runs/fork.jsonl")) == (
        "Results: plain | Gold answer Ann | A ReTree right by exact match | B ReAct not in these results"
    )


@pytest.mark.parametrize("address", ["runs/nothing", "runs/../plain", "/etc", "samples", "runs/plain/runs"])
def test_a_link_to_no_results_leads_to_the_gallery_with_the_reason(folder: Path, address: str) -> None:
    results_folder(folder / "plain")
    page = markup(opened(results=address))
    assert "there are no results" in page
    assert 'data-do="results:runs/plain"' in page


def test_a_run_that_is_not_there_leads_back_to_the_list_with_the_reason(folder: Path) -> None:
    results_folder(folder / "plain")
    app = opened(results="runs/plain", run="runs/plain/runs/retree/q9.jsonl")
    assert "there is no run" in markup(app)
    assert len(rows(app)) == len(RUNS)


def test_results_of_any_kind_have_a_page(folder: Path) -> None:
    results_folder(folder / "empty", runs={})
    results_folder(folder / "odd", settings=[1], search=7, recorded_with={"x": 1})
    (folder / "damaged").mkdir()
    (folder / "damaged" / "eval.json").write_text("{")
    for name, said in (("empty", "No run has ended yet."), ("odd", "not judged"), ("damaged", "not JSON")):
        assert said in markup(opened(results=f"runs/{name}"))


def test_a_run_that_ends_is_in_the_list_at_the_next_look(folder: Path) -> None:
    out = results_folder(folder / "plain", runs={("q1", "retree"): RUNS["q1", "retree"]})
    app = opened(results="runs/plain")
    assert len(rows(app)) == 1
    write_run(out, "q2", "retree", "Who built the Korn bridge?", RUNS["q2", "retree"])
    assert len(rows(app.run())) == 2


def test_a_long_list_comes_page_by_page(folder: Path) -> None:
    questions = {f"q{number}": f"Who is number {number}?" for number in range(PAGE + 20)}
    runs = {(id_, "react"): RUNS["q1", "react"] for id_ in questions}
    results_folder(folder / "long", runs=runs, questions=questions)
    app = opened(results="runs/long")
    assert len(rows(app)) == PAGE
    assert len(rows(go(app, "list:page=2"))) == 20
