"""What holds of every run, whatever the model says, the searches find and the settings are.

Each rule is a small function over a run; the worlds are made of bytes (`random_worlds`), which hypothesis shrinks.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest
from random_worlds import FULL, QUESTION, SEED, Chaos, worlds
from worlds import Trace, every, evidence_in, prompt, run_in

from retree_core import events as ev
from retree_core.agents import strategy_of
from retree_core.calls import ModelCall
from retree_core.invariants import broken
from retree_core.memory import DONE, Evidence
from retree_core.state import State, active_path, citations, fold, path, states
from retree_core.text import normalise
from retree_core.trace.records import CallRecord, EventRecord

WORLDS = 1700


def test_whatever_happens(capsys: pytest.CaptureFixture[str]) -> None:
    seen: Counter[str] = Counter()

    @worlds(WORLDS)
    def holds(data: bytes) -> None:
        chaos = Chaos(data)
        run = run_in(chaos.world(), QUESTION, chaos.settings)  # folds without problems, and replays
        seen.update([chaos.settings.agent, run.events[-1].status, *{one.kind for one in run.events}])
        assert list(broken(run)) == []
        moments = [State(), *states(run.events)]
        check_folds(run)
        check_counters(moments)
        check_facts(run, moments)
        check_prompts(run)
        check_contexts(run)
        check_citations(moments[-1])

    with capsys.disabled():
        print(f"\n{10 * WORLDS if FULL else WORLDS} worlds of seed {SEED} ", end="", flush=True)
    holds()
    assert set(seen) >= {"retree", "react", "flat", "report"}
    assert set(seen) >= {"answered", "budget_exhausted", "no_answer", "llm_error", "context_overflow"}
    assert set(seen) >= {"search_error", "search_quota"}
    unseen = set(ev.EVENT_KINDS) - set(seen)
    assert unseen <= {"step_taken", "repair_skipped"}, "imported records alone; duplicates come before"


def check_folds(run: Trace) -> None:
    """Any stretch of a run folds: a prefix as a run that was stopped, what follows it as a damaged record."""
    for place in range(0, len(run.events), 5):
        assert fold(run.events[:place]).moment == place
        assert fold(run.events[place:]).moment == len(run.events) - place


def check_counters(moments: list[State]) -> None:
    """Nothing that was counted is uncounted, no id is given twice, and what is known stays known."""
    for before, after in pairwise(moments):
        assert after.moment == before.moment + 1
        for kind in ("nodes", "evidence", "passages"):
            known, now = list(getattr(before, kind)), list(getattr(after, kind))
            assert now[: len(known)] == known
        numbers = [one.number for one in after.searches]
        assert numbers == list(range(1, len(numbers) + 1))
        assert numbers[: len(before.searches)] == [one.number for one in before.searches]
        for id_, one in before.evidence.items():
            assert [each.text for each in after.evidence[id_].revisions][: len(one.revisions)] == [
                each.text for each in one.revisions
            ]


BECOMES = {
    "new": {
        "active": (ev.NodeAdded, ev.FactsAdded),
        "duplicate": (ev.DuplicateFound,),
        "absorbed": (ev.EvidenceRepaired,),
        "set_aside": (ev.FactsSetAside,),
    },
    "active": {"pruned": (ev.NodesPruned,)},
}
"""Fate to later fates, with the events that may bring each; all other fates are final."""


def check_facts(run: Trace, moments: list[State]) -> None:
    """No fact is lost or doubled: each has one fate at a time, and leaves it only by an event that says so."""
    for event, (before, after) in zip(run.events, pairwise(moments), strict=True):
        for id_, one in after.evidence.items():
            former = before.evidence[id_].fate if id_ in before.evidence else "new"
            assert one.fate == former or isinstance(event, BECOMES[former][one.fate])
        held = Counter(id_ for node in after.nodes.values() for id_ in node.evidence)
        assert set(held.values()) <= {1}
        live = {id_ for node in after.nodes.values() if node.pruned_at is None for id_ in node.evidence}
        assert live == {id_ for id_, one in after.evidence.items() if one.fate == "active"}
        assert set(held) - live == {id_ for id_, one in after.evidence.items() if one.fate == "pruned"}
        moving = isinstance(event, ev.EvidenceRepaired | ev.NodesPruned)  # the next event resumes at the repaired node
        assert moving or {one.id for one in active_path(after)} == live & _on_path(after)
    introduced = [fact.id for event in every(run, ev.FactsExtracted) for fact in event.facts]
    assert introduced == list(moments[-1].evidence)
    if run.events[-1].status in DONE:
        assert [one.id for one in moments[-1].evidence.values() if one.fate == "new"] == []


def _on_path(now: State) -> set[str]:
    return {id_ for node in path(now) for id_ in now.nodes[node].evidence}


def check_prompts(run: Trace) -> None:
    """A tree's later prompts hold no word of what was pruned, put aside or refuted, unless something in force says it.

    Two prompts read passages, of which anything may be said: the extraction, and the confirmation with its history.
    And a summary that holds on to what was refuted is asked for once more, without it.
    """
    if run.header.settings.agent != "retree":
        return
    for call, before in _calls(run):
        if call.role in ("extract", "confirm"):
            continue
        said = prompt(call).split("\nQuestion: ")[-1].removeprefix(QUESTION).split("\n\nDo not mention ")[0]
        for text in _gone(before):
            assert f" {text} " not in f" {normalise(said)} "


def _calls(run: Trace) -> Iterator[tuple[ModelCall, State]]:
    """Model calls with the state they are made in."""
    before = iter([State(), *states(run.events)])
    now = next(before)
    for record in run.records:
        if isinstance(record, EventRecord):
            now = next(before)
        elif isinstance(record, CallRecord) and isinstance(record.call, ModelCall):
            yield record.call, now


def _gone(now: State) -> Iterator[str]:
    """Normal forms of texts that were in the memory and are no longer."""
    held = [normalise(one.text) for one in now.evidence.values() if one.fate in ("active", "new")]
    for one in now.evidence.values():
        former = [each.text for each in one.revisions[:-1]]
        texts = [*former, one.text] if one.fate in ("pruned", "set_aside") else former
        yield from (text for text in map(normalise, texts) if not any(text in other for other in held))


def check_contexts(run: Trace) -> None:
    """The policy reads as many characters as the record says, within the bound, and no fact outside them."""
    bound = strategy_of(run.header.settings).bound(run.header.settings)
    contexts = iter(every(run, ev.ContextBuilt))
    context = None
    for record in run.records:
        if isinstance(record, EventRecord):
            context = next(contexts) if isinstance(record.event, ev.ContextBuilt) else context
        elif isinstance(record, CallRecord) and isinstance(record.call, ModelCall) and record.call.role == "policy":
            assert context is not None
            memory = record.call.body["messages"][1]["content"].split("\nMemory\n", 1)[1]
            assert bound is None or context.characters <= bound
            assert re.match(r"(?:\n\n|$)", memory[context.characters :].rstrip(" ")), (
                "what follows is a notice, or nothing"
            )
            if run.header.settings.agent in ("retree", "flat"):
                assert set(evidence_in(memory)) == set(context.evidence)
                assert evidence_in(memory[context.characters :]) == {}


def check_citations(end: State) -> None:
    """A claim's id leads to a fact in force with its passages, or is marked as leading nowhere."""
    for claim in end.answer.claims if end.answer else ():
        for cited in citations(end, claim):
            if cited.standing in ("current", "repaired"):
                assert cited.sources
                assert {one.passage for one in cited.sources} <= set(end.passages)
                assert cited.evidence is None or _in_force(end.evidence[cited.evidence])
            else:
                assert cited.standing == ("missing" if _unknown(end, cited.id) else "stale")


def _in_force(one: Evidence) -> bool:
    return one.fate == "active"


def _unknown(end: State, id_: str) -> bool:
    return id_ not in end.evidence and id_ not in end.passages
