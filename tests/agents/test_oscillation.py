"""Values that come back: the same source never twice, and no fact for ever."""

from worlds import (
    DRESK,
    QUESTION,
    VELMORA,
    asking,
    calls_of,
    clashing,
    every,
    finding,
    hit,
    only,
    prompt,
    run_scripted,
    state,
)

from retree_core.events import ConflictRejected, EvidenceRepaired, NodeAdded, PassagesRetrieved

FLIPS = clashing(("e1", "e2"), ("e1", "e3"), ("e1", "e4"), ("e1", "e5"), ("e1", "e6"))


def test_a_former_value_comes_back_with_a_source_that_was_not_seen_for_it():
    pages = finding(VELMORA, DRESK, f"{VELMORA} The parliament sits there again.")
    run = run_scripted(QUESTION, {"policy": asking(3, "e1"), "conflict": FLIPS}, pages)
    assert [one.text for one in state(run).evidence["e1"].revisions] == [VELMORA, DRESK, VELMORA]
    assert [one.passage for one in state(run).evidence["e1"].current.sources] == ["p3"]


def test_a_former_value_does_not_come_back_on_its_old_source():
    pages = finding(VELMORA, DRESK, VELMORA)
    run = run_scripted(QUESTION, {"policy": asking(3, "e1"), "conflict": FLIPS}, pages)
    assert [one.id for one in every(run, PassagesRetrieved)[2].passages] == ["p1"]
    assert only(run, ConflictRejected) == ConflictRejected(
        old="e1", new="e3", by="limit", reason="returns to revision 1 without a source that was not seen for it"
    )
    assert len(calls_of(run, "confirm")) == 1
    assert (state(run).evidence["e1"].text, state(run).evidence["e1"].contested_by) == (DRESK, ("e3",))
    assert [one.node for one in every(run, NodeAdded)] == ["n1", "n2"]


def test_a_former_value_in_other_words_is_still_that_value():
    """The extractor words a fact anew each time: the value decides, not the sentence."""
    page = hit(f"{VELMORA} Velmora has been the seat of the king of Alvonia, its capital.")
    reworded = "Velmora has been the seat of the king of Alvonia, its capital."
    extract = [
        {"facts": [{"passage": 1, "quote": VELMORA, "fact": VELMORA}]},
        {"facts": [{"passage": 1, "quote": DRESK, "fact": DRESK}]},
        {"facts": [{"passage": 1, "quote": reworded, "fact": reworded}]},
    ]
    script = {"policy": asking(3, "e1"), "conflict": FLIPS, "extract": extract}
    run = run_scripted(QUESTION, script, [[page], *finding(DRESK), [page]])
    assert only(run, ConflictRejected).reason == "returns to revision 1 without a source that was not seen for it"


def test_a_new_fact_that_mentions_a_former_value_on_its_way_to_another_is_no_return():
    third = "The capital of Alvonia is Sorrel and not Velmora."
    run = run_scripted(QUESTION, {"policy": asking(3, "e1"), "conflict": FLIPS}, finding(VELMORA, DRESK, third))
    assert [one.text for one in state(run).evidence["e1"].revisions] == [VELMORA, DRESK, third]


def test_the_confirmation_reads_the_history():
    pages = finding(VELMORA, DRESK, f"{VELMORA} The parliament sits there again.")
    run = run_scripted(QUESTION, {"policy": asking(3, "e1"), "conflict": FLIPS}, pages)
    first, second = (prompt(one) for one in calls_of(run, "confirm"))
    assert "Former values" not in first
    assert second.endswith(f"Former values of the stored fact\n- it said: {VELMORA}; given up: both cannot hold")


def test_a_fact_is_repaired_at_most_three_times_and_then_contested():
    """A, B, A, B, A, B, each from a page of its own; the judge always says conflict."""
    sentences = [f"{(VELMORA, DRESK)[number % 2]} Edition {number} says so." for number in range(6)]
    run = run_scripted(QUESTION, {"policy": asking(6, "e1"), "conflict": FLIPS}, finding(*sentences))
    assert [one.revision for one in every(run, EvidenceRepaired)] == [2, 3, 4]
    rejected = every(run, ConflictRejected)
    assert [(one.new, one.by, one.reason) for one in rejected] == [
        ("e5", "limit", "e1 was repaired 3 times already"),
    ]
    assert state(run).evidence["e1"].contested_by == ("e5",)
    assert state(run).evidence["e1"].text == DRESK


def test_a_source_attached_to_a_former_value_counts_as_seen_for_it():
    """p2 repeats the first value before it is given up; it is no new source when it turns up again."""
    echo = f"{VELMORA} An echo."
    pages = finding(VELMORA, echo, DRESK, echo)
    judge = clashing(("e1", "e3"), ("e1", "e4"))
    run = run_scripted(QUESTION, {"policy": asking(4, "e1"), "conflict": judge}, pages)
    assert only(run, ConflictRejected).reason == "returns to revision 1 without a source that was not seen for it"
