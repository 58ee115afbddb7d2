"""Agents without a tree: what they keep is shown as what it is, and no tree is pretended anywhere."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from viz.story import trace_of
from worlds import (
    DRESK,
    KORN,
    QUESTION,
    SETTINGS,
    TARN,
    VELMORA,
    answer,
    asking,
    clashing,
    failed,
    finding,
    hit,
    run_scripted,
    search,
    stop,
)

from retree_core import events as ev
from retree_viz.memory import kept, memory
from retree_viz.memory.pieces import MOST
from retree_viz.panels import bar
from retree_viz.panels.answer import answer as answer_panel
from retree_viz.panels.inspector import inspector
from retree_viz.place import TABS, Place
from retree_viz.run import Run

PAGES = [answer("Tarn", ("The mayor was born in Tarn.", ["p3"]))]
REPORTS = [{"report": VELMORA}, {"report": f"{VELMORA} {KORN}"}, {"report": f"{DRESK} {KORN}"}]
NO_TREE = re.compile(r"active path|\bnodes?\b|\broot\b|\btree\b|\bprun|backtrack", re.IGNORECASE)


@pytest.fixture(scope="module")
def flat() -> Run:
    """Three searches build on Velmora, the fourth says Dresk."""
    script = {"policy": asking(4, "e1"), "conflict": clashing(("e1", "e4"))}
    return Run(run_scripted(QUESTION, script, finding(VELMORA, KORN, TARN, DRESK), replace(SETTINGS, agent="flat")))


@pytest.fixture(scope="module")
def react() -> Run:
    thought = search("mayor of Velmora", reason="Velmora is the capital.")
    script = {"policy": [stop(), search("capital"), thought, search("births"), stop("p2")], "answer": PAGES}
    finds = [[hit(VELMORA)], [hit("<b>x</b> " + KORN, "Council")], failed("timeout")]
    return Run(run_scripted(QUESTION, script, finds, replace(SETTINGS, agent="react")))


@pytest.fixture(scope="module")
def report() -> Run:
    script = {"policy": asking(3, "p3"), "report": REPORTS, "answer": PAGES}
    finds = finding(VELMORA, KORN, TARN)
    return Run(run_scripted(QUESTION, script, finds, replace(SETTINGS, agent="report")))


def text(markup: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", markup))).strip()


def test_a_flat_list_strikes_out_what_was_replaced_and_warns_of_what_was_found_with_it(flat: Run) -> None:
    at = next(one for one in range(1, flat.total + 1) if isinstance(flat.event(one), ev.EvidenceRepaired))
    said = kept(flat, at, "e2")
    assert "<del>Velmora</del>" in said
    assert "replaced, now r2" in text(said)
    assert text(said).count("found while e1 was r1") == 2
    assert said.count("changed-now") == 2, "the replaced fact and the one that became its revision"
    assert 'class="stale on"' in said
    assert "found while" not in text(kept(flat, at - 1, ""))


def test_facts_still_to_come_are_dimmed_and_lead_to_their_event(flat: Run) -> None:
    said = kept(flat, 6, "")
    assert 'class="later"' in said
    assert "comes at event 11" in text(said)
    assert '<span class="unseen">shown</span>' in said


def test_a_transcript_is_a_chain_of_thoughts_searches_and_passages(react: Run) -> None:
    said = kept(react, react.total, "p2")
    assert "Thought Velmora is the capital. Search 2 mayor of Velmora 1 passage p2 Council <b>x</b>" in text(said)
    assert "failed (timeout)" in text(said)
    assert text(said).index("Stop refused") < text(said).index("Search 1") < text(said).index("Answered “Tarn”")
    assert '<li class="on">' in said


def test_steps_still_to_come_are_dimmed_and_the_present_one_is_marked(react: Run) -> None:
    at = next(one for one in range(1, react.total + 1) if isinstance(react.event(one), ev.SearchChosen))
    said = kept(react, at, "")
    assert said.count("changed-now") == 1
    assert 'class="later"' in said
    assert f'data-here="{at}"' in said


def test_a_report_is_shown_against_the_one_before_and_above_the_pages(report: Run) -> None:
    said = memory(report, report.total, "")
    assert "Report 13 words, version 3 of 3" in text(said)
    assert "<del>Velmora</del>" in said
    assert "<ins>Dresk</ins>" in said
    assert "page, in the order it was read" in text(said)
    assert "not written yet" in text(memory(report, 1, ""))


def test_pages_still_to_come_are_dimmed(report: Run) -> None:
    assert kept(report, 4, "p1").count('class="later"') == 2
    assert 'class="on now"' in kept(report, 4, "p1")


@pytest.mark.parametrize("agent", ["flat", "react", "report"])
def test_no_tree_is_pretended_at_any_moment_in_any_tab(agent: str, request: pytest.FixtureRequest) -> None:
    run: Run = request.getfixturevalue(agent)
    seen: set[str] = set()
    for moment in range(run.total + 1):
        said = [bar.event_line(run, moment), bar.top_bar(run, moment), memory(run, moment, "")]
        for selected in ("", "e1", "e4", "p2", "c1", "s1"):
            places = (Place(run="x", moment=moment, selected=selected, tab=tab) for tab in TABS)
            said += [answer_panel(run, moment, selected), *(inspector(run, one) for one in places)]
        for one in said:
            shown = re.sub(r"<pre.*?</pre>", "", one, flags=re.DOTALL)
            titles = " ".join(re.findall(r'(?:title|aria-label)="([^"]*)"', shown))
            words = f"{text(shown)} {titles}"
            seen |= {words[max(0, found.start() - 40) : found.end() + 30] for found in NO_TREE.finditer(words)}
    assert seen == set()


def test_long_lists_show_a_window_around_the_moment() -> None:
    events: list[ev.Event] = [ev.RunStarted(question="q", agent="react")]
    events += [ev.SearchChosen(search=number, query=f"query {number}", origin="policy") for number in range(1, 1001)]
    said = kept(Run(trace_of(events)), 500, "")
    assert said.count('class="did"') == MOST
    assert "300 of 1,000 shown" in said
    assert "query 499" in said
    assert "query 999" not in said


@pytest.mark.parametrize("agent", ["flat", "react", "report"])
def test_records_that_do_not_fit_together_are_shown_as_far_as_they_go(agent: str) -> None:
    odd = [
        ev.RunStarted(question="q", agent=agent),
        ev.SummaryWritten(node="nowhere", text="", origin="model"),
        ev.FactsAdded(facts=("e9",)),
        ev.EvidenceRepaired(
            evidence="e9", node="n9", revision=2, by="e8", old_text="a", new_text="b", reason="none given"
        ),
        ev.SearchFailed(search=4, failure="timeout", message="<i>"),
    ]
    run = Run(trace_of(odd))
    for moment in range(run.total + 1):
        assert memory(run, moment, "e9")
    assert memory(Run(trace_of([])), 0, "")
