"""The whole app, headless: every page opens on every kind of run, and says what is wrong in one line."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from headless import APP, markup, opened
from headless import components as shown
from streamlit.testing.v1 import AppTest
from viz.story import QUESTION, moment, story, story_trace, trace_of
from worlds import repaired_run, write_trace

from retree_core import events as ev
from retree_core.memory import Passage
from retree_viz.place import TABS, moved
from retree_viz.runs import samples_folder

FULL = bool(os.environ.get("RETREE_FULL"))
SAMPLES = sorted(one.name for one in samples_folder().iterdir() if one.name != "corpus.jsonl" and ".json" in one.name)


def timeline(app: AppTest) -> dict[str, Any]:
    record = next(one for one in shown(app) if "codes" in one)
    return {**record, **next(one for one in shown(app) if "now" in one and one.get("of") == record["of"])}


def test_the_gallery_shows_runs_and_says_what_is_wrong_with_others(folder: Path) -> None:
    write_trace(story_trace(), folder / "story.jsonl")
    (folder / "picture.json").write_bytes(b"\x89PNG")
    (folder / "empty.jsonl").write_bytes(b"")
    page = markup(opened())
    assert QUESTION in page
    assert 'data-do="open:runs/story.jsonl"' in page
    assert "2 files that cannot be shown" in page
    assert "the file is empty" in page


def test_an_empty_folder_says_what_to_do(folder: Path) -> None:
    page = markup(opened())
    assert "No runs here yet." in page
    assert "retree run" in page


def test_a_deep_link_opens_the_run_at_its_moment(folder: Path) -> None:
    write_trace(story_trace(), folder / "story.jsonl")
    at = moment("evidence_repaired")
    app = opened(run="runs/story.jsonl", moment=str(at), sel="e3", tab="evidence")
    assert timeline(app)["now"] == at
    assert timeline(app)["selected"] == "e3"
    page = markup(app)
    assert "Evidence e3" in page
    assert "Kaltenbrück" in page
    assert f"{at} <" not in page
    tree = next(one for one in shown(app) if "nodes" in one)
    assert len(tree["nodes"]) >= 8


def test_without_a_moment_the_run_opens_at_its_end(folder: Path) -> None:
    write_trace(story_trace(), folder / "story.jsonl")
    assert timeline(opened(run="runs/story.jsonl"))["now"] == len(story())
    assert timeline(opened(run="runs/story.jsonl", moment="9999"))["now"] == len(story())


@pytest.mark.parametrize(
    "address", ["runs/none.jsonl", "runs/../x.jsonl", "//etc/passwd", "<b>x</b>/y", "runs/bad.json"]
)
def test_a_link_to_nothing_leads_to_the_gallery_with_the_reason(folder: Path, address: str) -> None:
    (folder / "bad.json").write_text("[]")
    page = markup(opened(run=address))
    assert 'role="alert"' in page
    assert "Sample runs" in page
    assert "<b>x" not in page


def test_every_moment_of_a_real_run_opens(folder: Path) -> None:
    write_trace(repaired_run(), folder / "run.jsonl")
    app = opened(run="runs/run.jsonl", moment="1")
    total = timeline(app)["total"]
    for at in range(2, total + 1):
        app.session_state["place"] = _at(app.session_state["place"], at)
        assert timeline(app.run())["now"] == at
    assert app.query_params["moment"] in (str(total), [str(total)])


def _at(place: Any, at: int) -> Any:
    from dataclasses import replace

    return replace(place, moment=at)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_opens(name: str) -> None:
    app = opened(run=f"samples/{name}")
    assert timeline(app)["total"] > 0
    for tab in ("node", "evidence", "calls"):
        assert markup(opened(run=f"samples/{name}", tab=tab))


def test_a_damaged_trace_opens_with_a_notice(folder: Path) -> None:
    path = write_trace(story_trace(), folder / "torn.jsonl")
    lines = path.read_bytes().split(b"\n")
    lines[16] = b'{"broken": '
    path.write_bytes(b"\n".join(lines)[:-9])
    os.utime(path, (1, 1))
    page = markup(opened(run="runs/torn.jsonl"))
    assert "2 damaged records left out (line 17, " in page


def test_a_run_that_is_being_written_holds_its_torn_tail_back(folder: Path) -> None:
    path = write_trace(trace_of(story()[:20]), folder / "growing.jsonl")
    path.write_bytes(path.read_bytes() + b'{"record": "ev')
    app = opened(run="runs/growing.jsonl")
    assert timeline(app)["total"] == 20
    assert "damaged" not in markup(app)
    write_trace(trace_of(story()[:30]), path)
    assert timeline(app.run())["total"] == 30


def test_orphans_cycles_and_duplicates_open(folder: Path) -> None:
    def node(id_: str, parent: str) -> ev.NodeAdded:
        return ev.NodeAdded(node=id_, parent=parent, search=1, query="q", evidence=())

    odd = [
        node("n7", "n99"),
        node("n8", "n8"),
        node("n9", "n10"),
        node("n10", "n9"),
        node("n1", "root"),
        node("root", "n1"),
    ]
    write_trace(trace_of([*story(), *odd]), folder / "odd.jsonl")
    page = markup(opened(run="runs/odd.jsonl"))
    assert "the record does not fit together" in page


def test_hostile_text_reaches_the_browser_as_text(folder: Path) -> None:
    hostile = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) $5 $7 :red[x] \u202e"
    events: list[ev.Event] = [
        ev.RunStarted(question=hostile, agent="retree"),
        ev.SearchChosen(search=1, query=hostile, origin="policy"),
        ev.PassagesRetrieved(search=1, passages=(Passage(id="p1", title=hostile, text=hostile, url=hostile),)),
        ev.NodeAdded(node="n1", parent="root", search=1, query=hostile, evidence=()),
    ]
    write_trace(trace_of(events, question=hostile), folder / f"{'<img src=x>'}.jsonl")
    app = opened(run="runs/<img src=x>.jsonl", sel="p1")
    assert "<img" not in markup(app)
    assert "&lt;img src=x onerror=alert(1)&gt;" in markup(app)
    assert not [one for one in app.markdown if "onerror" in one.value]
    assert "<img" not in markup(opened())


def test_a_big_trace_opens_in_time(folder: Path) -> None:
    events: list[ev.Event] = [ev.RunStarted(question="q", agent="retree")]
    for number in range(1, 4000):
        events += [
            ev.ContextBuilt(node="root", evidence=(), characters=number),
            ev.SearchChosen(search=number, query=f"q {number}", origin="policy"),
            ev.PassagesRetrieved(search=number, passages=()),
            ev.FactsExtracted(search=number, facts=()),
            ev.NodeAdded(
                node=f"n{number}",
                parent=f"n{number - 1}" if number > 1 else "root",
                search=number,
                query="q",
                evidence=(),
            ),
        ]
    write_trace(trace_of(events), folder / "big.jsonl")
    start = time.perf_counter()
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params["run"] = "runs/big.jsonl"
    assert timeline(app.run())["total"] == 19_996
    assert time.perf_counter() - start < 60


@pytest.mark.parametrize("mebibytes", [100 if FULL else 20])
def test_a_huge_trace_opens_and_the_page_stays_small(folder: Path, mebibytes: int) -> None:
    header, *records = write_trace(repaired_run(), folder / "run.jsonl").read_bytes().splitlines(keepends=True)
    padding = b" " + b"x" * (1 << 20)
    with (folder / "huge.jsonl").open("wb") as file:
        file.writelines([header, *records])
        for number in range(len(records) + 1, len(records) + 1 + mebibytes):
            file.write(b'{"record": "note", "seq": %d, "text": "%s"}\n' % (number, padding))
    assert "large: read when opened" in markup(opened())
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params["run"] = "runs/huge.jsonl"
    assert timeline(app.run())["total"] == len(repaired_run().events)
    assert sum(len(json.dumps(one)) for one in shown(app)) < 1_000_000


def test_one_gigantic_passage_is_cut_on_the_page_and_can_be_had_whole(folder: Path) -> None:
    text = f"It begins here. {'word ' * 1_000_000}It ends here."
    events: list[ev.Event] = [
        ev.RunStarted(question="q", agent="retree"),
        ev.SearchChosen(search=1, query="q", origin="policy"),
        ev.PassagesRetrieved(search=1, passages=(Passage(id="p1", title="t", text=text),)),
        ev.NodeAdded(node="n1", parent="root", search=1, query="q", evidence=()),
    ]
    write_trace(trace_of(events), folder / "long.jsonl")
    app = opened(run="runs/long.jsonl", sel="p1", tab="evidence")
    assert "It begins here." in markup(app)
    assert "It ends here." not in markup(app)
    assert len(markup(app)) < 200_000
    assert "show all 5,000,029 characters" in markup(app)
    app.session_state["place"] = moved(app.session_state["place"], "full:")
    assert "It ends here." in markup(app.run())


def test_a_file_written_over_is_read_again(folder: Path) -> None:
    path = write_trace(trace_of([ev.RunStarted(question="Who?", agent="retree")], question="Who?"), folder / "run.json")
    app = opened(run="runs/run.json")
    assert "Who?" in markup(app)
    size = path.stat().st_size
    write_trace(trace_of([ev.RunStarted(question="Why?", agent="retree")], question="Why?"), path)
    assert path.stat().st_size == size
    page = markup(app.run())
    assert "Why?" in page
    assert "Who?" not in page


def test_two_steps_of_one_query_and_two_nodes_of_one_id_open_on_every_tab(folder: Path) -> None:
    again: list[ev.Event] = [
        ev.SearchChosen(search=1, query="q", origin="policy"),
        ev.NodeAdded(node="n1", parent="root", search=1, query="q", evidence=()),
    ]
    write_trace(trace_of([ev.RunStarted(question="q", agent="retree"), *again, *again]), folder / "twice.jsonl")
    for tab in TABS:
        for selected in ("n1", "n1~2", "s1"):
            assert timeline(opened(run="runs/twice.jsonl", tab=tab, sel=selected))["total"] == 5


def test_the_page_that_starts_a_run_asks_for_a_question(folder: Path) -> None:
    app = opened(page="ask")
    assert app.text_input(key="spec").value.startswith("corpus:")
    app.button[0].click().run()
    assert "The question is empty" in markup(app)
    assert not list(folder.iterdir())


def test_a_run_that_cannot_start_says_why_in_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETREE_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RETREE_SEARCH", "corpus:/nowhere/at/all.jsonl")
    app = opened(page="ask")
    app.text_area(key="question").set_value("Who?")
    assert app.text_input(key="spec").value == "corpus:/nowhere/at/all.jsonl"
    app.button[0].click().run()
    for _ in range(40):
        page = markup(app)
        if 'role="alert"' in page:
            break
        time.sleep(0.25)
        app.run()
    assert "/nowhere/at/all.jsonl" in page or "127.0.0.1:9" in page
    assert "Traceback" not in page


def test_a_file_name_that_is_no_text_hides_no_other_run(folder: Path) -> None:
    write_trace(story_trace(), folder / "story.jsonl")
    odd = Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.jsonl"))
    try:
        write_trace(story_trace(), odd)
    except OSError:
        pytest.skip("no such name on this file system")
    assert 'data-do="open:runs/story.jsonl"' in markup(opened())
    assert QUESTION in markup(opened(run="runs/\u27e8U+DCFF\u27e9\u27e8U+DCFE\u27e9.jsonl"))


@pytest.mark.parametrize("selected", ["c²", "s²", "c" + "9" * 150, "c0", "c99", "e²", "<img src=x>", "\x00"])
def test_a_selection_that_is_none_breaks_nothing(folder: Path, selected: str) -> None:
    write_trace(story_trace(), folder / "story.jsonl")
    page = markup(opened(run="runs/story.jsonl", sel=selected))
    assert QUESTION in page
    assert "<img" not in page


def test_started_on_one_file_it_opens_there_and_the_gallery_is_a_step_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RETREE_RUNS", str(write_trace(story_trace(), tmp_path / "story.jsonl")))
    app = opened()
    assert app.session_state["place"].run == "runs/story.jsonl"
    assert timeline(app)["of"]
    app.session_state["place"] = moved(app.session_state["place"], "gallery:")
    page = markup(app.run())
    assert page.index("The file you opened") < page.index("Sample runs") < page.index("Your runs")
    assert opened(run="samples/real-laika.jsonl").session_state["place"].run == "samples/real-laika.jsonl"
    assert opened(page="ask").session_state["place"].asking


def test_started_on_a_file_that_is_no_trace_it_says_so_in_the_gallery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd.jsonl").write_text("odd")
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path / "odd.jsonl"))
    assert "not a ReTree trace" in markup(opened())
