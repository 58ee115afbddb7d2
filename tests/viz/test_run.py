from viz.story import story, story_trace

from retree_core import events as ev
from retree_core.state import fold
from retree_viz.run import KEEP_ALL, History, Run


def test_every_moment_is_the_fold_of_its_events() -> None:
    run = Run(story_trace())
    for moment in (0, 1, 17, 45, run.total):
        assert run.at(moment) == fold(story()[:moment])
    assert run.at(10_000) == run.last
    assert run.at(-3) == run.at(0)


def test_neighbouring_states_share_what_did_not_change() -> None:
    run = Run(story_trace())
    assert run.at(44).passages is run.at(45).passages


def test_long_runs_keep_checkpoints_and_give_the_same_states() -> None:
    events = [*story()] + [ev.ContextBuilt(node="n6", evidence=(), characters=one) for one in range(KEEP_ALL)]
    long = History(events)
    for moment in (0, 1, 63, 64, 65, 300, len(events) - 1, len(events)):
        assert long.at(moment) == fold(events[:moment])


def test_what_an_event_made_is_found_again() -> None:
    born = Run(story_trace()).born
    assert born["root"] == 1
    assert born["e1"] == 5
    assert born["n1"] == 6
