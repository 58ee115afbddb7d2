"""What holds of every run, whatever the model says and the searches find."""

import random
import re
from collections import Counter
from functools import cache

import pytest
from worlds import (
    confirm,
    conflict,
    cut,
    every,
    evidence_in,
    failed,
    hit,
    prompt,
    run_scripted,
    search,
    state,
    stop,
    summary,
)

from retree_core.agents.memory import context_bound
from retree_core.calls import ModelCall
from retree_core.events import (
    ContextBuilt,
    EvidenceRepaired,
    NodeAdded,
    NodesPruned,
    SearchChosen,
    SummaryWritten,
)
from retree_core.settings import Settings
from retree_core.state import active_path, path, states

TOWNS = ("Velmora", "Dresk", "Tarn", "Sorrel", "Pell")
PEOPLE = ("Ilse Korn", "Otto Lind", "Ada Brandt", "Jan Hale")
QUESTION = "Where was the mayor of the capital of Alvonia born?"


def _sentence(chance: random.Random) -> str:
    return chance.choice(
        [
            f"The capital of Alvonia is {chance.choice(TOWNS)}.",
            f"The mayor of {chance.choice(TOWNS)} is {chance.choice(PEOPLE)}.",
            f"{chance.choice(PEOPLE)} was born in {chance.choice(TOWNS)}.",
            f"{chance.choice(TOWNS)} had {chance.randint(1000, 9999):,} inhabitants in {chance.randint(1990, 2020)}.",
        ]
    )


class Chaos:
    """A model and a search that say anything at all, repeatably."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.pages = [hit(f"{_sentence(self.chance)} {_sentence(self.chance)}", f"Page {n}") for n in range(12)]

    def script(self):
        roles = ("policy", "extract", "conflict", "confirm", "summarise", "answer")
        return {role: lambda call, role=role: self._say(role, call) for role in roles}

    def finds(self, _call):
        if self.chance.random() < 0.1:
            return failed(self.chance.choice(["timeout", "server_error", "search_error"]))
        return self.chance.sample(self.pages, self.chance.randint(0, 6))

    def _say(self, role, call):
        if self.chance.random() < 0.1:
            return self.chance.choice(
                ["", "no", "{}", "[]", '{"facts": 1}', cut('{"a": '), "<think>hm", '{"pairs": [null]}']
            )
        return getattr(self, f"_{role}")(call)

    def _ids(self, call, most):
        shown = [*evidence_in(prompt(call)), "e1", "e99", "[E2]", "p1", ""]
        return [self.chance.choice(shown) for _ in range(self.chance.randint(0, most))]

    def _policy(self, call):
        if self.chance.random() < 0.15:
            return stop(*self._ids(call, 3))
        return search(self.chance.choice(["capital", "Capital?", *(f"query {number}" for number in range(20))]))

    def _extract(self, call):
        """Mostly what a shown page says, sometimes anything, sometimes from a page that is not there."""
        pages = re.findall(r"^Passage (\d+): .*\n(.*?\.) (.*)$", prompt(call), re.MULTILINE)
        items = [{"passage": number, "quote": fact, "fact": fact} for number, *said in pages for fact in said]
        odd = [{"passage": self.chance.choice([0, 9, None, 1]), "quote": "", "fact": _sentence(self.chance)}, None]
        return {"facts": [self.chance.choice(items + odd) for _ in range(self.chance.randint(0, 8))]}

    def _conflict(self, call):
        """Mostly pairs of the same kind, sometimes any pair."""
        stored, new = (evidence_in(part) for part in prompt(call).split("\nNew facts\n"))
        alike = [(old, fresh) for old in stored for fresh in new if stored[old][:14] == new[fresh][:14]]
        every_pair = [(old, fresh) for old in stored for fresh in new]
        pairs = alike if self.chance.random() < 0.8 else every_pair
        return conflict(*self.chance.sample(pairs, min(len(pairs), self.chance.randint(0, 3))))

    def _confirm(self, call):
        agreed = self.chance.random() < 0.9
        if "apply" in call.body["response_format"]["json_schema"]["schema"]["properties"]:
            return {"reason": "so it is", "apply": agreed}
        return confirm(agreed, better=self.chance.choice(["new", "new", "stored"]))

    def _summarise(self, _call):
        return summary(" ".join(_sentence(self.chance) for _ in range(self.chance.randint(0, 40))))

    def _answer(self, call):
        return {
            "claims": [{"text": _sentence(self.chance), "evidence": self._ids(call, 4)} for _ in range(3)],
            "answer": self.chance.choice(TOWNS),
        }


SEEDS = range(40)


@cache
def _run(seed):
    chaos = Chaos(seed)
    on_repair, judge = ("set_aside", "keep_facts")[seed % 2], ("guarded", "paper")[seed // 2 % 2]
    settings = Settings(model="scripted", on_repair=on_repair, judge=judge)
    return run_scripted(QUESTION, chaos.script(), chaos.finds, settings)


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens(seed):
    run = _run(seed)
    settings, end = run.header.settings, state(run)
    assert run.events[-1].kind == "run_ended"
    assert [one.number for one in end.searches] == list(range(1, len(end.searches) + 1))
    assert len(end.searches) <= 8
    _check_repairs(run, settings)
    _check_tree(run, end)
    _check_contexts(run, settings)


def _check_repairs(run, settings):
    a_search = 0
    repairs = Counter()
    for event in run.events:
        if isinstance(event, SearchChosen):
            a_search = 0
        if isinstance(event, EvidenceRepaired):
            a_search += 1
            repairs[event.evidence] += 1
            assert event.revision == repairs[event.evidence] + 1
            assert event.old_text != event.new_text
        assert a_search <= 1
    assert all(count <= settings.repairs_per_fact for count in repairs.values())


def _check_tree(run, end):
    ids = [one.node for one in every(run, NodeAdded)]
    assert len(set(ids)) == len(ids)
    assert len(end.nodes) == len(ids) + 1
    for event, one in zip(run.events, states(run.events), strict=True):
        resuming = isinstance(event, EvidenceRepaired | NodesPruned)  # the next event moves to the repaired node
        assert resuming or all(one.nodes[node].pruned_at is None for node in path(one))
        assert all(fact.fate == "active" for fact in active_path(one))
    assert not [
        one
        for one in end.evidence.values()
        if one.fate == "new" and end.ended.status in ("answered", "budget_exhausted")
    ]


def _check_contexts(run, settings):
    """Only evidence in force is shown, and never more than the bound."""
    for event, before in zip(run.events, states(run.events), strict=True):
        if isinstance(event, ContextBuilt):
            assert set(event.evidence) <= {one.id for one in active_path(before)}
            assert len(event.evidence) <= settings.shown_evidence
            assert event.characters <= context_bound(settings)
        if isinstance(event, SummaryWritten):
            assert len(event.text.split()) <= settings.summary_words
    for one in run.calls:
        if isinstance(one.call, ModelCall):
            assert len(one.call.body["messages"]) == 2


def test_nearly_everything_happens_somewhere():
    seen = Counter(one.kind for seed in SEEDS for one in _run(seed).events)
    assert set(seen) >= {
        "conflict_confirmed",
        "conflict_rejected",
        "duplicate_found",
        "evidence_repaired",
        "fact_dropped",
        "facts_set_aside",
        "nodes_pruned",
        "reply_rejected",
        "search_failed",
        "stop_refused",
        "summary_stale",
    }
    assert {_run(seed).events[-1].status for seed in SEEDS} >= {"answered", "budget_exhausted"}
