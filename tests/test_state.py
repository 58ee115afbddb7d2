"""State is a fold of events that never fails: what does not fit is named and the rest is kept."""

from dataclasses import replace

import pytest
from viz.story import story
from worlds import repaired_run

from retree_core import events as ev
from retree_core.history import EVERY, MOST_STRETCHES, History
from retree_core.memory import Claim, Passage, Source
from retree_core.state import (
    State,
    active_path,
    apply,
    citations,
    descendants,
    fold,
    path,
    resolve,
    states,
)

STARTED = ev.RunStarted(question="Who?", agent="retree")
PAGE = ev.PassagesRetrieved(search=1, passages=(Passage(id="p1", title="A page", text="Velmora is a town."),))
CHOSEN = ev.SearchChosen(search=1, query="towns", origin="policy")
SOURCE = Source(passage="p1", quote="Velmora", start=0, end=7)


def _found(*ids, text="Velmora is a town."):
    return ev.FactsExtracted(search=1, facts=tuple(ev.NewFact(id=id_, text=text, source=SOURCE) for id_ in ids))


def _node(id_, parent, *evidence):
    return ev.NodeAdded(node=id_, parent=parent, search=1, query="towns", evidence=evidence)


BEGUN = (STARTED, CHOSEN, PAGE)


def test_nothing_has_happened_at_moment_0():
    assert fold([]) == State()
    assert (fold([]).current, fold([]).summary, path(fold([])), active_path(fold([]))) == ("root", "", (), ())


def test_any_moment_is_the_fold_of_a_prefix():
    run = repaired_run()
    every = list(states(run.events))
    assert [one.moment for one in every] == list(range(1, len(run.events) + 1))
    assert every[20] == fold(run.events[:21])
    assert fold(run.events[21:], every[20]) == every[-1]


def test_a_fold_leaves_the_state_it_started_from_as_it_was():
    run = repaired_run()
    before = fold(run.events[:30])
    copy = replace(before, nodes=dict(before.nodes), evidence=dict(before.evidence), passages=dict(before.passages))
    fold(run.events[30:], before)
    assert before == copy


def test_the_active_path_at_each_moment_of_a_repair():
    run = repaired_run()
    paths = [path(one) for one in states(run.events)]
    assert [one for at, one in enumerate(paths) if at == 0 or one != paths[at - 1]] == [
        ("root",),
        ("root", "n1"),
        ("root", "n1", "n2"),
        ("root", "n1", "n2", "n3"),
        ("root", "n1"),
        ("root", "n1", "n4"),
        ("root", "n1", "n4", "n5"),
    ]


def test_descendants_are_the_live_nodes_below():
    run = repaired_run()
    before = fold(run.events[: run.events.index(next(e for e in run.events if e.kind == "nodes_pruned"))])
    assert descendants(before, "n1") == ("n2", "n3")
    assert descendants(fold(run.events), "n1") == ("n4", "n5")
    assert descendants(fold(run.events), "n5") == ()


def test_a_second_node_of_the_same_id_is_kept_under_a_suffix_and_named():
    state = fold([*BEGUN, _node("n1", "root"), _node("n1", "root"), _node("n1", "root")])
    assert [*state.nodes] == ["root", "n1", "n1~2", "n1~3"]
    assert state.problems == (
        "event 5: node n1 exists already; this one is shown as n1~2",
        "event 6: node n1 exists already; this one is shown as n1~3",
    )


def test_a_second_fact_of_the_same_id_is_kept_under_a_suffix_and_named():
    state = fold([*BEGUN, _found("e1"), _found("e1", text="Another.")])
    assert {id_: one.text for id_, one in state.evidence.items()} == {"e1": "Velmora is a town.", "e1~2": "Another."}
    assert state.problems == ("event 5: evidence e1 exists already; this one is shown as e1~2",)


def test_a_node_without_its_parent_is_kept_and_named():
    state = fold([*BEGUN, _node("n2", "n99")])
    assert (state.nodes["n2"].parent, path(state)) == ("n99", ("n2",))
    assert state.problems == ("event 4: node n2 hangs from n99, which does not exist",)


@pytest.mark.parametrize(
    ("parents", "start", "expected"),
    [({"n1": "n1"}, "n1", ("n1",)), ({"n2": "n3", "n3": "n2"}, "n2", ("n3", "n2"))],
)
def test_a_cycle_of_parents_ends(parents, start, expected):
    state = fold([*BEGUN, *(_node(id_, parent) for id_, parent in parents.items())])
    assert path(state, start) == expected
    assert set(descendants(state, "root")) <= set(state.nodes)


def test_citations_that_lead_in_a_circle_end():
    state = fold(
        [*BEGUN, _found("e1", "e2"), ev.DuplicateFound(fact="e1", of="e2"), ev.DuplicateFound(fact="e2", of="e1")]
    )
    assert resolve(state, "e1").standing == "stale"


def test_a_claim_keeps_all_its_citations():
    state = fold([*BEGUN, _found("e1"), _node("n1", "root", "e1")])
    found = citations(state, Claim(text="A town.", cites=("e1", "e9")))
    assert [(one.id, one.standing) for one in found] == [("e1", "current"), ("e9", "missing")]


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        (ev.DuplicateFound(fact="e8", of="e9"), "e8 cannot be a duplicate of e9: one of them does not exist"),
        (ev.ConflictRejected(old="e9", new="e1", by="guard", reason=""), "there is no evidence e9"),
        (
            ev.EvidenceRepaired(evidence="e9", node="n1", revision=2, by="e1", old_text="a", new_text="b", reason="c"),
            "there is no evidence e9 to repair",
        ),
        (ev.SummaryWritten(node="n9", text="", origin="model"), "there is no node n9"),
        (ev.NodesPruned(nodes=("n9",), evidence="e1"), "there is no node n9"),
        (ev.SearchResumed(node="n9"), "search resumes at n9, which does not exist"),
        (ev.FactsSetAside(facts=("e9",)), "there is no evidence e9"),
        (_node("n1", "root", "e9"), "there is no evidence e9"),
        (ev.SearchFailed(search=9, failure="timeout", message=""), "search 9 was never chosen"),
        (replace(PAGE, search=9), "search 9 was never chosen"),
    ],
)
def test_an_event_that_does_not_fit_is_named_and_changes_what_it_can(event, problem):
    state = apply(fold(BEGUN), event)
    assert state.problems == (f"event 4: {problem}",)
    assert state.moment == 4


def test_a_fact_of_an_unknown_passage_is_kept_and_named():
    state = fold([STARTED, CHOSEN, _found("e1")])
    assert state.problems == ("event 3: e1 cites passage p1, which is not in the record",)
    assert [*state.evidence] == ["e1"]


def test_a_repair_by_an_unknown_fact_is_shown_without_a_source():
    repaired = ev.EvidenceRepaired(
        evidence="e1", node="n1", revision=2, by="e9", old_text="a", new_text="Dresk is a town.", reason="c"
    )
    state = fold([*BEGUN, _found("e1"), _node("n1", "root", "e1"), repaired])
    assert (state.evidence["e1"].text, state.evidence["e1"].current.sources) == ("Dresk is a town.", ())
    assert state.problems == ("event 6: there is no evidence e9",)


def test_long_runs_keep_checkpoints_and_give_the_same_states() -> None:
    events = [*story()] + [ev.ContextBuilt(node="n6", evidence=(), characters=one) for one in range(1500)]
    long = History(events)
    for moment in (0, 1, 31, 32, 33, 64, 300, len(events) - 1, len(events)):
        assert long.at(moment) == fold(events[:moment])


def test_a_long_run_folded_again_in_any_order_gives_the_same_states() -> None:
    events = [*story()] + [ev.ContextBuilt(node="n6", evidence=(), characters=one) for one in range(1500)]
    long = History(events)
    for moment in (900, 899, 901, 10, 400, 1300, 11, 900, 700, 0):
        assert long.at(moment) == fold(events[:moment])


def test_more_moments_than_stay_folded_can_be_looked_into() -> None:
    events = [ev.RunStarted(question="Who?", agent="retree")]
    events += [ev.ContextBuilt(node="root", evidence=(), characters=one) for one in range(EVERY * (MOST_STRETCHES + 2))]
    long = History(events)
    moments = [*range(2, len(events), EVERY), 2, len(events) // 2]
    assert [long.at(moment).context for moment in moments] == [events[moment - 1] for moment in moments]


def test_of_two_searches_with_one_number_what_was_found_goes_to_the_last() -> None:
    again = ev.SearchChosen(search=1, query="rivers", origin="policy")
    state = fold([*BEGUN, again, ev.SearchFailed(search=1, failure="timeout", message="")])
    assert [(one.query, one.passages, one.failure) for one in state.searches] == [
        ("towns", ("p1",), None),
        ("rivers", (), "timeout"),
    ]
    assert state.problems == ()
