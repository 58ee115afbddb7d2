"""What a record of version 1 lacks: rankings and the bound of the context, where they follow from what it has."""

from __future__ import annotations

from dataclasses import replace

import pytest
from worlds import DRESK, KORN, QUESTION, SETTINGS, VELMORA, asking, changed, finding, repaired_run, run_scripted, stop

from retree_core import events as ev
from retree_core.settings import Settings
from retree_core.trace import Trace
from retree_core.trace.recorded import Ranked, check_ranking, context_bound, context_ranking
from retree_core.trace.records import EventRecord


def contexts(run: Trace) -> list[int]:
    return [at for at, one in enumerate(run.events, 1) if isinstance(one, ev.ContextBuilt)]


def test_the_ranking_of_a_policy_context() -> None:
    run = repaired_run(settings=replace(SETTINGS, shown_evidence=1))
    found = context_ranking(run, contexts(run)[2])
    assert found
    assert found.sought == (QUESTION,)
    assert found.order == (Ranked(id="e1", score=2), Ranked(id="e2", score=1))
    assert found.shown == 1
    assert context_ranking(run, 1) is None


def test_what_was_missing_is_sought_also_after_a_refused_stop() -> None:
    refused = {**stop("e99"), "missing": ["the mayor of Velmora", " "]}
    first, *rest = asking(2, "e1")
    run = run_scripted(QUESTION, {"policy": [first, refused, *rest]}, finding(VELMORA, KORN))
    moments = contexts(run)
    found = [context_ranking(run, at) for at in moments]
    assert [one.sought[1:] for one in found if one] == [(), (), ("the mayor of Velmora",), ()]
    assert found[2]
    assert found[2].order == (Ranked(id="e1", score=3),)
    silent = replace(run, records=tuple(one for one in run.records if isinstance(one, EventRecord)))
    assert [context_ranking(silent, at) is None for at in moments] == [False, False, True, False]


def test_the_ranking_for_the_conflict_judge() -> None:
    run = repaired_run(settings=replace(SETTINGS, shown_evidence=1))
    found = check_ranking(run, 4)
    assert found
    assert found.sought[1:] == (DRESK,)
    assert [one.id for one in found.order] == ["e1", "e3", "e2"], "of equals the newest first"
    assert found.shown == 1
    assert check_ranking(run, 1) is None
    assert check_ranking(run, 99) is None


def test_a_ranking_that_does_not_fit_the_record_is_none_of_it() -> None:
    run = repaired_run(settings=replace(SETTINGS, shown_evidence=1))
    moment = contexts(run)[2]
    place = next(at for at, one in enumerate(run.records) if getattr(one, "event", None) is run.events[moment - 1])
    record = run.records[place]
    assert isinstance(record, EventRecord)
    assert isinstance(record.event, ev.ContextBuilt)
    other = changed(run, place, replace(record, event=replace(record.event, evidence=("e2",))))
    assert context_ranking(other, moment) is None


@pytest.mark.parametrize(
    ("settings", "bound"),
    [
        (Settings(), 2413),
        (Settings(agent="flat", summary_words=5, shown_evidence=1), 333),
        (Settings(agent="react"), None),
        (Settings(agent="imported"), None),
        (Settings(agent="report"), 1826),
        (Settings(agent="report", max_searches=0), 1647),
        (Settings(agent="report", max_searches=10**9), 63_888_890_534),
    ],
)
def test_the_bound_of_a_context(settings: Settings, bound: int | None) -> None:
    assert context_bound(replace(repaired_run().header, settings=settings)) == bound
