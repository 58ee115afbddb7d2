"""What an agent recalls is what a look through its whole memory finds, after every event of runs of all kinds."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from random_worlds import PEOPLE, QUESTION, Chaos, sentence, worlds
from worlds import run_in

from retree_core.judging.duplicates import is_duplicate
from retree_core.memory import Evidence
from retree_core.rules.recall import ActivePath, Retrieved
from retree_core.state import State, active_path, apply, path
from retree_core.text import normalise, top_k

WORLDS = 300


class Fact(NamedTuple):
    """A fact in force, as `top_k` takes it."""

    id: str
    text: str
    order: int


def test_what_is_recalled_is_what_is_there() -> None:
    seen: Counter[str] = Counter()

    @worlds(WORLDS)
    def holds(data: bytes) -> None:
        chaos = Chaos(data)
        run = run_in(chaos.world(), QUESTION, chaos.settings)
        state, recalled, retrieved = State(), ActivePath(), Retrieved()
        for event in run.events:
            state = apply(state, event)
            recalled.follow(event, state)
            retrieved.follow(event, state)
            check_path(state, recalled, sentence(chaos.dice))
            if event.kind == "search_chosen":
                check_retrieved(state, retrieved)
        seen.update([*{one.kind for one in run.events}, chaos.settings.agent])

    holds()
    assert set(seen) >= {"retree", "flat", "evidence_repaired", "nodes_pruned", "facts_added", "duplicate_found"}


def check_path(state: State, recalled: ActivePath, fact: str) -> None:
    held = active_path(state)
    facts = [Fact(one.id, one.text, place) for place, one in enumerate(held)]
    assert recalled.in_order(state.evidence) == ids(held)
    assert [one in recalled for one in state.evidence] == [one in held for one in state.evidence.values()]
    for queries, k in (([state.question, *PEOPLE], 5), ([fact], 2)):
        assert tuple(id_ for id_, _ in recalled.ranked(queries, k)) == tuple(one.id for one in top_k(queries, facts, k))
    for text in (fact, *(one.text for one in held[-2:])):
        assert recalled.restated(text) == next((one.id for one in held if is_duplicate(one.text, text)), None)
    assert recalled.repaired() == ids(tuple(one for one in held if len(one.revisions) > 1))
    live = [one for one in path(state) if state.nodes[one].pruned_at is None]
    assert [recalled.depth(one) for one in live] == list(range(len(live)))


def check_retrieved(state: State, retrieved: Retrieved) -> None:
    earlier = {normalise(one.query): one.number for one in reversed(state.searches[:-1]) if one.failure is None}
    assert retrieved.search(f" {state.searches[-1].query}? ") == earlier.get(normalise(state.searches[-1].query))
    for one in state.passages.values():
        assert retrieved.passage(f"{one.text.upper()}!") == one.id


def ids(evidence: tuple[Evidence, ...]) -> tuple[str, ...]:
    return tuple(one.id for one in evidence)
