"""What any event rested on, and what came of it."""

from __future__ import annotations

from dataclasses import replace

from test_why import moment, stop_on
from worlds import (
    DRESK,
    KORN,
    QUESTION,
    SETTINGS,
    TARN,
    VELMORA,
    asking,
    facts,
    finding,
    hit,
    repaired_run,
    run_scripted,
    search,
    stop,
)

from retree_core import events as ev
from retree_core.trace import Trace
from retree_core.why import Ledger, conflicts, why_event
from retree_core.why.points import points


def told(run: Trace, at: int) -> list[tuple[str, str, int | None]]:
    return [(one.label, "".join(one.words), one.moment) for one in points(Ledger(run), at)]


def test_a_refused_stop_says_what_was_named_what_was_valid_the_rule_and_what_followed():
    run = run_scripted(QUESTION, {"policy": [stop_on("e1"), *asking(1, "e1")]}, finding(VELMORA))
    at = moment(run, ev.StopRefused)
    assert told(run, at) == [
        ("It named", "e1: no such evidence", None),
        ("Valid then", "nothing: no evidence is in force", None),
        ("Rule", "a stop needs one search that brought passages, and none had", None),
        ("What followed", "asked again, with the refusal in the prompt", at + 1),
    ]


def test_two_refused_stops_force_the_question_itself():
    policy = [search("query 1"), stop("e9"), stop(), search("query 2"), stop("e1")]
    run = run_scripted(QUESTION, {"policy": policy[:3] + policy[4:]}, finding(VELMORA, VELMORA))
    first, second = (moment(run, ev.StopRefused, which) for which in (0, 1))
    assert told(run, first)[1:3] == [
        ("Valid then", "e1", None),
        ("Rule", "a stop needs at least one supporting id in force, and none of those named is", None),
    ]
    assert told(run, second)[0] == ("It named", "no evidence", None)
    assert told(run, second)[2:] == [
        ("Rule", "a stop needs at least one supporting id, and it named none", None),
        ("What followed", "a search with the question itself was forced", second + 1),
    ]
    forced = told(run, second + 1)
    assert forced[0] == ("Forced", "the question itself is searched: two stops were refused", None)
    assert [one for one in forced if one[0] == "Stop refused before"] == [
        ("Stop refused before", "e9 is no evidence in force", first),
        ("Stop refused before", "no evidence in force supports it", second),
    ]


def test_a_search_says_why_and_what_came_of_it():
    policy = [search("capital of Alvonia", reason="the capital comes first", missing=["the capital"]), stop("e1")]
    run = run_scripted(QUESTION, {"policy": policy}, finding(VELMORA))
    at = moment(run, ev.SearchChosen)
    assert told(run, at) == [
        ("The policy's reason", "the capital comes first", None),
        ("Still missing", "the capital", None),
        ("Came of it", "1 passage", at + 1),
        ("Came of it", "1 fact: e1", at + 2),
        ("Came of it", "node n1", at + 3),
    ]


def test_a_duplicate_names_its_rule_and_what_it_brought():
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, finding(VELMORA, "The capital of  Alvonia is Velmora"))
    assert told(run, moment(run, ev.DuplicateFound)) == [
        ("Rule", "the same words, but for case, spacing and punctuation", None),
        ("Source", "its passage was known already", None),
        ("Judge", "not asked: a restatement contradicts nothing", None),
    ]


def test_a_fact_left_out_names_the_rule_it_broke():
    script = {"policy": asking(1, "e1"), "extract": [facts((1, "The capital of Alvonia is Marn."), (1, VELMORA))]}
    run = run_scripted(QUESTION, script, [[hit(VELMORA)]])
    at = moment(run, ev.FactDropped)
    assert told(run, at)[0] == (
        "Rule",
        "the numbers, dates and names of a fact must stand in a passage of the search",
        None,
    )
    extracted = told(run, moment(run, ev.FactsExtracted))
    assert extracted == [("Left out", "unsupported: in no passage: Marn", at), ("Came of it", "e1 went into n1", None)]


def test_a_new_node_says_why_nothing_was_repaired():
    run = repaired_run()
    at = moment(run, ev.NodeAdded, 1)
    assert told(run, at)[1] == ("Conflicts", "none named between e2 and the stored e1", None)
    assert told(run, moment(run, ev.NodeAdded))[1][1].startswith("not looked for")


def test_what_was_set_aside_leads_to_its_repair():
    extra = "Alvonia has two harbours."
    script = {
        "policy": asking(2, "e1"),
        "extract": lambda call: facts((1, DRESK), (1, extra)) if extra in str(call.body) else facts((1, VELMORA)),
        "conflict": lambda _: {"pairs": [{"reason": "", "stored": "e1", "new": "e2"}]},
    }
    run = run_scripted(QUESTION, script, [[hit(VELMORA)], [hit(f"{DRESK} {extra}")]])
    label, words, at = told(run, moment(run, ev.FactsSetAside))[0]
    assert (label, words, at) == ("Because", "they came with e2, which repaired e1", moment(run, ev.EvidenceRepaired))


def test_a_discarded_summary_says_why_it_was_asked_for_and_what_it_took():
    run = repaired_run(settings=replace(SETTINGS, summary_call="beside"))
    at = moment(run, ev.SummaryDiscarded)
    ahead = "asked for beside the conflict check, before it was known whether anything is repaired"
    assert told(run, at) == [
        ("Written ahead", f"{ahead} (--summary-call beside)", None),
        ("Because", "it went on from what stood before, and e1 was repaired", moment(run, ev.EvidenceRepaired)),
        ("What it said", f"{VELMORA} {KORN} {TARN} {DRESK}", None),
        ("It took", "1 call, 120 prompt and 30 completion tokens", None),
    ]
    (conflict,) = (one for one in conflicts(Ledger(run)) if one.repair)
    assert conflict.repair is not None
    assert (conflict.repair.discarded_at, conflict.repair.spent_ahead.calls) == (at, 1)
    below = conflict.repair.spent_below
    assert (below.searches, below.calls, below.prompt_tokens) == ((2, 3), 10, 960)
    assert [one.role for one in conflict.proposal_calls] == ["conflict"]


def test_a_summary_says_who_wrote_it_and_how_it_differs():
    run = repaired_run()
    written = why_event(run, moment(run, ev.SummaryWritten, 3))
    assert written.how == "written anew by the model from the evidence in force alone, because e1 was repaired here"
    assert (written.former_of, written.cause) == ("n1", moment(run, ev.EvidenceRepaired))
    assert [(one.kind, one.text) for one in written.wording] == [
        ("same", "The capital of Alvonia is "),
        ("gone", "Velmora"),
        ("new", "Dresk"),
        ("same", "."),
    ]


def test_a_text_refused_as_stale_leads_to_the_summary_in_its_place():
    stale = {"summarise": [*({"summary": one} for one in ("A.", "B.", "C.", "Velmora it is.", "Dresk."))]}
    run = repaired_run({"summarise": [*stale["summarise"], {"summary": "D."}, {"summary": "E."}]})
    refused = moment(run, ev.SummaryStale)
    story = why_event(run, refused)
    assert [(one.moment, one.text, one.value) for one in story.stale] == [(refused, "Velmora it is.", "Velmora")]
    assert (story.moment, story.text) == (refused + 1, "Dresk.")
