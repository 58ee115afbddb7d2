"""The panels hold what they should, say so where something is missing, and let nothing run."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from samples.story import FOLDER
from viz.story import fact, moment, story, story_trace, trace_of
from worlds import repaired_run

from retree_core import events as ev
from retree_core.calls import CallFailed, Hit, ModelCall, ModelReply, SearchCall, SearchReply
from retree_core.memory import Claim, Passage, Source
from retree_core.trace import CallRecord, Damage, OtherRecord, Trace, read_trace
from retree_core.verdicts import GuardResult, Part, Parts
from retree_viz.html import Html
from retree_viz.panels import answer, bar, calls, evidence, inspector, node, surface, why
from retree_viz.panels.pieces import excerpt
from retree_viz.place import TABS, Place
from retree_viz.run import Run

HOSTILE = (
    "<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![](http://127.0.0.1:9/leak) $5 and $7 a_b_c "
    "~2 km~ :red[x] ` <b> \u202e\u200b \ud800 שלום"
)


def words(made: Html) -> str:
    """What a reader sees."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", made)).split())


def everything(run: Run) -> str:
    """All panels at all moments, one after another."""
    parts: list[str] = []
    for at in range(run.total + 1):
        for tab in TABS:
            for selected in ("", "e1", "e3", "n1", "p1", "p7", "c1", "s1", "nonsense"):
                parts.append(inspector.inspector(run, Place(run="x", moment=at, tab=tab, selected=selected)))
        parts += [bar.top_bar(run, at), bar.event_line(run, at), bar.notices(run), answer.answer(run, at, "c1")]
    return "\n".join(parts)


# What is in them


def test_why_at_the_repair_tells_the_whole_chain() -> None:
    said = words(why.why(Run(story_trace()), moment("evidence_repaired")))
    for expected in (
        "e3 r1, refuted",
        "designed by Edmund Harcastle",
        "e3 r2, was e13",
        "wexshire-heritage.example",
        "2004",
        "The same building, the same attribute, another name.",
        "why the older credit was wrong",
        "1 of 3 repairs used",
        "The repair goes to n2",
        "3 nodes pruned",
        "7 facts pruned",
        "1 claim rests on it c1",
        "The original drawings were found in 2019.",
    ):
        assert expected in said, expected


def test_why_marks_the_quoted_spans() -> None:
    made = why.why(Run(story_trace()), moment("evidence_repaired"))
    assert "<mark>it was designed by Edmund Harcastle</mark>" in made
    assert "<mark>the observatory was designed by Ines Falkenrath</mark>" in made


def test_why_shows_parts_and_guards_with_the_failed_ones_open() -> None:
    same = Part(old="the hall", new="the hall", same=True)
    parts = Parts(
        entity=same,
        attribute=same,
        scope=same,
        time=Part(old="1931", new="", same=True),
        value=Part(old="A", new="B", same=False),
    )
    guards = (
        GuardResult(name="same_scope", passed=False, detail="an extension of 1968"),
        GuardResult(name="changes_something", passed=True, detail="A is not B"),
    )
    events = [replace(one, parts=parts, guards=guards) if one.kind == "conflict_rejected" else one for one in story()]
    made = why.why(Run(trace_of(events)), moment("conflict_rejected"))
    said = words(made)
    assert "1 of 2 guards passed" in said
    assert "same_scope an extension of 1968" in said
    assert "not stated" in said
    assert '<details class="more" open>' in made
    assert said.index("same_scope") < said.index("changes_something")


def test_why_outside_of_a_conflict_says_what_the_event_rested_on() -> None:
    run = Run(story_trace())
    assert "no shown evidence names a birthplace" in words(why.why(run, moment("stop_refused")))
    assert "What the policy saw at n4" in words(why.why(run, moment("stop_refused")))
    turns = words(why.why(run, run.total))
    assert "Turns of this run" in turns
    assert "pruned with 7 facts, because" in turns


def test_node_shows_summary_evidence_and_repairs() -> None:
    run = Run(story_trace())
    said = words(node.node(run, run.total, "n2"))
    assert "Designed by Ines Falkenrath, not by the county surveyor." in said
    assert "e3 r2" in said
    assert "Repairs at this node" in said
    assert "comes 46 events later" in words(node.node(run, moment("node_added"), "n6"))
    assert "at event 45" in words(node.node(run, run.total, "n4"))


def test_a_search_without_a_node_shows_what_became_of_its_facts() -> None:
    said = words(node.node(Run(story_trace()), 57, "s6"))
    assert "Aldermoor original drawings" in said
    assert "became a revision of e3" in said
    assert "set aside" in said


def test_evidence_shows_each_revision_with_its_sources_and_what_rests_on_it() -> None:
    run = Run(story_trace())
    said = words(evidence.evidence(run, run.total, "e3"))
    for expected in (
        "r2 in force",
        "r1 given up",
        "Contested by e12",
        "Claims that rest on it c1",
        "Introduced n2",
        "p24",
        "p7",
    ):
        assert expected in said, expected
    assert "2 sources" in words(evidence.evidence(run, run.total, "e2"))
    assert "arrives at event 51" in words(evidence.evidence(run, 10, "e16"))


def test_what_was_found_while_a_fact_was_shown_is_not_what_rests_on_it() -> None:
    run = Run(read_trace(FOLDER / "scripted-repair-north-pole.jsonl"))
    said = words(evidence.evidence(run, run.total, "e3"))
    assert "Claims that rest on it none" in said
    assert "Found while it was shown 13 Nodes n3 n4 Facts e1 r2 e6" in said
    assert "Claims on those c1 c2 c3" in said


def test_a_passage_shows_all_facts_and_claims_that_rest_on_it() -> None:
    run = Run(story_trace())
    made = evidence.evidence(run, run.total, "p24")
    assert "drawings found in 2019" in words(made)
    assert made.count("<mark ") == 3
    assert "Claims that rest on it 1 c1 The Aldermoor Observatory was designed by Ines Falkenrath." in words(made)


def test_a_claim_shows_the_facts_it_cites_with_their_passages() -> None:
    run = Run(story_trace())
    said = words(inspector.inspector(run, Place(run="x", tab="evidence", selected="c1")))
    for expected in (
        "Claim c1",
        "repaired, r2 in force",
        "c1 › e3 r2 › p24 › n2 › n1 › root",
        "drawings found in 2019",
        "Edmund",
    ):
        assert expected in said, expected
    events = story()
    claims = (Claim(text="Bare.", cites=()), Claim(text="Invented.", cites=("e99",)), Claim(text="Cut.", cites=("e6",)))
    events[-2] = ev.Answered(text="Kaltenbrück", claims=claims, shown=())
    faulty = Run(trace_of(events))
    for selected, expected in (("c1", "cites nothing"), ("c2", "e99 does not exist"), ("c3", "pruned at event")):
        assert expected in words(evidence.evidence(faulty, faulty.total, selected)), expected


def test_a_span_that_is_not_in_the_passage_is_flagged_not_invented() -> None:
    quoted = replace(fact("e1", "A fact.", "p1", "stands"), source=Source(passage="p1", quote="never said"))
    run = Run(trace_of([*story()[:4], ev.FactsExtracted(search=1, facts=(quoted,))]))
    made = evidence.evidence(run, 5, "e1")
    assert "span not located" in words(made)
    assert "never said" in words(made)
    assert "<mark>" not in made


def test_the_answer_names_its_faulty_citations() -> None:
    events = story()
    claims = (
        Claim(text="Good.", cites=("e3",)),
        Claim(text="Pruned.", cites=("e6",)),
        Claim(text="Invented.", cites=("e99",)),
        Claim(text="Bare.", cites=()),
    )
    events[-2] = ev.Answered(text="Kaltenbrück", claims=claims, shown=())
    run = Run(trace_of(events))
    said = words(answer.answer(run, run.total))
    for expected in (
        "3 of 4 claims with a citation fault",
        "e6 is stale",
        "e99 does not exist",
        "cites nothing",
        "e3 r2",
    ):
        assert expected in said, expected


def test_a_claim_shows_its_path_when_it_is_chosen() -> None:
    run = Run(story_trace())
    assert "c1 › e3 r2 › p24 › n2 › n1 › root" in words(answer.answer(run, run.total, "c1"))
    assert "evidence arrives at event 51" in words(answer.answer(run, 45))
    assert "11 ahead of this moment" in words(answer.answer(run, 45))


def test_a_run_without_an_answer_says_so() -> None:
    assert "has not ended in this record" in words(answer.answer(Run(trace_of(story()[:9])), 5))
    failed = Run(trace_of([*story()[:9], ev.RunEnded(status="llm_error", detail="no server")]))
    assert "ended with llm error" in words(answer.answer(failed, 5))
    assert "llm error" in words(bar.top_bar(failed, 5))


def test_the_calls_before_an_event_are_shown_word_for_word() -> None:
    run = Run(repaired_run())
    chosen = next(at for at, one in enumerate(run.events, 1) if isinstance(one, ev.SearchChosen))
    said = words(calls.calls(run, chosen))
    assert "policy model call" in said
    assert '"query": "query 1"' in said
    assert "mayor of the capital of Alvonia" in said
    found = words(calls.calls(run, chosen + 1))
    assert "The capital of Alvonia is Velmora." in found
    assert "these led to event" in words(calls.calls(run, run.total))
    assert "No calls in this record" in words(calls.calls(Run(story_trace()), 5))


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"choices": []},
        {"choices": [7]},
        {"choices": [{"message": {"content": ["a"]}}]},
        {"choices": [{"message": {"content": 7}, "finish_reason": 3}], "usage": {"prompt_tokens": "x"}},
        {"choices": [{"message": None}], "usage": None},
        {"error": {"message": "x"}},
    ],
)
def test_odd_replies_are_shown_not_raised(raw: dict[str, Any]) -> None:
    call = CallRecord(
        seq=1, call=ModelCall(role="policy", body={"messages": [7, {"role": None}]}), reply=ModelReply(raw=raw)
    )
    assert "not reported" in words(calls.calls(Run(trace_of(story(), calls=(call,))), 1))


def test_failed_and_edited_calls_say_so() -> None:
    failed = CallRecord(
        seq=1, call=SearchCall(query="q", limit=5), reply=CallFailed(failure="search_quota", message="no more today")
    )
    edited = CallRecord(
        seq=2, call=ModelCall(role="confirm", body={}), reply=ModelReply(raw={"choices": []}), edited=True
    )
    said = words(calls.calls(Run(trace_of(story(), calls=(failed, edited))), 1))
    assert "no more today" in said
    assert "nobody sent it" in said


# Records that are not whole


def test_what_is_wrong_with_a_record_is_said() -> None:
    whole = story_trace()
    orphan = ev.NodeAdded(node="n9", parent="n99", search=7, query="q", evidence=("e99",))
    trace = Trace(
        name="x",
        header=whole.header,
        records=(*trace_of([*story(), orphan]).records, OtherRecord(seq=999, raw={"record": "poem"})),
        damage=(Damage(line=17, reason="not a JSON object"),),
        notices=("format version 9 is not the 1 this version writes",),
    )
    said = words(bar.notices(Run(trace)))
    for expected in ("format version 9", "1 damaged record left out (line 17)", "1 record of an unknown kind", "n99"):
        assert expected in said, expected


def test_a_stopped_run_says_why_and_a_resumed_one_has_no_unknown_records() -> None:
    whole = story_trace()
    asides = [OtherRecord(seq=900 + at, raw={"record": kind}) for at, kind in enumerate(("rewound", "resumed"))]
    end = OtherRecord(seq=999, raw={"record": "stopped", "reason": "needs a model from here (policy)"})
    said = words(bar.notices(Run(replace(whole, records=(*whole.records, *asides, end)))))
    assert " ".join(said.split()) == "the run was stopped before its end: needs a model from here (policy)"


def test_a_run_cut_at_any_moment_can_be_looked_at() -> None:
    for length in range(0, len(story()), 4):
        everything(Run(trace_of(story()[:length])))


def test_events_out_of_order_can_be_looked_at() -> None:
    everything(Run(trace_of(story()[::-1])))
    everything(Run(trace_of([one for one in story() if one.kind != "passages_retrieved"])))
    everything(Run(trace_of([one for one in story() if one.kind != "facts_extracted"])))


# Hostile data


def test_hostile_text_is_only_text_in_every_panel() -> None:
    run = Run(_hostile_trace())
    made = everything(run)
    assert "<img" not in made
    assert "<b> " not in made
    assert not re.search(r"href=\"(?!https?://)", made)
    assert "\u202e" not in made
    json.dumps(made, ensure_ascii=False).encode()
    assert set(re.findall(r"<([a-zA-Z0-9]+)", made)) <= known_tags()


def test_markdown_and_latex_stand_letter_for_letter() -> None:
    plain = "costs $5 and $7; a_b_c; # x; ~2 km~; :red[x]; `; 1. x; <b>"
    run = Run(trace_of([ev.RunStarted(question=plain, agent="retree")], question=plain))
    assert plain in words(bar.top_bar(run, 1))
    assert plain in words(node.node(run, 1))


def test_a_gigantic_passage_is_cut_around_its_span_and_says_so() -> None:
    text = "a " * 1_000_000 + "the needle" + " z" * 1_000_000
    start = text.index("the needle")
    source = Source(passage="p1", quote="the needle", start=start, end=start + 10)
    events: list[ev.Event] = [
        ev.RunStarted(question="q", agent="retree"),
        ev.SearchChosen(search=1, query="q", origin="policy"),
        ev.PassagesRetrieved(search=1, passages=(Passage(id="p1", title="t", text=text),)),
        ev.FactsExtracted(search=1, facts=(ev.NewFact(id="e1", text="x", source=source),)),
    ]
    for selected in ("e1", "p1"):
        made = evidence.evidence(Run(trace_of(events)), 4, selected)
        assert ">the needle</mark>" in made
        assert "of 4,000,010 characters shown" in words(made)
        assert len(made) < 30_000


def test_an_excerpt_keeps_its_marks_in_place() -> None:
    whole = "x" * 500 + " the span " + "y" * 500
    found = excerpt(whole, [(501, 509)], 60)
    assert [found.text[a:b] for a, b in found.marks] == ["the span"]
    assert found.before + len(found.text) + found.after == len(whole)


def known_tags() -> set[str]:
    """The elements that the browser side lets through."""
    script = Path(surface.__file__).with_name("surface.js").read_text()
    found = re.search(r"TAGS = new Set\('([^']+)'", script)
    assert found
    return set(found[1].split())


def _hostile_trace() -> Trace:
    h = HOSTILE
    passage = Passage(id="p1", title=h, text=h, url="java\tscript:alert(1)", published=h)
    other = Passage(id=h, title=h, text=h, url="https://good.example@evil.example/<b>")
    events: list[ev.Event] = [
        ev.RunStarted(question=h, agent=h),
        ev.ContextBuilt(node="root", evidence=(h,), characters=1),
        ev.ReplyRejected(role="policy", attempt=1, reason=h),
        ev.SearchChosen(search=1, query=h, origin="policy", reason=h, missing=(h,)),
        ev.PassagesRetrieved(search=1, passages=(passage, other)),
        ev.FactsExtracted(
            search=1,
            facts=(
                ev.NewFact(id="e1", text=h, source=Source(passage="p1", quote=h)),
                ev.NewFact(id="e3", text=h, source=Source(passage=h, quote=h, start=0, end=9)),
                ev.NewFact(id=h, text=h, source=Source(passage="p1", quote=h, start=3, end=4)),
            ),
        ),
        ev.FactRebound(text=h, named=h, passage=h, missing=(h,)),
        ev.FactDropped(text=h, cause="malformed", detail=h),
        ev.NodeAdded(node="n1", parent=h, search=1, query=h, evidence=("e1", h)),
        ev.SummaryWritten(node="n1", text=h, origin="model"),
        ev.SummaryStale(node="n1", text=h, value=h),
        ev.SummaryDiscarded(parent=h, text=h, evidence=h),
        ev.SearchFailed(search=1, failure="search_error", message=h),
        ev.StopRefused(evidence=(h,), reason=h),
        ev.ConflictProposed(old="e1", new=h, reason=h),
        ev.ConflictConfirmed(
            old="e1",
            new=h,
            by="confirmation",
            reason=h,
            guards=(GuardResult(name=h, passed=False, detail=h),),
            parts=Parts(
                **{one: Part(old=h, new=h, same=True) for one in ("entity", "attribute", "scope", "time", "value")}
            ),
        ),
        ev.EvidenceRepaired(evidence="e1", node="n1", revision=2, by=h, old_text=h, new_text=h + "!", reason=h),
        ev.NodesPruned(nodes=(h, "n1"), evidence="e1"),
        ev.FactsSetAside(facts=(h, "e3")),
        ev.Answered(text=h, claims=(Claim(text=h, cites=(h, "e1")),), shown=(h,)),
        ev.RunEnded(status="answered", detail=h),
    ]
    body = {"model": h, "messages": [{"role": h, "content": h}]}
    raw = {"choices": [{"message": {"content": h, "reasoning_content": h}, "finish_reason": h}]}
    made = (
        CallRecord(seq=1, call=ModelCall(role="policy", body=body), reply=ModelReply(raw=raw)),
        CallRecord(
            seq=2,
            call=SearchCall(query=h, limit=5),
            reply=SearchReply(hits=(Hit(title=h, text=h, url="data:text/html," + h),)),
        ),
        CallRecord(seq=3, call=ModelCall(role="policy", body=body), reply=CallFailed(failure="timeout", message=h)),
    )
    whole = trace_of(events, question=h, calls=made)
    return Trace(
        name=h,
        header=replace(whole.header, recorded_with=h),
        records=whole.records,
        damage=(Damage(line=1, reason=h),),
        notices=(h,),
    )
