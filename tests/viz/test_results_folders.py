"""Results folders are found among the shelves, and nothing outside of a shelf can be named or read."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from viz.results_world import RUNS, graded, manifest, results_folder

from retree_core.cli import main
from retree_core.errors import InputError, UsageError
from retree_core.trace import read_trace
from retree_viz import lives, runs
from retree_viz.html import visible
from retree_viz.making import can_resume
from retree_viz.results.cards import card, results_shelf
from retree_viz.results.folders import Folder, find, listed, stamp
from retree_viz.run import Run
from retree_viz.runs import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    folder = tmp_path / "mine"
    folder.mkdir()
    return Shelf(name="runs", path=folder)


def addresses(shelf: Shelf) -> set[str]:
    return {one.address for one in listed(shelf)}


def test_a_shelf_that_is_a_results_folder_is_named_by_itself(shelf: Shelf) -> None:
    (shelf.path / "eval.json").write_text(json.dumps(manifest({})))
    assert addresses(shelf) == {"runs"}
    assert find("runs", (shelf,)).path == shelf.path


def test_results_folders_and_those_of_several_data_sets_are_found(shelf: Shelf) -> None:
    results_folder(shelf.path / "plain")
    results_folder(shelf.path / "grid" / "frames")
    results_folder(shelf.path / "grid" / "2wiki")
    (shelf.path / "other").mkdir()
    assert addresses(shelf) == {"runs/plain", "runs/grid"}
    assert [address for address, _ in find("runs/grid", (shelf,)).parts] == ["runs/grid/2wiki", "runs/grid/frames"]
    assert find("runs/grid/frames", (shelf,)).parts == (("runs/grid/frames", shelf.path / "grid" / "frames"),)


def test_data_sets_of_one_evaluation_stand_together_too(shelf: Shelf) -> None:
    results_folder(shelf.path / "frames", runs={}, questions={"f1": "Who?"})
    results_folder(shelf.path / "2wiki", runs={}, questions={"w1": "Where?"})
    assert addresses(shelf) == {"runs", "runs/frames", "runs/2wiki"}


@pytest.mark.parametrize("other", [{"questions": {"f1": "Who?"}}, {"settings": {"max_searches": 3}}])
def test_folders_made_in_another_way_or_of_the_same_questions_do_not(shelf: Shelf, other: dict[str, Any]) -> None:
    results_folder(shelf.path / "frames", runs={}, questions={"f1": "Who?"})
    results_folder(shelf.path / "again", **{"runs": {}, "questions": {"w1": "Where?"}, **other})
    assert addresses(shelf) == {"runs/frames", "runs/again"}


@pytest.mark.parametrize(
    "address",
    [
        *(
            "",
            "runs",
            "runs/",
            "runs/..",
            "runs/../secret",
            "runs/link",
            "runs//etc",
            "runs/plain/..",
            "runs/plain/runs",
        ),
        *(
            "runs/a\\b",
            "runs/x\x00",
            "samples/plain",
            "plain",
            f"runs/{'a' * 5000}",
            f"runs/{'a/' * 99}",
            "runs/nothing",
        ),
    ],
)
def test_only_results_in_the_shelf_can_be_named(shelf: Shelf, address: str) -> None:
    results_folder(shelf.path.parent / "secret")
    results_folder(shelf.path / "plain" / "inner")
    (shelf.path / "link").symlink_to(shelf.path.parent / "secret")
    assert addresses(shelf) == {"runs/plain"}
    with pytest.raises(InputError, match=r"\Athere are no results .*\Z"):
        find(address, (shelf,))


@pytest.mark.parametrize("name", ["eval.json", "judged.jsonl", "runs", "runs/retree", "runs/retree/q1.jsonl"])
def test_a_link_out_of_the_shelf_is_refused(shelf: Shelf, name: str) -> None:
    secret = results_folder(shelf.path.parent / "secret")
    (secret / "judged.jsonl").write_text("")
    mine = results_folder(shelf.path / "plain")
    if (mine / name).exists():
        (mine / name).rename(shelf.path / "before")
    (mine / name).symlink_to(secret / name)
    with pytest.raises(InputError, match="a link that leads out"):
        find("runs/plain", (shelf,))


def test_a_run_in_results_is_named_by_its_place_and_nothing_else_deep_down(shelf: Shelf) -> None:
    results_folder(shelf.path / "grid" / "frames")
    path = shelf.path / "grid" / "frames" / "runs" / "retree" / "q1.jsonl"
    assert runs.find("runs/grid/frames/runs/retree/q1.jsonl", (shelf,)).path == path
    (path.parent / "out.jsonl").symlink_to(results_folder(shelf.path.parent / "secret") / "runs/retree/q1.jsonl")
    (shelf.path / "grid" / "frames" / "runs" / "other").mkdir()
    (shelf.path / "grid" / "frames" / "runs" / "other" / "a.jsonl").write_bytes(path.read_bytes())
    for address in (
        "runs/grid/frames/runs/retree/out.jsonl",
        "runs/grid/../grid/frames/runs/retree/q1.jsonl",
        "runs/grid/frames/runs//q1.jsonl",
        "runs/grid/frames/runs/other/a.jsonl",
        "runs/grid/frames/eval.json",
        "runs//runs/retree/q1.jsonl",
    ):
        with pytest.raises(InputError, match="there is no run"):
            runs.find(address, (shelf,))


def test_results_are_found_by_what_pages_and_the_address_bar_write(shelf: Shelf) -> None:
    results_folder(shelf.path / "a\u202eb")
    written = visible("runs/a\u202eb")
    assert written == "runs/a⟨U+202E⟩b"
    assert find(written, (shelf,)).path == shelf.path / "a\u202eb"
    assert runs.find(f"{written}/runs/retree/q1.jsonl", (shelf,)).path.name == "q1.jsonl"


def test_a_change_of_any_run_or_verdict_is_noticed(shelf: Shelf) -> None:
    out = results_folder(shelf.path / "plain")
    folder = Folder(address="runs/plain", path=out)
    seen = [stamp(folder)]
    (out / "rows.cache").write_text("kept beside the runs, not a change")
    assert stamp(folder) == seen[0]
    for name in ("runs/retree/q9.jsonl", "runs/retree/q1.notes.json", "judged.jsonl", "judge.json"):
        (out / name).write_text("{}")
        seen.append(stamp(folder))
    os.utime(out / "runs/retree/q1.jsonl", (1, 1))
    seen.append(stamp(folder))
    assert len(set(seen)) == 6


def test_the_card_of_a_folder_reads_no_run(shelf: Shelf) -> None:
    out = results_folder(shelf.path / "plain")
    for path in out.glob("runs/*/*.jsonl"):
        path.write_text("not a trace")
    found = card(Folder(address="runs/plain", path=out))
    assert (found.questions, found.begun, found.agents) == (3, len(RUNS), ("retree", "react", "flat"))
    assert 'data-do="results:runs/plain"' in results_shelf([found], "mine")


def shown(out: Path) -> str:
    """The card of a folder as it is read, between its name and its address."""
    page = results_shelf([card(Folder(address="runs/plain", path=out))], "mine")
    words = " ".join(re.sub("<[^>]*>", " ", page).split())
    return words.partition(" mine plain ")[2].removesuffix(" runs/plain")


def test_a_card_says_what_is_written_down_of_the_runs(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    out = results_folder(shelf.path / "plain")
    assert shown(out) == "Agents ReTree, ReAct, FlatUpdate results scripted 3 questions 8 of 9 runs begun"
    assert main(["report", str(out)]) == 0
    scores = "Exact match, % ReTree 33.3, ReAct 50.0, FlatUpdate 50.0"
    assert shown(out) == f"{scores} results scripted 3 questions 7 of 9 runs ended, 1 more begun 1 failed"
    assert main(["report", str(graded(out))]) == 0
    scores = "Right by the answer judge, % ReTree 33.3, ReAct 50.0, FlatUpdate 50.0"
    assert shown(out) == f"{scores} results scripted 3 questions 7 of 9 runs ended, 1 more begun 1 failed"


@pytest.mark.parametrize("text", ["", "{", "[]\n7\n{}\n", '{"agent": {}, "judged": []}', "[" * 5000, "\x00"])
def test_a_card_reads_past_rows_that_are_none(shelf: Shelf, text: str) -> None:
    out = results_folder(shelf.path / "plain")
    (out / "results.jsonl").write_text(text)
    assert shown(out) == "Agents ReTree, ReAct, FlatUpdate results scripted 3 questions 8 of 9 runs begun"


def test_a_card_reads_no_rows_from_elsewhere(shelf: Shelf, tmp_path: Path) -> None:
    out = results_folder(shelf.path / "plain")
    rows = tmp_path / "elsewhere.jsonl"
    rows.write_text('{"agent": "react", "error": true}\n')
    (out / "results.jsonl").symlink_to(rows)
    assert "failed" not in shown(out)


@pytest.mark.parametrize("text", ["{", "[]", "\x00", '{"format": "retree-eval", "questions": 7}'])
def test_a_damaged_folder_has_a_card_that_says_so(shelf: Shelf, text: str) -> None:
    (shelf.path / "bad").mkdir()
    (shelf.path / "bad" / "eval.json").write_text(text)
    (folder,) = listed(shelf)
    found = card(folder)
    assert bool(found.trouble) == ("questions" not in text)
    assert str(shelf.path) not in results_shelf([found], "mine")


def test_runs_of_an_evaluation_are_gone_on_with_by_it_alone(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    results_folder(shelf.path / "plain")
    monkeypatch.setenv("RETREE_RUNS", str(shelf.path))
    address = "runs/plain/runs/react/q3.jsonl"
    file = runs.find(address, (shelf,))
    (shelf.path / "q3.jsonl").write_bytes(file.path.read_bytes())
    of_no_evaluation = runs.find("runs/q3.jsonl", (shelf,))
    run = Run(read_trace(file.path))
    assert (can_resume(file, run), can_resume(of_no_evaluation, run)) == (False, True)
    with pytest.raises(UsageError, match="retree eval goes on"):
        lives.resume(address)


@pytest.mark.parametrize(
    ("more", "chip"),
    [({"recorded_with": "", "settings": {"model": "m7"}}, "m7"), ({"recorded_with": "", "settings": {}}, None)],
)
def test_a_card_names_its_folder_and_the_model_asked_for(tmp_path: Path, more: Any, chip: str | None) -> None:
    folder = Folder(address="runs", path=results_folder(tmp_path / "res", **more))
    page = str(results_shelf([card(folder)], "here"))
    assert '<span class="mono">res</span>' in page
    assert ("<span></span>" in page, ">m7<" in page) == (False, chip == "m7")
