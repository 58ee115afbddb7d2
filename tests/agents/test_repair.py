"""Repair at the introducer, pruning, regeneration, resumption (paper, section 4.3)."""

from dataclasses import replace

from worlds import (
    DRESK,
    KORN,
    LIND,
    QUESTION,
    SETTINGS,
    SORREL,
    TARN,
    VELMORA,
    asking,
    calls_of,
    clashing,
    confirm,
    conflict,
    every,
    facts,
    finding,
    hit,
    kinds,
    only,
    prompt,
    repaired_run,
    run_scripted,
    state,
    stop,
    summary,
)

from retree_core.events import (
    BudgetExhausted,
    ConflictConfirmed,
    ConflictProposed,
    ConflictRejected,
    EvidenceRepaired,
    FactsSetAside,
    NodeAdded,
    NodesPruned,
    ReplyRejected,
    SearchResumed,
    StopRefused,
    SummaryStale,
    SummaryWritten,
)
from retree_core.invariants import broken
from retree_core.memory import Revision, Source
from retree_core.settings import ForcedVerdict, Settings
from retree_core.state import active_path, fold


def test_a_repair_is_these_events_in_this_order():
    run = repaired_run({"confirm": [confirm(reason="One country has one capital.")]})
    start = kinds(run).index("conflict_proposed")
    proposed, confirmed, *repair = run.events[start : start + 6]
    assert (type(proposed), type(confirmed)) == (ConflictProposed, ConflictConfirmed)
    assert repair == [
        EvidenceRepaired(
            evidence="e1",
            node="n1",
            revision=2,
            by="e4",
            old_text=VELMORA,
            new_text=DRESK,
            reason="One country has one capital.",
        ),
        NodesPruned(nodes=("n2", "n3"), evidence="e1"),
        SearchResumed(node="n1"),
        SummaryWritten(node="n1", text=DRESK, origin="regenerated"),
    ]


def test_the_repaired_fact_keeps_its_id_its_node_and_its_old_value():
    grown = state(repaired_run({"confirm": [confirm(reason="a better source")]}))
    e1 = grown.evidence["e1"]
    assert (e1.node, e1.fate) == ("n1", "active")
    assert e1.revisions == (
        Revision(number=1, text=VELMORA, sources=(Source(passage="p1", quote=VELMORA, start=0, end=len(VELMORA)),)),
        Revision(
            number=2,
            text=DRESK,
            sources=(Source(passage="p4", quote=DRESK, start=0, end=len(DRESK)),),
            by="e4",
            reason="a better source",
        ),
    )
    assert grown.nodes["n1"].repairs == (("e1", 2),)
    assert (grown.evidence["e4"].fate, grown.evidence["e4"].other) == ("absorbed", "e1")


def test_all_descendants_leave_the_active_tree_and_stay_in_the_record():
    run = repaired_run()
    grown = state(run)
    moment = kinds(run).index("nodes_pruned") + 1
    gone = [one for one in grown.nodes.values() if one.pruned_at is not None]
    assert [(one.id, one.pruned_at, one.pruned_for) for one in gone] == [("n2", moment, "e1"), ("n3", moment, "e1")]
    assert [(one.id, one.pruned_at) for one in grown.evidence.values() if one.fate == "pruned"] == [
        ("e2", moment),
        ("e3", moment),
    ]
    assert [one.text for one in active_path(grown)] == [DRESK, LIND, SORREL]


def test_search_resumes_at_the_repaired_node_and_ids_are_never_used_again():
    run = repaired_run()
    resumed = kinds(run).index("search_resumed")
    assert run.events[resumed] == SearchResumed(node="n1")
    assert [(one.node, one.parent) for one in every(run, NodeAdded)[3:]] == [("n4", "n1"), ("n5", "n4")]


def test_the_summary_is_regenerated_from_corrected_evidence_alone():
    texts = iter(["OLD SUMMARY one", "OLD SUMMARY two", "OLD SUMMARY three", f"Now: {DRESK}", "five", "six"])
    run = repaired_run({"summarise": lambda _: summary(next(texts))})
    asked = prompt(calls_of(run, "summarise")[3])
    assert asked.endswith(f"Question: {QUESTION}\n\nFacts\n[e1] {DRESK}")
    assert "OLD SUMMARY" not in asked
    assert "Korn" not in asked
    assert "Velmora" not in asked


def test_evidence_above_the_repaired_node_is_part_of_the_new_summary():
    script = {"policy": asking(4, "e2"), "conflict": clashing(("e2", "e4"))}
    run = run_scripted(QUESTION, script, finding("Alvonia is a kingdom.", VELMORA, KORN, DRESK))
    assert prompt(calls_of(run, "summarise")[3]).endswith(f"Facts\n[e1] Alvonia is a kingdom.\n[e2] {DRESK}")
    assert only(run, NodesPruned).nodes == ("n3",)


def test_a_repair_of_the_newest_node_prunes_nothing():
    run = run_scripted(
        QUESTION, {"policy": asking(2, "e1"), "conflict": clashing(("e1", "e2"))}, finding(VELMORA, DRESK)
    )
    assert every(run, NodesPruned) == []
    assert only(run, SearchResumed).node == "n1"


def test_a_stale_regenerated_summary_is_written_again_and_then_the_facts_are_joined():
    texts = iter(["a", "b", "c", "The capital is Velmora.", "Velmora, as before.", "five", "six"])
    run = repaired_run({"summarise": lambda _: summary(next(texts))})
    stale = every(run, SummaryStale)
    assert stale == [
        SummaryStale(node="n1", text="The capital is Velmora.", value="Velmora"),
        SummaryStale(node="n1", text="Velmora, as before.", value="Velmora"),
    ]
    assert every(run, SummaryWritten)[3] == SummaryWritten(node="n1", text=DRESK, origin="facts")
    first, second = (prompt(one) for one in calls_of(run, "summarise")[3:5])
    assert second == f"{first}\n\nDo not mention Velmora: the facts do not say it."


def test_one_stale_summary_may_be_followed_by_a_good_one():
    texts = iter(["a", "b", "c", "The capital is Velmora.", "The capital is Dresk.", "five", "six"])
    run = repaired_run({"summarise": lambda _: summary(next(texts))})
    assert len(every(run, SummaryStale)) == 1
    assert every(run, SummaryWritten)[3] == SummaryWritten(
        node="n1", text="The capital is Dresk.", origin="regenerated"
    )


def test_an_empty_regenerated_summary_becomes_the_facts():
    texts = iter(["a", "b", "c", "", " ", "five", "six"])
    run = repaired_run({"summarise": lambda _: summary(next(texts))})
    assert every(run, SummaryWritten)[3].origin == "facts"


RIVER = "A river flows from Velmora to Alvonia."
"""Holds every value of the refuted fact, and stays in force."""


def _beside_the_river(*said):
    """VELMORA and the river are found together, then DRESK, then KORN; the summaries after the first are `said`."""
    script = {
        "policy": asking(3, "e1"),
        "conflict": clashing(("e1", "e3")),
        "extract": [facts((1, VELMORA), (2, RIVER)), facts((1, DRESK)), facts((1, KORN))],
        "summarise": [summary(one) for one in ("a", *said)],
    }
    return run_scripted(QUESTION, script, [[hit(VELMORA), hit(RIVER)], [hit(DRESK)], [hit(KORN)]])


def test_a_refuted_sentence_is_stale_though_other_facts_hold_each_of_its_values():
    run = _beside_the_river("the capital of Alvonia is  Velmora!", VELMORA, "c")
    assert [one.value for one in every(run, SummaryStale)] == ["The capital of Alvonia is Velmora"] * 2
    assert every(run, SummaryWritten)[1] == SummaryWritten(node="n1", text=f"{DRESK} {RIVER}", origin="facts")


def test_a_refuted_sentence_that_a_model_writes_later_is_left_out():
    run = _beside_the_river(DRESK, f"{KORN} {VELMORA}")
    written = every(run, SummaryWritten)[2]
    assert (written.text, written.invented) == (KORN, (VELMORA,))


def test_a_word_of_the_old_sentence_that_is_no_value_makes_no_summary_stale():
    old, new = "The old bridge was designed by Ines Falk.", "Edmund Harcas is the architect of the old bridge."
    said = "The old bridge was designed by Edmund Harcas."
    script = {
        "policy": asking(2, "e1"),
        "conflict": clashing(("e1", "e2")),
        "summarise": [summary("a"), summary(said), summary("not asked for")],
    }
    run = run_scripted("Who built the old bridge?", script, finding(old, new))
    assert every(run, SummaryWritten)[1] == SummaryWritten(node="n1", text=said, origin="regenerated")


def test_nothing_pruned_or_refuted_is_in_any_later_prompt():
    run = repaired_run()
    moment = kinds(run).index("search_resumed") + 1
    later = [one for one, before in zip(run.calls, _moments(run), strict=True) if before >= moment]
    texts = [prompt(one) for one in later if hasattr(one.call, "role")]
    assert len(texts) == 11
    assert not [one for one in texts if "Velmora" in one or "Korn" in one or "Tarn" in one]


def _moments(run):
    """How many events came before each call."""
    moment = 0
    for record in run.records:
        if hasattr(record, "event"):
            moment += 1
        elif hasattr(record, "call"):
            yield moment


def test_pruned_evidence_supports_no_stop():
    policy = [*asking(4)[:4], stop("e2", "e3"), stop("e1")]
    run = repaired_run({"policy": policy})
    assert only(run, StopRefused) == StopRefused(evidence=("e2", "e3"), reason="e2, e3 is no evidence in force")


def _with_company(settings):
    """Search 3 brings the new capital together with two harmless facts."""
    company = [hit(f"{DRESK} {LIND} Alvonia is a kingdom.")]
    extract = [
        facts((1, VELMORA)),
        facts((1, KORN)),
        facts((1, LIND), (1, DRESK), (1, "Alvonia is a kingdom.")),
    ]
    script = {"policy": asking(3, "e1"), "conflict": clashing(("e1", "e4")), "extract": extract}
    return run_scripted(QUESTION, script, [*finding(VELMORA, KORN), company], settings)


def test_the_other_new_facts_of_a_repairing_search_are_set_aside_with_an_event():
    run = _with_company(SETTINGS)
    assert only(run, FactsSetAside) == FactsSetAside(facts=("e3", "e5"))
    assert [one.fate for one in state(run).evidence.values()] == [
        "active",
        "pruned",
        "set_aside",
        "absorbed",
        "set_aside",
    ]
    assert state(run).current == "n1"
    assert LIND not in prompt(calls_of(run, "policy")[-1])


def test_or_they_are_kept_in_a_child_of_the_repaired_node():
    run = _with_company(replace(SETTINGS, on_repair="keep_facts"))
    assert every(run, FactsSetAside) == []
    child = every(run, NodeAdded)[-1]
    assert (child.parent, child.evidence, child.search) == ("n1", ("e3", "e5"), 3)
    assert state(run).current == child.node
    assert LIND in prompt(calls_of(run, "policy")[-1])


def test_the_shallowest_introducer_is_repaired_first_and_the_rest_is_reported():
    both = hit(f"{DRESK} Ilse Korn was born in Pell.")
    extract = [facts((1, VELMORA)), facts((1, TARN)), facts((1, "Ilse Korn was born in Pell."), (1, DRESK))]
    proposals = [conflict(), conflict(("e2", "e3"), ("e1", "e4"))]
    script = {"policy": asking(3, "e1"), "extract": extract, "conflict": proposals}
    run = run_scripted(QUESTION, script, [*finding(VELMORA, TARN), [both]])
    assert [(one.old, one.new) for one in every(run, ConflictProposed)] == [("e1", "e4"), ("e2", "e3")]
    assert only(run, EvidenceRepaired).evidence == "e1"
    assert only(run, ConflictRejected) == ConflictRejected(
        old="e2", new="e3", by="limit", reason="another fact was repaired in this search"
    )
    assert len(calls_of(run, "confirm")) == 1


def test_a_second_proposal_is_tried_when_the_first_is_rejected():
    both = hit(f"{DRESK} Ilse Korn was born in Pell.")
    extract = [facts((1, VELMORA)), facts((1, TARN)), facts((1, "Ilse Korn was born in Pell."), (1, DRESK))]
    script = {
        "policy": asking(3, "e1"),
        "extract": extract,
        "conflict": [conflict(), conflict(("e2", "e3"), ("e1", "e4"))],
        "confirm": [confirm(False), confirm()],
    }
    run = run_scripted(QUESTION, script, [*finding(VELMORA, TARN), [both]])
    assert (only(run, ConflictRejected).old, only(run, EvidenceRepaired).evidence) == ("e1", "e2")


def test_a_repair_gives_no_search_back():
    capitals = ["Velmora", "Dresk", "Tarn", "Sorrel", "Pell", "Quist", "Rusk", "Vint"]
    pages = finding(*(f"The capital of Alvonia is {one}." for one in capitals))
    proposals = [conflict(("e1", f"e{number}")) for number in range(2, 9)]
    run = run_scripted(QUESTION, {"policy": asking(9)[:9], "conflict": proposals}, pages)
    assert [one.number for one in state(run).searches] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert only(run, BudgetExhausted).searches == 8
    assert len(every(run, EvidenceRepaired)) == 3


def test_a_fact_is_repaired_in_its_own_fold_at_every_moment():
    run = repaired_run()
    moment = kinds(run).index("evidence_repaired")
    assert fold(run.events[:moment]).evidence["e1"].text == VELMORA
    assert fold(run.events[: moment + 1]).evidence["e1"].text == DRESK
    assert every(run, ReplyRejected) == []


def test_the_number_of_repairs_a_fact_is_a_setting():
    run = repaired_run(settings=Settings(model="scripted", repairs_per_fact=0))
    assert only(run, ConflictRejected).reason == "e1 was repaired 0 times already"
    assert SORREL in [one.text for one in active_path(state(run))]


def test_a_person_who_forks_a_run_may_repair_a_fact_past_that_number():
    forced = (ForcedVerdict(search=2, old="e1", new="e2", repair=True),)
    script = {"policy": asking(2, "e1"), "conflict": clashing(("e1", "e2"))}
    settings = replace(SETTINGS, repairs_per_fact=0, forced=forced)
    run = run_scripted(QUESTION, script, finding(VELMORA, DRESK), settings)
    assert only(run, ConflictConfirmed).by == "fork"
    assert only(run, EvidenceRepaired).new_text == DRESK
    assert list(broken(run)) == []
