"""What a record says was chosen and how; one of format 1 as far as that follows from what it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from worlds import (
    DRESK,
    KORN,
    QUESTION,
    SETTINGS,
    VELMORA,
    asking,
    changed,
    finding,
    in_format_1,
    place_of,
    repaired_run,
    run_scripted,
    scripted_header,
    stop,
)

from retree_core import events as ev
from retree_core.calls import CallFailed, ModelCall, ModelReply
from retree_core.settings import Settings
from retree_core.trace import CallRecord, EventRecord, Trace
from retree_core.trace.recorded import Ranked, check_ranking, context_bound, context_ranking, value_read
from retree_core.trace.records import RuleRecord


def as_it_is(run: Trace) -> Trace:
    return run


FORMATS = pytest.mark.parametrize("formatted", [as_it_is, in_format_1])
Formatted = Callable[[Trace], Trace]


def contexts(run: Trace) -> list[int]:
    return [at for at, one in enumerate(run.events, 1) if isinstance(one, ev.ContextBuilt)]


@FORMATS
def test_the_ranking_of_a_policy_context(formatted: Formatted) -> None:
    run = formatted(repaired_run(settings=replace(SETTINGS, shown_evidence=1)))
    found = context_ranking(run, contexts(run)[2])
    assert found
    assert found.sought == (QUESTION,)
    assert found.order == (Ranked(id="e1", score=2), Ranked(id="e2", score=1))
    assert found.shown == 1
    assert context_ranking(run, 1) is None


@FORMATS
def test_what_was_missing_is_sought_also_after_a_refused_stop(formatted: Formatted) -> None:
    refused = {**stop("e99"), "missing": ["the mayor of Velmora", " "]}
    first, *rest = asking(2, "e1")
    run = formatted(run_scripted(QUESTION, {"policy": [first, refused, *rest]}, finding(VELMORA, KORN)))
    found = [context_ranking(run, at) for at in contexts(run)][1:]
    assert [one and one.sought[1:] for one in found] == [(), ("the mayor of Velmora",), ()]
    assert found[1]
    assert found[1].order == (Ranked(id="e1", score=3),)
    silent = replace(run, records=tuple(one for one in run.records if not isinstance(one, CallRecord)))
    assert [context_ranking(silent, at) is None for at in contexts(run)][1:] == [False, True, False]


@FORMATS
def test_the_ranking_for_the_conflict_judge(formatted: Formatted) -> None:
    run = formatted(repaired_run(settings=replace(SETTINGS, shown_evidence=1)))
    found = check_ranking(run, 4)
    assert found
    assert found.sought[1:] == (DRESK,)
    assert [one.id for one in found.order] == ["e1", "e3", "e2"], "of equals the newest first"
    assert found.shown == 1
    assert check_ranking(run, 1) is None
    assert check_ranking(run, 99) is None


@FORMATS
def test_a_ranking_that_does_not_fit_the_record_is_none_of_it(formatted: Formatted) -> None:
    run = formatted(repaired_run(settings=replace(SETTINGS, shown_evidence=1)))
    moment = contexts(run)[2]
    record = next(one for one in run.records if getattr(one, "event", None) is run.events[moment - 1])
    assert isinstance(record, EventRecord)
    assert isinstance(record.event, ev.ContextBuilt)
    other = replace(record, event=replace(record.event, evidence=("e2",)))
    assert context_ranking(changed(run, place_of(run, record), other), moment) is None


def test_scores_are_those_that_the_rule_gave() -> None:
    run = repaired_run(settings=replace(SETTINGS, shown_evidence=1))
    for rule, ranking in (("context", lambda run: context_ranking(run, contexts(run)[2])), ("related", _of_search_3)):
        answers = [one for one in run.answers if one.rule == rule and len(one.reply.get("order", ())) == 2]
        odd = with_reply(run, answers[0], {**answers[0].reply, "scores": [70, 60]})
        found = ranking(odd)
        assert found
        assert [one.score for one in found.order] == [70, 60]
        for reply in ({}, {"order": ["e1", "e2"]}, {"order": ["e1", "e2"], "scores": [1]}, {"order": 7, "scores": 7}):
            assert ranking(with_reply(run, answers[0], reply)) is None


def _of_search_3(run: Trace) -> object:
    return check_ranking(run, 3)


def with_reply(run: Trace, answer: RuleRecord, reply: dict[str, object]) -> Trace:
    return changed(run, place_of(run, answer), replace(answer, reply=reply))


def test_what_a_reply_was_read_as() -> None:
    def read(content: object, read: dict[str, object] | None = None) -> object:
        reply = ModelReply(raw={"choices": [{"message": {"content": content}}]})
        return value_read(CallRecord(seq=1, call=ModelCall(role="policy", body={}), reply=reply, read=read))

    assert read('{"query": "q"}') == {"query": "q"}
    assert read('Sure: {"query": "q"}') is None
    assert read('Sure: {"query": "q"}', {"value": {"query": "q"}}) == {"query": "q"}
    assert read('{"query": "q"}', {"fault": {"kind": "invalid", "text": "it is"}}) is None
    assert read('{"query": "q"}', {"value": 7}) is None
    failed = CallFailed(failure="timeout", message="late")
    assert value_read(CallRecord(seq=1, call=ModelCall(role="policy", body={}), reply=failed)) is None


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
    header = replace(scripted_header(QUESTION), settings=settings)
    assert context_bound(replace(header, version=1, context_bound=None)) == bound, "as it follows from the settings"
    assert context_bound(replace(header, context_bound=bound)) == bound
    assert context_bound(replace(header, context_bound=99)) == 99
