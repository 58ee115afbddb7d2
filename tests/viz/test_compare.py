"""The compare page and the Changes tab: what they hold, and that nothing odd breaks them."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from headless import APP, components, markup, opened
from streamlit.testing.v1 import AppTest
from viz.story import QUESTION, moment, story, trace_of
from worlds import SETTINGS, answer, asking, confirm, finding, repaired_run, run_scripted, write_trace

from retree_core import events as ev
from retree_core.memory import Claim, Passage, Source
from retree_core.trace import ForkOrigin, Trace
from retree_viz.address_bar import from_query, to_query
from retree_viz.html import Html
from retree_viz.panels.changes import changes
from retree_viz.panels.wording import differing, side_of
from retree_viz.place import Place, moved
from retree_viz.run import Run

HOSTILE = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) $5 and $7 :red[x] \u202e"


def words(made: Html) -> str:
    """What a reader sees."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", made)).split())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own runs: a run, its fork without the repair, another agent's, one of another question."""
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path))
    a, b = repaired_run(), repaired_run({"confirm": lambda _: confirm(False)})
    origin = ForkOrigin(run_id=a.header.run_id, moment=24, edit="verdict=reject at event 25")
    write_trace(a, tmp_path / "a.jsonl")
    write_trace(
        Trace(name="b", header=replace(b.header, run_id="b", fork=origin), records=b.records), tmp_path / "b.jsonl"
    )
    write_trace(trace_of(story()), tmp_path / "story.jsonl")
    (tmp_path / "broken.jsonl").write_text("{")
    return tmp_path


def page(app: AppTest) -> str:
    return words(Html(markup(app)))


def branches(app: AppTest) -> dict[str, Any]:
    return next(one for one in components(app) if "tail" in one)


def trees(app: AppTest) -> list[int]:
    """Moments of the trees on the page."""
    return [one["moment"] for one in components(app) if "nodes" in one]


# The page


def test_two_runs_stand_side_by_side_at_moments_that_belong_together(folder: Path) -> None:
    app = opened(run="runs/a.jsonl", against="runs/b.jsonl", moment="31")
    data = branches(app)
    assert data["shared"] == 24
    assert data["now"] == [31, 29]  # the choice of search 5 on both sides
    assert trees(app) == [31, 29]
    said = page(app)
    for expected in (
        "In step up to event 24 15 model calls and 4 searches are identical, request by request",
        "B is a fork of A at event 24 (verdict=reject at event 25)",
        "moment 31 of 45",
        "moment 29 of 43",
        "A gave up what e1 says",
        "Repairs 1 0 +1",
    ):
        assert expected in said, expected


def test_a_run_with_itself_is_equal(folder: Path) -> None:
    app = opened(run="runs/a.jsonl", against="runs/a.jsonl")
    assert "Equal in every event" in page(app)
    assert branches(app)["tail"] == []
    assert branches(app)["now"] == [45, 45]


@pytest.mark.parametrize(("agent", "cited"), [("flat", "e1"), ("react", "p1"), ("report", "p1")])
def test_agents_without_a_tree_show_the_list_they_keep(folder: Path, agent: str, cited: str) -> None:
    said = {
        "policy": asking(2, cited),
        "report": lambda _: {"report": "A b."},
        "answer": [answer("V", ("It is V.", [cited]))],
    }
    made = run_scripted(QUESTION, said, finding("A b c.", "D e f."), replace(SETTINGS, agent=agent))
    write_trace(made, folder / "other.jsonl")
    app = opened(run="runs/story.jsonl", against="runs/other.jsonl")
    text = page(app)
    assert "Another agent: they part at the first event" in text
    assert len(trees(app)) == 1
    kept = {"flat": "fact, in one flat list", "react": "Search 1", "report": "page, in the order it was read"}
    assert kept[agent] in text


def test_a_flat_list_marks_what_rests_on_a_refuted_premise(folder: Path) -> None:
    flat = [one for one in story() if not isinstance(one, ev.NodesPruned | ev.SearchResumed)]
    flat = [ev.FactsAdded(facts=one.evidence) if isinstance(one, ev.NodeAdded) else one for one in flat]
    write_trace(trace_of([ev.RunStarted(question=QUESTION, agent="flat"), *flat[1:]]), folder / "flat.jsonl")
    text = page(opened(run="runs/story.jsonl", against="runs/flat.jsonl"))
    assert "found while e3 was r1" in text
    assert "replaced, now r2" in text


def test_two_questions_get_a_notice(folder: Path) -> None:
    text = page(opened(run="runs/a.jsonl", against="runs/story.jsonl"))
    assert "Two different questions" in text
    assert QUESTION in text


def test_what_cannot_be_compared_is_said_and_the_run_stays_open(folder: Path) -> None:
    for bad in ("runs/broken.jsonl", "runs/nowhere.jsonl"):
        app = opened(run="runs/a.jsonl", against=bad)
        text = page(app)
        assert "cannot compare:" in text
        assert "moment 45 of 45" in text
        assert "against" not in app.query_params
    assert "there is no run" in page(opened(run="runs/nowhere.jsonl", against="runs/a.jsonl"))


def test_odd_and_hostile_runs_break_nothing(folder: Path) -> None:
    source = Source(passage="p1", quote=HOSTILE)
    events: list[ev.Event] = [
        ev.RunStarted(question=HOSTILE, agent=HOSTILE),
        ev.SearchChosen(search=1, query=HOSTILE, origin="policy"),
        ev.PassagesRetrieved(search=1, passages=(Passage(id=HOSTILE, title=HOSTILE, text=HOSTILE),)),
        ev.FactsExtracted(search=1, facts=(ev.NewFact(id=HOSTILE, text=HOSTILE, source=source),)),
        ev.NodeAdded(node="n1", parent="n1", search=1, query=HOSTILE, evidence=(HOSTILE,)),
        ev.SearchResumed(node="gone"),
        ev.Answered(text=HOSTILE, claims=(Claim(text=HOSTILE, cites=(HOSTILE,)),), shown=()),
    ]
    write_trace(trace_of(events, question=HOSTILE), folder / "hostile.jsonl")
    write_trace(trace_of([]), folder / "empty.jsonl")
    for other in ("story", "empty", "hostile"):
        for a, b in ((other, "hostile"), ("hostile", other)):
            app = opened(run=f"runs/{a}.jsonl", against=f"runs/{b}.jsonl", sel=f"a.{HOSTILE}")
            assert "<img" not in markup(app)
    assert "Both are empty" in page(opened(run="runs/empty.jsonl", against="runs/empty.jsonl"))


@pytest.mark.parametrize(
    "query", [{"moment": "0"}, {"moment": "999"}, {"against_moment": "999"}, {"sel": "b.nonsense"}, {"sync": "x"}]
)
def test_an_odd_address_opens_all_the_same(folder: Path, query: dict[str, str]) -> None:
    assert "In step up to event 24" in page(opened(run="runs/a.jsonl", against="runs/b.jsonl", **query))


def test_a_selected_fact_is_told_on_both_sides(folder: Path) -> None:
    text = page(opened(run="runs/a.jsonl", against="runs/b.jsonl", sel="a.e1"))
    assert "e1 r2 in force: The capital of Alvonia is Dresk." in text
    assert "e1 in force: The capital of Alvonia is Velmora." in text


# The dialog


def test_the_dialog_names_forks_first_and_searches(folder: Path) -> None:
    app = AppTest.from_file(APP, default_timeout=30)
    app.query_params["run"] = "runs/a.jsonl"
    app.run()
    app.session_state["place"] = moved(app.session_state["place"], "dialog:compare")
    text = page(app.run())
    assert text.index("Its forks and its parent") < text.index("b.jsonl") < text.index("Other questions")
    assert "This run at another moment" in text
    app.text_input(key="compare_find").input("observatory KALTEN").run()
    text = page(app)
    assert "story.jsonl" in text
    assert "Its forks and its parent" not in text
    app.text_input(key="compare_find").input("no such words").run()
    assert "No run has these words." in page(app)


# Places


def test_swapping_changes_runs_moments_and_the_selection_over() -> None:
    place = Place(run="a", against="b", moment=5, against_moment=7, selected="a.e3", sync="claim")
    swapped = moved(place, "swap:")
    assert swapped == Place(run="b", against="a", moment=7, against_moment=5, selected="b.e3", sync="claim")
    assert from_query(to_query(swapped)) == swapped
    assert moved(Place(run="a"), "swap:") == Place(run="a")


def test_both_sides_move_at_once() -> None:
    place = moved(Place(run="a", against="b"), "both:12,9")
    assert (place.moment, place.against_moment) == (12, 9)
    assert moved(place, "both:x,").moment is None
    assert moved(place, "compare:").against == ""


# The Changes tab


def test_the_changes_of_one_event() -> None:
    text = words(changes(Run(trace_of(story())), moment("evidence_repaired")))
    assert "e3 repaired by e13 to r2" in text
    assert "Edmund Harcastle Ines Falkenrath" in text
    assert "n2 repaired: e3 is now r2" in text


def test_the_changes_since_a_base_with_all_ids_as_links() -> None:
    made = changes(Run(trace_of(story())), moment("facts_set_aside"), moment("conflict_proposed", 2))
    text = words(made)
    for expected in (
        f"n3 pruned at event {moment('nodes_pruned')} for e3",
        "Current node n5 → n2",
        "in force: 11 → 4",
        "e14 set aside: The original drawings were found in 2019.",
        "moment 41, pinned",
    ):
        assert expected in text, expected
    assert {"n2", "n3", "n5", "e3", "e13", "e14"} <= set(re.findall(r'data-do="select:(\w+)"', made))
    assert "<del>Edmund Harcastle</del><ins>Ines Falkenrath</ins>" in made


def test_the_changes_that_can_be_asked_for_with_a_click() -> None:
    made = changes(Run(trace_of(story())), moment("facts_set_aside"))
    repair, search = moment("evidence_repaired") - 1, moment("search_chosen", 6) - 1
    now = moment("facts_set_aside")
    assert re.findall(r'data-do="(base:\d*)"', made) == [
        "base:",
        f"base:{search}",
        f"base:{repair}",
        "base:0",
        f"base:{now}",
    ]


@pytest.mark.parametrize("base", [None, 0, 5, 57, 999])
def test_changes_of_any_moments_break_nothing(base: int | None) -> None:
    odd = [*story(), ev.NodesPruned(nodes=("n99",), evidence="e99"), ev.SearchResumed(node=HOSTILE)]
    for run in (Run(trace_of(odd)), Run(trace_of([])), Run(trace_of([ev.RunStarted(question=HOSTILE, agent="x")]))):
        for at in range(0, run.total + 1, 7):
            assert "<img" not in changes(run, at, base)
    assert "there is no node n99" in words(changes(Run(trace_of(odd)), len(odd), len(odd) - 2))


def test_nothing_changed_is_said() -> None:
    run = Run(trace_of(story()))
    assert "Nothing in the memory changed." in words(changes(run, moment("conflict_proposed")))
    assert "The two moments are one." in words(changes(run, 9, 9))
    assert "the base is later than this moment" in words(changes(run, 9, 20))


def test_differing_words_are_marked() -> None:
    assert differing("born in Thornby", "born in Graz") == "born in <del>Thornby</del><ins>Graz</ins>"
    assert side_of("born in Thornby", "born in Graz", "new") == 'born in <b class="apart">Graz</b>'
    assert side_of("all in other words", "born in Graz", "new") == "born in Graz"
    assert "<img" not in differing(HOSTILE, HOSTILE * 2)
