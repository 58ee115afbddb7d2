import json
from dataclasses import replace
from pathlib import Path

from viz.story import moment, story, story_trace, trace_of
from worlds import SETTINGS, repaired_run

from retree_core import events as ev
from retree_core.agents.evidence import context_bound
from retree_core.breakpoints import ROLES
from retree_core.calls import CallFailed, ModelCall
from retree_core.state import State
from retree_core.trace import CallRecord
from retree_viz.run import Run
from retree_viz.timeline import data
from retree_viz.timeline.data import timeline


def test_searches_are_bracketed_from_context_to_effect() -> None:
    first = Run(story_trace()).timeline.brackets[0]
    assert (first.first, first.last, first.query) == (2, moment("summary_written"), "Aldermoor Observatory")


def test_a_forced_search_says_so_and_starts_with_its_choice() -> None:
    forced = Run(story_trace()).timeline.brackets[4]
    assert forced.forced
    assert forced.first == moment("search_chosen", 5)


def test_the_repair_band_reaches_from_proposal_to_the_facts_set_aside() -> None:
    (band,) = Run(story_trace()).timeline.bands
    assert (band.first, band.last) == (moment("conflict_proposed", 2), moment("facts_set_aside"))


def test_lanes_put_the_repaired_evidence_first() -> None:
    lanes = Run(story_trace()).timeline.lanes
    assert lanes[0].id == "e3"
    assert lanes[0].end == "cited by c1"
    assert {one.id: one.gone for one in lanes}["e5"] == moment("nodes_pruned")


def test_a_run_of_nothing_has_a_timeline() -> None:
    shown = Run(trace_of([])).timeline
    assert (shown.total, shown.brackets, shown.lanes, shown.calls, shown.errors) == (0, (), (), "", ())


def test_a_run_cut_anywhere_has_a_timeline_that_is_plain_json() -> None:
    for length in range(len(story()) + 1):
        trace = trace_of(story()[:length])
        json.dumps(Run(trace).timeline.json, allow_nan=False)
        assert all(one.last <= length for one in timeline(trace, State()).brackets)


def test_calls_stand_between_the_events_they_were_made_between() -> None:
    run = Run(repaired_run())
    events = run.timeline.calls.split(".")
    assert len(events) == run.total + 1
    confirmed = next(at for at, one in enumerate(run.events) if one.kind == "conflict_confirmed")
    assert events[confirmed] == "f"
    assert len("".join(events)) == len(run.trace.calls)


def test_calls_that_were_made_side_by_side_are_marked_as_such() -> None:
    run = Run(repaired_run(settings=replace(SETTINGS, summary_call="beside")))
    between = [one for one in run.timeline.calls.split(".") if "+" in one]
    assert between == ["c+s"] * 5
    asked = [one.number for one in run.call_lines if one.role == "summarise" and one.beside]
    written = [at for at, one in enumerate(run.events, 1) if one.kind in ("summary_written", "summary_discarded")]
    assert run.timeline.led == tuple(zip(asked, [*written[1:4], *written[5:]], strict=True))
    assert Run(repaired_run()).timeline.led == ()
    assert "C" in run.timeline.codes
    band = run.timeline.bands[0]
    assert run.events[band.last - 1].kind == "summary_written"


def test_what_went_wrong_is_listed() -> None:
    events = [
        ev.RunStarted(question="q", agent="retree"),
        ev.SearchChosen(search=1, query="q", origin="policy"),
        ev.SearchFailed(search=1, failure="timeout", message="too slow"),
        ev.ReplyRejected(role="policy", attempt=1, reason="no JSON"),
        ev.RunEnded(status="llm_error"),
    ]
    failed = CallRecord(
        seq=0, call=ModelCall(role="policy", body={}), reply=CallFailed(failure="timeout", message="too slow")
    )
    trace = trace_of(events)
    trace = replace(trace, records=(trace.records[0], failed, *trace.records[1:], failed))
    shown = timeline(trace, State())
    assert shown.errors == (2, 3, 4, 5)
    assert shown.calls == ".P....P"
    assert Run(story_trace()).timeline.errors == ()


def test_the_bound_is_that_of_the_agent() -> None:
    trace = story_trace()
    assert Run(trace).timeline.bound == context_bound(trace.header.settings)


def test_the_browser_knows_every_kind_and_role() -> None:
    script = (Path(data.__file__).parent / "marks.js").read_text(encoding="utf-8")
    for kind, (letter, name) in data.MARKS.items():
        assert f"{letter}: '{kind}'" in script
        assert f"{letter}: '{name}'" in script
        assert f"  {letter}: [[" in script or f" {letter}: [[" in script
    for role, letter in data.ROLES.items():
        assert f"{letter}: '{role}'" in script
    assert {*data.ROLES} == {*ROLES}


def test_a_breakpoint_of_the_address_hits_or_says_what_is_wrong_with_it() -> None:
    run = Run(story_trace())
    assert run.point("conflict_proposed").moments == (moment("conflict_proposed"), moment("conflict_proposed", 2))
    bad = run.point("conflict_propsed")
    assert (bad.moments, "names no event kind: 'conflict_propsed'" in bad.problem) == ((), True)
    assert run.point("conflict_proposed") is run.point("conflict_proposed")


def test_twenty_thousand_events_fit() -> None:
    events: list[ev.Event] = [ev.RunStarted(question="q", agent="retree")]
    events += [ev.ContextBuilt(node="root", evidence=(), characters=1)] * 20_000
    shown = timeline(trace_of(events), State())
    assert len(shown.codes) == 20_001
    assert len(json.dumps(shown.json)) < 1_000_000
