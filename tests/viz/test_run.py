from viz.story import story, story_trace

from retree_core.state import fold
from retree_viz.run import Run


def test_every_moment_is_the_fold_of_its_events() -> None:
    run = Run(story_trace())
    for moment in (0, 1, 17, 45, run.total):
        assert run.at(moment) == fold(story()[:moment])
    assert run.at(10_000) == run.last
    assert run.at(-3) == run.at(0)


def test_neighbouring_states_share_what_did_not_change() -> None:
    run = Run(story_trace())
    assert run.at(44).passages is run.at(45).passages


def test_what_an_event_made_is_found_again() -> None:
    born = Run(story_trace()).born
    assert born["root"] == 1
    assert born["e1"] == 5
    assert born["n1"] == 6
