"""The Why panel: a dossier for everything, whatever the record holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest
from samples.story import FOLDER
from viz.story import moment, story, story_trace, trace_of
from worlds import (
    DRESK,
    KORN,
    QUESTION,
    VELMORA,
    answer,
    asking,
    clashing,
    finding,
    hit,
    repaired_run,
    run_scripted,
    stop,
)

from retree_core import events as ev
from retree_core.cli.why_text import story_lines
from retree_core.memory import Claim
from retree_core.settings import Settings
from retree_core.trace import Trace, read_trace
from retree_core.verdicts import GuardResult
from retree_core.why import why_event
from retree_viz.html import Html
from retree_viz.panels import why
from retree_viz.place import Place, moved
from retree_viz.run import Run

TRACES = [path for path in sorted(FOLDER.glob("*.jsonl")) if path.name != "corpus.jsonl"]


def words(made: Html) -> str:
    """What a reader sees."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", made)).split())


def wishes(made: Html) -> list[tuple[str, str]]:
    """What can be clicked, as verb and object."""
    found = (unescape(one).partition(":") for one in re.findall(r'data-do="([^"]*)"', made))
    return [(verb, what) for verb, _, what in found]


def dangling(run: Run, made: Html) -> list[tuple[str, str]]:
    """Clicks that would lead nowhere."""
    claims = {f"c{number}" for number in range(1, 1 + len(run.last.answer.claims if run.last.answer else ()))}
    known = {"", *run.last.evidence, *run.last.nodes, *run.last.passages, *claims}
    resolves = {
        "go": lambda what: 1 <= int(what) <= run.total,
        "call": lambda what: 1 <= int(what) <= len(run.trace.calls),
        "call_json": lambda what: 1 <= int(what) <= len(run.trace.calls),
        "select": lambda what: what in known,
        "pair": lambda what: known.issuperset(what.split(" ")),
        "tab": lambda what: what == "context",
    }
    return [(verb, what) for verb, what in wishes(made) if not resolves[verb](what)]


def panels(run: Run) -> Iterator[tuple[object, Html]]:
    """The panel at every moment, alone and for some selections, and for some pairs."""
    some = [*run.last.evidence][:3]
    for at in range(run.total + 1):
        for selected in ("", ("c1", "n1", *some)[at % (2 + len(some))]):
            why.title(run, at, selected)
            yield (at, selected), why.why(run, at, selected)
    for a in some[::2]:
        for b in [*run.last.evidence, "e99"]:
            why.title(run, run.total, a, b)
            why.outcome(run, run.total, a, b)
            yield (a, b), why.why(run, run.total, a, b)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_in_the_samples_no_panel_is_empty_and_no_link_dangles(path) -> None:
    run = Run(read_trace(path))
    for where, made in panels(run):
        assert len(words(made)) > 40, where
        assert dangling(run, made) == [], where


# What is in them


def test_a_conflict_shows_what_the_engine_checked_beside_what_the_model_said() -> None:
    run = Run(read_trace(FOLDER / "scripted-repair-north-pole.jsonl"))
    repair = next(at for at, one in enumerate(run.events, 1) if one.kind == "evidence_repaired")
    said = words(why.why(run, repair))
    for expected in (
        "Part e1 r1 e8 Model said Engine checked",
        "attribute which aircraft it was same same words",
        "scope not stated same unknown, passes",
        "value the Josephine Ford the airship Norge differs differs, in its passage",
        "other_entity entity No sign of two different things.",
        "Holds e1 root the question no facts n1 first aircraft to fly over the North Pole yes n2",
        "e3 , e5 , e6 and e7 came of searches whose context showed e1.",
        "Spent below: 11 calls · 1,080 prompt + 270 completion tokens",
    ):
        assert expected in said, expected


def test_prompt_and_raw_reply_stand_in_the_panel() -> None:
    run = Run(repaired_run())
    made = why.why(run, next(at for at, one in enumerate(run.events, 1) if one.kind == "evidence_repaired"))
    said = words(made)
    assert "Prompt and raw reply call 21: conflict system" in re.sub(r"call \d+: conflict", "call 21: conflict", said)
    assert "Stored facts [e1] The capital of Alvonia is Velmora." in said
    assert '"reason": "both cannot hold"' in said


def test_at_the_pruning_its_price_comes_first() -> None:
    run = Run(story_trace())
    said = words(why.why(run, moment("nodes_pruned")))
    assert said.startswith("Blast radius event")
    assert "e3 was repaired at n2" in said
    assert "e11 and e12 never had e3 in the context that led to them: the price of pruning all." not in said
    title, *_ = why.title(run, moment("nodes_pruned"))
    assert words(title) == "3 nodes pruned: Repair of e3 at node n2"


def test_facts_that_never_met_the_refuted_one_are_named() -> None:
    rivers = [f"The river {name} flows through Alvonia." for name in ("Ost", "Wied", "Saar", "Lahn", "Nahe", "Blau")]
    lines = [[VELMORA], rivers[:3], rivers[3:], ["Ilse Korn wrote."], [DRESK]]
    finds = [[hit(one) for one in each] for each in lines]
    script = {
        "policy": asking(5, "e1"),
        "conflict": clashing(("e1", "e9")),
        "summarise": lambda _: {"summary": "Rivers."},
    }
    run = Run(run_scripted("Which river of Alvonia flows through it?", script, finds))
    pruned = next(at for at, one in enumerate(run.events, 1) if one.kind == "nodes_pruned")
    made = why.why(run, pruned)
    assert "e8 never had e1 in the context that led to them: the price of pruning all." in words(made)
    assert re.search(r'class="chip ghost +never"', made)


def test_a_refused_stop_a_search_and_a_summary_have_a_dossier() -> None:
    run = Run(read_trace(FOLDER / "scripted-repair-north-pole.jsonl"))
    refused = words(why.why(run, 3))
    for expected in (
        "It named no evidence",
        "Valid then nothing: no evidence is in force",
        "Rule a stop needs one search that brought passages, and none had",
        "What followed asked again, with the refusal in the prompt 4",
        "The call behind it call 1 Prompt and raw reply",
        "What the policy saw at root",
    ):
        assert expected in refused, expected
    chosen = words(why.why(run, 11))
    assert "The policy's reason" in chosen
    assert re.search(r"Came of it \d passages", chosen)
    anew = why.why(run, 35)
    assert (
        "Written anew by the model from the evidence in force alone, because e1 was repaired here ( event 32 )."
        in words(anew)
    )
    assert "<del>North Pole</del><ins>pole</ins>" in anew
    assert "e1 r1, refuted" in words(anew)


def test_sentences_left_out_of_a_summary_and_refused_texts_are_shown() -> None:
    at = moment("summary_written", 2)
    events = story()
    events[at - 1] = ev.SummaryWritten(node="n2", text="Short.", origin="model", invented=("In 1723 it burned down.",))
    events.insert(at - 1, ev.SummaryStale(node="n2", text="By Harcastle.", value="Harcastle"))
    run = Run(trace_of(events))
    for place in (at, at + 1):
        said = words(why.why(run, place))
        assert "Sentences left out as invented In 1723 it burned down." in said
        assert f"A text not used, event {at} It still says Harcastle , which was refuted. By Harcastle." in said


def test_a_claim_is_followed_to_its_passages_and_the_repairs_under_it() -> None:
    run = Run(story_trace())
    said = words(why.why(run, run.total, "c1"))
    for expected in (
        "It rests on evidence in force; a repair changed what it rests on.",
        "Cites e3 r2",
        "wexshire",
        "Repaired to r2 by e13 at event",
        "Before: The Aldermoor Observatory was designed by Edmund Harcastle",
        "How it came to this",
    ):
        assert expected in said, expected
    events = story()
    claims = (Claim(text="Bare.", cites=()), Claim(text="Invented.", cites=("e99",)), Claim(text="Cut.", cites=("e6",)))
    events[-2] = ev.Answered(text="Kaltenbrück", claims=claims, shown=())
    faulty = Run(trace_of(events))
    assert "It cites nothing" in words(why.why(faulty, faulty.total, "c1"))
    assert "There is no such evidence in this run." in words(why.why(faulty, faulty.total, "c2"))
    assert "e6 is no evidence in force" in words(why.why(faulty, faulty.total, "c3"))


def test_a_claim_selected_during_a_repair_leads_to_its_own_chain() -> None:
    run = Run(story_trace())
    made = why.why(run, moment("evidence_repaired"), "c1")
    assert f"Claim c1 is selected; what it rests on is told at event {moment('answered')} ." in words(made)
    assert "e3 r1, refuted" in words(made)


def test_a_judge_that_states_no_parts_is_said_to_state_none() -> None:
    plain = Settings(model="scripted", judge="paper")
    run = Run(repaired_run({"confirm": lambda _: {"reason": "they differ", "apply": True}}, plain))
    repair = next(at for at, one in enumerate(run.events, 1) if one.kind == "evidence_repaired")
    assert "this judge states none, and its reply alone decided" in words(why.why(run, repair))


def test_an_agent_without_facts_is_told_by_its_passages() -> None:
    script = {"policy": asking(1, "p1"), "answer": lambda _: answer("Velmora", ("It is Velmora.", ["p1"]))}
    run = Run(run_scripted(QUESTION, script, finding(VELMORA), Settings(model="scripted", agent="react")))
    stopped = next(at for at, one in enumerate(run.events, 1) if one.kind == "stop_chosen")
    assert "It named p1 : a passage, seen" in words(why.why(run, stopped))
    assert "Cites p1 a passage as a whole" in words(why.why(run, run.total, "c1"))


def test_a_selected_fact_offers_the_others_to_ask_about_the_closest_first() -> None:
    made = why.why(Run(story_trace()), 40, "e3")
    asked = [what for verb, what in wishes(made) if verb == "pair"]
    assert asked[0] == "e13"
    assert len(asked) == 17
    assert "Select a fact to ask why" in words(why.why(Run(story_trace()), 6))


def test_a_pair_shows_why_no_backtrack_fired() -> None:
    run = Run(read_trace(FOLDER / "scripted-repair-north-pole.jsonl"))
    made = why.why(run, 32, "e3", "e8")
    said = words(made)
    for expected in (
        "e3 was in force but not shown: at place 6 of 6, with 0 words in common",
        "e3, search 2",
        "e8, search 4",
        "The conflict check of search 4 call 20",
        "6 e3 The Josephine Ford was designed and built by Anthony Fokker's company in the",
        "It named e8 against e1 , e9 against e1 .",
        "4 Byrd notebook Ohio State University pruned policy now a revision judge, as new",
    ):
        assert expected in said, expected
    title, below, *_ = why.title(run, 32, "e3", "e8")
    assert (words(title), below) == ("Why no backtrack: e3 and e8", "never shown together")
    assert ("pair", "") in wishes(made)


def test_a_pair_that_was_decided_shows_how() -> None:
    run = Run(story_trace())
    said = words(why.why(run, 5, "e12", "e3"))
    assert "The judge proposed e12 against e3 ; rejected by a guard: e12 is about" in said
    assert "Reason given with the proposal" in said
    repaired = words(why.why(run, 5, "e3", "e13"))
    assert "A backtrack did fire" in repaired
    assert "Blast radius" in repaired


def test_a_pair_that_comes_down_to_another_leads_there() -> None:
    run = Run(run_scripted(QUESTION, {"policy": asking(3, "e1")}, finding(VELMORA, KORN, VELMORA.lower())))
    assert ("pair", "e2 e1") in wishes(why.why(run, run.total, "e3", "e2"))


def test_a_pair_takes_two_facts_of_the_run() -> None:
    run = Run(story_trace())
    for selected, pair in (("e3", "e3"), ("e3", "e99"), ("n1", "e3"), ("", "e3")):
        assert why.why(run, 5, selected, pair) == why.why(run, 5, selected)


def test_the_question_is_part_of_the_place() -> None:
    here = Place(run="x", selected="e3", tab="evidence")
    asked = moved(here, "pair:e8")
    assert (asked.selected, asked.pair, asked.tab) == ("e3", "e8", "why")
    assert moved(asked, "pair:e8").pair == moved(asked, "pair:").pair == ""
    both = moved(asked, "pair:e1 e8")
    assert (both.selected, both.pair) == ("e1", "e8")


# Records that are not whole


def hostile() -> list[tuple[str, Trace]]:
    """Records in which decisions do not fit together."""
    base = story()
    at = moment("conflict_proposed", 2)
    guard = (GuardResult(name="other_time", passed=False, detail="no"),)
    nowhere = ev.EvidenceRepaired(
        evidence="e3", node="n77", revision=2, by="e13", old_text="a", new_text="b", reason="so it is"
    )
    no_fact = ev.EvidenceRepaired(evidence="e88", node="n1", revision=5, by="e99", old_text="", new_text="", reason="")
    nothing = ev.ConflictConfirmed(old="e98", new="e99", by="fork", reason="")
    again = ev.ConflictRejected(old="e3", new="e13", by="guard", reason="other_time: no", guards=guard)
    return [
        ("facts that do not exist", trace_of([*base[:at], ev.ConflictProposed(old="e98", new="e99", reason="x")])),
        ("a decision on nothing", trace_of([*base[:at], nothing])),
        ("a decision without a proposal", trace_of([one for one in base if one.kind != "conflict_proposed"])),
        ("a repair without a decision", trace_of([one for one in base if not one.kind.startswith("conflict")])),
        ("a repair at a node that is not there", trace_of([*base[: at + 1], nowhere, *base[at + 2 :]])),
        ("a repair of nothing", trace_of([*base[:at], no_fact, ev.NodesPruned(nodes=("n9", "n2"), evidence="e88")])),
        ("decided twice", trace_of([*base[: at + 1], again, *base[at + 1 :]])),
        ("proposed twice", trace_of([*base[:at], base[at - 1], *base[at:]])),
        ("skipped out of nowhere", trace_of([*base[:9], ev.RepairSkipped(evidence="e1", by="e1")])),
        ("pruned out of nowhere", trace_of([*base[:9], ev.NodesPruned(nodes=("root", "n1"), evidence="e1")])),
        ("a fact against itself", trace_of([*base[:9], ev.ConflictProposed(old="e1", new="e1", reason="x")])),
        ("upside down", trace_of(base[::-1])),
        ("nothing", trace_of([])),
    ]


@pytest.mark.parametrize(("name", "trace"), hostile(), ids=lambda one: one if isinstance(one, str) else "")
def test_records_that_do_not_fit_together_are_told_as_far_as_they_go(name: str, trace: Trace) -> None:
    run = Run(trace)
    for where, made in panels(run):
        assert len(words(made)) > 20, where
        assert {one for one in dangling(run, made) if not one[1].startswith(("e", "n", "p"))} == set(), where
    for at in range(1, run.total + 1, 4):
        assert [*story_lines(why_event(trace, at))]


def test_a_pair_decided_twice_is_two_conflicts() -> None:
    run = Run(next(trace for name, trace in hostile() if name == "decided twice"))
    both = [one for one in run.conflicts if (one.old.id, one.new.id) == ("e3", "e13")]
    assert [(one.outcome, one.proposed is not None) for one in both] == [("repaired", True), ("rejected", False)]


def test_ids_that_the_run_does_not_have_are_no_links() -> None:
    run = Run(run_scripted(QUESTION, {"policy": [stop("e77"), *asking(1, "e1")]}, finding(VELMORA)))
    made = why.why(run, next(at for at, one in enumerate(run.events, 1) if one.kind == "stop_refused"))
    assert '<span class="id missing" title="not in this run">e77</span>' in made
    assert ("select", "e77") not in wishes(made)


def test_a_selected_fact_shows_its_repair_first_and_leads_to_its_other_conflicts() -> None:
    run = Run(read_trace(FOLDER / "scripted-repair-north-pole.jsonl"))
    made = why.why(run, run.total, "e1")
    title, *_ = why.title(run, run.total, "e1")
    assert words(title) == "Repair of e1 at node n1"
    said = words(made)
    assert "Its other conflicts: e5 against e1 , rejected, event 16 ; e9 against e1 , rejected, event 37 ." in said
    assert ("go", "16") in wishes(made)
    assert "Confirmed by the second model call (confirmation), event 31" in said
    assert "What the pruned facts say" in said
    assert "c1 rests on e1 r2, the new value." in said


def test_a_conflict_settled_after_a_repair_shows_the_revision_it_was_about() -> None:
    run = Run(read_trace(FOLDER / "scripted-repair-north-pole.jsonl"))
    said = words(why.why(run, 37))
    assert "e1 r1, challenged" in said
    assert "Rejected by a rule, event 37" in said
    assert "e1 itself was repaired in this search (event 32)." in said


def test_a_value_that_is_not_stated_has_no_tick() -> None:
    run = Run(read_trace(FOLDER / "scripted-repair-north-pole.jsonl"))
    made = why.why(run, 16)
    assert "the Josephine Ford not stated differs unknown, passes" in words(made)
    assert "differs, in its passage" not in words(made)
