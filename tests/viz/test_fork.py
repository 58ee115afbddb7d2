"""Forks in the app: what may be changed where, the foot bar, the banner, the parent, the gallery."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from viz.story import moment, story_trace
from worlds import confirm, kinds, repaired_run, write_trace

from retree_core.drivers.edits import Edit, Editable
from retree_core.errors import UsageError
from retree_core.trace import ForkOrigin, Trace, read_trace
from retree_core.trace.records import OtherRecord
from retree_core.why.blast import blast
from retree_viz import edits
from retree_viz.panels import blast as blast_panel
from retree_viz.panels import gallery
from retree_viz.panels.foot import foot
from retree_viz.panels.origin import needs_model, origin
from retree_viz.parents import parent_address
from retree_viz.place import Place
from retree_viz.run import Run
from retree_viz.runs import Card, Shelf, samples_folder

SAMPLES = sorted(one for one in samples_folder().glob("*.jsonl") if one.name != "corpus.jsonl")


@pytest.fixture(scope="module")
def run() -> Run:
    return Run(repaired_run())


def _at(run: Run, kind: str) -> int:
    return kinds(run.trace).index(kind) + 1


def _whats(found: tuple[Editable, ...]) -> list[tuple[str, int, str]]:
    return [(one.what, one.moment, one.id) for one in found]


def test_inside_a_conflict_its_verdict_comes_first(run: Run) -> None:
    decided = _at(run, "conflict_confirmed")
    for kind in ("conflict_proposed", "conflict_confirmed", "evidence_repaired", "nodes_pruned", "search_resumed"):
        first, *_ = edits.choices(run, _at(run, kind), "e1")
        assert (first.what, first.moment, first.value) == ("verdict", decided, "repair")
        assert edits.decided_here(run, _at(run, kind)) is not None
    assert edits.decided_here(run, 3) is None


def test_elsewhere_the_selected_fact_then_what_the_event_brought(run: Run) -> None:
    at = _at(run, "search_chosen")
    assert _whats(edits.choices(run, at)) == [("query", at, ""), ("reply", at, "")]
    assert _whats(edits.choices(run, at, "e1"))[0] == ("fact", _at(run, "facts_extracted"), "e1")
    assert _whats(edits.choices(run, at, "p1"))[0] == ("passage", _at(run, "passages_retrieved"), "p1")
    assert _whats(edits.choices(run, 1, "s1")) == [("query", at, "")]
    assert [one for odd in ("s99", "s", "e99", "nix", "\ud800", "s²") for one in edits.choices(run, 1, odd)] == []


def test_where_nothing_can_be_changed_the_nearest_events_are_named(run: Run) -> None:
    assert edits.choices(run, 1) == ()
    assert edits.near(run, 1) == (3, 4, 5, _at(run, "conflict_proposed"))
    assert edits.near(Run(replace(run.trace, records=())), 0) == ()


def test_a_reply_is_laid_out_and_other_texts_stay(run: Run) -> None:
    found = {one.what: edits.shown(one) for one in edits.choices(run, _at(run, "facts_extracted"))}
    assert found["fact"] == "The capital of Alvonia is Velmora."
    assert found["reply"].startswith('{\n  "facts": [')
    assert json.loads(found["reply"])["facts"][0]["passage"] == 1
    assert edits.shown(Editable(what="reply", moment=1, value="no JSON \ud800")) == "no JSON \ufffd"
    deep = '{"a":' * 400 + "1" + "}" * 400
    assert edits.shown(Editable(what="reply", moment=1, value=deep)) == deep


@pytest.mark.parametrize("path", SAMPLES, ids=lambda one: one.stem)
def test_every_choice_at_every_event_of_the_samples_has_a_name_and_a_text(path: Path) -> None:
    run = Run(read_trace(path))
    for at in range(1, run.total + 1):
        for one in edits.choices(run, at):
            assert edits.named(one)
            assert isinstance(edits.shown(one), str)
        assert edits.choices(run, at) or edits.near(run, at)


def test_the_foot_bar_says_what_it_does(run: Run) -> None:
    at_conflict = foot(run, Place(run="runs/a", moment=_at(run, "conflict_confirmed")))
    assert "Flip this decision and fork" in at_conflict
    assert 'data-do="label:right"' in at_conflict
    elsewhere = foot(run, Place(run="runs/a", moment=3))
    assert "Edit and fork …" in elsewhere
    assert "label:" not in elsewhere
    assert "disabled" in foot(Run(replace(run.trace, records=())), Place(run="runs/a"))


def test_the_blast_radius_is_shown_in_figures_and_chips(run: Run) -> None:
    at = _at(run, "conflict_confirmed")
    page = blast_panel.blast(run, blast(run.trace, at, [Edit.of("verdict", "reject")]))
    assert "Comes back" in page
    assert page.count(">c1<") == 1, "a claim falls; none comes back"
    assert '<b class="num">2</b>nodes' in page
    assert 'class="chip fresh" title="query 2">n2<' in page
    assert "The record answers up to event" in page
    assert "then a model (summarise) is needed" in page
    assert "What the facts say" in page
    refused = blast_panel.blast(run, blast(run.trace, None, [Edit.of("fact", "It is <b>Quorl</b>.", "e1")]))
    assert "It is &lt;b&gt;Quorl&lt;/b&gt;." in refused
    assert "<b>Quorl" not in refused


def test_a_repair_by_hand_names_its_introducer() -> None:
    run = Run(repaired_run({"confirm": [confirm(False)]}))
    page = blast_panel.blast(run, blast(run.trace, _at(run, "conflict_rejected"), [Edit.of("verdict", "repair")]))
    assert "Pruned by the repair" in page
    assert "at n1" in page


FORK = ForkOrigin(run_id="5c21b7ed00000000", moment=23, edit="verdict=reject at event 24, <i>x</i>")


def _forked(trace: Trace, *records: OtherRecord) -> Trace:
    header = replace(trace.header, run_id="f0", fork=FORK)
    return replace(trace, header=header, records=(*trace.records[:20], *records))


def test_a_fork_names_its_parent_and_what_it_needs() -> None:
    stopped = OtherRecord(seq=21, raw={"record": "stopped", "reason": "needs a model from here (confirm)"})
    run = Run(_forked(repaired_run(), stopped))
    banner = origin(run, "runs/parent.jsonl", answerer="Qwen/Qwen3-8B")
    assert 'data-do="open:runs/parent.jsonl"' in banner
    assert 'data-do="compare:runs/parent.jsonl"' in banner
    assert "after event 23" in banner
    assert "&lt;i&gt;x&lt;/i&gt;" in banner
    assert f"The record answers up to event <b>{run.total}</b>; from here a model is needed." in banner
    assert 'data-do="resume:"' in banner
    assert needs_model(run)
    unknown = origin(run)
    assert "its parent is not among these runs" in unknown
    assert "resume:" not in unknown
    assert origin(Run(repaired_run()), "runs/parent.jsonl") == ""


def test_the_parent_is_found_by_its_id_in_any_file(tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_bytes(b"\x1f\x8bnothing")
    (tmp_path / "other.json").write_text('{"run_id": 5}')
    write_trace(_forked(repaired_run()), tmp_path / "fork.jsonl")
    fork = Run(read_trace(tmp_path / "fork.jsonl"))
    shelf = Shelf(name="runs", path=tmp_path)
    assert parent_address(fork, (shelf,)) == ""
    assert parent_address(Run(repaired_run()), (shelf,)) == ""
    parent = write_trace(repaired_run(), tmp_path / "parent.jsonl")
    (tmp_path / "parent.jsonl.gz").write_bytes(gzip.compress(parent.read_bytes()))
    parent.unlink()
    assert parent_address(fork, (Shelf(name="new", path=tmp_path),)) == "new/parent.jsonl.gz"


def test_the_gallery_puts_forks_after_their_parents() -> None:
    def made(name: str, parent: str = "") -> Card:
        fork = ForkOrigin(run_id=parent, moment=3, edit="query=<b>") if parent else None
        return Card(address=f"runs/{name}", size=1, run_id=name, question=name, fork=fork)

    cards = [
        made("grandchild", "child"),
        made("child", "parent"),
        made("lost", "gone"),
        made("parent"),
        made("odd", "odd"),
    ]
    page = gallery.shelf("Your runs", "runs", cards, "", names={"parent": "parent.jsonl"})
    order = [one.split('"')[0] for one in page.split('data-do="open:runs/')[1:]]
    assert order == ["lost", "parent", "child", "grandchild", "odd"]
    assert "Fork of <b>parent.jsonl</b> after event 3: query=&lt;b&gt;" in page
    assert "Fork of <b>run gone</b>" in page


def test_a_record_without_calls_offers_its_conflicts_and_says_why_not() -> None:
    told = story_trace()
    run = Run(replace(told, header=replace(told.header, version=2)))  # and without a boundary to begin from
    at = moment("conflict_confirmed")
    (verdict, *_) = edits.choices(run, at)
    assert verdict.what == "verdict"
    with pytest.raises(UsageError, match=r"cannot be forked at event .*; the record holds no calls"):
        blast(run.trace, at, [Edit.of("verdict", "reject")])
