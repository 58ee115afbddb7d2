"""Who decided a conflict, on what, and what a repair has to do with the answer: in words, from the record."""

from __future__ import annotations

from dataclasses import replace

import pytest
from samples.story import FOLDER
from worlds import (
    DRESK,
    QUESTION,
    VELMORA,
    answer,
    asking,
    clashing,
    confirm,
    finding,
    part,
    repaired_run,
    run_scripted,
)

from retree_core import events as ev
from retree_core.settings import Settings
from retree_core.trace import EventRecord, Trace, read_trace
from retree_core.why import Conflict, Ledger, conflicts
from retree_core.why.deciding import decider, ending

GUARDED = Settings(model="scripted")
VALUES = {"value": part("Velmora", "Dresk", same=False)}


def decided(reply: dict, settings: Settings = GUARDED) -> Conflict:
    script = {"conflict": clashing(("e1", "e2")), "confirm": lambda _: reply, "policy": asking(2, "e1")}
    (only,) = conflicts(Ledger(run_scripted(QUESTION, script, finding(VELMORA, DRESK), settings)))
    return only


def without_calls(trace: Trace) -> Trace:
    return replace(trace, records=tuple(one for one in trace.records if isinstance(one, EventRecord)))


@pytest.mark.parametrize(
    ("reply", "outcome", "said"),
    [
        (confirm(), "repaired", "The model found a contradiction and judged the new source the better one."),
        (
            confirm(better="stored"),
            "rejected",
            "The model found a contradiction, but judged the stored source the better one.",
        ),
        (
            confirm(better="neither"),
            "rejected",
            "The model found a contradiction, but judged neither source the better one, which leaves the stored fact "
            "as it is.",
        ),
        (
            confirm(False, **VALUES),
            "repaired",
            "The model found no contradiction, but gave two different answers (“Velmora” and “Dresk”) and judged the "
            "new source the better one.",
        ),
        (
            confirm(False, better="stored", **VALUES),
            "rejected",
            "The model found no contradiction, but gave two different answers (“Velmora” and “Dresk”), and judged the "
            "stored source the better one.",
        ),
        (
            confirm(False, value=part("Velmora", "not stated", same=False)),
            "rejected",
            "The model found no contradiction; not both facts answer its one question.",
        ),
        (
            confirm(False, value=part("Velmora", "Velmora", same=True)),
            "rejected",
            "The model found no contradiction.",
        ),
    ],
)
def test_a_decision_of_the_model_says_what_it_turned_on(reply, outcome, said):
    found = decided(reply)
    assert (found.outcome, "".join(found.decision)) == (outcome, said)


def test_the_papers_judge_and_a_model_that_says_nothing_valid():
    paper = Settings(model="scripted", judge="paper")
    plain = decided({"reason": "no", "apply": False}, paper)
    assert plain.decision == ("The model was asked for its verdict alone: it chose to keep the stored fact.",)
    assert decided({}).decision == ("The model gave no valid reply, which leaves the stored fact as it is.",)


def test_what_the_record_does_not_hold_is_not_made_up():
    run = repaired_run({"confirm": lambda _: confirm(better="stored")})
    (only,) = conflicts(Ledger(without_calls(run)))
    assert only.decision == ("The model compared the two, and judged the stored source the better one.",)
    decision = next(one for one in run.events if isinstance(one, ev.ConflictRejected))
    bare = replace(decision, parts=None, better="", guards=())
    records = [replace(one, event=bare) if getattr(one, "event", None) is decision else one for one in run.records]
    (only,) = conflicts(Ledger(replace(run, records=tuple(records))))
    assert only.decision == ()


def test_a_conflict_shows_what_was_challenged_also_when_it_is_settled_after_a_repair():
    _, repaired, late = conflicts(Ledger(read_trace(FOLDER / "scripted-repair-north-pole.jsonl")))
    assert (repaired.new.id, repaired.outcome, repaired.repair.revision) == ("e8", "repaired", 2)
    assert (late.new.id, late.outcome, late.old.revision) == ("e9", "rejected", 1)
    assert "Josephine Ford" in late.old.text
    assert "".join(late.decision).startswith("e1 itself was repaired in this search (event 32).")


def test_who_decided_has_one_name_everywhere():
    assert [decider(one) for one in ("confirmation", "guard:refinement", "limit", "fork")] == [
        "the second model call (confirmation)",
        "guard refinement",
        "a rule",
        "the person who made the fork",
    ]
    assert ending("guard:refinement", "refinement: one holds the other") == "guard refinement: one holds the other."
    assert ending("fork", "decided by the person who made this fork") == "the person who made the fork."


def test_a_repair_says_what_the_answer_has_to_do_with_it():
    script = {"confirm": lambda _: confirm(**VALUES), "answer": lambda _: answer("Dresk", ("It is Dresk.", ["e1"]))}
    (only,) = conflicts(Ledger(repaired_run(script)))
    assert "".join(only.repair.answer) == (
        "c1 rests on e1 r2, the new value. With the old one the answer to this was “Velmora”, now it is “Dresk”."
    )
    first, second = (
        one.repair.answer
        for one in conflicts(Ledger(read_trace(FOLDER / "scripted-flip-back-clifton-bridge.jsonl")))
        if one.repair
    )
    assert "".join(first) == "c1 rests on e1 r3, which a later repair brought."
    assert "“Portsmouth”, stood before it in e3, n2." in "".join(second)
