"""What changed in the memory between two moments."""

from viz.story import moment, story

from retree_core import events as ev
from retree_core.compare import Changes, changes
from retree_core.state import State, fold


def at(number: int) -> State:
    return fold(story()[:number])


REPAIR = moment("evidence_repaired")
LAST = len(story())


def test_a_repair_with_all_that_it_caused() -> None:
    found = changes(at(REPAIR - 1), at(REPAIR + 4))
    assert found.nodes_repaired == (("n2", "e3", 2),)
    assert [one.id for one in found.nodes_pruned] == ["n3", "n4", "n5"]
    assert found.current == ("n5", "n2")
    assert found.in_force == (11, 4)
    assert [(one.id, one.what, one.others) for one in found.facts if one.what != "pruned"] == [
        ("e3", "repaired", ("e13",)),
        ("e13", "absorbed", ("e3",)),
        ("e14", "set_aside", ()),
        ("e15", "set_aside", ()),
    ]
    assert [one.id for one in found.facts if one.what == "pruned"] == ["e5", "e6", "e7", "e9", "e10", "e11", "e12"]
    (repaired,) = (one for one in found.facts if one.what == "repaired")
    assert (repaired.former, repaired.text, repaired.revision) == (
        "The Aldermoor Observatory was designed by Edmund Harcastle.",
        "The Aldermoor Observatory was designed by Ines Falkenrath.",
        2,
    )
    assert [(one.node, one.before[:28], one.after[:27]) for one in found.summaries] == [
        ("n2", "Designed by Edmund Harcastle", "Designed by Ines Falkenrath")
    ]
    assert found.searches == found.nodes_added == ()


def test_one_search_adds_a_node_with_its_facts() -> None:
    found = changes(at(moment("context_built", 2) - 1), at(moment("summary_written", 2)))
    assert [one.number for one in found.searches] == [2]
    assert len(found.passages) == 5
    assert [one.id for one in found.nodes_added] == ["n2"]
    assert [(one.id, one.what, one.others) for one in found.facts] == [
        ("e3", "added", ("n2",)),
        ("e4", "added", ("n2",)),
    ]
    assert (found.shown_now, found.shown_no_longer, found.context) == (("e1", "e2"), (), (90, 730))


def test_what_is_only_just_read_a_duplicate_and_a_challenge() -> None:
    extracted = moment("facts_extracted", 3)
    kinds = [(one.id, one.what, one.others) for one in changes(at(extracted - 1), at(extracted + 1)).facts]
    assert kinds == [("e5", "read", ()), ("e6", "read", ()), ("e7", "read", ()), ("e8", "duplicate", ("e2",))]
    rejected = moment("conflict_rejected")
    (contested,) = changes(at(rejected - 1), at(rejected)).facts
    assert (contested.id, contested.what, contested.others) == ("e3", "contested", ("e12",))


def test_the_whole_run_ends_with_its_answer() -> None:
    found = changes(State(), at(LAST))
    assert found.answer is not None
    assert found.answer.text == "Kaltenbrück"
    assert found.ended == ev.RunEnded(status="answered")
    assert len(found.nodes_added) == 7
    assert [one.what for one in found.facts if one.id == "e6"] == ["added", "pruned"]


def test_nothing_changed() -> None:
    proposed = moment("conflict_proposed")
    found = changes(at(proposed - 1), at(proposed))
    assert found.nothing
    assert found == Changes(before=proposed - 1, after=proposed, in_force=(9, 9))
    assert not changes(State(), at(1)).nothing


def test_states_that_do_not_fit_break_nothing() -> None:
    odd = fold([ev.NodesPruned(nodes=("n9",), evidence="e9"), ev.SearchResumed(node="n7")])
    assert changes(State(), odd).current == ("root", "n7")
    assert changes(odd, State()).current == ("n7", "root")


def test_a_flat_list_takes_facts_at_the_root() -> None:
    extracted = moment("facts_extracted", 1)
    flat = [*story()[:extracted], ev.FactsAdded(facts=("e1", "e2"))]
    kinds = [(one.id, one.what, one.others) for one in changes(fold(flat[:-1]), fold(flat)).facts]
    assert kinds == [("e1", "added", ("root",)), ("e2", "added", ("root",))]
