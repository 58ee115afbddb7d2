"""The life of facts, nodes and claims."""

from viz.story import moment, story, story_trace, trace_of
from worlds import repaired_run

from retree_core import events as ev
from retree_core.memory import Claim
from retree_core.trace import Trace
from retree_core.why import Change, Ledger, Ref, changes_of


def life(trace: Trace, id_: str) -> list[tuple[int, str]]:
    return [(one.moment, one.kind) for one in changes_of(Ledger(trace), id_)]


def test_a_fact_is_read_introduced_contested_repaired_named_and_cited() -> None:
    assert life(story_trace(), "e3") == [
        (moment("facts_extracted", 2), "facts_extracted"),
        (moment("node_added", 2), "node_added"),
        (moment("conflict_rejected"), "conflict_rejected"),
        (moment("evidence_repaired"), "evidence_repaired"),
        (moment("stop_chosen"), "stop_chosen"),
        (moment("answered"), "answered"),
    ]


def test_a_fact_that_went_with_its_node_says_which_and_why() -> None:
    *_, last = changes_of(Ledger(story_trace()), "e5")
    assert last == Change(
        moment=moment("nodes_pruned"),
        kind="nodes_pruned",
        words=("Pruned with ", "n3", ", because ", "e3", " was repaired."),
        lost=True,
    )
    assert [one for one in last.words if isinstance(one, Ref)] == ["n3", "e3"]


def test_a_fact_that_brought_a_repair_ends_as_the_revision_of_another() -> None:
    *_, last = changes_of(Ledger(story_trace()), "e13")
    assert "".join(last.words) == "Became e3 r2."


def test_a_rejected_contest_changed_nothing() -> None:
    changes = [*changes_of(Ledger(story_trace()), "e3"), *changes_of(Ledger(story_trace()), "c1")]
    assert {one.kind for one in changes if one.changed_nothing} == {"conflict_rejected"}
    assert all(one.changed_nothing for one in changes if one.kind == "conflict_rejected")


def test_a_node_is_added_summarised_repaired_and_resumed_at() -> None:
    assert [kind for _, kind in life(story_trace(), "n2")] == [
        "node_added",
        "summary_written",
        "evidence_repaired",
        "summary_written",
        "search_resumed",
    ]
    assert life(story_trace(), "n4")[-1] == (moment("nodes_pruned"), "nodes_pruned")
    assert life(story_trace(), "root")[0] == (1, "run_started")


def test_a_claim_lives_through_the_facts_it_cites() -> None:
    changes = changes_of(Ledger(story_trace()), "c1")
    assert [one.moment for one in changes] == [
        moment("facts_extracted", 2),
        moment("node_added", 2),
        moment("conflict_rejected"),
        moment("evidence_repaired"),
        moment("answered"),
    ]
    assert not any(one.lost for one in changes)


def test_a_claim_on_a_pruned_fact_lost_its_support_when_that_was_pruned() -> None:
    trace = _citing("e5")
    lost = [one for one in changes_of(Ledger(trace), "c1") if one.lost]
    assert [one.moment for one in lost] == [moment("nodes_pruned")]
    assert "".join(lost[0].words) == "Lost its support e5: Pruned with n3, because e3 was repaired."


def test_a_claim_on_an_absorbed_fact_follows_the_one_that_holds_its_value() -> None:
    moments = [at for at, _ in life(_citing("e13"), "c1")]
    assert moment("facts_extracted", 2) in moments
    assert moment("evidence_repaired") in moments


def test_a_claim_on_a_fact_that_never_was_says_so() -> None:
    (only,) = changes_of(Ledger(_citing("e99")), "c1")
    assert "".join(only.words) == "Made with the answer, citing e99. Not in the record: e99."


def test_a_claim_on_a_passage_says_when_that_was_found() -> None:
    found, made = changes_of(Ledger(_citing("p7")), "c1")
    assert (found.moment, "".join(found.words)) == (moment("passages_retrieved", 2), "p7: Found by search 2.")
    assert "".join(made.words) == "Made with the answer, citing p7."


def test_a_fact_of_a_flat_list_joins_it_and_is_set_aside() -> None:
    read = next(one for one in story() if isinstance(one, ev.FactsExtracted))
    trace = trace_of([read, ev.FactsAdded(facts=("e1", "e2")), ev.FactsSetAside(facts=("e1",))])
    assert [(one.kind, one.lost) for one in changes_of(Ledger(trace), "e1")] == [
        ("facts_extracted", False),
        ("facts_added", False),
        ("facts_set_aside", True),
    ]


def test_unknown_ids_have_no_life() -> None:
    ledger = Ledger(story_trace())
    assert [changes_of(ledger, one) for one in ("", "e99", "c0", "c9", "p7", "n99")] == [()] * 6
    assert changes_of(Ledger(trace_of([])), "c1") == ()


def test_every_cut_of_a_run_tells_the_same_so_far() -> None:
    whole = changes_of(Ledger(story_trace()), "n2")
    for length in range(moment("node_added", 2), len(story()) + 1):
        assert changes_of(Ledger(trace_of(story()[:length])), "n2") == tuple(
            one for one in whole if one.moment <= length
        )


def test_a_run_of_the_agent_is_told_too() -> None:
    kinds = [kind for _, kind in life(repaired_run(), "e1")]
    assert "evidence_repaired" in kinds


def _citing(*cites: str) -> Trace:
    """The story, with an answer that cites other facts."""
    events = [
        ev.Answered(text=one.text, claims=(Claim(text="So it is.", cites=cites),), shown=one.shown)
        if isinstance(one, ev.Answered)
        else one
        for one in story()
    ]
    return trace_of(events)
