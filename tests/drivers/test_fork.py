"""Fork: a recorded prefix, one decision changed, and what follows from it."""

import json
from dataclasses import replace

import pytest
from drivers.forking import checked, forked_at, moment_of, needs
from worlds import (
    DRESK,
    KORN,
    QUESTION,
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
    repaired_run,
    run_scripted,
    search,
    state,
    stop,
    summary,
)

from retree_core.drivers.edits import Edit
from retree_core.drivers.replay import replay
from retree_core.errors import UsageError
from retree_core.events import (
    ConflictConfirmed,
    ConflictRejected,
    EvidenceRepaired,
    FactsExtracted,
    NodesPruned,
    PassagesRetrieved,
    SearchChosen,
)
from retree_core.settings import ForcedVerdict
from retree_core.state import active_path
from retree_core.trace import CallRecord, EventRecord, ForkOrigin
from retree_core.trace.reader import Damage

BY_HAND = "decided by the person who made this fork"


def test_a_confirmed_repair_rejected_by_hand_expands_the_tree(tmp_path):
    parent = repaired_run()
    moment = moment_of(parent, "conflict_confirmed")
    forked = forked_at(parent, moment, "verdict=reject", tmp_path)
    assert forked.events[: moment - 1] == parent.events[: moment - 1]
    assert forked.events[moment - 1] == ConflictRejected(old="e1", new="e4", by="fork", reason=BY_HAND)
    assert kinds(forked)[moment:] == ["node_added"]
    assert needs(forked) == "needs a model from here (summarise)"
    assert forked.header.fork == ForkOrigin(
        run_id=parent.header.run_id, moment=moment - 1, edit=f"verdict=reject at event {moment}"
    )
    assert forked.header.settings.forced == (ForcedVerdict(search=4, old="e1", new="e4", repair=False),)
    checked(parent, forked)


def test_a_rejected_proposal_confirmed_by_hand_repairs_and_prunes(tmp_path):
    parent = repaired_run({"confirm": [confirm(False)]})
    moment = moment_of(parent, "conflict_rejected")
    forked = forked_at(parent, moment, "verdict=repair", tmp_path)
    assert forked.events[moment - 1] == ConflictConfirmed(old="e1", new="e4", by="fork", reason=BY_HAND)
    assert kinds(forked)[moment:] == ["evidence_repaired", "nodes_pruned", "search_resumed"]
    assert [one.text for one in active_path(state(forked))] == [DRESK]
    assert needs(forked) == "needs a model from here (summarise)"
    checked(parent, forked)


def test_a_guard_may_be_overruled_by_hand(tmp_path):
    old, new = "The city of Velmora has 5,000 inhabitants.", "The metropolitan area of Velmora has 9,000 inhabitants."
    script = {"policy": asking(2, "e2"), "conflict": clashing(("e1", "e2"))}
    parent = run_scripted("How many people live in Velmora?", script, finding(old, new))
    assert only(parent, ConflictRejected).by == "guard"
    forked = forked_at(parent, moment_of(parent, "conflict_rejected"), "verdict=repair", tmp_path)
    assert only(forked, EvidenceRepaired).new_text == new
    checked(parent, forked)


def test_a_fork_that_decides_as_before_runs_to_the_end_on_the_record(tmp_path):
    parent = repaired_run()
    forked = forked_at(parent, moment_of(parent, "conflict_confirmed"), "verdict=repair", tmp_path)
    assert kinds(forked) == kinds(parent)
    assert only(forked, ConflictConfirmed).by == "fork"
    assert state(forked).answer == state(parent).answer
    checked(parent, forked)


def test_a_changed_query_stops_where_a_search_is_needed(tmp_path):
    parent = repaired_run()
    moment = kinds(parent).index("search_chosen", 8) + 1
    forked = forked_at(parent, moment, "query=who is mayor", tmp_path)
    assert forked.events[moment - 1] == SearchChosen(
        search=2, query="who is mayor", origin="policy", reason="query changed by hand"
    )
    assert needs(forked) == "needs a search from here (search)"
    policy = calls_of(parent, "policy")[1]
    assert [(one.seq, one.role) for one in forked.calls if one.edited] == [(policy.seq, "policy")]
    checked(parent, forked)


def test_a_query_changed_to_an_earlier_one_needs_no_search(tmp_path):
    parent = repaired_run()
    moment = kinds(parent).index("search_chosen", 8) + 1
    forked = forked_at(parent, moment, "query=QUERY 1", tmp_path)
    assert kinds(forked)[moment : moment + 2] == ["passages_retrieved", "context_built"]
    assert forked.events[moment].repeat_of == 1
    assert needs(forked) == "needs a model from here (policy)"
    checked(parent, forked)


@pytest.mark.parametrize(
    ("kind", "reply", "follows"),
    [
        ("search_chosen", search("another query"), "search_chosen"),
        ("search_chosen", stop("e1"), "stop_refused"),
        ("facts_extracted", facts((1, "Pell is a town.")), "fact_dropped"),
        ("facts_extracted", facts(), "facts_extracted"),
        ("summary_written", summary("Velmora it is."), "summary_written"),
        ("conflict_proposed", conflict(), "node_added"),
        ("conflict_confirmed", confirm(better="stored"), "conflict_rejected"),
        ("evidence_repaired", confirm(False), "conflict_rejected"),
        ("answered", {"claims": [], "answer": "Pell"}, "answered"),
        ("answered", {"nonsense": 1}, "reply_rejected"),
    ],
)
def test_any_reply_of_a_model_can_be_changed(tmp_path, kind, reply, follows):
    parent = repaired_run()
    forked = forked_at(parent, moment_of(parent, kind), f"reply={json.dumps(reply)}", tmp_path)
    edited = next(place for place, one in enumerate(forked.records) if isinstance(one, CallRecord) and one.edited)
    assert forked.records[:edited] == parent.records[:edited]
    assert next(one for one in forked.records[edited:] if isinstance(one, EventRecord)).event.kind == follows
    checked(parent, forked)


TWO_FACTS = {"extract": [facts((1, VELMORA), (1, "Alvonia is a country.")), *[facts((1, one)) for one in (KORN, TARN)]]}


def _two_facts():
    pages = [[hit(f"{VELMORA} Alvonia is a country.")], *finding(KORN, TARN)]
    return run_scripted(QUESTION, {"policy": asking(3, "e3"), **TWO_FACTS}, pages)


def test_several_facts_of_one_extraction_are_changed_at_once(tmp_path):
    parent = _two_facts()
    edits = ["fact=e2:Alvonia is no country.", "fact=e1:Velmora is the capital of Alvonia."]
    forked = forked_at(parent, None, edits, tmp_path)
    assert [one.text for one in every(forked, FactsExtracted)[0].facts] == [
        "Velmora is the capital of Alvonia.",
        "Alvonia is no country.",
    ]
    assert [one.source.quote for one in every(forked, FactsExtracted)[0].facts] == [VELMORA, "Alvonia is a country."]
    assert forked.header.fork.edit == f"{edits[0]}, {edits[1]} at event {moment_of(parent, 'facts_extracted')}"
    checked(parent, forked)


def test_each_of_several_facts_has_to_be_there(tmp_path):
    with pytest.raises(UsageError, match=r"event 5 has no fact e9; it has e1, e2$"):
        forked_at(_two_facts(), None, ["fact=e1:x", "fact=e9:y"], tmp_path)


def test_a_fact_is_taken_away(tmp_path):
    parent = _two_facts()
    forked = forked_at(parent, None, "fact=e1:", tmp_path)
    assert [(one.id, one.text) for one in every(forked, FactsExtracted)[0].facts] == [("e1", "Alvonia is a country.")]
    checked(parent, forked)


def test_a_page_is_not_found_or_says_something_else(tmp_path):
    pages = [[hit(VELMORA), hit(KORN)], *finding(TARN, TARN)]
    parent = run_scripted(QUESTION, {"policy": asking(1, "e1")}, pages)
    gone = forked_at(parent, None, "passage=p1:", tmp_path)
    assert [one.text for one in only(gone, PassagesRetrieved).passages] == [KORN]
    assert needs(gone) == "needs a model from here (extract)"
    changed = forked_at(parent, None, ["passage=p2:Nobody.", f"passage=p1:{DRESK}"], tmp_path, overwrite=True)
    assert [one.text for one in only(changed, PassagesRetrieved).passages] == [DRESK, "Nobody."]
    checked(parent, gone)
    checked(parent, changed)


def test_different_edits_at_once_are_refused(tmp_path):
    for edits in (["fact=e1:x", "passage=p1:y"], ["query=x", "query=y"], ["verdict=repair", "fact=e1:x"]):
        with pytest.raises(UsageError, match="several edits at once are for facts of one extraction"):
            forked_at(_two_facts(), 5, edits, tmp_path)


def test_a_reply_may_be_no_json_at_all(tmp_path):
    parent = repaired_run()
    forked = forked_at(parent, 3, "reply=I would rather not say.", tmp_path)
    assert kinds(forked)[2:4] == ["reply_rejected"]
    assert needs(forked) == "needs a model from here (policy)"
    checked(parent, forked)


def test_an_open_proposal_is_decided_by_hand(tmp_path):
    whole = repaired_run()
    proposed = moment_of(whole, "conflict_proposed")
    place = next(
        at for at, one in enumerate(whole.records) if getattr(one, "event", None) == whole.events[proposed - 1]
    )
    parent = replace(whole, records=whole.records[: place + 1])
    forked = forked_at(parent, proposed, "verdict=reject", tmp_path)
    assert forked.events == (*parent.events, *forked.events[proposed:])
    assert kinds(forked)[proposed:] == ["conflict_rejected", "node_added"]
    checked(parent, forked)


def test_the_first_and_the_last_event(tmp_path):
    parent = repaired_run()
    with pytest.raises(UsageError, match=r"possible at event 3$"):
        forked_at(parent, 1, "query=x", tmp_path)
    forked = forked_at(parent, len(parent.events), "reply=nothing", tmp_path)
    assert kinds(forked)[-1] == "reply_rejected"


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda one: replace(one, records=one.records[:3] + one.records[4:]), "does not come to it again"),
        (
            lambda one: replace(one, records=tuple(r for r in one.records if isinstance(r, EventRecord))),
            "holds no calls",
        ),
        (
            lambda one: replace(one, records=(one.records[0], *one.records[2:]), damage=(Damage(line=3, reason="?"),)),
            "line 3 is damaged",
        ),
        (
            lambda one: replace(
                one, header=replace(one.header, settings=replace(one.header.settings, agent="imported"))
            ),
            "there is nothing to replay, resume or fork",
        ),
    ],
)
def test_a_record_that_does_not_replay_up_to_the_edit_is_one_line(tmp_path, broken, said):
    parent = broken(repaired_run())
    with pytest.raises(UsageError, match=said) as found:
        forked_at(parent, moment_of(parent, "conflict_confirmed"), "verdict=reject", tmp_path)
    assert "\n" not in str(found.value)
    assert not [*tmp_path.iterdir()]


def test_a_fork_that_would_never_end_is_not_begun(tmp_path):
    """A record may claim any settings: endless searches, of a policy that asks for the same one again."""
    short = run_scripted(QUESTION, {"policy": lambda _: search("query 1")}, lambda _: [])
    endless = replace(short.header, settings=replace(short.header.settings, max_searches=10**9))
    with pytest.raises(UsageError, match=r"leads this fork in circles, past 5,000 events"):
        forked_at(replace(short, header=endless), 3, f"reply={json.dumps(search('query 1'))}", tmp_path)
    assert not [*tmp_path.iterdir()]


def test_damage_after_the_edit_does_not_matter(tmp_path):
    whole = repaired_run()
    parent = replace(whole, records=whole.records[:-3], damage=(Damage(line=len(whole.records), reason="torn"),))
    forked = forked_at(parent, moment_of(parent, "conflict_confirmed"), "verdict=reject", tmp_path)
    checked(parent, forked)


def test_a_fork_of_a_fork_may_take_its_decision_back(tmp_path):
    parent = repaired_run()
    first = forked_at(parent, moment_of(parent, "conflict_confirmed"), "verdict=reject", tmp_path)
    second = forked_at(first, moment_of(first, "conflict_rejected"), "verdict=repair", tmp_path, overwrite=True)
    assert [one.repair for one in second.header.settings.forced] == [True]
    assert only(second, ConflictConfirmed).by == "fork"
    checked(first, second)


def test_the_earlier_of_two_proposals_may_be_decided_the_other_way(tmp_path):
    both = [hit(f"{DRESK} Ilse Korn was born in Pell.")]
    script = {
        "policy": asking(3, "e1"),
        "extract": [facts((1, VELMORA)), facts((1, TARN)), facts((1, "Ilse Korn was born in Pell."), (1, DRESK))],
        "conflict": [conflict(), conflict(("e2", "e3"), ("e1", "e4"))],
        "confirm": [confirm(False), confirm()],
    }
    parent = run_scripted(QUESTION, script, [*finding(VELMORA, TARN), both])
    assert only(parent, EvidenceRepaired).evidence == "e2"
    forked = forked_at(parent, moment_of(parent, "conflict_rejected"), "verdict=repair", tmp_path)
    assert (only(forked, EvidenceRepaired).evidence, only(forked, NodesPruned).nodes) == ("e1", ("n2",))
    checked(parent, forked)


def test_what_was_not_decided_cannot_be_decided_otherwise(tmp_path):
    """One repair a search: the second proposal was never looked at, and a forced repair would come to nothing."""
    both = [hit(f"{DRESK} Ilse Korn was born in Pell.")]
    script = {
        "policy": asking(3, "e1"),
        "extract": [facts((1, VELMORA)), facts((1, TARN)), facts((1, "Ilse Korn was born in Pell."), (1, DRESK))],
        "conflict": [conflict(), conflict(("e2", "e3"), ("e1", "e4"))],
    }
    parent = run_scripted(QUESTION, script, [*finding(VELMORA, TARN), both])
    with pytest.raises(UsageError, match="another fact was repaired in this search"):
        forked_at(parent, moment_of(parent, "conflict_rejected"), "verdict=repair", tmp_path)
    assert not (tmp_path / "fork.jsonl").exists()


@pytest.mark.parametrize(
    ("moment", "edit", "said"),
    [
        (0, "verdict=reject", "--at 0: this run has events 1 to "),
        (999, "verdict=reject", "--at 999: this run has events 1 to "),
        (
            3,
            "verdict=reject",
            "event 3 is search_chosen; verdict= needs .* or conflict_rejected; possible at event 24$",
        ),
        (30, "verdict=reject", "verdict= needs .*; possible at event 25$"),
        (5, "query=x", "event 5 is facts_extracted; query= needs search_chosen; possible at event 3 or event 9$"),
        (3, "fact=e1:x", "event 3 is search_chosen; fact= needs facts_extracted; possible at event 5$"),
        (5, "fact=e9:x", "event 5 has no fact e9; it has e1$"),
        (4, "passage=p9:x", "event 4 has no passage p9; it has p1$"),
        (5, "passage=p1:x", "needs passages_retrieved; possible at event 4 or event 10$"),
        (None, "fact=e99:x", "fact=e99: no such fact in this run; it has e1, e2, e3, e4, e5, e6$"),
        (None, "query=x", "--at is missing; query= needs the event to change; possible at event 3 or event 9 or .*$"),
        (None, "verdict=reject", "--at is missing; verdict= needs the event to change; possible at event 25$"),
        (None, "verdict=repair", "--at is missing; .*; no decision of this run can be turned into repair$"),
        (1, "reply={}", r"event 1 \(run_started\) does not come from a model's reply; possible at event 3$"),
        (4, "reply={}", r"event 4 \(passages_retrieved\) does not .* reply; possible at event 3 or event 5$"),
        (3, "reply={", r"--set reply: not JSON \(.*\); see retree schema"),
    ],
)
def test_an_edit_that_does_not_fit_its_event_is_refused_and_writes_nothing(tmp_path, moment, edit, said):
    with pytest.raises(UsageError, match=said):
        forked_at(repaired_run(), moment, edit, tmp_path)
    assert not (tmp_path / "fork.jsonl").exists()


@pytest.mark.parametrize("text", ["verdict", "verdict=maybe", "colour=red", "", "=", "query"])
def test_an_edit_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match="--set"):
        Edit.parse(text)


def test_a_fork_of_a_run_without_events_says_so(tmp_path):
    trace = replace(repaired_run(), records=())
    with pytest.raises(UsageError, match="--at 1: this run has no events"):
        forked_at(trace, 1, "query=x", tmp_path)


def test_a_reply_nested_too_deeply_is_refused_and_writes_nothing(tmp_path):
    trace = repaired_run()
    moment = moment_of(trace, "search_chosen")
    with pytest.raises(UsageError, match="nested too deeply"):
        forked_at(trace, moment, "reply=" + "[" * 100_000, tmp_path)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("query", ["population \udcff of Velmora", "x-api-key: abcdef0123456789abcdef", "a\x00b"])
def test_a_query_is_recorded_as_it_was_used(tmp_path, query):
    trace = repaired_run()
    forked = forked_at(trace, moment_of(trace, "search_chosen"), f"query={query}", tmp_path)
    assert replay(forked) == forked.events
    assert "abcdef0123456789" not in "".join(one.read_text() for one in tmp_path.iterdir())


def test_a_value_may_hold_an_equals_sign():
    assert Edit.parse("query=a=b") == Edit(what="query", value="a=b")


def test_a_file_that_exists_is_kept(tmp_path):
    (tmp_path / "fork.jsonl").write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        forked_at(repaired_run(), 3, "query=x", tmp_path)
