"""Causal chains from the record."""

import pytest
from worlds import (
    DRESK,
    KORN,
    QUESTION,
    TARN,
    VELMORA,
    asking,
    clashing,
    facts,
    finding,
    hit,
    repaired_run,
    run_scripted,
)

from retree_core import why
from retree_core.errors import UsageError
from retree_core.events import (
    Answered,
    ConflictProposed,
    EvidenceRepaired,
    FactsExtracted,
    NodeAdded,
    NodesPruned,
    RunStarted,
    SearchResumed,
    StopRefused,
    SummaryWritten,
)
from retree_core.settings import Settings
from retree_core.trace import Trace


def moment(trace: Trace, kind: type, which: int = 0) -> int:
    """Moment of the event of a class, the `which`th of them."""
    return [at for at, event in enumerate(trace.events, 1) if isinstance(event, kind)][which]


@pytest.fixture(scope="module")
def run() -> Trace:
    return repaired_run()


@pytest.fixture(scope="module")
def conflict(run: Trace) -> why.Conflict:
    (only,) = why.why_run(run).conflicts
    return only


def test_both_facts_come_with_passages_and_spans(conflict):
    assert (conflict.outcome, conflict.search, conflict.node) == ("repaired", 4, "n3")
    for fact, id_, text in [(conflict.old, "e1", VELMORA), (conflict.new, "e4", DRESK)]:
        (source,) = fact.sources
        assert (fact.id, fact.revision, fact.text) == (id_, 1, text)
        assert source.passage.text[source.source.start : source.source.end] == text


def test_proposal_and_confirmation_come_with_reasons_parts_and_calls(run, conflict):
    assert (conflict.proposal, conflict.reason, conflict.by) == ("they differ", "both cannot hold", "confirmation")
    assert conflict.parts is not None
    assert not conflict.parts.value.same
    for calls, role in [(conflict.proposal_calls, "conflict"), (conflict.confirmation_calls, "confirm")]:
        (call,) = calls
        record = next(one for one in run.records if one.seq == call.seq)
        assert (call.role, call.prompt_tokens, call.completion_tokens) == (role, 120, 30)
        assert record.call.role == role


def test_the_introducer_is_the_one_node_on_the_path_that_holds_the_fact(run, conflict):
    found = conflict.repair.introducer
    assert (found.node, found.moment, found.search) == ("n1", moment(run, NodeAdded), 1)
    assert [(one.node, one.introduced) for one in found.path] == [
        ("root", False),
        ("n1", True),
        ("n2", False),
        ("n3", False),
    ]
    assert "no other node on the active path holds it" in found.reason


def test_what_was_pruned_and_what_it_had_cost(run, conflict):
    repair = conflict.repair
    assert (repair.pruned, repair.pruned_at) == (("n2", "n3"), moment(run, NodesPruned))
    assert [one.fact.text for one in repair.lost] == [KORN, TARN]
    assert [(one.shown, one.in_summary, one.untouched) for one in repair.lost] == [(True, True, False)] * 2
    spent = repair.spent_below
    # searches 2 and 3: policy, search, extract, conflict, summarise each
    assert (spent.searches, spent.calls, spent.prompt_tokens, spent.completion_tokens) == ((2, 3), 10, 960, 240)
    assert spent.uncounted == 0


def test_where_the_search_resumed(run, conflict):
    repair = conflict.repair
    assert (repair.resumed, repair.resumed_at) == ("n1", moment(run, SearchResumed))
    assert repair.next_search is not None
    assert run.events[repair.next_search - 1].search == 5
    assert (repair.summary.origin, repair.summary.node) == ("regenerated", "n1")
    assert [(one.id, one.text) for one in repair.summary.facts] == [("e1", DRESK)]
    assert repair.claims == (1,)


def test_a_pruned_fact_that_never_met_the_refuted_one_is_untouched():
    lines = [f"The river {name} flows through Alvonia." for name in ("Ost", "Wied", "Saar", "Lahn", "Nahe", "Blau")]
    finds = [
        [hit(VELMORA)],
        [hit(one) for one in lines[:3]],
        [hit(one) for one in lines[3:]],
        [hit("Ilse Korn wrote a book.")],
    ]
    run = run_scripted(
        "Which river of Alvonia flows through it?",
        {
            "policy": asking(5, "e1"),
            "conflict": clashing(("e1", "e9")),
            "summarise": lambda _: {"summary": "Rivers."},
        },
        [*finds, [hit(DRESK)]],
    )
    (conflict,) = why.why_run(run).conflicts
    lost = {one.fact.text: one for one in conflict.repair.lost}
    assert not lost[lines[0]].untouched
    assert lost["Ilse Korn wrote a book."].untouched


def test_facts_set_aside_and_facts_kept():
    extra = "Alvonia has two harbours."
    script = {"extract": lambda call: facts((1, DRESK), (1, extra)) if extra in str(call.body) else facts((1, VELMORA))}
    plain = {"policy": asking(2, "e1"), "conflict": clashing(("e1", "e2")), **script}
    finds = [[hit(VELMORA)], [hit(f"{DRESK} {extra}")]]
    (aside,) = why.why_run(run_scripted(QUESTION, plain, finds)).conflicts
    assert ([one.text for one in aside.repair.set_aside], aside.repair.kept_in) == ([extra], None)
    keeping = run_scripted(QUESTION, plain, finds, Settings(model="scripted", on_repair="keep_facts"))
    (kept,) = why.why_run(keeping).conflicts
    assert (kept.repair.set_aside, kept.repair.kept_in) == ((), "n2")
    assert kept.repair.pruned == ()


@pytest.mark.parametrize("kind", [ConflictProposed, EvidenceRepaired, NodesPruned, SearchResumed])
def test_every_event_of_a_repair_leads_to_it(run, conflict, kind):
    assert why.why_event(run, moment(run, kind)) == conflict


def test_a_rejected_conflict_has_its_decider():
    run = repaired_run({"confirm": lambda _: {"reason": "a poet's licence", "apply": False}}, paper())
    found = why.why_event(run, moment(run, ConflictProposed))
    assert isinstance(found, why.Conflict)
    assert (found.outcome, found.by, found.reason, found.repair) == (
        "rejected",
        "confirmation",
        "a poet's licence",
        None,
    )


def paper() -> Settings:
    return Settings(model="scripted", judge="paper")


def test_a_summary_says_what_it_was_drawn_from(run):
    found = why.why_event(run, moment(run, SummaryWritten, 1))
    assert isinstance(found, why.SummaryStory)
    assert (found.node, found.former, [one.text for one in found.facts]) == ("n2", VELMORA, [KORN])
    assert [one.role for one in found.calls] == ["summarise"]


def test_a_refused_stop_says_what_the_policy_saw_and_did_next():
    run = run_scripted(QUESTION, {"policy": [stop_on("e1"), *asking(1, "e1")]}, finding(VELMORA))
    found = why.why_event(run, moment(run, StopRefused))
    assert isinstance(found, why.Step)
    assert (found.kind, found.text) == ("stop_refused", "nothing has been retrieved yet")
    assert (found.context.evidence, found.context.summary, [one.role for one in found.calls]) == ((), "", ["policy"])
    assert run.events[found.next - 1].kind == "search_chosen"
    assert [one.moment for one in why.why_run(run).refused] == [found.moment]


def stop_on(*evidence: str) -> dict:
    return {"reason": "", "missing": [], "action": "answer", "query": "", "evidence": list(evidence)}


def test_a_claim_leads_back_to_every_revision(run):
    claim = why.why_claim(run, 1)
    (cited,) = claim.cited
    assert (cited.id, cited.evidence, cited.standing) == ("e1", "e1", "repaired")
    assert [(one.revision, one.text, one.by) for one in cited.history] == [(1, VELMORA, None), (2, DRESK, "e4")]
    assert cited.history[0].given_up == "both cannot hold"
    assert cited.history[1].sources[0].passage.text == DRESK
    assert [one.repair.moment for one in cited.repairs] == [moment(run, EvidenceRepaired)]
    assert [one.role for one in claim.calls] == ["answer"]


def test_a_piece_of_evidence_from_its_search_to_its_end(run):
    found = why.why_evidence(run, "e2")
    assert (found.fate, found.pruned_at, found.claims) == ("pruned", moment(run, NodesPruned), ())
    assert found.found.moment == moment(run, FactsExtracted, 1)
    assert [one.role for one in found.found.calls] == ["extract"]
    assert [one.id for one in found.led_by.evidence] == ["e1"]
    assert found.introducer.node == "n2"
    absorbed = why.why_evidence(run, "e4")
    assert (absorbed.fate, absorbed.other, absorbed.introducer) == ("absorbed", "e1", None)
    assert len(absorbed.conflicts) == 1


def test_every_event_of_a_run_has_a_story(run):
    for at, event in enumerate(run.events, 1):
        story = why.why_event(run, at)
        assert isinstance(story, why.Conflict | why.SummaryStory | why.Step)
        assert not isinstance(event, RunStarted | Answered) or isinstance(story, why.Step)


def test_what_is_not_there_is_said(run):
    with pytest.raises(UsageError, match="this run has events 1 to"):
        why.why_event(run, 99)
    with pytest.raises(UsageError, match="no such evidence in this run; it has e1, e2"):
        why.why_evidence(run, "e99")
    with pytest.raises(UsageError, match="this run has claims 1 to"):
        why.why_claim(run, 0)
