import json

from viz.story import moment, story, story_trace

from retree_core import events as ev
from retree_core.state import State
from retree_viz.run import Run
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
    shown = timeline((), State())
    assert (shown.total, shown.brackets, shown.lanes) == (0, (), ())


def test_a_run_cut_anywhere_has_a_timeline_that_is_plain_json() -> None:
    for length in range(len(story()) + 1):
        events = story()[:length]
        json.dumps(timeline(events, Run(_cut(length)).last).json(), allow_nan=False)
        assert all(one.last <= length for one in timeline(events, State()).brackets)


def _cut(length: int):  # type: ignore[no-untyped-def]
    from viz.story import trace_of

    return trace_of(story()[:length])


def test_twenty_thousand_events_fit() -> None:
    events: list[ev.Event] = [ev.RunStarted(question="q", agent="retree")]
    events += [ev.ContextBuilt(node="root", evidence=(), characters=1)] * 20_000
    shown = timeline(events, State())
    assert len(shown.codes) == 20_001
    assert len(json.dumps(shown.json())) < 1_000_000
